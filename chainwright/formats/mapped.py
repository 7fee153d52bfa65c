"""Mapped rows: any JSON with steps, by a map of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from chainwright.formats.columns import ABSENT, pick
from chainwright.formats.fields import Row, shown, texts, word
from chainwright.formats.record import LabelledRecord, StatedLabel, StatedPremises, type_name
from chainwright.formats.trace import Unfit
from chainwright.schemas.words import TRACKS, Binary, Polarity
from chainwright.spelling import nearest

KEYS = (
    *("question", "steps", "labels", "premises", "first_error", "answer", "final_answer"),
    *("solution", "correct", "polarity", "source", "track", "id", "zero"),
)
"""What a map may give a column to; `steps` is needed."""

_RIGHT = frozenset("correct right good true valid positive faithful none + 1".split())
_OPEN = frozenset(["", "neutral", "unknown", "undecided", "null", "?"])
_WRONG = frozenset("error wrong incorrect bad false invalid negative unfaithful - -1 0".split())
_NUMBERS = {1: False, -1: True, 0: True}


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


def read_mapped(row: Row, columns: ColumnMap) -> LabelledRecord:
    """One row by a map of columns. A column that the row lacks counts as null, but for `steps`.

    Labels are one a step: true, 1 and words such as `correct` or `+` are right; false, 0, -1 and
    `error` are wrong; null is open; any other word is wrong and the type of the error, and several
    types may stand in a list. `first_error` counts from 0, -1 = none, as ProcessBench does.
    `premises` are one list of step numbers a step, from 1, 0 = the question.

    Raises:
        Unfit: `missing_field` without the column of the steps, `no_steps`, `wrong_type`,
            `bad_label`.
    """
    values = {key: pick(row, column) for key, column in columns.columns.items()}
    if values["steps"] is ABSENT:
        there = ", ".join(list(map(str, row))[:20]) or "none"
        raise Unfit("missing_field", f"no column `{columns.columns['steps']}`; there are: {there}")
    values = {key: None if value is ABSENT else value for key, value in values.items()}
    steps = _steps(values["steps"], columns.columns["steps"])
    first = _whole(values.get("first_error"), columns, "first_error")
    correct = values.get("correct")
    if correct is not None and not isinstance(correct, bool):
        found = f"`{columns.columns['correct']}` is {shown(correct)}"
        raise Unfit("wrong_type", f"{found}, expected true or false")
    track = values.get("track") or "math"
    if track not in TRACKS:
        raise Unfit("bad_label", f"the track is {shown(track)}, expected {', '.join(TRACKS)}")
    return LabelledRecord(
        kind="map",
        question=word(values, "question"),
        steps=steps,
        labels=_labels(values.get("labels"), first, len(steps), columns),
        premises=_premises(values.get("premises")),
        polarity=_polarity(values.get("polarity"), correct),
        is_correct=correct,
        first_error=None if first is None else first + 1,
        answer=word(values, "answer"),
        final_answer=word(values, "final_answer"),
        solution=word(values, "solution"),
        track=track,
        name=word(values, "id"),
        source=word(values, "source") or None,
        in_order=True,
    )


def _whole(value: Any, columns: ColumnMap, key: str) -> int | None:
    if value is not None and type(value) is not int:
        found = f"`{columns.columns[key]}` is {shown(value)}"
        raise Unfit("wrong_type", f"{found}, expected a whole number")
    return value


def _steps(value: Any, column: str) -> tuple[str, ...]:
    """Texts; of objects the text under `text` or `step`."""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        value = [one.get("text", one.get("step")) for one in value]
    return texts({column: value}, column)


def _polarity(value: Any, correct: bool | None) -> Polarity | None:
    for polarity in get_args(Polarity):
        if value == polarity:
            return polarity  # type: ignore[no-any-return]
    right = value if isinstance(value, bool) else correct
    return None if right is None else "positive" if right else "negative"


def _labels(
    value: Any, first: int | None, steps: int, columns: ColumnMap
) -> tuple[StatedLabel, ...] | None:
    if value is None:
        if first is None:
            return None
        wrong = first + 1
        return tuple(
            StatedLabel(step, None if wrong and step > wrong else step == wrong)
            for step in range(1, steps + 1)
        )
    if not isinstance(value, list):
        raise Unfit("wrong_type", f"the labels are {shown(value)}, expected a list, one a step")
    return tuple(_label(step, one, columns.zero_is_open) for step, one in enumerate(value, 1))


def _label(step: int, value: Any, zero_is_open: bool) -> StatedLabel:
    if value is None:
        return StatedLabel(step, None)
    if isinstance(value, bool):
        return StatedLabel(step, not value)
    if isinstance(value, int | float) and value in _NUMBERS:
        return StatedLabel(step, None if value == 0 and zero_is_open else _NUMBERS[int(value)])
    if isinstance(value, str):
        return _word(step, value, zero_is_open)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return StatedLabel(step, bool(value), tuple(value))
    found = f"the label of step {step} is {shown(value)}"
    raise Unfit("bad_label", f"{found}, expected a word, true, false, 1, 0, -1 or null")


def _word(step: int, value: str, zero_is_open: bool) -> StatedLabel:
    name = value.strip() if value.strip() in ("-", "-1") else type_name(value)
    if name in _OPEN or (name == "0" and zero_is_open):
        return StatedLabel(step, None)
    if name in _WRONG or name in _RIGHT:
        ours = next((one for one in get_args(Binary) if one == name), None)
        return StatedLabel(step, name in _WRONG, word=ours)
    return StatedLabel(step, True, (value,))


def _premises(value: Any) -> tuple[StatedPremises, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise Unfit("wrong_type", f"the premises are {shown(value)}, expected one list a step")
    found = []
    for step, one in enumerate(value, start=1):
        if one is None:
            continue
        if not isinstance(one, list) or any(type(number) is not int for number in one):
            detail = f"the premises of step {step} are {shown(one)}, expected a list of numbers"
            raise Unfit("wrong_type", detail)
        found.append(StatedPremises(step, tuple(one)))
    return tuple(found)
