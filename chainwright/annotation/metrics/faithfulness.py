"""F1 of steps and of categories (GRACE, arXiv 2606.16151), as formulas on sums over chains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.bootstrap import ratio

SOUND, UNSOUND = "faithful", "unfaithful"


def class_addends(
    gold: Sequence[str | None], said: Sequence[str | None], word: str
) -> tuple[float, float, float]:
    """Right, said and true steps of a class, of the steps whose gold label is known.

    An abstention is of no class: it lowers the recall of the true one and no precision.

    Args:
        gold: Words of the steps; None = unknown, and the step is left out.
        said: The judge's; None = an abstention.
        word: `faithful`, `unfaithful` (every other word is), or a category.
    """
    pairs = [(true, found) for true, found in zip(gold, said, strict=True) if true is not None]
    true = [_is(one, word) for one, _ in pairs]
    found = [_is(one, word) for _, one in pairs]
    right = sum(a and b for a, b in zip(true, found, strict=True))
    return float(right), float(sum(found)), float(sum(true))


def f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """F1 of a class: 2 right / (said + true); undefined where the class neither occurs nor is said.

    Args:
        sums: Right, said, true.
    """
    return ratio(2 * sums[..., 0], sums[..., 1] + sums[..., 2])


def macro_f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean F1 of several classes; those that neither occur nor are said are left out.

    Undefined where that is all of them.

    Args:
        sums: Right, said, true of each class in turn.
    """
    each = f1(sums.reshape(*sums.shape[:-1], -1, 3))
    defined = ~np.isnan(each)
    return ratio(np.where(defined, each, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(float))


def _is(said: str | None, word: str) -> bool:
    if word == UNSOUND:
        return said is not None and said != SOUND
    return said == word
