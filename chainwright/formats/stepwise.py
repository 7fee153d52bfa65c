"""TRL's stepwise supervision: a prompt, its completions (the steps), and true or false for each."""

from __future__ import annotations

from typing import Any

from chainwright.formats.fields import Row, field, items, texts
from chainwright.formats.record import LabelledRecord, listed_labels
from chainwright.formats.trace import Trace, decided_steps, question_text


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


def read_trl(row: Row, source: str) -> LabelledRecord:
    """A row of stepwise supervision.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`, `no_steps`.
    """
    signs = items(row, "labels", bool)
    return LabelledRecord(
        kind="trl",
        question=field(row, "prompt", str),
        steps=texts(row, "completions"),
        labels=listed_labels(signs, [str(sign).lower() for sign in signs]),
        in_order=True,
    )
