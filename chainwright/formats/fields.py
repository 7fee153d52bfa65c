"""Fields of foreign rows, read with a countable reason where they are not what they should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chainwright.formats.trace import StepLabel, Trace, Unfit
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import Origin

Row = Mapping[str, Any]

_WORDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "object"}


def field(row: Row, key: str, kind: type, place: str = "") -> Any:
    """The value of a key, of that type.

    Raises:
        Unfit: `missing_field`, `wrong_type`, and `empty_field` for a blank text or an empty list.
    """
    value = optional(row, key, kind, place)
    if value is None:
        there = ", ".join(map(str, row)) or "nothing"
        raise Unfit("missing_field", f"`{place}{key}` is missing or null; there are: {there[:200]}")
    if kind in (str, list) and not (value.strip() if kind is str else value):
        raise Unfit("empty_field", f"`{place}{key}` is empty")
    return value


def optional(row: Row, key: str, kind: type, place: str = "") -> Any:
    """The value of a key, of that type, or None where it is missing or null.

    Raises:
        Unfit: `wrong_type`.
    """
    value = row.get(key)
    # true is an int to Python, and not to a reader of JSON
    if value is not None and (not isinstance(value, kind) or (kind is int) > (type(value) is int)):
        found = f"{type(value).__name__} {str(value)[:60]!r}"
        raise Unfit("wrong_type", f"`{place}{key}` is {found}, expected {_WORDS[kind]}")
    return value


def items(row: Row, key: str, kind: type, place: str = "") -> list[Any]:
    """A list that is not empty, all of whose elements are of that type, texts not blank.

    Raises:
        Unfit: as `field` does.
    """
    values: list[Any] = field(row, key, list, place)
    for at, value in enumerate(values):
        field({f"{key}[{at}]": value}, f"{key}[{at}]", kind, place)
    return values


def read_trace(
    *,
    source: str,
    question: str,
    steps: Sequence[str],
    labels: Sequence[StepLabel],
    generator: str | None = None,
    answer: str | None = None,
    solution: str | None = None,
    final_answer: str | None = None,
    is_correct: bool | None = None,
    origin: Origin = "model",
) -> Trace:
    """The trace of a mathematical problem whose parts were read; ids follow from the content.

    Raises:
        Unfit: `incomplete_labels` where there is not one label a step.
    """
    if len(steps) != len(labels):
        raise Unfit("incomplete_labels", f"{len(labels)} labels for {len(steps)} steps")
    problem = Problem.build(source=source, question=question, answer=answer, solution=solution)
    chain = Chain.build(
        problem_id=problem.problem_id,
        origin=origin,
        generator=generator or f"source:{source}",
        steps=list(steps),
        final_answer=final_answer,
        is_correct=is_correct,
    )
    return Trace(problem, chain, tuple(labels))
