"""PERL: a labelled chain as a record of PERL's own format, and back.

The shape and key order are those of the files its authors released (PERL, arXiv 2502.02362;
`chainwright.schemas.perl`), so that code written for them reads ours.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from chainwright.formats.fields import Row, read_trace
from chainwright.formats.trace import StepLabel, Trace, Unfit, needed, numbered, question_text
from chainwright.schemas.perl import (
    PerlError,
    PerlErrorAnnotation,
    PerlErrorType,
    PerlPremiseAnnotation,
    PerlPremises,
    PerlRecord,
    PerlStepErrors,
    PerlStepLevel,
)
from chainwright.schemas.words import Origin

_ERROR_TYPES: dict[str | None, PerlErrorType] = {
    "mathematical_error": "Mathematical_Error",
    "logical_inconsistency": "Logical_Inconsistency",
    "accumulation_error": "Accumulation_Error",
    "other": "Other",
}
_ENDINGS: tuple[tuple[str, Origin, bool], ...] = (
    ("_positives_perturbed", "synthetic", False),
    ("_positives", "model", True),
    ("_negatives", "model", False),
)
"""What the name of a file says of its chains, where their rows do not."""


def perl_record(trace: Trace) -> PerlRecord:
    """Turn a chain into PERL's format.

    Steps start with `Step k: `, as 1,688 of the 1,709 released steps do, and 17 of the other 21
    bring a number of their own (`Step 2:` and a line break, or a count that skips). So a step is
    left alone when it starts with a step number, whichever, and gets one otherwise. The
    annotations quote the steps with their numbers.

    Where the released premises paraphrase what a step takes from another, ours quote the whole
    step (0: the whole question): that is what is known. A step has at most one error, since a
    label names one; a few released steps have two. A question with passages or options is written
    out with them, as step 0 is the question with its context.

    Raises:
        Unfit: `not_math`: its error types are those of mathematics. `undecided_polarity`: there is
            a file for positives and one for negatives, and none for the rest. `no_answer`,
            `no_final_answer`: both are obligatory. `undecided_step`, `undecided_category`: every
            step either has an error of a named type or has none, and leaving either open is not
            provided for. `no_premises`: a step's premises are not known.
    """
    problem, chain = trace.problem, trace.chain
    if problem.track != "math":
        raise Unfit("not_math", f"the problem's track is {problem.track}")
    if chain.polarity is None:
        raise Unfit("undecided_polarity", "whether the chain is correct is undecided")
    answer = needed(problem.answer, "no_answer", "the problem has no gold answer")
    final_answer = needed(chain.final_answer, "no_final_answer", "the chain has no final answer")
    _check_labels(trace)
    texts = [question_text(problem), *(numbered(k, step) for k, step in enumerate(chain.steps, 1))]
    # As in the released files, what is not known has no key; the model's defaults say the same.
    known: dict[str, Any] = {
        "ground_truth_solution": problem.solution,
        "is_correct": chain.is_correct,
    }
    return PerlRecord(
        question=texts[0],
        ground_truth_answer=answer,
        model_answer=final_answer,
        steps=texts[1:],
        premise_annotation=PerlPremiseAnnotation(steps=_premises(trace, texts)),
        error_annotation=PerlErrorAnnotation(
            error_annotations=PerlStepLevel(
                step_level=[_errors(k, label) for k, label in enumerate(trace.labels, 1)]
            )
        ),
        **{key: value for key, value in known.items() if value is not None},
    )


def perl_row(trace: Trace) -> dict[str, Any]:
    """The record as plain values; raises as `perl_record` does."""
    return perl_record(trace).model_dump(mode="json", exclude_unset=True)


def read_perl(row: Row, source: str) -> Trace:
    """The trace of a record of PERL, steps as they stand there.

    Of several errors of a step the first gives the category; the descriptions of all are kept.
    Whether a chain is correct, where the record does not say, and whether it is synthetic follow
    from the ending that PERL gives its files.

    Args:
        source: Name of the file without `.json`.

    Raises:
        Unfit: `wrong_type` where it is no record of PERL; `incomplete_labels` without exactly one
            annotation a step.
    """
    try:
        record = PerlRecord.model_validate(dict(row))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise Unfit("wrong_type", f"no record of PERL: `{place}`: {first['msg']}") from error
    origin: Origin = "model"
    is_correct = None
    for ending, known_origin, right in _ENDINGS:
        if source.endswith(ending):
            origin, is_correct = known_origin, right
            break
    return read_trace(
        source=source,
        question=record.question,
        steps=record.steps,
        labels=_labels(record),
        answer=record.ground_truth_answer,
        solution=record.ground_truth_solution,
        final_answer=str(record.model_answer),
        is_correct=is_correct if record.is_correct is None else record.is_correct,
        origin=origin,
    )


def _check_labels(trace: Trace) -> None:
    labels = list(enumerate(trace.labels, 1))
    undecided = [step for step, label in labels if label.label is None]
    if undecided:
        raise Unfit("undecided_step", f"steps without a label: {undecided}")
    unnamed = [
        step for step, label in labels if label.is_error and label.category not in _ERROR_TYPES
    ]
    if unnamed:
        found = f"steps in error without one of PERL's types: {unnamed}"
        raise Unfit("undecided_category", found)
    unknown = [step for step, label in labels if label.premises is None]
    if unknown:
        raise Unfit("no_premises", f"steps whose premises are not known: {unknown}")


def _premises(trace: Trace, texts: list[str]) -> list[PerlPremises]:
    rests_on = [[0], *(sorted(set(label.premises or ())) for label in trace.labels)]
    return [
        PerlPremises(
            step_number=number,
            original_step=texts[number],
            premises=[(premise, texts[premise]) for premise in premises],
        )
        for number, premises in enumerate(rests_on)
    ]


def _errors(step: int, label: StepLabel) -> PerlStepErrors:
    errors = []
    if label.is_error:
        description = label.explanation or ""
        errors = [PerlError(error_type=_ERROR_TYPES[label.category], error_description=description)]
    return PerlStepErrors(step_number=step, has_error=bool(errors), errors=errors)


def _labels(record: PerlRecord) -> list[StepLabel]:
    errors = {one.step_number: one for one in record.error_annotation.error_annotations.step_level}
    premises = {one.step_number: one.premises for one in record.premise_annotation.steps}
    wanted = list(range(1, len(record.steps) + 1))
    annotated = record.error_annotation.error_annotations.step_level
    if sorted(errors) != wanted or len(annotated) != len(wanted):
        found = sorted(one.step_number for one in annotated)
        raise Unfit("incomplete_labels", f"errors of steps {found}; expected 1 to {wanted[-1]}")
    labels = []
    for step in wanted:
        found_errors = errors[step].errors
        wrong = bool(found_errors) or errors[step].has_error
        before = {premise for premise, _ in premises.get(step, ()) if 0 <= premise < step}
        labels.append(
            StepLabel(
                label="error" if wrong else "correct",
                category=found_errors[0].error_type.lower() if found_errors else None,
                premises=tuple(sorted(before)) if step in premises else None,
                explanation="\n".join(one.error_description for one in found_errors) or None,
                verbatim=json.dumps(errors[step].model_dump(), ensure_ascii=False),
            )
        )
    return labels
