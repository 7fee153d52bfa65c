"""Held-out evidence: how right each way of adding votes up is on steps whose label is known.

The steps are cut into folds, whole groups at a time (all chains of a problem, say), and each fold
is labelled by what the other folds tell. So no step is labelled by its own truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chainwright.annotation.aggregation.confusion_model import (
    Codes,
    Floats,
    calibrated,
    decide,
)
from chainwright.annotation.aggregation.dawid_skene import dawid_skene
from chainwright.annotation.bootstrap import Measure, Statistic, estimate, ratio
from chainwright.annotation.patterns import group_index, outcomes, patterns_of

Method = Literal["majority", "calibrated", "dawid_skene"]
METHODS: tuple[Method, ...] = ("majority", "calibrated", "dawid_skene")

FOLDS = 5


@dataclass(frozen=True)
class MethodScore:
    """A method on the known units.

    Attributes:
        accuracy: Share of the units labelled right; an undecided unit is not.
        decided: Share of the units that it labels at all.
        when_decided: Share of those that are labelled right.
        errors_found: Share of the units in error that are labelled an error, of whatever kind.
        gain: Accuracy less that of the majority, on the same resamples.
    """

    accuracy: Statistic
    decided: Statistic
    when_decided: Statistic
    errors_found: Statistic
    gain: Statistic


@dataclass(frozen=True)
class HeldOut:
    """What each method is worth; `dataclasses.asdict` makes it ready for JSON.

    Attributes:
        best: The most accurate method whose gain is above 0 with its whole interval; `majority`
            where there is none, and None without intervals.
    """

    units: int
    groups: int
    folds: int
    threshold: float
    methods: dict[Method, MethodScore]
    best: Method | None


def held_out(
    codes: Codes,
    truth: Codes,
    groups: ArrayLike,
    labels: Sequence[str],
    *,
    threshold: float = 0.5,
    folds: int = FOLDS,
    replicates: int = 1000,
    seed: int = 0,
) -> HeldOut | None:
    """Compare the majority, calibrated weights and Dawid-Skene on units of known truth.

    Calibration learns from the known units of the other folds, Dawid-Skene from the votes on all
    units outside the fold, known or not. Intervals are of a bootstrap over groups.

    Args:
        codes: Votes, (units, judges), -1 = no valid vote.
        truth: True labels, (units,), -1 = unknown.
        groups: What is not torn apart by a fold, (units,).
        labels: Names of the codes; the first is the sound one.
        threshold: Probability below which a unit is left undecided.

    Returns:
        None where fewer than two groups hold a known unit.
    """
    predicted = cross_fitted(
        codes, truth, groups, labels, threshold=threshold, folds=folds, seed=seed
    )
    if predicted is None:
        return None
    known = truth >= 0
    index, count = group_index(np.asarray(groups)[known])
    answers = truth[known]
    base = predicted["majority"]
    statistics = estimate(
        [measure for method in METHODS for measure in _measures(predicted[method], base, answers)],
        index,
        replicates=replicates,
        seed=seed,
        confidence=0.95,
    )
    scores = {
        method: MethodScore(*statistics[5 * place : 5 * place + 5])
        for place, method in enumerate(METHODS)
    }
    return HeldOut(
        units=len(answers),
        groups=count,
        folds=min(folds, count),
        threshold=threshold,
        methods=scores,
        best=_best(scores),
    )


def cross_fitted(
    codes: Codes,
    truth: Codes,
    groups: ArrayLike,
    labels: Sequence[str],
    *,
    threshold: float = 0.5,
    folds: int = FOLDS,
    seed: int = 0,
) -> dict[Method, NDArray[np.int64]] | None:
    """Each method's labels of the known units, in their order; -1 = undecided.

    Returns:
        None where fewer than two groups hold a known unit.
    """
    known = truth >= 0
    majority = majority_codes(codes, labels)
    out: dict[Method, NDArray[np.int64]] = {"majority": majority[known]}
    for method in METHODS[1:]:
        posterior = cross_fitted_posterior(codes, truth, groups, len(labels), method, folds, seed)
        if posterior is None:
            return None
        silent = (codes[known] < 0).all(axis=1)  # the prior alone labels nothing
        out[method] = np.where(silent, -1, decide(posterior, threshold))
    return out


def cross_fitted_posterior(
    codes: Codes,
    truth: Codes,
    groups: ArrayLike,
    labels: int,
    method: Method,
    folds: int = FOLDS,
    seed: int = 0,
) -> Floats | None:
    """Posteriors of the known units by a model that never saw their fold, (known units, labels)."""
    known = truth >= 0
    index, _ = group_index(groups)
    drawn = np.unique(index[known])
    if len(drawn) < 2:
        return None
    fold_of = np.full(int(index.max()) + 1, -1)
    order = np.random.default_rng(seed).permutation(len(drawn))
    fold_of[drawn[order]] = np.arange(len(drawn)) % min(folds, len(drawn))
    fold = fold_of[index]
    posterior = np.empty((len(truth), labels))
    for one in range(min(folds, len(drawn))):
        inside, outside = fold == one, fold != one
        if method == "calibrated":
            learnt = outside & known
            model = calibrated(codes[learnt], truth[learnt], labels)
        elif (codes[outside] >= 0).any():
            model = dawid_skene(codes[outside], labels).model
        else:
            return None
        posterior[inside] = model.posterior(codes[inside])
    return posterior[known]


def majority_codes(codes: Codes, labels: Sequence[str]) -> NDArray[np.int64]:
    """The panel's outcome of each unit as a code; -1 where label or category is undecided."""
    found = patterns_of(codes)
    words = list(labels)
    by_pattern = [
        -1
        if one.label is None
        else next(
            (place for place, word in enumerate(words) if word == (one.category or one.label)),
            -1,
        )
        for one in outcomes(found, words)
    ]
    return np.array(by_pattern, dtype=np.int64)[found.index]


def _measures(
    predicted: NDArray[np.int64], majority: NDArray[np.int64], truth: Codes
) -> list[Measure]:
    right, decided, wrong = predicted == truth, predicted >= 0, truth > 0
    before = majority == truth
    every = np.ones(len(truth))
    pairs = [
        (right, every, ""),
        (decided, every, ""),
        (right, decided, "no_decisions: no unit is decided"),
        (wrong & (predicted > 0), wrong, "no_errors: no unit is in error"),
        (right.astype(float) - before, every, ""),
    ]
    return [
        Measure(
            np.column_stack([part, whole]).astype(np.float64),
            lambda sums: ratio(sums[..., 0], sums[..., 1]),
            int(np.sum(whole)),
            reason,
        )
        for part, whole, reason in pairs
    ]


def _best(scores: dict[Method, MethodScore]) -> Method | None:
    if scores["calibrated"].gain.low is None:
        return None
    better = [m for m in METHODS[1:] if (scores[m].gain.low or 0) > 0]
    best: Method = "majority"
    for method in better:
        if (scores[method].accuracy.value or 0) > (scores[best].accuracy.value or 0):
            best = method
    return best
