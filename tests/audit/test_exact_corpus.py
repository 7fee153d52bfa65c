"""Exact chains are clean to the audit, and a fault planted into one is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from chainwright.audit.audit import Audit
from chainwright.audit.record import AuditRecord, Place
from chainwright.builders.exact import ExactChain, exact_negatives, exact_reference
from chainwright.builders.worked import Unreadable
from chainwright.formats.record import StatedLabel, StatedPremises, TextCopy
from chainwright.schemas.problem import Problem
from tests.builders.solutions import worked_problems

SLOW = settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])


def audited(problem: Problem, exact: ExactChain, row: int) -> AuditRecord:
    """An exact chain as the audit sees it."""
    chain = exact.chain
    return AuditRecord(
        place=Place("exact.jsonl", row, row - 1, chain.chain_id),
        kind="run",
        question=problem.question,
        steps=tuple(chain.steps),
        labels=tuple(
            StatedLabel(one.step, one.label == "error", (one.category,) if one.category else ())
            for one in exact.labels
        ),
        premises=tuple(StatedPremises(one.step, tuple(one.premises)) for one in exact.labels),
        copies=tuple(TextCopy(k, step, f"/{k}") for k, step in enumerate(chain.steps, start=1)),
        polarity=chain.polarity,
        is_correct=chain.is_correct,
        answer=problem.answer,
        final_answer=chain.final_answer,
        solution=problem.solution,
    )


def corpus(problem: Problem) -> list[AuditRecord]:
    """A problem's exact positive and negatives."""
    try:
        chains = [exact_reference(problem), *exact_negatives(problem, count=2)]
    except Unreadable:
        assume(False)
    return [audited(problem, chain, row) for row, chain in enumerate(chains, start=1)]


def errors(records: list[AuditRecord]) -> set[str]:
    """The rules with findings that are graver than a note."""
    audit = Audit()
    found = [one for record in records for one in audit.findings(record)]
    return {one.rule for one in found if one.severity != "note"}


@SLOW
@given(worked_problems())
def test_an_exact_corpus_has_no_finding_graver_than_a_note(problem: Problem) -> None:
    assert errors(corpus(problem)) == set()


def relabelled(record: AuditRecord, step: int, *types: str) -> AuditRecord:
    """The record with another label at a step; without types the step is correct."""
    labels = list(record.labels or ())
    labels[step - 1] = StatedLabel(step, bool(types), types)
    return replace(record, labels=tuple(labels))


def resting(record: AuditRecord, step: int, *premises: int) -> AuditRecord:
    """The record with other premises at a step."""
    listed = list(record.premises or ())
    listed[step - 1] = StatedPremises(step, premises)
    return replace(record, premises=tuple(listed))


def _cause_taken(record: AuditRecord) -> AuditRecord:
    return resting(relabelled(record, 1, "accumulation_error"), 1, 0)


def _correct_on_error(record: AuditRecord) -> AuditRecord:
    wrong = relabelled(record, len(record.steps) - 1, "other")
    return resting(relabelled(wrong, len(record.steps)), len(record.steps), len(record.steps) - 1)


def _copy(record: AuditRecord, text: str) -> AuditRecord:
    return replace(record, copies=(TextCopy(1, text, "/1"),))


PLANTED: dict[str, Callable[[AuditRecord], AuditRecord]] = {
    "accumulation_without_cause": _cause_taken,
    "correct_on_error": _correct_on_error,
    "negative_without_error": lambda one: replace(one, polarity="negative", is_correct=None),
    "positive_with_error": lambda one: relabelled(one, 1, "other"),
    "several_types": lambda one: relabelled(one, 1, "other", "mathematical_error"),
    "chain_type_on_step": lambda one: relabelled(one, 1, "planning_error"),
    "unknown_type": lambda one: relabelled(one, 1, "slip"),
    "first_error": lambda one: replace(one, first_error=1),
    "premise_self": lambda one: resting(one, 1, 1),
    "premise_future": lambda one: resting(one, 1, len(one.steps)),
    "premise_missing": lambda one: resting(one, 1, len(one.steps) + 1),
    "no_premises": lambda one: resting(one, 1),
    "step_count": lambda one: replace(one, labels=(one.labels or ())[:-1]),
    "step_copy": lambda one: _copy(one, f"{one.steps[0]} It took 987654321 days."[1:]),
    "correctness": lambda one: replace(one, is_correct=False),
    "right_answer_differs": lambda one: replace(one, final_answer="123456789"),
    "wrong_arithmetic": lambda one: replace(
        one, steps=(*one.steps[:-1], f"{one.steps[-1]} And 2 + 2 = 5.")
    ),
    "sound_arithmetic": lambda one: relabelled(one, 1, "mathematical_error"),
}


@SLOW
@given(worked_problems(), st.data())
def test_a_planted_fault_is_found(problem: Problem, data: st.DataObject) -> None:
    positive = corpus(problem)[0]
    assume(len(positive.steps) > 1)
    rule = data.draw(st.sampled_from(sorted(PLANTED)))
    assert rule in errors([PLANTED[rule](positive)])


@SLOW
@given(worked_problems())
def test_duplicates_are_found(problem: Problem) -> None:
    positive = corpus(problem)[0]
    again = replace(positive, place=Place("other.jsonl", 1, 0))
    assert errors([positive, again]) == {"duplicate_chain"}
    otherwise = relabelled(again, 1, "other")
    assert "duplicate_conflict" in errors([positive, otherwise])
