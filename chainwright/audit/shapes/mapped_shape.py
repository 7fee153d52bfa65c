"""Mapped rows: any JSON with steps, by a map of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chainwright.audit.record import AuditRecord, Place, StepLabel, StepPremises, type_name
from chainwright.audit.shapes.values import ShapeError, as_text, texts
from chainwright.builders.fields import ABSENT, pick
from chainwright.spelling import nearest

KEYS = (
    *("question", "steps", "labels", "premises", "first_error", "answer"),
    *("final_answer", "solution", "correct", "id", "zero"),
)
_RIGHT = frozenset("correct right good true valid positive faithful none + 1".split())
_OPEN = frozenset(["", "neutral", "unknown", "undecided", "null", "?"])
_WRONG = frozenset("error wrong incorrect bad false invalid negative unfaithful - -1 0".split())


@dataclass(frozen=True)
class ColumnMap:
    """Which column holds what; dots step into nested objects.

    `zero_is_open` says that a label 0 is neither right nor wrong, as beside 1 and -1.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    zero_is_open: bool = False


def column_map(written: str) -> ColumnMap:
    """Read a map such as `question=problem,steps=solution.steps,labels=ratings`.

    Raises:
        ValueError: A pair without `=`, an unknown or repeated key, no `steps`, or a `zero` that is
            neither `error` nor `neutral`.
    """
    columns: dict[str, str] = {}
    for pair in filter(None, (pair.strip() for pair in written.split(","))):
        key, equals, column = (part.strip() for part in pair.partition("="))
        if not equals or not column:
            raise ValueError(f"--map has {pair!r}; expected KEY=COLUMN, parted by commas")
        if key not in KEYS:
            guess = nearest(key, KEYS)
            hint = f"; did you mean {guess}?" if guess else ""
            raise ValueError(f"--map has no key {key!r}; there are: {', '.join(KEYS)}{hint}")
        if key in columns:
            raise ValueError(f"--map names {key} twice")
        columns[key] = column
    zero = columns.pop("zero", "error")
    if zero not in ("error", "neutral"):
        raise ValueError(f"--map has zero={zero}; allowed are error and neutral")
    if "steps" not in columns:
        raise ValueError("--map names no column for steps; write steps=COLUMN")
    return ColumnMap(columns, zero == "neutral")


def mapped_record(row: Mapping[str, Any], place: Place, columns: ColumnMap) -> AuditRecord:
    """One row by a map of columns.

    Labels are one a step: true, a positive number and words such as `correct` or `+` are right;
    false, a negative number, 0 and `error` are wrong; null is open; any other word is wrong and
    the type of the error, and several types may stand in a list. `first_error` counts from 0, -1 =
    none, as ProcessBench does. `premises` are one list of step numbers a step, from 1, 0 = the
    question.

    Raises:
        ShapeError: A named column is absent, or holds something else.
    """
    values = {key: _at(row, column) for key, column in columns.columns.items()}
    steps = _steps(values["steps"], columns.columns["steps"])
    labels = None if "labels" not in values else _labels(values["labels"], columns.zero_is_open)
    first = values.get("first_error")
    if first is not None and (not isinstance(first, int) or isinstance(first, bool)):
        raise ShapeError(f"`{columns.columns['first_error']}` holds {first!r}, expected a number")
    if labels is None and first is not None:
        wrong = first + 1
        labels = tuple(
            StepLabel(step, None if wrong and step > wrong else step == wrong)
            for step in range(1, len(steps) + 1)
        )
    correct = values.get("correct")
    if correct is not None and not isinstance(correct, bool):
        raise ShapeError(
            f"`{columns.columns['correct']}` holds {correct!r}, expected true or false"
        )
    name = as_text(values.get("id"), "id")
    return AuditRecord(
        place=Place(place.file, place.row, place.index, name),
        kind="map",
        question=as_text(values.get("question"), "question"),
        steps=steps,
        labels=labels,
        premises=None if "premises" not in values else _premises(values["premises"]),
        polarity=None if correct is None else "positive" if correct else "negative",
        is_correct=correct,
        first_error=None if first is None else first + 1,
        answer=as_text(values.get("answer"), "answer"),
        final_answer=as_text(values.get("final_answer"), "final_answer"),
        solution=as_text(values.get("solution"), "solution"),
    )


def _at(row: Mapping[str, Any], column: str) -> Any:
    value = pick(row, column)
    if value is ABSENT:
        there = ", ".join(list(map(str, row))[:20]) or "none"
        raise ShapeError(f"no column `{column}`; there are: {there}")
    return value


def _steps(value: Any, column: str) -> tuple[str, ...]:
    """Texts; of objects the text under `text` or `step`."""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        value = [one.get("text", one.get("step")) for one in value]
    return texts(value, column)


def _labels(value: Any, zero_is_open: bool) -> tuple[StepLabel, ...]:
    if not isinstance(value, list):
        raise ShapeError(f"the labels are {str(value)[:60]!r}, expected a list, one a step")
    return tuple(_label(step, one, zero_is_open) for step, one in enumerate(value, start=1))


def _label(step: int, value: Any, zero_is_open: bool) -> StepLabel:
    if isinstance(value, bool):
        return StepLabel(step, not value)
    if isinstance(value, int | float):
        return StepLabel(step, None if value == 0 and zero_is_open else value <= 0)
    if isinstance(value, str):
        word = value.strip() if value.strip() in ("-", "-1") else type_name(value)
        if word in _OPEN or (word == "0" and zero_is_open):
            return StepLabel(step, None)
        if word in _WRONG:
            return StepLabel(step, True)
        return StepLabel(step, False) if word in _RIGHT else StepLabel(step, True, (value,))
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return StepLabel(step, bool(value), tuple(value))
    if value is None:
        return StepLabel(step, None)
    raise ShapeError(f"the label of step {step} is {str(value)[:60]!r}; expected a word or number")


def _premises(value: Any) -> tuple[StepPremises, ...]:
    if not isinstance(value, list):
        raise ShapeError(f"the premises are {str(value)[:60]!r}, expected one list a step")
    found = []
    for step, one in enumerate(value, start=1):
        numbers = one if isinstance(one, list) else None
        if numbers is None or not all(
            isinstance(number, int) and not isinstance(number, bool) for number in numbers
        ):
            raise ShapeError(f"the premises of step {step} are no list of step numbers")
        found.append(StepPremises(step, tuple(numbers)))
    return tuple(found)
