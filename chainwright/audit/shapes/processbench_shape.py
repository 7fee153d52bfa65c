"""ProcessBench (arXiv 2412.06559): solutions with the first wrong step named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chainwright.audit.record import AuditRecord, Place, StepLabel
from chainwright.audit.shapes.values import flag, integer, text, text_or_none, texts


def processbench_record(row: Mapping[str, Any], place: Place) -> AuditRecord:
    """One row of ProcessBench.

    Steps before the first wrong one are correct, and nothing is said of those behind it. The
    format counts steps from 0, with -1 for none.

    Raises:
        ShapeError: The row lacks a part of the format, or holds it as another type.
    """
    steps = texts(row.get("steps"), "steps")
    first = integer(row, "label") + 1
    correct = flag(row, "final_answer_correct")
    return AuditRecord(
        place=place,
        kind="processbench",
        question=text(row, "problem"),
        steps=steps,
        labels=tuple(
            StepLabel(step, None if first and step > first else step == first, pointer="/label")
            for step in range(1, len(steps) + 1)
        ),
        polarity=None if correct is None else "positive" if correct else "negative",
        is_correct=correct,
        first_error=first,
        answer=text_or_none(row, "answer"),
    )


def is_processbench(row: Mapping[str, Any]) -> bool:
    """Whether a row has ProcessBench's keys."""
    return {"problem", "steps", "label", "final_answer_correct"} <= row.keys()
