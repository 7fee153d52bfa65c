"""Groundedness: a panel's strict majority keeps a question, and every vote is kept."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chainwright.annotation.groundedness_rates import GroundednessRates
from chainwright.builders.groundedness import read_answerable
from chainwright.builders.groundedness_stage import GROUNDEDNESS
from chainwright.builders.problem_rows import problem_from_row
from chainwright.llm.request import ModelUnavailable, Request
from chainwright.recipe import Recipe, Source
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch
from tests.builders.context_rows import musique
from tests.scripted_models import UNAVAILABLE, a_recipe, run, text_of

MODELS = [f"compat:m{n}@http://localhost:8000/v1" for n in (1, 2, 3)]
HOPS = problem_from_row(musique(), Source(kind="musique", path="a"), "a:1")
SUMS = Problem.build(source="sums", question="1 + 1?", answer="2")
BROUGHT = [
    Chain.build(
        problem_id=one.problem_id,
        origin="model",
        generator="g",
        steps=["s"],
        final_answer=None,
        is_correct=None,
    )
    for one in (HOPS, SUMS)
]
Script = Callable[[Request], str | Exception]


def recipe(panel: int) -> Recipe:
    return a_recipe(chains={"groundedness": {"models": MODELS[:panel]}})


def says(*answers: Any) -> Script:
    """Each model's answer: true, false, or a text as it stands."""
    names = {f"m{n}": answer for n, answer in enumerate(answers, start=1)}

    def script(request: Request) -> str | Exception:
        answer = names[request.model.name]
        if isinstance(answer, str | Exception):
            return answer
        return json.dumps({"explanation": "because", "answerable": answer})

    return script


def filtered(*answers: Any) -> Batch:
    tables: dict[str, list[Any]] = {"candidates": [HOPS, SUMS], "brought": BROUGHT}
    return run(GROUNDEDNESS, recipe(len(answers)), tables, says(*answers))


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([True], None),
        ([False], "not_grounded"),
        (["no JSON"], "groundedness_undecided"),
        ([True, False], "groundedness_undecided"),
        ([True, True, False], None),
        ([False, False, "?"], "not_grounded"),
        ([True, "?", ValueError("odd")], "groundedness_undecided"),
        ([True, True, "?"], None),
    ],
)
def test_a_strict_majority_decides(answers: list[Any], reason: str | None) -> None:
    batch = filtered(*answers)
    kept = [SUMS] if reason else [HOPS, SUMS]
    assert batch.rows["problems"] == kept
    assert list(batch.rows["chains"]) == BROUGHT[-len(kept) :]
    rejected = [(one.table, one.reason) for one in batch.rejects]
    assert rejected == ([("problems", reason), ("chains", "problem_rejected")] if reason else [])
    assert len(batch.rows["problem_votes"]) == len(answers)


def test_votes_keep_what_was_said_and_what_was_not() -> None:
    votes = [
        vote.model_dump() for vote in filtered(True, "?", ValueError("odd")).rows["problem_votes"]
    ]
    assert [vote["judge"] for vote in votes] == ["compat:m1", "compat:m2", "compat:m3"]
    assert [vote["label"] for vote in votes] == ["grounded", None, None]
    assert [vote["status"] for vote in votes] == ["ok", "malformed", "missing"]
    assert "odd" in votes[2]["explanation"]
    assert {vote["problem_id"] for vote in votes} == {HOPS.problem_id}


def test_a_model_that_cannot_be_reached_stops_the_run() -> None:
    with pytest.raises(ModelUnavailable):
        filtered(UNAVAILABLE)


def test_the_gold_answer_is_not_shown() -> None:
    tables = {"candidates": [HOPS, SUMS], "brought": []}
    assert GROUNDEDNESS.plan is not None
    (request,) = GROUNDEDNESS.plan(recipe(1), tables)
    shown = text_of(request).replace(HOPS.context[3].text, "")
    assert "Reference [4]:" in shown
    assert str(HOPS.answer) not in shown


@pytest.mark.parametrize("value", [None, [], {}, {"answerable": 1}, {"answerable": "perhaps"}])
def test_answers_that_cannot_be_read(value: Any) -> None:
    with pytest.raises(ValueError, match=r"answerable"):
        read_answerable(value)


def test_words_for_true_and_false() -> None:
    assert read_answerable({"answerable": " Yes "}) == (True, "")
    assert read_answerable({"answerable": False, "explanation": "e"}) == (False, "e")


def test_the_rate_of_each_source() -> None:
    rates = GroundednessRates()
    assert rates.document() == {}
    for answers in ([True], [False], ["?"]):
        batch = filtered(*answers)
        rates.add({"candidates": [HOPS, SUMS], **batch.rows})
    found = rates.document()
    assert found["by_source"] == {"musique": {"asked": 3, "kept": 1, "rate": 1 / 3}}
    assert found["votes"] == {"compat:m1": {"grounded": 1, "not_grounded": 1, "malformed": 1}}
