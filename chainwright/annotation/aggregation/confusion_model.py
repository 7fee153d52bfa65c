"""A confusion model: what each judge says of steps of each true label, and how common those are.

Judges count as independent given the truth, so a step's posterior is the prior times what every
judge's vote is worth. Judges that share their errors are then weighed too high.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.patterns import patterns_of

Floats = NDArray[np.float64]
Codes = NDArray[np.integer]

SMOOTHING = 1.0
"""Pseudo-votes that each row of a judge's matrix gets, spread as its votes are overall."""


@dataclass(frozen=True)
class ConfusionModel:
    """Prior and judges.

    Attributes:
        prior: Share of each true label, (labels,).
        confusion: Judges by true label by vote, (judges, labels, labels); each row sums to 1.
    """

    prior: Floats
    confusion: Floats

    def posterior(self, codes: Codes) -> Floats:
        """How probable each label is for each unit, (units, labels); rows sum to 1.

        An abstention says nothing: a unit without any vote gets the prior.

        Args:
            codes: Votes, (units, judges), -1 = no valid vote.
        """
        found = patterns_of(codes)
        logs = log_joint(self.prior, self.confusion, found.votes)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
        posterior: Floats = (shares / shares.sum(axis=1, keepdims=True))[found.index]
        return posterior

    def log_odds(self, judge: int, sound: int = 0) -> Floats:
        """What a vote of a judge adds to the log-odds of each label against the sound one.

        Returns:
            (labels, votes), natural logarithm; the row of `sound` is 0.
        """
        logs = _log(self.confusion[judge])
        weights: Floats = logs - logs[sound]
        return weights


def calibrated(
    codes: Codes, truth: Codes, labels: int, smoothing: float = SMOOTHING
) -> ConfusionModel:
    """The model that known units tell: each judge's confusion matrix and the share of labels.

    A row gets `smoothing` pseudo-votes in the proportions of all that the judge voted, so of a
    label that it never met its votes say nothing, and a judge without votes weighs nothing.

    Args:
        codes: Votes on the known units, (units, judges), -1 = no valid vote.
        truth: Their true labels, (units,), 0 to labels - 1.
        labels: How many labels there are.
        smoothing: Above 0, else one right vote in a row would be beyond doubt.

    Raises:
        ValueError: no unit is known, a truth is no label, or `smoothing` is not above 0.
    """
    if len(truth) == 0:
        raise ValueError("no unit has a known label; judges are weighed by some that have")
    if truth.min() < 0 or truth.max() >= labels:
        raise ValueError(
            f"truth holds {truth.min()} to {truth.max()}; allowed are 0 to {labels - 1}"
        )
    if smoothing <= 0:
        raise ValueError(f"smoothing is {smoothing}; it must be above 0")
    units, judges = codes.shape
    counts = np.zeros((judges, labels, labels))
    for judge in range(judges):
        cast = codes[:, judge] >= 0
        cells = truth[cast].astype(np.int64) * labels + codes[cast, judge]
        counts[judge] = np.bincount(cells, minlength=labels**2).reshape(labels, labels)
    said = counts.sum(axis=1) + 1 / labels
    overall = said / said.sum(axis=1, keepdims=True)
    smoothed = counts + smoothing * overall[:, None, :]
    shares = np.bincount(truth, minlength=labels) + 1 / labels
    return ConfusionModel(shares / (units + 1), smoothed / smoothed.sum(axis=2, keepdims=True))


def decide(posterior: Floats, threshold: float) -> NDArray[np.int64]:
    """The most probable label of each unit; -1 where it is less probable than the threshold.

    Two labels that are equally probable are a tie, which is never broken: -1.

    Raises:
        ValueError: the threshold is not within 0 to 1.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold is {threshold}; allowed is 0 to 1")
    if posterior.shape[1] < 2:
        return np.where(posterior[:, 0] >= threshold, 0, -1)
    second, first = np.partition(posterior, -2, axis=1)[:, -2:].T
    clear = (first >= threshold) & (first - second > 1e-9)
    return np.where(clear, posterior.argmax(axis=1), -1)


def log_joint(prior: Floats, confusion: Floats, votes: Codes) -> Floats:
    """Log probability of each label together with a row of votes, (rows, labels)."""
    logs = np.tile(_log(prior), (len(votes), 1))
    said = _log(confusion)
    for judge in range(votes.shape[1]):
        cast = votes[:, judge] >= 0
        logs[cast] += said[judge][:, votes[cast, judge]].T
    return logs


def _log(shares: Floats) -> Floats:
    return np.log(np.maximum(shares, 1e-300))
