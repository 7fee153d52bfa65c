"""Test sets: read as the recipe names them, missed before a build begins, and dropped from."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.reading.source_files import SourceError
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.pipeline.validation.validate import validate
from chainwright.recipe import Recipe
from chainwright.recipe_file import RecipeError, load_recipe
from chainwright.recipe_parts.decontamination import NamedSource, TestSet, sources_of
from chainwright.recipe_parts.known_test_sets import KNOWN_TEST_SETS
from chainwright.release.redaction import public_recipe

RECIPE = """\
name: tested
sources:
  - {kind: gsm8k, path: "builtin:quickstart", limit: 6, licence: MIT}
annotation:
  bootstrap: 0
release:
  contaminated: %s
  decontaminate:
    - {name: own, path: tests.jsonl, question: asked.text}
    - {name: perl, kind: labelled, format: perl, path: perl.json}
"""


def questions() -> list[str]:
    path = Path(__file__).parents[2] / "chainwright" / "builders" / "data" / "quickstart.jsonl"
    return [json.loads(line)["question"] for line in path.read_text().splitlines()]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe with two test sets: every question of the quickstart, and one that is PERL's."""
    rows = [{"asked": {"text": text.upper()}} for text in questions()]
    lines = [*map(json.dumps, rows), '{"asked": null}']
    (tmp_path / "tests.jsonl").write_text("\n".join(lines), encoding="utf-8")
    steps = [{"step_number": 1, "original_step": "Step 1: 7.", "premises": []}]
    correct = {"step_number": 1, "has_error": False, "errors": []}
    record = {
        "question": "What is three and four, or so?",
        "ground_truth_answer": "7",
        "model_answer": "7",
        "steps": ["Step 1: 7."],
        "is_correct": True,
        "premise_annotation": {"steps": steps},
        "error_annotation": {"error_annotations": {"step_level": [correct]}},
    }
    (tmp_path / "perl.json").write_text(json.dumps([record]), encoding="utf-8")
    path = tmp_path / "tested.yaml"
    path.write_text(RECIPE % "report", encoding="utf-8")
    return path


def test_a_build_holds_its_questions_against_the_sets(recipe: Path, tmp_path: Path) -> None:
    summary = build(recipe, tmp_path / "runs", quiet=True)
    release = Path(summary.release)
    own, perl = json.loads((release / "manifest.json").read_text())["contamination"]
    assert (own["name"], own["questions"], own["unread"]) == ("own", len(questions()), 1)
    assert (perl["name"], perl["questions"], perl["questions_found"]) == ("perl", 1, 0)
    counted = Counter[str]()
    for entry in own["problems"]:
        counted[entry["method"]] += entry["problems"]
    assert counted == {"exact": 6}
    card = (release / "README.md").read_text(encoding="utf-8")
    assert f"| own | {len(questions())} | 6 | 6 | 0 | 0 |" in card
    assert [str(fault) for fault in validate(Path(summary.folder)).faults] == []


def test_what_changes_in_a_set_makes_the_release_anew_and_nothing_else(
    recipe: Path, tmp_path: Path
) -> None:
    build(recipe, tmp_path / "runs", quiet=True)
    plans = plan_build(recipe, tmp_path / "runs", fresh=False).stages
    assert {plan.run for plan in plans} == {0}
    (tmp_path / "tests.jsonl").write_text('{"asked": {"text": "Why?"}}', encoding="utf-8")
    plans = plan_build(recipe, tmp_path / "runs", fresh=False).stages
    assert [plan.stage for plan in plans if plan.run] == ["release"]
    release = Path(build(recipe, tmp_path / "runs", quiet=True).release)
    own, _ = json.loads((release / "manifest.json").read_text())["contamination"]
    assert (own["questions"], own["problems"]) == (1, [])


def test_dropped_questions_leave_to_rejects(recipe: Path, tmp_path: Path) -> None:
    half = [{"asked": {"text": text}} for text in questions()[: len(questions()) // 2]]
    (tmp_path / "tests.jsonl").write_text("\n".join(map(json.dumps, half)), encoding="utf-8")
    recipe.write_text(RECIPE % "drop", encoding="utf-8")
    folder = Path(build(recipe, tmp_path / "runs", quiet=True).folder)
    rejects = [
        row
        for path in (folder / "release_rejects").glob("*.parquet")
        for row in pq.read_table(path).to_pylist()
    ]
    gone = {row["item"] for row in rejects if row["table"] == "problems"}
    assert {row["reason"] for row in rejects if row["table"] == "problems"} == {"contaminated"}
    kept = [
        row["problem_id"]
        for path in (folder / "release" / "data" / "problems").iterdir()
        for row in pq.read_table(path).to_pylist()
    ]
    assert len(kept) + len(gone) == 6
    assert gone


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{name: own, path: absent.jsonl}", "test set `own` of release.decontaminate: .*no file"),
        ("{name: own, path: tests.jsonl}", "has no question in its first 50 rows .*`question`"),
        ("{name: own, path: empty.jsonl}", "it holds no rows"),
        ("{hub: nobody/nothing, split: test}", "test set `nothing` .*can't be read"),
        ("{name: own, kind: logiqa, path: tests.jsonl}", "has no question .*correct `kind`"),
    ],
)
def test_a_set_that_cannot_be_read_stops_a_build_before_it_begins(
    recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, message: str
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    head = (RECIPE % "report").split("    - ")[0]
    recipe.write_text(f"{head}    - {entry}\n", encoding="utf-8")
    with pytest.raises((SourceError, InputMistake), match=message):
        build(recipe, tmp_path / "runs", quiet=True)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("gsm8", "did you mean `gsm8k`"),
        ("perl", r"it is not on the Hub: `{name: perl, path: FILE}`"),
        ("{name: logiqa2}", "`logiqa2` without `path`"),
        ("{name: gsm8k, split: test}", "`split` of the known set `gsm8k`"),
        ("{hub: a/b}", "`split`, such as test or validation"),
        ("{path: a.jsonl, split: test}", "`split` only with `hub`"),
        ("{path: a.jsonl, hub: a/b, split: test}", "exactly one of `path` and `hub`"),
        ("{kind: gsm8k, path: a.jsonl, question: q}", "only with kind: generic"),
        ("{name: own, path: a.jsonl}\n    - {name: own, path: b.jsonl}", "second test set"),
    ],
)
def test_a_mistake_in_an_entry_is_told_with_the_way_out(
    recipe: Path, entry: str, message: str
) -> None:
    head = (RECIPE % "report").split("    - ")[0]
    recipe.write_text(f"{head}    - {entry}\n", encoding="utf-8")
    with pytest.raises(RecipeError, match=message):
        load_recipe(recipe)


def test_every_known_set_can_be_asked_for() -> None:
    for name, known in KNOWN_TEST_SETS.items():
        found = _on_the_hub(name) if known.places else []
        assert len(found) == len(known.places)
        for one in [*found, *sources_of(TestSet(name=name, path="a.jsonl"))]:
            assert one.name.startswith(name)
            assert one.source.kind == known.kind
            assert one.source.hops_wanted <= 1
            assert one.source.types_wanted == []
    assert {name for name, known in KNOWN_TEST_SETS.items() if not known.places} == {
        "logiqa2",
        "perl",
    }


def _on_the_hub(name: str) -> list[NamedSource]:
    for one in (found := sources_of(name)):
        assert one.source.hub
        assert one.source.split
    return found


def test_a_known_name_says_how_a_file_of_it_is_read() -> None:
    (math,) = sources_of(TestSet(name="math-500", path="test.jsonl"))
    assert math.source.columns
    assert (math.source.columns.question, math.stated) == ("problem", 500)
    (prm,) = sources_of(TestSet(name="prm800k", path="phase2_test.jsonl"))
    assert prm.source.columns
    assert (prm.source.columns.question, prm.stated) == ("question.problem", None)
    (musique,) = sources_of(TestSet(name="musique", path="dev.jsonl"))
    assert (musique.source.kind, musique.source.columns) == ("musique", None)
    (own,) = sources_of(TestSet(name="math", path="mine.jsonl", question="ask"))
    assert own.source.columns
    assert (own.source.columns.question, own.stated) == ("ask", None)


def test_a_known_name_with_a_revision_is_that_commit_of_the_hub() -> None:
    found = sources_of(TestSet(name="processbench", revision="abc"))
    assert [one.source.revision for one in found] == ["abc"] * 4
    assert found[0].name == "processbench/gsm8k"


def test_a_recipe_that_was_published_names_the_same_sets(recipe: Path) -> None:
    head = (RECIPE % "report").split("    - ")[0]
    entries = "    - gsm8k\n    - {name: math-500, path: tests.jsonl}\n"
    recipe.write_text(head + entries, encoding="utf-8")
    given = load_recipe(recipe)
    again = Recipe.model_validate(public_recipe(given))
    assert again.release.decontaminate == given.release.decontaminate
    assert "kind" not in public_recipe(given)["release"]["decontaminate"][1]


def test_the_card_tells_which_sets_were_read_and_which_were_not(
    recipe: Path, tmp_path: Path
) -> None:
    head = (RECIPE % "report").split("    - ")[0]
    rows = [{"problem": text} for text in questions()[:3]]
    (tmp_path / "five.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    recipe.write_text(f"{head}    - {{name: math-500, path: five.jsonl}}\n", encoding="utf-8")
    release = Path(build(recipe, tmp_path / "runs", quiet=True).release)
    (found,) = json.loads((release / "manifest.json").read_text())["contamination"]
    digest = sha256(b"".join(json.dumps([row["problem"], ""]).encode() for row in rows))
    assert (found["questions"], found["stated"]) == (3, 500)
    assert found["sha256"] == digest.hexdigest()
    card = (release / "README.md").read_text(encoding="utf-8")
    assert f"| math-500 | `five.jsonl` | 3 | 500 | `{found['sha256'][:16]}` |" in card
    (unread,) = (line for line in card.splitlines() if "were **not** looked at" in line)
    assert "`gsm8k`" in unread
    assert "`math-500`" not in unread
