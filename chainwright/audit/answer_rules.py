"""Answer rules: whether gold answer, final answer, solution and correctness agree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chainwright.audit.finding import Finding, finding
from chainwright.audit.record import AuditRecord
from chainwright.builders.final_answer import find_final_answer
from chainwright.builders.grading import matches_answer
from chainwright.schemas.problem import Problem

_STATED = ("box", "mark", "line", "phrase")
"""How a text states its answer beyond doubt."""
_PLAIN = re.compile(r"[-−]?[$€£¥]?\s?[-−]?\d[\d,]*(?:\.\d+)?\s?%?")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def answer_findings(record: AuditRecord) -> Iterator[Finding]:
    """What is wrong with the answers of a record.

    Answers are compared as the builder grades them (`builders.grading`); where that is undecided
    there is no finding.
    """
    yield from _correctness(record)
    yield from _graded(record)
    if record.track == "math":
        yield from _gold(record)
        yield from _last_step(record)


def _correctness(record: AuditRecord) -> Iterator[Finding]:
    expected = {"positive": True, "negative": False}.get(record.polarity or "")
    if expected is not None and record.is_correct is (not expected):
        text = f"a {record.polarity} with is_correct {str(record.is_correct).lower()}"
        yield finding("correctness", record, text)


def _graded(record: AuditRecord) -> Iterator[Finding]:
    counted = record.is_correct
    if counted is None:
        counted = {"positive": True, "negative": False}.get(record.polarity or "")
    if counted is None:
        return
    equal = _same(record, record.answer, record.final_answer)
    if equal is not None and equal is not counted:
        rule = "right_answer_differs" if counted else "wrong_answer_equal"
        text = f"final answer {_quoted(record.final_answer)}, gold answer {_quoted(record.answer)}"
        yield finding(rule, record, text, layer=record.polarity)


def _gold(record: AuditRecord) -> Iterator[Finding]:
    if not record.solution:
        return
    found = find_final_answer(record.solution, question=record.question or "")
    if found.rule in _STATED and _same(record, record.answer, found.answer) is False:
        text = f"gold answer {_quoted(record.answer)}, the solution ends in {_quoted(found.answer)}"
        yield finding("gold_answer", record, text)


def _last_step(record: AuditRecord) -> Iterator[Finding]:
    if not record.steps or not record.final_answer:
        return
    found = find_final_answer(record.steps[-1], question=record.question or "")
    if found.rule not in _STATED and _may_be_there(record.final_answer, record.steps[-1]):
        return
    if found.answer and _same(record, record.final_answer, found.answer) is False:
        text = (
            f"final answer {_quoted(record.final_answer)}, the last step states "
            f"{_quoted(found.answer)}"
        )
        step = len(record.steps)
        yield finding("answer_of_steps", record, text, step=step, layer=f"read from {found.rule}")


def _may_be_there(answer: str, step: str) -> bool:
    """Whether a step without a mark for its answer may state it all the same.

    What prose ends in is held against plain numbers alone, and only where the step has no such
    number: formulas in prose, and sentences with several numbers, are read wrong too often.
    """
    if _PLAIN.fullmatch(answer.strip()) is None or "\\" in step:
        return True
    return bool(set(_NUMBER.findall(answer)) & set(_NUMBER.findall(step)))


def _same(record: AuditRecord, expected: str | None, given: str | None) -> bool | None:
    if not expected or not given:
        return None
    problem = Problem.build(
        source="audit",
        question=record.question or "(no question)",
        options=list(record.options),
        answer=expected,
        answer_kind=record.answer_kind,
        track=record.track,
        aliases=list(record.aliases),
    )
    return matches_answer(problem, given)


def _quoted(text: str | None) -> str:
    flat = " ".join((text or "").split())
    return repr(flat if len(flat) <= 60 else f"{flat[:59]}…")
