"""Two scorings of the same chains: is one better, or is it luck?"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, exp, fsum, lgamma, log

EXACT_UP_TO = 1000
"""Trials up to which whole numbers are added; beyond it logarithms, right to about 9 digits."""


@dataclass(frozen=True)
class SignTest:
    """An exact test on chains that the one scores higher than the other.

    Attributes:
        name: `mcnemar` where every score is 0 or 1, `sign` otherwise; the computation is the same.
        p: Two-sided; 1 where no chain differs.
    """

    name: str
    wins: int
    losses: int
    ties: int
    p: float


def sign_test(first: list[float], second: list[float]) -> SignTest:
    """Count the chains on which the first scores higher or lower; ties say nothing.

    Sources: McNemar 1947, "Note on the sampling error of the difference between correlated
    proportions", Psychometrika 12(2), with the exact binomial in place of its approximation.

    Raises:
        ValueError: the two differ in length.
    """
    pairs = list(zip(first, second, strict=True))
    wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    binary = all(score in (0, 1) for pair in pairs for score in pair)
    name = "mcnemar" if binary else "sign"
    return SignTest(name, wins, losses, len(pairs) - wins - losses, exact_sign(wins, losses))


def exact_sign(wins: int, losses: int) -> float:
    """Two-sided p of so many wins and losses if either were as likely as the other.

    >>> exact_sign(5, 0), exact_sign(0, 0), exact_sign(3, 3)
    (0.0625, 1.0, 1.0)
    """
    trials = wins + losses
    fewer = min(wins, losses)
    if trials == 0 or 2 * fewer == trials:
        return 1.0
    if trials <= EXACT_UP_TO:
        tail = sum(comb(trials, k) for k in range(fewer + 1))
        return tail / (1 << (trials - 1))
    head = lgamma(trials + 1) - (trials - 1) * log(2)
    return min(
        1.0, fsum(exp(head - lgamma(k + 1) - lgamma(trials - k + 1)) for k in range(fewer + 1))
    )
