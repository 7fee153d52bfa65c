"""Accumulation errors: what a step inherits on the premise graph (PERL, arXiv 2502.02362).

A step is an accumulation error if it is valid given its premises and at least one of them, the
question apart, is itself not correct. Decided in step order, so it carries on downstream.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chainwright.annotation.panel import Outcome
from chainwright.schemas.words import lowest_tier


@dataclass(frozen=True)
class Judged:
    """A step's native outcome and its premises; None = no judge gave premises."""

    outcome: Outcome
    premises: Sequence[int] | None


def propagate(steps: Sequence[Judged]) -> list[Outcome]:
    """The outcomes after inheritance, one a step.

    A valid step whose premises hold an undecided step and no wrong one is undecided itself, with
    the reason `premise_undecided`. Where no judge gave premises, any earlier step might be one:
    the step stays correct if all of them are, and is undecided otherwise (`premises_unknown`).
    An inherited error has the lower tier of the step's own and the best of its wrong premises'.
    """
    decided: list[Outcome] = []
    for number, step in enumerate(steps, start=1):
        if step.outcome.label != "correct":
            decided.append(step.outcome)
            continue
        known = step.premises is not None
        earlier = [p for p in step.premises or [] if 0 < p < number] if known else range(1, number)
        decided.append(_inherit(step.outcome, [decided[p - 1] for p in earlier], known=known))
    return decided


def _inherit(own: Outcome, premises: Sequence[Outcome], *, known: bool) -> Outcome:
    wrong = [premise for premise in premises if premise.label == "error"]
    open_ = [premise for premise in premises if premise.label is None]
    if not wrong and not open_:
        return own
    if wrong and known:
        tiers = sorted((premise.tier for premise in wrong), key=lambda tier: tier == "disputed")
        binary = sorted((p.binary_tier for p in wrong), key=lambda tier: tier == "disputed")
        best = "gold" if "gold" in tiers else tiers[0]
        best_binary = "gold" if "gold" in binary else binary[0]
        tier = lowest_tier([own.tier, best])
        return Outcome(
            "error",
            "accumulation_error",
            tier,
            lowest_tier([own.binary_tier, best_binary]),
            "premise_disputed" if tier == "disputed" else None,
        )
    reason = "premise_undecided" if known else "premises_unknown"
    return replace(
        own, label=None, category=None, tier="disputed", binary_tier="disputed", reason=reason
    )
