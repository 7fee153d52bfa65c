"""ProcessBench (arXiv 2412.06559): steps with the first one in error, 0-based, or -1 for none."""

from __future__ import annotations

from typing import Any

from chainwright.formats.fields import Row, field, optional, texts, word
from chainwright.formats.record import LabelledRecord, StatedLabel
from chainwright.formats.trace import Trace, decided_steps, is_correct, question_text

NO_ERROR = -1


def processbench_row(trace: Trace) -> dict[str, Any]:
    """The trace as a row of ProcessBench.

    All steps are given, also undecided ones behind the first error: no more than that is asked.

    Raises:
        Unfit: `undecided_step`, `undecided_polarity`.
    """
    decided_steps(trace)
    first = trace.first_error
    return {
        "id": trace.chain.chain_id,
        "generator": trace.chain.generator,
        "problem": question_text(trace.problem),
        "steps": trace.chain.steps,
        "final_answer_correct": is_correct(trace),
        "label": NO_ERROR if first is None else first - 1,
    }


def read_processbench(row: Row, source: str) -> LabelledRecord:
    """A row of ProcessBench; nothing is said of the steps behind the first error.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`, `no_steps`.
    """
    steps = texts(row, "steps")
    label = field(row, "label", int)
    first = label + 1
    correct = optional(row, "final_answer_correct", bool)
    name = word(row, "id")
    return LabelledRecord(
        kind="processbench",
        question=field(row, "problem", str),
        steps=steps,
        labels=tuple(
            StatedLabel(
                step,
                None if first and step > first else step == first,
                pointer="/label",
                verbatim=str(label),
            )
            for step in range(1, len(steps) + 1)
        ),
        polarity=None if correct is None else "positive" if correct else "negative",
        is_correct=correct,
        first_error=first,
        answer=word(row, "answer"),
        generator=optional(row, "generator", str),
        name=name,
        part=(name or "").rpartition("-")[0] or None,
    )
