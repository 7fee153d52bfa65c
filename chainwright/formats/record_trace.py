"""Record to trace: one label a step out of whatever a corpus says, or the reason there is none."""

from __future__ import annotations

from typing import Literal

from chainwright.formats.record import LabelledRecord, StatedLabel, type_name
from chainwright.formats.trace import StepLabel, Trace, Unfit
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import ERROR_TYPES, Binary

_INHERITED = "accumulation_error"


def trace_of(record: LabelledRecord, source: str, *, gaps: bool = False, where: str = "") -> Trace:
    """The trace of a record; ids follow from the content.

    Of several errors of a step the first counts that is its own, since an error that is inherited
    says less of the step; the explanations of all are kept by the readers. Premises on the step
    itself, on later steps or on none that exists are left out.

    Args:
        source: The problem's source where the record names none.
        gaps: Whether labels and premises that carry their steps' numbers may be missing, or be of
            steps that are none: the step is undecided then, and a type that the format does not
            know is no category. Where they are listed in order there must always be one a step.
        where: The problem's `origin_ref`.

    Raises:
        Unfit: `empty_field` without a question or with a blank step, `incomplete_labels`,
            `bad_label` for a first error that is no step or a type that PERL has not, and
            `bad_premise` for one out of range where they are listed in order.
    """
    if not record.question:
        raise Unfit("empty_field", "the question is missing or empty")
    for step, text in enumerate(record.steps, 1):
        if not text.strip():
            raise Unfit("empty_field", f"step {step} is blank")
    problem = Problem.build(
        source=record.source or source,
        question=record.question,
        context=list(record.context),
        options=list(record.options),
        answer=record.answer,
        answer_kind=record.answer_kind,
        aliases=list(record.aliases),
        solution=record.solution,
        licence=record.licence,
        track=record.track,
        origin_ref=where,
    )
    by_polarity = None if record.polarity is None else record.polarity == "positive"
    chain = Chain.build(
        problem_id=problem.problem_id,
        origin=record.origin or _origin(record),
        generator=record.generator or f"source:{source}",
        steps=list(record.steps),
        citations=[list(cited) for cited in record.citations],
        final_answer=record.final_answer,
        is_correct=by_polarity if record.is_correct is None else record.is_correct,
        parent_id=record.parent_id,
    )
    return Trace(problem, chain, _labels(record, gaps))


def _origin(record: LabelledRecord) -> Literal["model", "synthetic"]:
    return "synthetic" if record.polarity == "synthetic_negative" else "model"


def _labels(record: LabelledRecord, gaps: bool) -> tuple[StepLabel, ...]:
    last = len(record.steps)
    if record.first_error is not None and record.first_error > last:
        found = f"the first error is step {record.first_error}"
        raise Unfit("bad_label", f"{found}, expected one of 1 to {last}, or none")
    whole = record.in_order or not gaps
    if whole and record.labels is not None:
        _check_steps("labels", [label.step for label in record.labels], last)
    if record.in_order and record.premises is not None:
        _check_premises(record, last)
    labels: list[StepLabel] = []
    for step in range(1, last + 1):
        premises = record.premises_of.get(step)
        label = record.label_of.get(step) or StatedLabel(step, None)
        labels.append(_label(record, label, premises, gaps))
    return tuple(labels)


def _check_steps(what: str, steps: list[int], last: int) -> None:
    if sorted(steps) != list(range(1, last + 1)):
        listed = ", ".join(map(str, steps[:20])) or "none"
        detail = f"{what} of steps {listed}; expected exactly one of each of 1 to {last}"
        raise Unfit("incomplete_labels", detail)


def _check_premises(record: LabelledRecord, last: int) -> None:
    for entry in record.premises or ():
        if entry.step > last:
            raise Unfit("incomplete_labels", f"premises of step {entry.step} of {last}")
        strange = [one for one in entry.premises if not 0 <= one < entry.step]
        if strange:
            detail = f"step {entry.step} rests on {strange[0]}, expected 0 to {entry.step - 1}"
            raise Unfit("bad_premise", detail)


def _label(
    record: LabelledRecord, stated: StatedLabel, premises: tuple[int, ...] | None, gaps: bool
) -> StepLabel:
    wrong = True if stated.types else stated.wrong
    word: Binary | None = stated.word
    if word is None and wrong is not None:
        sound: tuple[Binary, Binary] = (
            ("correct", "error") if record.track == "math" else ("faithful", "unfaithful")
        )
        word = sound[wrong]
    return StepLabel(
        label=word,
        category=_category(record, stated, gaps),
        premises=premises,
        explanation=stated.explanation,
        tier=stated.tier,
        verbatim=stated.verbatim,
        source=stated.source,
    )


def _category(record: LabelledRecord, stated: StatedLabel, gaps: bool) -> str | None:
    """The type that counts, in our spelling where it is one of mathematics."""
    if not stated.types:
        return None
    named = [type_name(one) if type_name(one) in ERROR_TYPES else one for one in stated.types]
    first = next((one for one in named if one != _INHERITED), named[0])
    if record.kind == "perl" and first not in ERROR_TYPES:
        if gaps:
            return None
        found = f"step {stated.step} has the error type {first[:60]!r}"
        raise Unfit("bad_label", f"{found}, expected {', '.join(ERROR_TYPES)}")
    return first
