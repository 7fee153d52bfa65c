"""What an answer may be: checks of filled-in tasks."""

from typing import Any

import pytest

from chainwright.annotation.people.answers import (
    Answer,
    Fault,
    FilledStep,
    FilledTask,
    check_task,
)
from chainwright.annotation.people.assignment import PlannedTask
from chainwright.annotation.people.questionnaire import questionnaires
from chainwright.schemas.taxonomy import BUILT_IN

QUESTIONS = questionnaires(BUILT_IN)
PLANNED = PlannedTask(
    task="t-1",
    annotator="ann",
    chain_id=f"c-{'0' * 20}",
    track="math",
    content_hash="h",
    asked=[1, 2],
    steps=2,
)


def checked(*steps: FilledStep, **whole: Any) -> tuple[list[Answer], list[Fault]]:
    filled = FilledTask("t-1", "ann", "ann.csv:2", list(steps), **whole)
    return check_task(filled, PLANNED, QUESTIONS["math"])


def reasons(*steps: FilledStep, **whole: Any) -> list[str]:
    answers, faults = checked(*steps, **whole)
    assert answers == []
    return [fault.reason for fault in faults]


RIGHT = FilledStep("1", "correct", "", "0", "")
WRONG = FilledStep("2", "error", "mathematical_error", "0, 1", " see line 2 ")


def test_texts_and_json_values_mean_the_same() -> None:
    answers, faults = checked(RIGHT, WRONG, seconds="12,5", suitable="Yes")
    assert faults == []
    assert answers == [
        Answer(0, suitable=True, seconds=12.5),
        Answer(1, "correct", None, (0,)),
        Answer(2, "error", "mathematical_error", (0, 1), "see line 2"),
    ]
    values = FilledStep(2, "Error", "Mathematical_Error", [1, 0], "see line 2")
    as_json, _ = checked(FilledStep(1, "correct", None, [0], None), values, seconds=12.5)
    assert as_json[1:] == answers[1:]


def test_premises_may_stay_unsaid() -> None:
    answers, _ = checked(FilledStep(1, "correct"), FilledStep(2, "correct", None, []))
    assert [answer.premises for answer in answers] == [None, None]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (FilledStep("2", "corect"), "unknown_label"),
        (FilledStep("2", "faithful"), "unknown_label"),
        (FilledStep("2", None, "other"), "unknown_label"),
        (FilledStep("2", "correct", "other"), "category_on_sound"),
        (FilledStep("2", "error"), "category_missing"),
        (FilledStep("2", "error", "contradiction"), "unknown_category"),
        (FilledStep("2", "correct", None, "2"), "premise_not_earlier"),
        (FilledStep("2", "correct", None, "-1"), "bad_premises"),
        (FilledStep("2", "correct", None, "one"), "bad_premises"),
        (FilledStep("2", "correct", None, [0, None, "x"]), "bad_premises"),
        (FilledStep("2", "correct", None, {"a": 1}), "bad_premises"),
    ],
)
def test_a_bad_cell_is_refused_with_its_reason(step: FilledStep, reason: str) -> None:
    assert reasons(RIGHT, step) == [reason]


def test_every_step_is_covered_once_and_no_other() -> None:
    assert reasons(RIGHT) == ["steps_missing"]
    assert reasons(RIGHT, RIGHT, WRONG) == ["duplicate_step"]
    assert reasons(RIGHT, WRONG, FilledStep("3", "correct")) == ["unknown_step"]
    assert reasons(RIGHT, WRONG, FilledStep("x")) == ["unknown_step"]
    only_second = PLANNED.model_copy(update={"asked": [2]})
    filled = FilledTask("t-1", "ann", "ann.csv:2", [FilledStep("1"), WRONG])
    assert len(check_task(filled, only_second, QUESTIONS["math"])[0]) == 1
    filled = FilledTask("t-1", "ann", "ann.csv:2", [RIGHT, WRONG])
    _, faults = check_task(filled, only_second, QUESTIONS["math"])
    assert [fault.reason for fault in faults] == ["not_asked"]


def test_an_unsuitable_chain_needs_no_labels() -> None:
    assert checked(suitable="no") == ([Answer(0, suitable=False)], [])
    assert reasons(suitable="maybe", note="x") == ["bad_suitable", "steps_missing"]


@pytest.mark.parametrize("seconds", ["-1", "soon", "nan", "inf"])
def test_a_time_is_a_number_of_seconds(seconds: str) -> None:
    assert reasons(RIGHT, WRONG, seconds=seconds) == ["bad_seconds"]


def test_faults_quote_what_was_found_and_what_is_allowed() -> None:
    _, (fault,) = checked(RIGHT, FilledStep("2", "corect", place="ann.csv:4"))
    assert (fault.place, fault.field) == ("ann.csv:4", "label")
    assert fault.detail == "step 2: found `corect`, expected one of correct, error"


def test_versions_tell_questionnaires_apart() -> None:
    math, inference = QUESTIONS["math"], QUESTIONS["inference"]
    assert math.version != inference.version
    renamed = math.model_copy(update={"categories": {**math.categories, "more": "another"}})
    assert renamed.version != math.version
    assert questionnaires(BUILT_IN)["math"].version == math.version
