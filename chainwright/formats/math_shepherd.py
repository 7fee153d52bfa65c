"""Math-Shepherd (arXiv 2312.08935): one text whose steps end in a tag, and again with + or -."""

from __future__ import annotations

import re
from typing import Any

from chainwright.formats.fields import Row, field, optional
from chainwright.formats.record import LabelledRecord, listed_labels
from chainwright.formats.trace import Trace, Unfit, decided_steps, numbered, question_text

TAG = "ки"
"""Cyrillic; stands where a sign stands in the label."""

_FIRST = re.compile(r"(?:^|\s)Step 1\s*:", re.IGNORECASE)
_STEP = re.compile(r"Step \d+\s*:\s*", re.IGNORECASE)
_ANSWER = re.compile(r"The answer is:\s*(?P<answer>[^\n]*\S)\s*\Z")


def math_shepherd_row(trace: Trace) -> dict[str, Any]:
    """The trace as a row of Math-Shepherd.

    Raises:
        Unfit: `undecided_step`; `step_tag_in_text` and `step_mark_in_question` where the reader
            could not tell where a step ends, or where the first begins.
    """
    steps = decided_steps(trace)
    question = question_text(trace.problem)
    texts = [numbered(at, text) for at, text in enumerate(trace.chain.steps[:steps], 1)]
    if any(TAG in text for text in (question, *texts)):
        raise Unfit("step_tag_in_text", f"question or steps hold the step tag {TAG}")
    if _FIRST.search(question):
        raise Unfit("step_mark_in_question", "the question holds `Step 1:`")
    if not _FIRST.match(texts[0]):
        found = f"the first step begins with {texts[0][:20]!r}"
        raise Unfit("odd_step_number", f"{found}, expected `Step 1:` or no number")
    signs = ["-" if label.is_error else "+" for label in trace.labels[:steps]]
    return {
        "input": question + "".join(f"{gap}{text} {TAG}" for gap, text in _lines(texts)),
        "label": question
        + "".join(
            f"{gap}{text} {sign}" for (gap, text), sign in zip(_lines(texts), signs, strict=True)
        ),
        "task": trace.problem.source,
    }


def read_math_shepherd(row: Row, source: str) -> LabelledRecord:
    """A row of Math-Shepherd; `Step k:` is taken off the steps.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`; `no_steps` without a tag or `Step 1:`;
            `bad_label` where the label is not the input with a sign for each tag.
    """
    text, label = field(row, "input", str), field(row, "label", str)
    *pieces, rest = text.split(TAG)
    if not pieces:
        raise Unfit("no_steps", f"`input` holds no step tag {TAG}")
    signs: list[str] = []
    at = 0
    for piece in pieces:
        sign = label[at + len(piece) : at + len(piece) + 1]
        if not label.startswith(piece, at) or sign not in ("+", "-"):
            found = f"`label` departs from `input` at step {len(signs) + 1}"
            raise Unfit("bad_label", f"{found}; expected the same text with + or - for {TAG}")
        signs.append(sign)
        at += len(piece) + 1
    if label[at:].strip() != rest.strip():
        raise Unfit("bad_label", f"`label` departs from `input` behind step {len(signs)}")
    first = _FIRST.search(pieces[0])
    if first is None:
        raise Unfit("no_steps", "`input` holds no `Step 1:` before the first step tag")
    question = pieces[0][: first.start()].strip()
    steps = [
        _STEP.sub("", piece.strip(), count=1) if _STEP.match(piece.strip()) else piece.strip()
        for piece in (pieces[0][first.start() :], *pieces[1:])
    ]
    if not question or not all(steps):
        raise Unfit("empty_field", "the question or a step of `input` is empty")
    stated = _ANSWER.search(steps[-1])
    return LabelledRecord(
        kind="math_shepherd",
        question=question,
        steps=tuple(steps),
        labels=listed_labels([sign == "+" for sign in signs], signs),
        final_answer=stated["answer"] if stated else None,
        part=optional(row, "task", str),
        in_order=True,
    )


def _lines(texts: list[str]) -> list[tuple[str, str]]:
    """The steps, each with what parts it from what comes before."""
    return [("\n" if at else " ", text) for at, text in enumerate(texts)]
