from typing import Any

import pytest

from chainwright.builders.raw_rows import RawRow
from chainwright.builders.sources import problems_from_rows
from chainwright.recipe import Columns, ExistingChain, Source
from chainwright.schemas.chain import Chain
from chainwright.stage import Batch


def built(rows: list[dict[str, Any]], *existing: ExistingChain, limit: int | None = None) -> Batch:
    source = Source(
        kind="generic",
        path="a.jsonl",
        limit=limit,
        columns=Columns(question="question", answer="answer"),
        chains=list(existing),
    )
    raw = [RawRow(f"a.jsonl:{number}", row) for number, row in enumerate(rows, start=1)]
    batch = problems_from_rows(raw, source, 0)
    assert batch.unaccounted() == {}
    assert batch.taken["chains"] == len(rows) * len(existing)
    return batch


def chains(batch: Batch) -> list[Chain]:
    return [row for row in batch.rows["chains"] if isinstance(row, Chain)]


def rejected(batch: Batch) -> list[tuple[str, str]]:
    return [(r.item, r.reason) for r in batch.rejects if r.table == "chains"]


SOLUTION = ExistingChain(generator="m", solution="m.solution")
STEPS = ExistingChain(generator="m", steps="steps", final_answer="final", is_correct="ok")


def test_solution_text() -> None:
    row = {"question": "q", "answer": "1875", "m": {"solution": "one\n\n two\nA: $1,875\n"}}
    (chain,) = chains(built([row], SOLUTION))
    assert (chain.origin, chain.generator, chain.polarity) == ("model", "m", "positive")
    assert chain.steps == ["one", "two"]
    assert (chain.final_answer, chain.is_correct) == ("$1,875", True)


@pytest.mark.parametrize(
    ("answer", "stated", "is_correct"),
    [
        ("18", "\n#### 18.0", True),
        ("18", "\n#### 19", False),
        ("18", "\n#### a dozen", False),
        ("18", "\n#### a few", None),
        ("eighteen", "\n#### 18", True),
        (r"\frac{1}{2}", "\nA: 0.5", True),
        (None, "\n#### 18", None),
        ("18", "", None),
    ],
)
def test_correctness_from_the_answers(
    answer: str | None, stated: str, is_correct: bool | None
) -> None:
    row = {"question": "q", "answer": answer, "m.solution": f"one{stated}"}
    (chain,) = chains(built([row], SOLUTION))
    assert chain.is_correct is is_correct
    assert (chain.polarity is None) is (is_correct is None)


@pytest.mark.parametrize(
    ("given", "is_correct"),
    [(True, True), (False, False), (None, None), ("TRUE", True), ("false", False)],
)
def test_correctness_from_its_column(given: Any, is_correct: bool | None) -> None:
    row = {"question": "q", "answer": "3", "steps": ["a", " b"], "final": 3, "ok": given}
    (chain,) = chains(built([row], STEPS))
    assert chain.steps == ["a", " b"]
    assert (chain.final_answer, chain.is_correct) == ("3", is_correct)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({}, "no_chain"),
        ({"steps": None}, "no_chain"),
        ({"steps": []}, "no_chain"),
        ({"steps": "a"}, "wrong_type"),
        ({"steps": ["a", 3]}, "wrong_type"),
        ({"steps": ["a", " "]}, "empty_field"),
        ({"steps": ["a", "\x00"]}, "bad_encoding"),
        ({"steps": ["a"], "ok": True}, "missing_field"),
        ({"steps": ["a"], "final": "3"}, "missing_field"),
        ({"steps": ["a"], "final": [3], "ok": True}, "wrong_type"),
        ({"steps": ["a"], "final": "3", "ok": "maybe"}, "wrong_type"),
        ({"steps": ["a"], "final": "3", "ok": 1}, "wrong_type"),
    ],
)
def test_a_bad_chain_never_stops_its_problem(row: dict[str, Any], reason: str) -> None:
    batch = built([{"question": "q", "answer": "3", **row}], STEPS)
    assert len(batch.rows["problems"]) == 1
    assert rejected(batch) == [("a.jsonl:1 m", reason)]


def test_an_answer_without_steps_is_no_chain() -> None:
    batch = built([{"question": "q", "answer": "3", "m": {"solution": "A: 3"}}], SOLUTION)
    assert rejected(batch) == [("a.jsonl:1 m", "no_chain")]


def test_chains_of_a_rejected_problem_are_accounted_for() -> None:
    other = ExistingChain(generator="n", solution="m.solution")
    batch = built([{"question": "", "answer": "3", "m": {"solution": "one"}}], SOLUTION, other)
    assert rejected(batch) == [
        ("a.jsonl:1 m", "problem_rejected"),
        ("a.jsonl:1 n", "problem_rejected"),
    ]


def test_the_same_chain_twice() -> None:
    row = {"question": "q", "answer": "3", "m": {"solution": "one\nA: 3"}}
    assert rejected(built([row], SOLUTION, SOLUTION)) == [("a.jsonl:1 m", "duplicate_chain")]


def test_chains_of_a_repeated_question_belong_to_the_first() -> None:
    rows: list[dict[str, Any]] = [
        {"question": "q", "answer": "3", "m": {"solution": "one\nA: 3"}},
        {"question": " q", "answer": "3", "m": {"solution": "two\nA: 4"}},
        {"question": "q", "answer": "3", "m": {"solution": "one\nA: 3"}},
        {"question": "q", "answer": "5", "m": {"solution": "three\nA: 5"}},
    ]
    batch = built(rows, SOLUTION)
    assert [chain.steps for chain in chains(batch)] == [["one"], ["two"]]
    assert len({chain.problem_id for chain in chains(batch)}) == 1
    assert rejected(batch) == [
        ("a.jsonl:3 m", "duplicate_chain"),
        ("a.jsonl:4 m", "problem_rejected"),
    ]


def test_chains_follow_their_problems_through_the_sample() -> None:
    rows = [{"question": f"q{n}", "answer": "3", "m": {"solution": f"step {n}"}} for n in range(12)]
    batch = built(rows, SOLUTION, limit=5)
    ids = [problem.model_dump()["problem_id"] for problem in batch.rows["problems"]]
    assert [chain.problem_id for chain in chains(batch)] == ids
    assert [reason for _, reason in rejected(batch)] == ["not_sampled"] * 7
    assert all(item.startswith("c-") for item, _ in rejected(batch))


def test_steps_about_a_context_carry_their_citations() -> None:
    row = {"question": "Who?", "a": "Ida Holm", "c": ["x", "y"], "s": ["So [2].", "Then [3]."]}
    columns = Columns(question="question", answer="a", context="c")
    source = Source(
        kind="generic", path="a", track="grounding", answer_kind="text", columns=columns
    )
    source = source.model_copy(update={"chains": [ExistingChain(generator="g", steps="s")]})
    (chain,) = problems_from_rows([RawRow("a:1", row)], source, 0).rows["chains"]
    assert isinstance(chain, Chain)
    assert chain.citations == [[2], []]
    assert chain.answer_f1 is None
