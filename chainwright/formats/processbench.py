"""ProcessBench (arXiv 2412.06559): steps with the first one in error, 0-based, or -1 for none."""

from __future__ import annotations

from typing import Any

from chainwright.formats.fields import Row, field, items, read_trace
from chainwright.formats.trace import (
    StepLabel,
    Trace,
    Unfit,
    decided_steps,
    is_correct,
    question_text,
)

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


def read_processbench(row: Row, source: str) -> Trace:
    """The trace of a row of ProcessBench; steps behind the first error are undecided.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`, `bad_label`.
    """
    steps = items(row, "steps", str)
    first = field(row, "label", int)
    if not NO_ERROR <= first < len(steps):
        raise Unfit("bad_label", f"`label` is {first}, expected -1 to {len(steps) - 1}")
    return read_trace(
        source=source,
        question=field(row, "problem", str),
        steps=steps,
        labels=[_label(at, first) for at in range(len(steps))],
        generator=field(row, "generator", str),
        is_correct=field(row, "final_answer_correct", bool),
    )


def _label(at: int, first: int) -> StepLabel:
    if at == first:
        return StepLabel("error", verbatim=str(first))
    before = first == NO_ERROR or at < first
    return StepLabel("correct" if before else None, verbatim=str(first))
