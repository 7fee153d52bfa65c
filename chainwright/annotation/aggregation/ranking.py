"""Ranking: which chains a person should read first, and which judge is worth its votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.aggregation.confusion_model import Codes, calibrated, decide
from chainwright.annotation.aggregation.dawid_skene import dawid_skene
from chainwright.annotation.aggregation.held_out import cross_fitted_posterior, majority_codes
from chainwright.annotation.coefficients import phi


@dataclass(frozen=True)
class ChainRank:
    """A chain in the order in which people should read.

    Attributes:
        steps: Its steps without an exact label.
        expected: Steps of those whose label a person would change or supply, as expected.
        rate: `expected` a step, by which chains are ranked: what an hour of reading is worth.
        step: The step whose label is least sure.
    """

    chain_id: str
    steps: int
    expected: float
    rate: float
    step: int


@dataclass(frozen=True)
class JudgeRank:
    """What a judge adds, or would add, to the others of the panel.

    Attributes:
        member: Whether its votes count in labels.
        votes: Steps it voted on.
        disagreement: Share of its votes that differ from the majority of the others; None where
            they share no decided step. Without exact labels this is all there is to go by.
        known: Steps with an exact label that it voted on.
        accuracy: Share of those that it has right; None without.
        error_correlation: Of its errors with those of the others' majority, where both decide;
            None where one of the two never errs or always.
        gain: Accuracy of calibrated labels with it less that without it, cross-fitted by problem,
            on the steps of `known`; None where it cannot be had.
    """

    judge: str
    member: bool
    votes: int
    disagreement: float | None
    known: int
    accuracy: float | None
    error_correlation: float | None
    gain: float | None


def rank_chains(
    codes: Codes, truth: Codes, steps: Sequence[tuple[str, int]], labels: Sequence[str]
) -> list[ChainRank]:
    """Chains with steps that no exact label covers, the most rewarding first.

    How sure a label is comes from calibrated judges where some steps are exact, else from
    Dawid-Skene. The label that stands is the majority's; a step without one counts as one that a
    person has to supply. Equal rates are ordered by chain id.

    Args:
        codes: Votes, (units, judges), -1 = no valid vote.
        truth: True labels, (units,), -1 = unknown.
        steps: (chain, step) of each unit.
        labels: Names of the codes.
    """
    known = truth >= 0
    if not (codes >= 0).any():
        return []
    if known.any():
        model = calibrated(codes[known], truth[known], len(labels))
    else:
        model = dawid_skene(codes, len(labels)).model
    stands = majority_codes(codes, labels)
    posterior = model.posterior(codes)
    sure = np.where(stands >= 0, posterior[np.arange(len(stands)), np.maximum(stands, 0)], 0.0)
    doubts: dict[str, list[tuple[float, int]]] = {}
    for place, (chain_id, step) in enumerate(steps):
        if not known[place]:
            doubts.setdefault(chain_id, []).append((1 - float(sure[place]), step))
    ranked = [
        ChainRank(
            chain_id=chain_id,
            steps=len(found),
            expected=sum(doubt for doubt, _ in found),
            rate=sum(doubt for doubt, _ in found) / len(found),
            step=max(found, key=lambda one: (one[0], -one[1]))[1],
        )
        for chain_id, found in doubts.items()
    ]
    return sorted(ranked, key=lambda one: (-one.rate, one.chain_id))


def rank_judges(
    codes: Codes,
    truth: Codes,
    groups: NDArray[np.int64],
    judges: Sequence[str],
    members: Sequence[str],
    labels: Sequence[str],
    *,
    seed: int = 0,
) -> list[JudgeRank]:
    """What each judge is worth beside the panel's other members, the most gain first.

    Args:
        codes: Votes, (units, judges), -1 = no valid vote.
        truth: True labels, (units,), -1 = unknown.
        groups: Problem of each unit.
        judges: Names of the columns.
        members: Those that count in labels; the others are candidates.
        labels: Names of the codes.
    """
    out = []
    for place, judge in enumerate(judges):
        others = [at for at, name in enumerate(judges) if name in members and at != place]
        own = codes[:, place]
        cast = own >= 0
        panel = _majority(codes[:, others], labels)
        shared = cast & (panel >= 0)
        known = cast & (truth >= 0)
        both = shared & known
        out.append(
            JudgeRank(
                judge=judge,
                member=judge in members,
                votes=int(cast.sum()),
                disagreement=_mean((own != panel)[shared]),
                known=int(known.sum()),
                accuracy=_mean((own == truth)[known]),
                error_correlation=_correlation((own != truth)[both], (panel != truth)[both]),
                gain=_gain(codes, truth, groups, others, place, len(labels), seed),
            )
        )
    return sorted(
        out,
        key=lambda one: (
            -(one.gain if one.gain is not None else -1.0),
            -(one.disagreement or 0.0),
            one.judge,
        ),
    )


def _majority(codes: Codes, labels: Sequence[str]) -> NDArray[np.int64]:
    """The others' majority; a single other one speaks for itself."""
    if codes.shape[1] == 1:
        return codes[:, 0].astype(np.int64)
    return majority_codes(codes, labels)


def _gain(
    codes: Codes,
    truth: Codes,
    groups: NDArray[np.int64],
    others: Sequence[int],
    place: int,
    labels: int,
    seed: int,
) -> float | None:
    measured = (codes[:, place] >= 0) & (truth >= 0)
    if not others or not measured.any():
        return None
    answers = truth[measured]
    accuracies = []
    for columns in ([*others, place], list(others)):
        posterior = cross_fitted_posterior(
            codes[measured][:, columns], answers, groups[measured], labels, "calibrated", seed=seed
        )
        if posterior is None:
            return None
        accuracies.append(float((decide(posterior, 0.5) == answers).mean()))
    return accuracies[0] - accuracies[1]


def _mean(values: NDArray[np.bool_]) -> float | None:
    return float(values.mean()) if len(values) else None


def _correlation(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float | None:
    sums = np.array([len(first), first.sum(), second.sum(), (first & second).sum()], dtype=float)
    value = float(phi(sums))
    return None if np.isnan(value) else value
