"""Draws: samples of a fixed size whose inclusion probabilities are known exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chainwright.schemas.identity import place


@dataclass(frozen=True)
class Sample:
    """What was drawn, and for each that could be the probability that it was."""

    drawn: frozenset[str]
    probabilities: Mapping[str, float]


def weighted_sample(weights: Mapping[str, int], size: int, *name: str | int) -> Sample:
    """`size` items, or all there are, each with a probability in proportion to its weight.

    Systematic sampling with unequal probabilities (Madow 1949) over an order that is random by
    itself: the sample has exactly the size wanted, and the probability of item i is exactly
    size * weight / sum of the weights. An item for which that comes to 1 or more is taken for
    certain, and the others share what is left. All of it in whole numbers, so that the same
    arguments give the same sample everywhere.

    Args:
        weights: At least 1 for each item, by its id.
        size: How many to draw; 0 draws none, and no item has a probability then.
        name: Sets this draw apart from others: a seed, a purpose, a stratum.

    Raises:
        ValueError: A weight is below 1, or the size below 0.
    """
    if size < 0:
        raise ValueError(f"size is {size}; it must be 0 or more")
    if low := [weight for weight in weights.values() if weight < 1]:
        raise ValueError(f"a weight is {low[0]}; it must be 1 or more")
    if not size or not weights:
        return Sample(frozenset(), {})
    if size >= len(weights):
        return Sample(frozenset(weights), dict.fromkeys(weights, 1.0))
    certain = _certain(weights, size)
    left = size - len(certain)
    order = sorted(weights.keys() - certain, key=lambda item: (place("order", *name, item), item))
    total = sum(weights[item] for item in order)
    drawn = set(certain)
    # A ruler with a mark every `total` is laid along the items, each as long as left * weight.
    reached = int(place("start", *name) * total)
    for item in order:
        before, reached = reached, reached + left * weights[item]
        if reached // total > before // total:
            drawn.add(item)
    odds = {item: left * weights[item] / total for item in order}
    probabilities = dict.fromkeys(certain, 1.0) | odds
    return Sample(frozenset(drawn), {item: probabilities[item] for item in weights})


def _certain(weights: Mapping[str, int], size: int) -> set[str]:
    """Items whose share of the sample would come to 1 or more, the heaviest first."""
    certain: set[str] = set()
    left, total = size, sum(weights.values())
    for item in sorted(weights, key=lambda item: (-weights[item], item)):
        if left * weights[item] < total:
            break
        certain.add(item)
        left, total = left - 1, total - weights[item]
    return certain
