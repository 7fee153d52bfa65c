"""PERL: a labelled chain as a record of PERL's own format, and back.

The shape and key order are those of the files its authors released (PERL, arXiv 2502.02362;
`chainwright.schemas.perl`), so that code written for them reads ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from chainwright.formats.fields import Row, field, objects, optional, present, shown, texts, word
from chainwright.formats.record import LabelledRecord, StatedLabel, StatedPremises, TextCopy
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
from chainwright.schemas.words import Polarity

_ERROR_TYPES: dict[str | None, PerlErrorType] = {
    "mathematical_error": "Mathematical_Error",
    "logical_inconsistency": "Logical_Inconsistency",
    "accumulation_error": "Accumulation_Error",
    "other": "Other",
}
_ENDINGS: tuple[tuple[str, Polarity], ...] = (
    ("positives_perturbed", "synthetic_negative"),
    ("positives", "positive"),
    ("negatives", "negative"),
)
"""What the name of a file says of its chains, where their rows do not."""
_LEVEL = ("error_annotation.error_annotations.", "/error_annotation/error_annotations/step_level")


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


def read_perl(row: Row, source: str) -> LabelledRecord:
    """A record of PERL, steps, labels and premises as they stand there.

    Read leniently: an unknown type, or too few or too many entries, is kept. The polarity follows
    from the ending that PERL gives its files, or else from `is_correct`; what stands in front of
    the ending is the part of the corpus.

    Args:
        source: Name of the file without `.json`.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`, `no_steps` where a part of the format
            is absent or something else.
    """
    annotated = field(row, "error_annotation", dict)
    level = field(annotated, "error_annotations", dict, "error_annotation.")
    entries = objects(field(row, "premise_annotation", dict), "steps", "premise_annotation.")
    correct = optional(row, "is_correct", bool)
    polarity, part = _said_by_name(source)
    if polarity is None and correct is not None:
        polarity = "positive" if correct else "negative"
    return LabelledRecord(
        kind="perl",
        question=field(row, "question", str),
        steps=texts(row, "steps"),
        labels=tuple(_read_labels(objects(level, "step_level", _LEVEL[0]))),
        premises=tuple(_read_premises(at, entry) for at, entry in enumerate(entries)),
        copies=tuple(
            TextCopy(
                field(entry, "step_number", int, f"premise_annotation.steps[{at}]."),
                present(entry, "original_step", str, f"premise_annotation.steps[{at}]."),
                f"/premise_annotation/steps/{at}/original_step",
            )
            for at, entry in enumerate(entries)
        ),
        polarity=polarity,
        is_correct=correct,
        answer=word(row, "ground_truth_answer"),
        final_answer=word(row, "model_answer"),
        solution=word(row, "ground_truth_solution"),
        part=part,
    )


def _said_by_name(source: str) -> tuple[Polarity | None, str]:
    for ending, polarity in _ENDINGS:
        if ending in source:
            return polarity, source.partition(ending)[0].strip("_") or "perl"
    return None, source or "perl"


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


def _read_labels(entries: list[Row]) -> Iterator[StatedLabel]:
    for at, entry in enumerate(entries):
        place = f"{_LEVEL[0]}step_level[{at}]."
        errors = objects(entry, "errors", place)
        types = tuple(present(one, "error_type", str, f"{place}errors.") for one in errors)
        said = [optional(one, "error_description", str, f"{place}errors.") for one in errors]
        stated = optional(entry, "has_error", bool, place)
        yield StatedLabel(
            step=field(entry, "step_number", int, place),
            wrong=bool(types) if stated is None else stated,
            types=types,
            flag=stated,
            pointer=f"{_LEVEL[1]}/{at}",
            explanation="\n".join(filter(None, said)) or None,
            verbatim=json.dumps(entry, ensure_ascii=False),
        )


def _read_premises(at: int, entry: Row) -> StatedPremises:
    place = f"premise_annotation.steps[{at}]."
    numbers = []
    for premise in present(entry, "premises", list, place):
        number = premise[0] if isinstance(premise, list) and premise else premise
        if type(number) is not int:
            found = f"`{place}premises` holds {shown(premise)}"
            raise Unfit("wrong_type", f"{found}, expected a pair of a step and a text")
        numbers.append(number)
    return StatedPremises(field(entry, "step_number", int, place), tuple(numbers))
