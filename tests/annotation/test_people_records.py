"""The history of answers, what stands of it, and what that settles."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.people.adjudication import adjudication_tasks
from chainwright.annotation.people.answers import Answer
from chainwright.annotation.people.assignment import Plan, PlannedTask
from chainwright.annotation.people.questionnaire import questionnaires
from chainwright.annotation.people.records import Key, additions, answer_of, current
from chainwright.annotation.people.settling import settle
from chainwright.schemas.human import HumanRecord
from chainwright.schemas.taxonomy import BUILT_IN

CHAIN = f"c-{'1' * 20}"


def task(annotator: str = "ann", **changes: Any) -> PlannedTask:
    given_ = {"task": f"t-{annotator}", "annotator": annotator, "chain_id": CHAIN, "track": "math"}
    return PlannedTask.model_validate(
        {**given_, "content_hash": "h", "asked": [1, 2], "steps": 2, **changes}
    )


def plan(round_: int = 1, **changes: Any) -> Plan:
    made = {
        "round": round_,
        "created": "2026-01-01T00:00:00+00:00",
        "seed": 0,
        "adjudication": False,
        "assisted": False,
        "pool": "judged",
        "random": True,
        "annotators": ["ann", "bob"],
        "questionnaires": questionnaires(BUILT_IN),
        "tasks": [task("ann"), task("bob")],
    }
    return Plan.model_validate(made | changes)


def add(
    records: list[HumanRecord], who: str, *answers: Answer, of: Plan | None = None
) -> list[HumanRecord]:
    lines = additions(
        current(records), of or plan(), task(who), answers, channel="file", time="now"
    )
    records += lines
    return lines


RIGHT = (Answer(1, "correct"), Answer(2, "correct"))
WRONG = (Answer(1, "correct"), Answer(2, "error", "other", (0, 1)))

ANSWERS = st.lists(
    st.builds(
        Answer,
        st.sampled_from([0, 1, 2]),
        st.just("correct"),
        note=st.sampled_from([None, "a", "b"]),
    ),
    unique_by=lambda answer: answer.step,
)


@given(st.lists(ANSWERS))
def test_what_was_handed_in_last_stands_and_again_adds_nothing(rounds: list[list[Answer]]) -> None:
    records: list[HumanRecord] = []
    for answers in rounds:
        before = list(records)
        add(records, "ann", *answers)
        assert records[: len(before)] == before
        standing = {key.step: answer_of(one) for key, one in current(records).items()}
        assert standing == {answer.step: answer for answer in answers}
        assert add(records, "ann", *answers) == []


def test_edits_and_withdrawals_are_lines_of_their_own() -> None:
    records: list[HumanRecord] = []
    assert [line.kind for line in add(records, "ann", *RIGHT)] == ["answer", "answer"]
    (edit,) = add(records, "ann", *WRONG)
    assert (edit.kind, edit.step, edit.category) == ("answer", 2, "other")
    assert [(line.kind, line.label) for line in add(records, "ann")] == [("withdrawn", None)] * 2
    assert current(records) == {}


def settled(records: list[HumanRecord]) -> dict[int, tuple[str, str | None, str | None]]:
    return {
        step: (one.settled, one.label, one.category)
        for (_, step), one in settle(current(records)).items()
    }


def test_agreement_settles_and_difference_leaves_open() -> None:
    records: list[HumanRecord] = []
    add(records, "ann", *RIGHT)
    assert settled(records)[2] == ("single", "correct", None)
    add(records, "bob", *WRONG)
    assert settled(records) == {1: ("agreed", "correct", None), 2: ("open", None, None)}
    add(records, "bob", Answer(1, "correct"), Answer(2, "error", "mathematical_error"))
    assert settled(records)[2][0] == "open"


def test_the_last_adjudication_decides() -> None:
    records: list[HumanRecord] = []
    add(records, "ann", *RIGHT)
    add(records, "bob", *WRONG)
    second = plan(2, adjudication=True, annotators=["zoe"])
    add(records, "zoe", Answer(2, "error", "mathematical_error"), of=second)
    assert settled(records)[2] == ("adjudicated", "error", "mathematical_error")
    assert settle(current(records))[CHAIN, 2].premises == [0, 1]
    add(records, "eve", Answer(2, "correct"), of=plan(3, adjudication=True))
    assert settled(records)[2] == ("adjudicated", "correct", None)


def test_a_chain_that_cannot_be_judged_settles_nothing() -> None:
    records: list[HumanRecord] = []
    add(records, "ann", *RIGHT)
    add(records, "bob", Answer(0, suitable=False))
    assert settled(records) == {}


def test_an_adjudicator_gets_open_steps_alone_with_letters_drawn_by_task() -> None:
    records: list[HumanRecord] = []
    add(records, "ann", *RIGHT)
    add(records, "bob", *WRONG)
    standing = current(records)
    (one,) = adjudication_tasks(standing, {CHAIN: task()}, "eve", 2, 0)
    assert (one.asked, one.annotator, one.steps) == ([2], "eve", 2)
    orders = {
        tuple(adjudication_tasks(standing, {CHAIN: task()}, "eve", 2, seed)[0].shown_answers)
        for seed in range(20)
    }
    assert orders == {("ann", "bob"), ("bob", "ann")}
    with pytest.raises(ValueError, match="`bob` has answered on 1"):
        adjudication_tasks(standing, {CHAIN: task()}, "bob", 2, 0)


def test_keys_tell_rounds_and_people_apart() -> None:
    records: list[HumanRecord] = []
    add(records, "ann", *RIGHT)
    add(records, "bob", *RIGHT)
    add(records, "ann", *RIGHT, of=plan(2))
    keys = set(current(records))
    assert Key(1, "ann", CHAIN, 1) in keys
    assert len(keys) == 6
