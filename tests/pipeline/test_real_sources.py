"""Genuine records through reading and building; skipped where they are not at hand."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chainwright.builders.grading import matches_answer
from chainwright.builders.sources import problems_from_sources
from chainwright.pipeline.reading.rows import read_rows
from chainwright.recipe import Source
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="no genuine records at ../shared/data"),
]
GENERATORS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def built(*given: dict[str, Any]) -> Batch:
    sources = [Source.model_validate(source) for source in given]
    batch = problems_from_sources([(s, read_rows(s, recipe_folder=DATA)) for s in sources], 7)
    assert batch.unaccounted() == {}
    return batch


def reasons(batch: Batch) -> Counter[str]:
    return Counter(reject.reason for reject in batch.rejects)


@pytest.mark.parametrize(("file", "rows"), [("test.jsonl", 1319), ("train.1500.jsonl", 1500)])
def test_gsm8k(file: str, rows: int) -> None:
    batch = built({"kind": "gsm8k", "path": f"gsm8k/{file}"})
    assert len(batch.rows["problems"]) == rows
    assert not batch.rejects


def solutions(*, is_correct: bool) -> dict[str, Any]:
    existing = [
        {"generator": g, "solution": f"{g}.solution"}
        | ({"is_correct": f"{g}.is_correct"} if is_correct else {})
        for g in GENERATORS
    ]
    return {
        "kind": "generic",
        "name": "solutions",
        "path": "gsm8k/example_model_solutions.660.jsonl",
        "answer_kind": "number",
        "columns": {"solution": "ground_truth"},
        "chains": existing,
    }


def correctness(batch: Batch) -> dict[str, bool | None]:
    return {
        chain.chain_id: chain.is_correct
        for chain in batch.rows["chains"]
        if isinstance(chain, Chain)
    }


def test_computed_correctness_agrees_with_the_publishers() -> None:
    published = correctness(built(solutions(is_correct=True)))
    computed = correctness(built(solutions(is_correct=False)))
    pairs = Counter((published[chain], computed[chain]) for chain in published)
    assert pairs == {(True, True): 1008, (False, False): 1625, (False, None): 7}


def test_the_same_questions_in_two_sources() -> None:
    batch = built({"kind": "gsm8k", "path": "gsm8k/test.jsonl"}, solutions(is_correct=True))
    assert (len(batch.rows["problems"]), len(batch.rows["chains"])) == (1319, 2640)
    assert reasons(batch) == {"duplicate": 660}


def test_processbench() -> None:
    existing = {"generator": "many", "steps": "steps", "is_correct": "final_answer_correct"}
    batch = built(
        {
            "kind": "generic",
            "path": "processbench/gsm8k.json",
            "columns": {"question": "problem"},
            "chains": [existing],
        }
    )
    assert (len(batch.rows["problems"]), len(batch.rows["chains"])) == (375, 400)
    assert Counter(correctness(batch).values()) == {True: 200, False: 200}
    assert reasons(batch) == {"duplicate": 25}


@pytest.mark.parametrize(
    ("kind", "file", "rows"),
    [
        ("math", "math/test.300.jsonl", 300),
        ("math", "math/math500.10.jsonl", 10),
        ("metamathqa", "metamathqa/train.75.jsonl", 75),
    ],
)
def test_every_row_has_an_answer(kind: str, file: str, rows: int) -> None:
    batch = built({"kind": kind, "path": file})
    assert (len(batch.rows["problems"]), reasons(batch)) == (rows, {})


def test_orca_math_answers_in_prose() -> None:
    batch = built({"kind": "orca_math", "path": "orca_math/train.75.jsonl"})
    assert set(reasons(batch)) == {"no_answer"}
    assert len(batch.rows["problems"]) >= 60


@pytest.mark.parametrize(
    ("kind", "file", "kept", "rejected"),
    [
        ("musique", "musique/train.60.jsonl", 19, {"too_few_hops": 41}),
        ("logiqa", "logiqa/Test.300.txt", 265, {"context_too_short": 35}),
        ("logiqa2", "logiqa2/test.300.txt", 300, {}),
    ],
)
def test_sources_with_context(kind: str, file: str, kept: int, rejected: dict[str, int]) -> None:
    batch = built({"kind": kind, "path": file})
    assert (len(batch.rows["problems"]), reasons(batch)) == (kept, rejected)
    for problem in batch.rows["problems"]:
        assert isinstance(problem, Problem)
        assert [passage.ref for passage in problem.context] == [*range(1, len(problem.context) + 1)]
        assert (problem.answer or "") in "ABCD" or problem.supporting
        assert matches_answer(problem, problem.answer) is True


def test_options_of_logiqa_stand_in_the_order_of_their_letters() -> None:
    """Of 300 blocks 19 print them as A, C, B, D; the gold letter is the printed one."""
    batch = built({"kind": "logiqa", "path": "logiqa/Test.300.txt", "min_context": 0})
    valves = next(
        p for p in batch.rows["problems"] if "which two valves" in getattr(p, "question", "")
    )
    assert isinstance(valves, Problem)
    gold = valves.options["ABCD".index(valves.answer or "")]
    assert all(number in gold for number in ("No.2", "No.3"))
