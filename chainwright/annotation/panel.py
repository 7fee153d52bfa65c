"""From votes to an outcome with a tier, for a panel of any size.

Gold: all n judges voted and all agree on (label, category). Silver: a strict majority of the
panel agrees. Disputed: anything else. A judge that abstained, was refused, answered malformed or
was never asked counts in n and bars gold.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from chainwright.schemas.label import CastVote
from chainwright.schemas.words import Binary, Tier

T = TypeVar("T", bound=Hashable)

FEWEST_VOTES = 2
"""With fewer valid votes there is nothing to agree on: disputed, `incomplete`."""


@dataclass(frozen=True)
class Outcome:
    """What a panel says of one step.

    A split over categories keeps its binary majority: `label` is then set, `category` is None
    and the tier is disputed. `reason` says why a step is disputed: `incomplete`, `tie`,
    `no_majority` or `category_split`.
    """

    label: Binary | None
    category: str | None
    tier: Tier
    binary_tier: Tier
    reason: str | None


def tally(votes: Sequence[CastVote]) -> Outcome:
    """The outcome of a step from one vote a judge, in whatever state it is.

    A tie is never broken: its label is None.
    """
    valid = [vote for vote in votes if vote.status == "ok" and vote.label is not None]
    if len(valid) < FEWEST_VOTES:
        return Outcome(None, None, "disputed", "disputed", "incomplete")
    label, binary_tier, binary_reason = _majority([vote.label for vote in valid], len(votes))
    pair, tier, reason = _majority([(vote.label, vote.category) for vote in valid], len(votes))
    if pair is not None:
        return Outcome(pair[0], pair[1], tier, binary_tier, None)
    if label is not None:
        return Outcome(label, None, "disputed", binary_tier, "category_split")
    return Outcome(None, None, "disputed", "disputed", binary_reason or reason)


def majority_premises(sets: Sequence[Sequence[int]]) -> list[int] | None:
    """The premises that a strict majority of the judges who gave any have in common.

    Returns:
        None where no judge gave premises.
    """
    if not sets:
        return None
    counts = Counter(premise for premises in sets for premise in set(premises))
    return sorted(premise for premise, count in counts.items() if 2 * count > len(sets))


def _majority(votes: Sequence[T], panel: int) -> tuple[T | None, Tier, str | None]:
    ranked = Counter(votes).most_common(2)
    value, count = ranked[0]
    if count == panel:
        return value, "gold", None
    if 2 * count > panel:
        return value, "silver", None
    tied = len(ranked) > 1 and ranked[1][1] == count
    return None, "disputed", "tie" if tied else "no_majority"
