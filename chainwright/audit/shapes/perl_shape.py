"""PERL's released files (`chainwright.schemas.perl`), read leniently.

What the schema would refuse outright (an unknown type, a wrong number of entries) is kept, since
the rules are to name it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chainwright.audit.record import AuditRecord, Place, StepLabel, StepPremises, TextCopy
from chainwright.audit.shapes.values import (
    ShapeError,
    flag,
    inner,
    integer,
    objects,
    text,
    text_or_none,
    texts,
)
from chainwright.schemas.words import Polarity

_LEVEL = "/error_annotation/error_annotations/step_level"
_ENDINGS: tuple[tuple[str, Polarity], ...] = (
    ("positives_perturbed", "synthetic_negative"),
    ("positives", "positive"),
    ("negatives", "negative"),
)


def perl_audit_record(row: Mapping[str, Any], place: Place, *, twin: bool = False) -> AuditRecord:
    """One element of a file of PERL; the file's name tells the polarity, or else `is_correct`.

    Raises:
        ShapeError: The row lacks a part of the format, or holds it as another type.
    """
    level = inner(inner(row, "error_annotation"), "error_annotations")
    entries = objects(inner(row, "premise_annotation"), "steps")
    correct = flag(row, "is_correct")
    return AuditRecord(
        place=place,
        kind="perl",
        question=text(row, "question"),
        steps=texts(row.get("steps"), "steps"),
        labels=tuple(_labels(objects(level, "step_level"))),
        premises=tuple(_premises(entry) for entry in entries),
        copies=tuple(
            TextCopy(
                integer(entry, "step_number"),
                text(entry, "original_step"),
                f"/premise_annotation/steps/{at}/original_step",
            )
            for at, entry in enumerate(entries)
        ),
        polarity=perl_polarity(place.file) or _by_answer(correct),
        is_correct=correct,
        answer=text_or_none(row, "ground_truth_answer"),
        final_answer=text_or_none(row, "model_answer"),
        solution=text_or_none(row, "ground_truth_solution"),
        twin=twin,
    )


def is_perl(row: Mapping[str, Any]) -> bool:
    """Whether a row has PERL's keys."""
    return {"steps", "premise_annotation", "error_annotation"} <= row.keys()


def perl_polarity(file: str) -> Polarity | None:
    """What a file's name says of its chains; None where it says nothing."""
    stem = file.rpartition("/")[2].partition(".")[0]
    for ending, polarity in _ENDINGS:
        if ending in stem:
            return polarity
    return None


def _by_answer(correct: bool | None) -> Polarity | None:
    return None if correct is None else "positive" if correct else "negative"


def _labels(entries: list[Mapping[str, Any]]) -> Iterator[StepLabel]:
    for at, entry in enumerate(entries):
        types = tuple(text(one, "error_type") for one in objects(entry, "errors"))
        stated = flag(entry, "has_error")
        yield StepLabel(
            step=integer(entry, "step_number"),
            wrong=bool(types) if stated is None else stated,
            types=types,
            flag=stated,
            pointer=f"{_LEVEL}/{at}",
        )


def _premises(entry: Mapping[str, Any]) -> StepPremises:
    numbers = []
    listed = entry.get("premises")
    if not isinstance(listed, list):
        raise ShapeError("`premises` holds no list; expected pairs of a step and a text")
    for premise in listed:
        number = premise[0] if isinstance(premise, list) and premise else premise
        if not isinstance(number, int) or isinstance(number, bool):
            raise ShapeError(
                f"a premise is {str(premise)[:60]!r}; expected a pair of a step and a text"
            )
        numbers.append(number)
    return StepPremises(integer(entry, "step_number"), tuple(numbers))
