"""Student's t distribution, and false discoveries among many tests."""

from collections.abc import Sequence
from math import exp, inf, isinf, lgamma, log

_TINY = 1e-300
_STEPS = 500


def t_below(t: float, freedom: int) -> float:
    """The chance that a t variable lies at or below t.

    By the continued fraction of the incomplete beta function (Press et al., Numerical Recipes,
    section 6.4). Infinite t gives 0 or 1.

    Raises:
        ValueError: `freedom` is below 1.
    """
    if freedom < 1:
        raise ValueError(f"found {freedom} degrees of freedom, expected at least 1")
    if isinf(t):
        return 0.0 if t == -inf else 1.0
    square = t * t
    if square < freedom:  # near 0 the middle is known to more digits than the tail
        middle = _incomplete_beta(square / (freedom + square), 0.5, freedom / 2) / 2
        return 0.5 - middle if t < 0 else 0.5 + middle
    tail = _incomplete_beta(freedom / (freedom + square), freedom / 2, 0.5) / 2
    return tail if t < 0 else 1 - tail


def discoveries(p_values: Sequence[float], rate: float) -> list[bool]:
    """Which hypotheses are rejected at a false discovery rate, however the tests depend.

    Source: Benjamini and Yekutieli 2001, Ann. Statist. 29(4), theorem 1.3.
    """
    count = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, count + 1))
    order = sorted(range(count), key=lambda one: p_values[one])
    passed = 0
    for rank, one in enumerate(order, start=1):
        if p_values[one] <= rank * rate / (count * harmonic):
            passed = rank
    rejected = set(order[:passed])
    return [one in rejected for one in range(count)]


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction, by the method of Lentz."""
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _off_zero(1 + term * d)
            c = _off_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
