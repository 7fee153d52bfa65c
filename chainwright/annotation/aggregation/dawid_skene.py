"""Dawid-Skene: how good judges are and what is true, both from the votes alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.aggregation.confusion_model import (
    Codes,
    ConfusionModel,
    Floats,
    log_joint,
)
from chainwright.annotation.patterns import patterns_of

ITERATIONS, TOLERANCE = 100, 1e-7


@dataclass(frozen=True)
class Fitted:
    """A model found by EM.

    Attributes:
        likelihoods: Mean log-likelihood of a unit with votes after each round, which never falls
            where nothing is smoothed.
        converged: Whether it grew by less than the tolerance in the end.
    """

    model: ConfusionModel
    likelihoods: tuple[float, ...]
    converged: bool


def dawid_skene(
    codes: Codes,
    labels: int,
    *,
    smoothing: float = 0.01,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Fitted:
    """Fit prior and confusion matrices to votes without any truth, by EM from the vote shares.

    Source: Dawid and Skene 1979, "Maximum likelihood estimation of observer error-rates using the
    EM algorithm", Appl. Stat. 28(1). Units with the same votes are one, so a round costs as much
    for millions of units as for a few hundred. It finds a local maximum, near the majority; where
    most judges are blind to a label, that label is lost, as it is by the majority.

    Args:
        codes: Votes, (units, judges), -1 = no valid vote; units without any are left out.
        labels: How many labels there are.
        smoothing: Pseudo-votes of each cell of a matrix; 0 = maximum likelihood.
        iterations: Rounds at most.
        tolerance: Growth of the mean log-likelihood of a unit below which it stops.

    Raises:
        ValueError: no unit has a vote, or a code is no label.
    """
    if codes.size and int(codes.max()) >= labels:
        raise ValueError(f"codes holds {int(codes.max())}; allowed is -1 to {labels - 1}")
    found = patterns_of(codes)
    there = (found.votes >= 0).any(axis=1)
    votes, counts = found.votes[there], found.counts[there].astype(np.float64)
    if not len(votes):
        raise ValueError("no unit has a vote; there is nothing to fit")
    said = _indicators(votes, labels)
    guess = said.sum(axis=1)
    guess /= guess.sum(axis=1, keepdims=True)
    likelihoods: list[float] = []
    converged = False
    for _ in range(iterations):
        model = _maximised(guess, said, counts, smoothing)
        logs = log_joint(model.prior, model.confusion, votes)
        highest = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - highest)
        total = shares.sum(axis=1, keepdims=True)
        guess = shares / total
        likelihoods.append(float(counts @ (highest + np.log(total))[:, 0] / counts.sum()))
        if len(likelihoods) > 1 and abs(likelihoods[-1] - likelihoods[-2]) < tolerance:
            converged = True
            break
    return Fitted(model, tuple(likelihoods), converged)


def _indicators(votes: NDArray[np.int64], labels: int) -> Floats:
    """(patterns, judges, labels), 1 where a judge voted for the label."""
    said: Floats = (votes[:, :, None] == np.arange(labels)).astype(np.float64)
    return said


def _maximised(guess: Floats, said: Floats, counts: Floats, smoothing: float) -> ConfusionModel:
    """The model under which guesses and votes are likeliest; unmet labels get even rows."""
    weighed = guess * counts[:, None]
    patterns, judges, labels = said.shape
    cells = (weighed.T @ said.reshape(patterns, -1)).reshape(labels, judges, labels)
    cells = cells.transpose(1, 0, 2) + smoothing
    rows = cells.sum(axis=2, keepdims=True)
    confusion = np.full(cells.shape, 1 / labels)
    np.divide(cells, rows, out=confusion, where=rows > 0)
    prior = weighed.sum(axis=0)
    return ConfusionModel(prior / prior.sum(), confusion)
