"""Scoring judges on labelled corpora: formats, tables, models asked once, comparisons."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.annotation.metrics.labelled import LabelledChain
from chainwright.formats.mapped import column_map
from chainwright.llm.keys import NAMES
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.reading.labelled_corpora import labelled_chains
from chainwright.pipeline.scoring import compare_scorings, score
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import answering, model
from tests.pipeline.test_aggregation_build import built, recipe

QUESTION = "Ann has 3 bags of 4 pears and eats 2. How many are left?"
SHARED = Path(__file__).parents[3] / "shared" / "data"


def perl_row(
    steps: list[str], errors: list[list[str]], premises: list[list[int]]
) -> dict[str, Any]:
    return {
        "question": QUESTION,
        "ground_truth_solution": "3*4 = <<3*4=12>>12\n12-2 = <<12-2=10>>10\n#### 10",
        "ground_truth_answer": "10",
        "model_answer": "10",
        "steps": steps,
        "premise_annotation": {
            "steps": [
                {"step_number": 0, "original_step": QUESTION, "premises": [[0, QUESTION]]},
                *(
                    {"step_number": n, "original_step": "", "premises": [[p, ""] for p in given]}
                    for n, given in enumerate(premises, start=1)
                ),
            ]
        },
        "error_annotation": {
            "error_annotations": {
                "step_level": [
                    {
                        "step_number": n,
                        "has_error": bool(types),
                        "errors": [{"error_type": t, "error_description": ""} for t in types],
                    }
                    for n, types in enumerate(errors, start=1)
                ]
            }
        },
    }


RIGHT = perl_row(
    ["Step 1: 3 * 4 = 12 pears.", "Step 2: 12 - 2 = 10 are left."], [[], []], [[0, 0], [0, 1]]
)
WRONG = perl_row(
    ["Step 1: 3 * 4 = 13 pears.", "Step 2: 13 - 2 = 11 are left."],
    [["Mathematical_Error"], ["Accumulation_Error", "Logical_Inconsistency"]],
    [[0], [0, 1, 5]],
)
INHERITING = perl_row(
    ["Step 1: 3 * 4 = 14 pears.", "Step 2: 14 - 2 = 12 are left."],
    [["Mathematical_Error"], ["Accumulation_Error"]],
    [[0], [0, 1]],
)


def bench_row(number: int, steps: list[str], label: int) -> dict[str, Any]:
    return {
        "id": f"sums-{number}",
        "generator": "m",
        "problem": f"{QUESTION} ({number})",
        "steps": steps,
        "final_answer_correct": label == -1,
        "label": label,
    }


def write(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def read(path: Path, **more: Any) -> tuple[list[LabelledChain], list[str]]:
    rows = list(labelled_chains(path, **more))
    good = [row for row in rows if isinstance(row, LabelledChain)]
    return good, [row.reason for row in rows if not isinstance(row, LabelledChain)]


@pytest.fixture
def perl(tmp_path: Path) -> Path:
    write(tmp_path / "perl" / "sums_positives.json", [RIGHT])
    write(tmp_path / "perl" / "sums_negatives.json", [WRONG, {"steps": 7}, RIGHT | {"steps": []}])
    write(tmp_path / "perl" / "sums_positives_perturbed.json", [INHERITING])
    return tmp_path / "perl"


def test_perl_files_are_read_with_polarity_types_and_premises(perl: Path) -> None:
    chains, unusable = read(perl)
    assert sorted(unusable) == ["bad_row", "no_steps"]
    by_polarity = {one.polarity: one for one in chains}
    wrong = by_polarity["negative"]
    assert wrong.chain.steps == ["3 * 4 = 13 pears.", "13 - 2 = 11 are left."]
    assert wrong.labels == ("mathematical_error", "logical_inconsistency")  # its own error first
    assert wrong.premises == ((0,), (0, 1))  # step 5 does not exist
    assert (wrong.first_error, wrong.source) == (1, "sums")
    assert by_polarity["positive"].first_error == 0
    assert by_polarity["synthetic_negative"].labels[1] == "accumulation_error"


def test_process_bench_tells_nothing_behind_the_first_error(tmp_path: Path) -> None:
    rows = [bench_row(1, ["a", "b", "c"], 1), bench_row(2, ["a"], -1), bench_row(3, ["a"], 4)]
    chains, unusable = read(write(tmp_path / "pb.json", rows))
    assert unusable == ["bad_row"]
    assert [one.labels for one in chains] == [("correct", "error", None), ("correct",)]
    assert [one.first_error for one in chains] == [2, 0]
    assert [one.polarity for one in chains] == ["negative", "positive"]


def test_rows_of_another_format_are_read_by_a_map(tmp_path: Path) -> None:
    rows = [
        {"q": "Q1", "s": ["a", "b"], "l": [True, 0], "p": [[0], [1]]},
        {"q": "Q2", "s": ["a", "b"], "l": [1, None]},
        {"q": "Q3", "s": ["a", "b"]},
        {"q": "Q4", "s": ["a", "b"], "l": [1]},
        {"q": "Q5", "s": ["a"], "l": [2.5]},
        {"q": "Q1", "s": ["a", "b"], "l": [True, 0], "p": [[0], [1]]},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    keys = column_map("question=q, steps=s, labels=l, premises=p")
    chains, unusable = read(path, columns=keys)
    assert [one.labels for one in chains] == [("correct", "error"), ("correct", None)]
    assert [one.first_error for one in chains] == [2, None]
    assert chains[0].premises == ((0,), (1,)) and not chains[1].has_premises
    assert unusable == ["no_gold", "bad_row", "bad_row", "twice"]
    assert read(path)[1] == ["bad_row"] * 6  # no format that is known


def test_a_wrong_map_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="no key 'colour'; there are: question, steps"):
        score(tmp_path, ["program:arithmetic"], tmp_path / "out", columns="steps=s,colour=c")
    path = write(tmp_path / "rows.json", [{"q": "Q", "s": ["a"], "l": [1]}])
    with pytest.raises(InputMistake, match=r"no row has the column `label`.*there are: q, s, l"):
        read(path, columns=column_map("question=q,steps=s,labels=label"))


def test_a_corpus_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="no such file or folder"):
        read(tmp_path / "nothing")
    with pytest.raises(InputMistake, match="no labelled chains"):
        read(tmp_path)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InputMistake, match=r"broken\.json: unreadable: .*expected JSON"):
        read(tmp_path)


def test_run_and_release_are_read_alike(tmp_path: Path) -> None:
    built(recipe(tmp_path, problems=3))
    of_run, _ = read(tmp_path / "small")
    of_release, _ = read(tmp_path / "small" / "release")
    assert of_run and {one.chain.chain_id: (one.labels, one.premises) for one in of_run} == {
        one.chain.chain_id: (one.labels, one.premises) for one in of_release
    }
    faulty = [one for one in of_run if one.polarity == "synthetic_negative"]
    assert all(one.first_error == one.chain.perturbed_step for one in faulty)


def test_a_file_of_a_release_says_who_its_labels_are_from(tmp_path: Path) -> None:
    built(recipe(tmp_path, problems=3))
    folder = tmp_path / "small" / "release"
    whole, without_gold = read(folder)
    chains, unusable = read(folder / "data" / "chains")
    assert {one.chain.chain_id for one in whole} and len(chains) == len(whole)
    assert len(unusable) == len(without_gold)
    assert sorted(one.labels for one in chains) == sorted(one.labels for one in whole)
    with_panel, left_out = read(folder / "data" / "chains", panel_labels=True)
    assert (len(with_panel), left_out) == (len(whole) + len(without_gold), [])


def figures(found: dict[str, Any], split: str = "all") -> dict[str, float]:
    return {
        name: one["value"] for name, one in found["splits"][split].items() if isinstance(one, dict)
    }


def test_programs_on_perl_by_hand(perl: Path, tmp_path: Path) -> None:
    judges = ["program:arithmetic", "program:provenance"]
    found = score(perl, judges, tmp_path / "out", quiet=True, replicates=50)
    assert (found.chains, found.unusable) == (3, {"bad_row": 1, "no_steps": 1})
    arithmetic = found.judges["program:arithmetic"]
    # right chain 2 of 2; wrong chain: error found, the logical one is called inherited: 1 of 2;
    # perturbed chain: error found and inherited by the corpus's premises: 2 of 2
    assert arithmetic["inherits_by"] == {"gold": 3}
    assert figures(arithmetic)["error_accuracy"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert figures(arithmetic)["error_accuracy_error"] == pytest.approx((0.5 + 1) / 2)
    assert figures(arithmetic)["first_error_f1"] == 1.0
    assert "premise_f1" not in figures(arithmetic)
    provenance = found.judges["program:provenance"]
    assert figures(provenance, "positive")["premise_f1"] == 1.0
    assert figures(provenance)["first_error_wrong"] == 0.0
    assert json.loads((tmp_path / "out" / "score.json").read_text()) == found.as_json()
    assert not (tmp_path / "out" / "ledger.sqlite").exists()


def test_limit_takes_the_first_of_each_source_and_polarity(tmp_path: Path) -> None:
    rows = [bench_row(n, ["2 + 2 = 4"], -1) for n in range(4)]
    rows += [bench_row(n, ["2 + 2 = 5"], 0) for n in range(4, 7)]
    path = write(tmp_path / "pb.json", rows)
    found = score(path, ["program:arithmetic"], tmp_path / "out", limit=2, quiet=True)
    assert (found.chains, found.unusable) == (4, {"beyond_limit": 3})
    assert figures(found.judges["program:arithmetic"])["first_error_f1"] == 1.0


@pytest.mark.parametrize(
    ("judges", "message"),
    [
        ([], "no judge"),
        (["program:arithmetics"], "did you mean `program:arithmetic`"),
        (["program:arithmetic#one_pass"], "a program has one method"),
        (["openai:m#full_contxt"], "did you mean `full_context`"),
        (["openai:m#full_context+one_pass"], "at most one way"),
        (["openai:m#one_pass+dyadic"], "one_pass finds premises itself"),
        (["openai:m#all+full_context"], "a judge of its own"),
        (["python:nowhere.at_all"], "nowhere"),
        (["program:arithmetic", "program:arithmetic"], "a second time"),
        (["openai:m#all"], "none of the judges reads any"),
        (["openai:m#premise_conditioned"], "none of the judges reads any"),
    ],
)
def test_judges_that_cannot_be_had(judges: list[str], message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "pb.json", [bench_row(1, ["1 + 1 = 2"], -1)])
    with pytest.raises(InputMistake, match=message):
        score(path, judges, tmp_path / "out", quiet=True)


def test_a_checker_that_fails_costs_its_own_votes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd_check.py").write_text(
        "from chainwright.annotation.checkers import correct\n"
        "def check(view):\n"
        "    if '(2)' in view.question: raise ValueError('no twos')\n"
        "    return [correct('fine') for _ in view.steps]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    path = write(tmp_path / "pb.json", [bench_row(n, ["a"], -1) for n in (1, 2)])
    found = score(path, ["python:odd_check.check"], tmp_path / "out", quiet=True)
    judge = found.judges["python:odd_check.check"]
    assert (judge["failed"], judge["statuses"]) == (1, {"ok": 1, "missing": 1})
    assert figures(judge)["first_error_correct"] == 0.5


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    for name in NAMES.values():
        monkeypatch.delenv(name, raising=False)
    with FaultServer(answering) as running:
        yield running


def test_models_are_asked_once_and_by_every_condition(
    perl: Path, tmp_path: Path, server: FaultServer
) -> None:
    uri = model(server)
    methods = ("full_context", "premise_conditioned", "premise_conditioned+per_step", "dyadic")
    judges = [f"{uri}#{one}" for one in methods]
    found = score(perl, judges, tmp_path / "out", quiet=True, replicates=0)
    sent = len(server.seen)
    assert found.requests["sent"] == sent > 0
    conditions = {name.rpartition("#")[2]: one for name, one in found.judges.items()}
    assert {name: one["condition"] for name, one in conditions.items()} == {
        "full_context": "full context",
        "premise_conditioned": "oracle premises",
        "premise_conditioned+per_step": "model premises",
        "dyadic": "premises alone",
    }
    assert conditions["premise_conditioned"]["inherits_by"] == {"gold": 3}
    assert "error_accuracy" in figures(conditions["full_context"])
    assert set(figures(conditions["dyadic"])) == {
        "premise_precision",
        "premise_recall",
        "premise_f1",
    }
    again = score(perl, judges, tmp_path / "out", quiet=True, replicates=0)
    assert len(server.seen) == sent
    assert (again.judges, again.requests["sent"]) == (found.judges, 0)


def test_two_scorings_are_compared_chain_by_chain(perl: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    score(perl, ["program:arithmetic", "program:provenance"], out, quiet=True)
    found = compare_scorings(f"{out}::program:arithmetic", f"{out}::program:provenance")
    by_metric = {one.metric: one for one in found.comparisons}
    accuracy = by_metric["error_accuracy"]
    assert (accuracy.test.name, accuracy.test.losses, accuracy.chains) == ("sign", 0, 3)
    wrong = by_metric["first_error_wrong"]
    assert (wrong.test.name, wrong.test.wins, wrong.test.p) == ("mcnemar", 2, 0.5)
    assert wrong.difference.value == 1.0
    itself = compare_scorings(f"{out}::program:arithmetic", f"{out}::program:arithmetic")
    assert all(
        one.test.p == 1.0 and one.difference.value in (0, None) for one in itself.comparisons
    )
    with pytest.raises(InputMistake, match="several judges"):
        compare_scorings(str(out), str(out))
    with pytest.raises(InputMistake, match="holds no scoring"):
        compare_scorings(str(tmp_path / "none"), str(out))
    other = write(tmp_path / "pb.json", [bench_row(1, ["1 + 1 = 2"], -1)])
    score(other, ["program:arithmetic"], tmp_path / "two", quiet=True)
    with pytest.raises(InputMistake, match="share no chain"):
        compare_scorings(f"{out}::program:arithmetic", str(tmp_path / "two"))


@pytest.mark.realdata
@pytest.mark.skipif(not SHARED.is_dir(), reason="the genuine records are not on this machine")
def test_released_files_are_read_whole() -> None:
    chains, unusable = read(SHARED / "perl")
    assert len(chains) + len(unusable) == 294
    odd = [at for at, one in enumerate(chains) if not one.has_premises or None in one.labels]
    assert odd == [70]  # its premises are those of another chain's steps
    bench, left = read(SHARED / "processbench")
    assert (len(bench), left) == (400, [])
