import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainwright import recipe_file
from chainwright.recipe_file import RecipeError, RecipeProblem, load_recipe

GOOD = "name: trial\nsources:\n  - kind: gsm8k\n    path: test.jsonl\n"
QUICKSTART = Path(__file__).parent.parent / "recipes" / "quickstart.yaml"


def problems(folder: Path, text: str | bytes) -> list[RecipeProblem]:
    path = folder / "recipe.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(RecipeError) as caught:
        load_recipe(path)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: {len(caught.value.problems)} problem")
    return caught.value.problems


def only(folder: Path, text: str | bytes) -> RecipeProblem:
    found = problems(folder, text)
    assert len(found) == 1, found
    return found[0]


def test_the_quickstart_loads() -> None:
    recipe = load_recipe(QUICKSTART)
    assert (recipe.name, recipe.seed, recipe.sources[0].path) == (
        "quickstart",
        7,
        "builtin:quickstart",
    )


def test_byte_order_mark_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_recipe(str(path)).name == "trial"


def test_all_faults_are_reported_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    text = """\
nmae: trial
sources:
  - kind: gsm8q
    path: test.jsonl
    limit: "10"
  - kind: generic
    name: second
    path: a.jsonl
    hub: a/b
    limit: 0
annotation:
  judges: [program:arithmatic]
  bootstrap: 100001
release: {perl_json: yess}
"""
    found = problems(tmp_path, text)
    assert [(p.line, p.column, p.key_path, p.hint) for p in found] == [
        (1, 1, "nmae", "did you mean `name`?"),
        (3, 11, "sources[0].kind", "did you mean `gsm8k`?"),
        (5, 12, "sources[0].limit", "without quotes: 10"),
        (6, 5, "sources[1]", None),
        (10, 12, "sources[1].limit", None),
        (12, 12, "annotation.judges[0]", "did you mean `program:arithmetic`?"),
        (13, 14, "annotation.bootstrap", None),
        (14, 22, "release.perl_json", None),
    ]
    kinds = (
        "gsm8k, math, orca_math, metamathqa, musique, 2wikimultihopqa, reclor, logiqa, logiqa2, "
        "worlds, labelled"
    )
    assert found[1].expected == f"one of {kinds}, generic"
    assert found[2].found == '"10" (text)'
    assert found[4].expected == "a whole number, at least 1, or nothing"
    assert found[6].expected == "a whole number from 0 to 100000"
    assert found[7].expected == "true or false"


@pytest.mark.parametrize(
    ("line", "key_path", "found", "expected", "hint"),
    [
        ("seed: 1.0", "seed", "1.0", "a whole number, at least 0", None),
        ("seed: true", "seed", "true", "a whole number, at least 0", None),
        ("seed: -1", "seed", "-1", "a whole number, at least 0", None),
        ("seed: 010", "seed", "010, an odd", "decimal digits", 'if it is text: "010"'),
        ("seed: 1:30", "seed", "1:30, an odd", "decimal digits", 'if it is text: "1:30"'),
        ("seed: 0x1F", "seed", "0x1F, an odd", "decimal digits", 'if it is text: "0x1F"'),
        ("seed: !!python/none x", "seed", "the tag", "plain values without tags", None),
        ("seed: [1, 2]", "seed", "a list of 2 items", "a whole number, at least 0", None),
        ("chains:", "chains", "nothing", "a mapping with keys", "give it keys, or delete the line"),
        ("chains: {marks: kep}", "chains.marks", '"kep"', "keep, strip", "did you mean `keep`?"),
        (
            "release: {title: no}",
            "release.title",
            "no, which YAML reads as false",
            "text",
            'in quotes: "no"',
        ),
        ("release: {title: 12}", "release.title", "12", "text", 'in quotes: "12"'),
        ("release: {test_fraction: .nan}", "release.test_fraction", ".nan", "from 0 to 1", None),
        ("release: {test_fraction: .inf}", "release.test_fraction", ".inf", "from 0 to 1", None),
        (
            "judges: []",
            "judges",
            "unknown key",
            "keys of name, ",
            "`judges` belongs under `annotation`",
        ),
        (
            "lmit: 1",
            "lmit",
            "unknown key",
            "keys of name, ",
            "`limit` belongs under `sources[…]` or under `sources[…].types[…]` or under "
            "`negatives.model`",
        ),
        ("? [a]\n: 1", "", "a key that is no word", "words", None),
        (
            "annotation: {judges: program:reference}",
            "annotation.judges",
            '"program:reference"',
            "a list of texts or mappings, at most 25 items",
            "a list has a dash before each item",
        ),
        (
            "annotation: {judges: [{model: openai:x, eror: one_pass, premises: dyadic}]}",
            "annotation.judges[0].eror",
            "the unknown key `eror`",
            "keys of model, error, premises, faithfulness, temperature, max_tokens, share",
            "did you mean `error`?",
        ),
        (
            "annotation: {judges: [[openai:x]]}",
            "annotation.judges[0]",
            "a list of 1 item",
            "program:NAME, python:PACKAGE.MODULE.FUNCTION, a model such as openai:NAME, or a ",
            None,
        ),
        (
            "annotation: {judges: [{model: openai:x, error: one_pss}]}",
            "annotation.judges[0].error",
            '"one_pss"',
            "one of full_context, premise_conditioned, one_pass, or nothing",
            "did you mean `one_pass`?",
        ),
        (
            "concurrency: 1",
            "concurrency",
            "unknown key",
            "keys of",
            "`concurrency` belongs under `requests`",
        ),
        (
            "samples: 1",
            "samples",
            "unknown key",
            "keys of",
            "`samples` belongs under `chains.model`",
        ),
        (
            "chains: {model: {models: []}}",
            "chains.model.models",
            "an empty list",
            "a list of texts, 1 to 25 items",
            None,
        ),
        (
            "negatives: {model: {model: openai:x, error_types: [typo]}}",
            "negatives.model.error_types[0]",
            '"typo"',
            "one of mathematical_error, logical_inconsistency",
            None,
        ),
    ],
)
def test_one_fault(
    tmp_path: Path, line: str, key_path: str, found: str, expected: str, hint: str | None
) -> None:
    problem = only(tmp_path, f"{GOOD}{line}\n")
    assert (problem.key_path, problem.hint, problem.line) == (key_path, hint, 5)
    assert found in problem.found
    assert expected in problem.expected


def test_keys_are_words_as_written(tmp_path: Path) -> None:
    assert only(tmp_path, f"{GOOD}on: 1\n").key_path == "on"
    assert only(tmp_path, f"{GOOD}7: 1\n").key_path == "7"


def test_dates_are_text(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(f"{GOOD}    licence: 2024-13-45\nrelease: {{title: 2024-01-01}}\n")
    recipe = load_recipe(path)
    assert (recipe.sources[0].licence, recipe.release.title) == ("2024-13-45", "2024-01-01")


def test_repeated_key(tmp_path: Path) -> None:
    problem = only(tmp_path, f"{GOOD}    limit: 3\n    limit: 4\n")
    assert (problem.line, problem.key_path) == (6, "sources[0].limit")
    assert problem.found == "the key `limit` a second time"
    assert problem.hint == "it is on line 5 already"


def test_anchors_and_merges_in_moderation(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(
        "name: trial\nsources:\n"
        "  - &base {kind: generic, path: a.jsonl, limit: 3}\n"
        "  - {<<: *base, name: second, limit: 4}\n"
        "  - {name: third, <<: [*base, {split: dev, limit: 9}]}\n"
    )
    sources = load_recipe(path).sources
    assert [(s.name, s.path, s.limit, s.split) for s in sources] == [
        (None, "a.jsonl", 3, None),
        ("second", "a.jsonl", 4, None),
        ("third", "a.jsonl", 3, "dev"),
    ]


def test_fault_behind_an_anchor_stands_at_the_anchor(tmp_path: Path) -> None:
    text = "name: x\nsources:\n - &a {kind: gsm8k, path: p, limt: 1}\n - {<<: *a, name: b}\n"
    assert [(p.line, p.key_path) for p in problems(tmp_path, text)] == [
        (3, "sources[0].limt"),
        (3, "sources[1].limt"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: &a [*a]\n", "20 levels"),
        ("a: &a {<<: *a}\n", "20 levels"),
        ("[" * 5000, "20 levels"),
        ("a: &a 1\nb: [" + "*a, " * 51 + "]\n", "50 aliases"),
        ("a0: &a0 [x]\n" + "".join(
            f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 5)}]\n" for n in range(9)
        ), "20000 values"),
        ("a0: &a0 {x: 1}\n" + "".join(
            f"a{n + 1}: &a{n + 1} {{<<: [{', '.join([f'*a{n}'] * 5)}]}}\n" for n in range(9)
        ), "20000 values"),
        (b"x" * (recipe_file.MAX_BYTES + 1), "more than 1048576 bytes"),
    ],
    ids=["self", "self-merge", "deep", "aliases", "laughs", "merged-laughs", "size"],
)  # fmt: skip
def test_bombs_are_refused(tmp_path: Path, text: str | bytes, found: str) -> None:
    assert found in only(tmp_path, text).found


@pytest.mark.parametrize(
    ("text", "place", "found", "hint"),
    [
        ("a: [x\nb: 1\n", (2, 2), "broken YAML", None),
        ("a: b: c\n", (1, 5), "mapping values", "a colon and a blank"),
        ("a:\n\t- b\n", (2, 1), "broken YAML", "tabs may not indent"),
        ("a: *b\n", (1, 4), "undefined alias", None),
        ("a: 1\n---\nb: 1\n", (2, 1), "another document", None),
        ("a: 1\nb: \x00\n", (2, 4), "U+0000", None),
        (b"a: 1\nb: \xe9\n", (2, 4), "0xe9, which is not UTF-8", "save the file as UTF-8"),
        (b"\xff\xfea\x00", (1, 1), "0xff", "UTF-16"),
        ("", (1, 1), "an empty document", "quickstart"),
        ("# nothing\n~\n", (1, 1), "an empty document", "quickstart"),
        ("\n- a\n", (2, 1), "a list of 1 item", None),
        ("hello\n", (1, 1), '"hello" (text)', None),
    ],
)
def test_documents_that_are_no_recipe(
    tmp_path: Path, text: str | bytes, place: tuple[int, int], found: str, hint: str | None
) -> None:
    problem = only(tmp_path, text)
    assert (problem.line, problem.column, problem.key_path) == (*place, "")
    assert found in problem.found
    assert hint in problem.hint if hint and problem.hint else problem.hint is hint


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "perl.yaml").write_text(GOOD)
    with pytest.raises(RecipeError, match=r"no such file(.|\n)*did you mean `.*perl\.yaml`"):
        load_recipe(tmp_path / "prl.yaml")
    with pytest.raises(RecipeError, match=r"a folder(.|\n)*recipes in it: perl\.yaml"):
        load_recipe(tmp_path)
    with pytest.raises(RecipeError) as caught:
        load_recipe(tmp_path / "perl.yaml" / "x")
    assert caught.value.problems[0].line is None


def test_report_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(f"{GOOD}    limit: 0\nsed: 1\n")
    with pytest.raises(RecipeError) as caught:
        load_recipe(path)
    assert (
        str(caught.value)
        == f"""\
{path}: 2 problems

line 5, column 12: sources[0].limit
  found:    0
  expected: a whole number, at least 1, or nothing

line 6, column 1: sed
  found:    the unknown key `sed`
  expected: keys of name, seed, sources, chains, negatives, annotation, release, block, executor, \
requests, budget
  hint:     did you mean `seed`?"""
    )


def test_report_can_be_printed_whatever_the_keys(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(f'{GOOD}"\\ud800": 1\n')
    with pytest.raises(RecipeError) as caught:
        load_recipe(path)
    assert "\\ud800" in str(caught.value).encode().decode()


def test_missing_software_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chainwright.llm.uri.find_spec", lambda module: None)
    text = (
        f"{GOOD}chains: {{model: {{models: [openai:x, local:smollm2]}}}}\n"
        "negatives: {model: {model: local:smollm2}}\n"
        "annotation:\n  judges: [program:reference, local:smollm2, {model: local:smollm2,\n"
        "    premises: dyadic}]\n"
    )
    found = problems(tmp_path, text)
    assert [(problem.line, problem.key_path) for problem in found] == [
        (5, "chains.model.models[1]"),
        (6, "negatives.model.model"),
        (8, "annotation.judges[1]"),
        (8, "annotation.judges[2].model"),
    ]
    assert {problem.hint for problem in found} == {"pip install 'chainwright[local]'"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(
    st.recursive(
        st.sampled_from(["x", "010", "1", "no", "~", "'1'", ".inf", "*a", "&a 1", "!t x", "<<"]),
        lambda inner: (
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
            | st.dictionaries(
                st.sampled_from(
                    ["name", "sources", "kind", "judges", "<<", "limit", "? [a]", "on"]
                ),
                inner,
                max_size=4,
            ).map(lambda d: "{" + ", ".join(f"{k}: {v}" for k, v in d.items()) + "}")
        ),
        max_leaves=12,
    )
)
def test_no_document_breaks_the_reader(tmp_path: Path, text: str) -> None:
    found = problems(tmp_path, text)
    assert all(p.found and p.expected and p.line for p in found)
    assert not any(re.search(r"<class|object at|Traceback", str(p)) for p in found)


def test_perl_has_the_numbers_of_the_paper() -> None:
    recipe = load_recipe(QUICKSTART.with_name("perl.yaml"))
    assert [(source.kind, source.limit) for source in recipe.sources] == [
        (kind, 1000) for kind in ("gsm8k", "math", "orca_math", "metamathqa")
    ]
    assert recipe.chains.model is not None
    assert recipe.negatives.model is not None
    assert (recipe.chains.keep.positive, recipe.chains.keep.negative) == (50, 50)
    assert (recipe.chains.model.samples, len(recipe.chains.model.models)) == (1, 1)
    assert (recipe.chains.model.temperature, recipe.negatives.model.temperature) == (0, 0)
    assert len(recipe.annotation.judges) == 3


def test_grace_has_the_numbers_of_the_paper() -> None:
    recipe = load_recipe(QUICKSTART.with_name("grace.yaml"))
    kinds = [source.kind for source in recipe.sources]
    assert kinds == ["musique", "2wikimultihopqa", "reclor", "logiqa"]
    assert recipe.sources[0].min_hops == 3
    assert recipe.chains.model is not None
    assert recipe.chains.groundedness is not None
    assert recipe.annotation.critique is not None
    assert len(recipe.chains.model.models) == 10
    ways = [getattr(judge, "faithfulness", None) for judge in recipe.annotation.panel]
    assert ways == ["all", "all", "all"]
    assert recipe.release.selection is not None
    train = recipe.release.selection.train
    assert (train.per_category, train.per_generator) == (500, 50)
    assert [source.withheld for source in recipe.sources] == [False, False, True, False]


def test_grace_cannot_be_released_with_reclor_s_text_without_a_word_on_it(tmp_path: Path) -> None:
    text = QUICKSTART.with_name("grace.yaml").read_text(encoding="utf-8")
    found = only(tmp_path, text.replace("kind: reclor", "kind: reclor\n    redistribute: true"))
    assert "ReClor" in found.found
