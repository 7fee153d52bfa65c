"""Rows: a chain, its problem and its steps' labels as the one row a reader meets."""

from __future__ import annotations

from collections.abc import Sequence

from chainwright.release.selection_candidates import Draw, difficulty
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.release import ReleasedChain, ReleasedStep
from chainwright.schemas.words import SOUND, lowest_tier

NO_DRAW = Draw()
"""Of a release without a selection."""


def released_chain(
    problem: Problem, chain: Chain, labels: Sequence[Label], draw: Draw = NO_DRAW
) -> ReleasedChain:
    """Join a chain with its problem and labels.

    `first_error` is the first step in error, and null when no step is, or when an undecided step
    comes before the first one in error: the first error might be there.

    Args:
        problem: The chain's problem.
        chain: The chain.
        labels: One label a step, in any order.
        draw: How the chain stands to the test set.

    Raises:
        ValueError: The three do not belong together, or `label_fault` finds the labels wanting.
    """
    if chain.problem_id != problem.problem_id:
        raise ValueError(
            f"chain {chain.chain_id} is of problem {chain.problem_id}, not {problem.problem_id}"
        )
    fault = label_fault(chain, labels)
    if fault is not None:
        raise ValueError(f"chain {chain.chain_id}: {fault[1]} ({fault[0]})")
    ordered = sorted(labels, key=lambda label: label.step)
    return ReleasedChain(
        chain_id=chain.chain_id,
        problem_id=problem.problem_id,
        source=problem.source,
        licence=problem.licence,
        question=problem.question,
        answer=problem.answer,
        origin=chain.origin,
        polarity=chain.polarity,
        generator=chain.generator,
        steps=_steps(chain, ordered),
        final_answer=chain.final_answer,
        is_correct=chain.is_correct,
        first_error=_first_error(ordered),
        tier=lowest_tier([label.tier for label in ordered]),
        parent_id=chain.parent_id,
        perturbed_step=chain.perturbed_step,
        perturbation_kind=chain.perturbation.kind if chain.perturbation else None,
        track=problem.track,
        question_type=problem.question_type,
        answer_f1=chain.answer_f1,
        difficulty=difficulty(ordered),
        test_slices=list(draw.slices),
        hard_probability=draw.hard_probability,
        random_probability=draw.random_probability,
    )


def label_fault(chain: Chain, labels: Sequence[Label]) -> tuple[str, str] | None:
    """Why these labels do not make the chain fit for release, as (reason code, detail).

    `no_labels`: there are none. `incomplete_labels`: not exactly one for each step; a missing label
    is never padded. `invalid_premises`: a step rests on itself, a later step or none that exists.
    `invalid_citations`: there are some, and not one list for each step. None when all is fit.

    Raises:
        ValueError: A label belongs to another chain.
    """
    for label in labels:
        if label.chain_id != chain.chain_id:
            raise ValueError(f"label of chain {label.chain_id} given for chain {chain.chain_id}")
    if not labels:
        return "no_labels", f"none of the {len(chain.steps)} steps has a label"
    found = sorted(label.step for label in labels)
    if found != list(range(1, len(chain.steps) + 1)):
        return (
            "incomplete_labels",
            f"labels are of steps {found}; needed is one each of 1 to {len(chain.steps)}",
        )
    for label in labels:
        strangers = [premise for premise in label.premises if not 0 <= premise < label.step]
        if strangers:
            return (
                "invalid_premises",
                f"step {label.step} rests on {strangers}; allowed are 0 to {label.step - 1}",
            )
    if chain.citations and len(chain.citations) != len(chain.steps):
        return (
            "invalid_citations",
            f"citations are of {len(chain.citations)} steps; there are {len(chain.steps)}",
        )
    return None


def propagated_steps(ordered: Sequence[Label]) -> list[bool | None]:
    """For each step whether it goes on from a wrong one and is itself valid given its premises.

    In math that is an accumulation error; elsewhere a sound step with a premise that is wrong or
    propagated itself. None where the label is undecided, or where premises that decide it are not
    known: no judge gave any, or one of them is open.

    Args:
        ordered: One label a step, in step order.
    """
    found: list[bool | None] = []
    for label in ordered:
        if label.label is None or (label.label == "error" and label.category is None):
            found.append(None)
        elif label.label not in SOUND:
            found.append(label.category == "accumulation_error")
        elif label.label == "correct":
            found.append(False)  # an inherited error has the label `error` in math
        else:
            found.append(_goes_on(label, ordered, found))
    return found


def _goes_on(label: Label, ordered: Sequence[Label], found: Sequence[bool | None]) -> bool | None:
    """Whether a faithful step rests on an unfaithful or propagated one."""
    earlier = [premise for premise in label.premises if premise > 0]
    if not label.premises:
        return None
    if any(ordered[at - 1].label == "unfaithful" or found[at - 1] for at in earlier):
        return True
    return None if any(found[at - 1] is None for at in earlier) else False


def _steps(chain: Chain, ordered: Sequence[Label]) -> list[ReleasedStep]:
    citations = chain.citations or [[]] * len(chain.steps)
    parts = zip(chain.steps, ordered, citations, propagated_steps(ordered), strict=True)
    return [
        ReleasedStep(
            step=label.step,
            text=text,
            label=label.label,
            category=label.category,
            premises=label.premises,
            label_source=label.label_source,
            tier=label.tier,
            citations=cited,
            propagated=propagated,
        )
        for text, label, cited, propagated in parts
    ]


def _first_error(ordered: Sequence[Label]) -> int | None:
    for label in ordered:
        if label.label is None:
            return None
        if label.label not in SOUND:
            return label.step
    return None
