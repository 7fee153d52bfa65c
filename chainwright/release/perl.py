"""PERL: our labels as a record of PERL's own format (`chainwright.formats.perl`)."""

from __future__ import annotations

from collections.abc import Sequence

from chainwright.formats import perl
from chainwright.formats.trace import StepLabel, Trace, Unfit
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.perl import PerlRecord
from chainwright.schemas.problem import Problem


def perl_fault(problem: Problem, chain: Chain, labels: Sequence[Label]) -> tuple[str, str] | None:
    """Why PERL's format cannot hold the chain, as (reason code, detail); None when it can.

    The reasons are those of `chainwright.formats.perl.perl_record`.
    """
    try:
        perl.perl_record(trace_of(problem, chain, labels))
    except Unfit as fault:
        return fault.reason, fault.detail
    return None


def perl_record(problem: Problem, chain: Chain, labels: Sequence[Label]) -> PerlRecord:
    """Turn a chain into PERL's format; see `chainwright.formats.perl.perl_record`.

    Args:
        problem: The chain's problem.
        chain: The chain.
        labels: One label a step, in any order.

    Raises:
        ValueError: `perl_fault` finds that the format cannot hold the chain.
    """
    try:
        return perl.perl_record(trace_of(problem, chain, labels))
    except Unfit as fault:
        found = (fault.reason, fault.detail)
        raise ValueError(f"chain {chain.chain_id} has no PERL record: {found}") from fault


def trace_of(
    problem: Problem, chain: Chain, labels: Sequence[Label], parent: Chain | None = None
) -> Trace:
    """A chain with its labels as the formats see it, each with what is known of its reasons.

    Args:
        labels: One label a step, in any order.
    """
    ordered = sorted(labels, key=lambda label: label.step)
    found = tuple(
        StepLabel(
            label=label.label,
            category=label.category,
            premises=tuple(label.premises),
            explanation=describe_error(chain, label, ordered) or None,
            tier=label.tier,
        )
        for label in ordered
    )
    return Trace(problem, chain, found, parent)


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


def _rests_on(wrong: Sequence[int]) -> str:
    if len(wrong) == 1:
        return f"Rests on step {wrong[0]}, which is in error."
    first = ", ".join(str(step) for step in wrong[:-1])
    return f"Rests on steps {first} and {wrong[-1]}, which are in error."
