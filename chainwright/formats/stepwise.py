"""TRL's stepwise supervision: a prompt, its completions (the steps), and true or false for each."""

from __future__ import annotations

from typing import Any

from chainwright.formats.fields import Row, field, items, read_trace
from chainwright.formats.trace import Trace, binary_labels, decided_steps, question_text


def trl_row(trace: Trace) -> dict[str, Any]:
    """The trace as a row that TRL's `PRMTrainer` takes; errors of any kind are false.

    Raises:
        Unfit: `undecided_step`.
    """
    steps = decided_steps(trace)
    return {
        "prompt": question_text(trace.problem),
        "completions": trace.chain.steps[:steps],
        "labels": [not label.is_error for label in trace.labels[:steps]],
    }


def read_trl(row: Row, source: str) -> Trace:
    """The trace of a row of stepwise supervision.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`, `incomplete_labels`.
    """
    signs = items(row, "labels", bool)
    return read_trace(
        source=source,
        question=field(row, "prompt", str),
        steps=items(row, "completions", str),
        labels=binary_labels(signs, [str(sign).lower() for sign in signs]),
    )
