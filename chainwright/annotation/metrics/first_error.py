"""The first step in error (ProcessBench, arXiv 2412.06559): its step, or that there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.bootstrap import ratio

NONE = 0
"""The first error of a chain without one; steps are numbered from 1."""


def first_error(words: Sequence[str | None]) -> int | None:
    """The first step called wrong; 0 for none, and None where there is not a single word.

    Abstentions are passed over: what a judge says later counts as its first.

    >>> first_error(["correct", None, "other"]), first_error(["correct"]), first_error([None])
    (3, 0, None)
    """
    if all(word is None for word in words):
        return None
    return next((step for step, word in enumerate(words, 1) if word not in (None, "correct")), NONE)


def first_error_addends(gold: int | None, said: int | None) -> tuple[float, float, float, float]:
    """Chain with an error, found at its step; chain without one, found to have none: each 0 or 1.

    A judge without a word on the chain is wrong. A chain whose first error is unknown adds nothing.
    """
    if gold is None:
        return 0.0, 0.0, 0.0, 0.0
    hit = float(said == gold)
    return (0.0, 0.0, 1.0, hit) if gold == NONE else (1.0, hit, 0.0, 0.0)


def accuracy_on_wrong(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the chains with an error whose first one is named; undefined without any."""
    return ratio(sums[..., 1], sums[..., 0])


def accuracy_on_correct(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the chains without an error that are found so; undefined without any."""
    return ratio(sums[..., 3], sums[..., 2])


def harmonic_f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """ProcessBench's F1: the harmonic mean of the two accuracies.

    0 where both are 0; undefined where one of them is.
    """
    wrong, correct = accuracy_on_wrong(sums), accuracy_on_correct(sums)
    mean = ratio(2 * wrong * correct, wrong + correct)
    return np.where((wrong == 0) & (correct == 0), 0.0, mean)
