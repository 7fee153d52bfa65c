"""Premise precision, recall and F1 of one chain (PERL, arXiv 2502.02362)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PremiseScore:
    """Scores of a chain's premises, each edge from premise to step counted once."""

    precision: float
    recall: float
    f1: float


def premise_score(
    gold: Sequence[Collection[int] | None], said: Sequence[Collection[int] | None]
) -> PremiseScore | None:
    """Compare the edges of the steps whose premises are known; the paper averages over chains.

    The question (0) is a premise like any other. A step for which the judge gave none adds no
    edges, so what it keeps silent about lowers the recall. Without gold edges and without said
    ones all scores are 1, as there was nothing to find and nothing was made up; where one side
    alone is empty, all are 0.

    Args:
        gold: Premises of each step; None = unknown, and the step is left out.
        said: The judge's, in the same order; None = it gave none.

    Returns:
        None where no step has known premises.

    Raises:
        ValueError: the two differ in length.

    >>> premise_score([{0}, {0, 1}], [{0}, {1}])
    PremiseScore(precision=1.0, recall=0.6666666666666666, f1=0.8)
    """
    known = [
        (step, set(true), set(found or ()))
        for step, (true, found) in enumerate(zip(gold, said, strict=True))
        if true is not None
    ]
    if not known:
        return None
    right = sum(len(true & found) for _, true, found in known)
    wanted = sum(len(true) for _, true, _ in known)
    given = sum(len(found) for _, _, found in known)
    if wanted == given == 0:
        return PremiseScore(1.0, 1.0, 1.0)
    precision = right / given if given else 0.0
    recall = right / wanted if wanted else 0.0
    return PremiseScore(precision, recall, 2 * right / (wanted + given))
