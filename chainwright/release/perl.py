"""PERL: a labelled chain as a record of PERL's own format.

The shape and key order are those of the files its authors released (PERL, arXiv 2502.02362;
`chainwright.schemas.perl`), so that code written for them reads ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
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
from chainwright.schemas.problem import Problem

_ERROR_TYPES: dict[str | None, PerlErrorType] = {
    "mathematical_error": "Mathematical_Error",
    "logical_inconsistency": "Logical_Inconsistency",
    "accumulation_error": "Accumulation_Error",
    "other": "Other",
}
_NUMBERED = re.compile(r"step \d+\s*[:.]", re.IGNORECASE)


def perl_fault(problem: Problem, chain: Chain, labels: Sequence[Label]) -> tuple[str, str] | None:
    """Why PERL's format cannot hold the chain, as (reason code, detail); None when it can.

    `not_math`: its error types are those of mathematics. `undecided_polarity`: there is a file for
    positives and one for negatives, and none for the rest. `no_answer`, `no_final_answer`: both are
    obligatory. `undecided_step`, `undecided_category`: every step either has an error of a named
    type or has none, and leaving either open is not provided for.
    """
    if problem.track != "math":
        return "not_math", f"the problem's track is {problem.track}"
    if chain.polarity is None:
        return "undecided_polarity", "whether the chain is correct is undecided"
    if problem.answer is None:
        return "no_answer", "the problem has no gold answer"
    if chain.final_answer is None:
        return "no_final_answer", "the chain has no final answer"
    undecided = sorted(label.step for label in labels if label.label is None)
    if undecided:
        return "undecided_step", f"steps without a label: {undecided}"
    unnamed = sorted(
        label.step
        for label in labels
        if label.label != "correct" and label.category not in _ERROR_TYPES
    )
    if unnamed:
        return "undecided_category", f"steps in error without one of PERL's types: {unnamed}"
    return None


def perl_record(problem: Problem, chain: Chain, labels: Sequence[Label]) -> PerlRecord:
    """Turn a chain into PERL's format.

    Steps start with `Step k: `, as 1,688 of the 1,709 released steps do, and 17 of the other 21
    bring a number of their own (`Step 2:` and a line break, or a count that skips). So a step is
    left alone when it starts with a step number, whichever, and gets one otherwise. The
    annotations quote the steps with their numbers.

    Where the released premises paraphrase what a step takes from another, ours quote the whole
    step (0: the whole question): that is what is known. A step has at most one error, since a
    label names one; a few released steps have two. A question with passages or options is written
    out with them, as step 0 is the question with its context.

    Args:
        problem: The chain's problem.
        chain: The chain.
        labels: One label a step, in any order.

    Raises:
        ValueError: `perl_fault` finds that the format cannot hold the chain.
    """
    fault = perl_fault(problem, chain, labels)
    if fault is not None or problem.answer is None or chain.final_answer is None:
        raise ValueError(f"chain {chain.chain_id} has no PERL record: {fault}")
    ordered = sorted(labels, key=lambda label: label.step)
    texts = [_question(problem), *(_numbered(k, step) for k, step in enumerate(chain.steps, 1))]
    # As in the released files, what is not known has no key; the model's defaults say the same.
    known: dict[str, Any] = {
        "ground_truth_solution": problem.solution,
        "is_correct": chain.is_correct,
    }
    return PerlRecord(
        question=texts[0],
        ground_truth_answer=problem.answer,
        model_answer=chain.final_answer,
        steps=texts[1:],
        premise_annotation=PerlPremiseAnnotation(steps=_premises(texts, ordered)),
        error_annotation=PerlErrorAnnotation(
            error_annotations=PerlStepLevel(
                step_level=[_errors(chain, label, ordered) for label in ordered]
            )
        ),
        **{key: value for key, value in known.items() if value is not None},
    )


def describe_error(chain: Chain, label: Label, ordered: Sequence[Label]) -> str:
    """What is known of a step's error, in words; empty when nothing is.

    An accumulation error names the premises in error. The step at which an exact chain was made
    wrong tells its perturbation. Any other error quotes, without repeats, the explanations of the
    votes that carried it: valid ones for the same label and category.

    Args:
        chain: The chain.
        label: The label of a step in error.
        ordered: The labels of all steps, in step order.
    """
    if label.category == "accumulation_error":
        wrong = [
            premise
            for premise in sorted(set(label.premises))
            if premise > 0 and ordered[premise - 1].label == "error"
        ]
        if wrong:
            return _rests_on(wrong)
    change = chain.perturbation
    if label.label_source == "exact" and label.step == chain.perturbed_step and change is not None:
        return f"{change.before} became {change.after} ({change.kind})"
    explanations = (
        vote.explanation
        for vote in label.votes
        if vote.status == "ok" and (vote.label, vote.category) == (label.label, label.category)
    )
    return "\n".join(dict.fromkeys(text for text in explanations if text))


def _question(problem: Problem) -> str:
    passages = [f"[{one.ref}] {one.title}: {one.text}" for one in problem.context]
    options = [f"{chr(ord('A') + place)}. {text}" for place, text in enumerate(problem.options)]
    return "\n".join([*passages, problem.question, *options])


def _numbered(number: int, step: str) -> str:
    return step if _NUMBERED.match(step) else f"Step {number}: {step}"


def _premises(texts: Sequence[str], ordered: Sequence[Label]) -> list[PerlPremises]:
    rests_on = [[0], *(sorted(set(label.premises)) for label in ordered)]
    return [
        PerlPremises(
            step_number=number,
            original_step=texts[number],
            premises=[(premise, texts[premise]) for premise in premises],
        )
        for number, premises in enumerate(rests_on)
    ]


def _errors(chain: Chain, label: Label, ordered: Sequence[Label]) -> PerlStepErrors:
    errors = []
    if label.label != "correct":
        description = describe_error(chain, label, ordered)
        errors = [PerlError(error_type=_ERROR_TYPES[label.category], error_description=description)]
    return PerlStepErrors(step_number=label.step, has_error=bool(errors), errors=errors)


def _rests_on(wrong: Sequence[int]) -> str:
    if len(wrong) == 1:
        return f"Rests on step {wrong[0]}, which is in error."
    first = ", ".join(str(step) for step in wrong[:-1])
    return f"Rests on steps {first} and {wrong[-1]}, which are in error."
