"""Rows: a chain, its problem and its steps' labels as the one row a reader meets."""

from __future__ import annotations

from collections.abc import Sequence

from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.release import ReleasedChain, ReleasedStep
from chainwright.schemas.words import lowest_tier

_SOUND = ("correct", "faithful")


def released_chain(problem: Problem, chain: Chain, labels: Sequence[Label]) -> ReleasedChain:
    """Join a chain with its problem and labels.

    `first_error` is the first step in error, and null when no step is, or when an undecided step
    comes before the first one in error: the first error might be there.

    Args:
        problem: The chain's problem.
        chain: The chain.
        labels: One label a step, in any order.

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
        steps=[_step(text, label) for text, label in zip(chain.steps, ordered, strict=True)],
        final_answer=chain.final_answer,
        is_correct=chain.is_correct,
        first_error=_first_error(ordered),
        tier=lowest_tier([label.tier for label in ordered]),
        parent_id=chain.parent_id,
        perturbed_step=chain.perturbed_step,
        perturbation_kind=chain.perturbation.kind if chain.perturbation else None,
    )


def label_fault(chain: Chain, labels: Sequence[Label]) -> tuple[str, str] | None:
    """Why these labels do not make the chain fit for release, as (reason code, detail).

    `no_labels`: there are none. `incomplete_labels`: not exactly one for each step; a missing label
    is never padded. `invalid_premises`: a step rests on itself, a later step or none that exists.
    None when the labels are fit.

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
    return None


def _step(text: str, label: Label) -> ReleasedStep:
    return ReleasedStep(
        step=label.step,
        text=text,
        label=label.label,
        category=label.category,
        premises=label.premises,
        label_source=label.label_source,
        tier=label.tier,
    )


def _first_error(ordered: Sequence[Label]) -> int | None:
    for label in ordered:
        if label.label is None:
            return None
        if label.label not in _SOUND:
            return label.step
    return None
