"""How far judges agree, beyond chance and in their errors.

Raw unanimity is what the gold tier rests on; the chance-corrected coefficients say how much of it
means anything, and the error correlation says how many independent judges the panel is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chainwright.annotation.bootstrap import Statistic, estimate
from chainwright.annotation.coefficients import agreement_measures, error_measures
from chainwright.annotation.patterns import group_index, patterns_of

__all__ = [
    "Agreement",
    "ErrorCorrelation",
    "PairStatistic",
    "Statistic",
    "agreement",
    "error_correlation",
]


@dataclass(frozen=True)
class PairStatistic:
    """A statistic of two judges."""

    first: str
    second: str
    statistic: Statistic


@dataclass(frozen=True)
class Agreement:
    """Agreement of a panel; `dataclasses.asdict` makes it ready for JSON.

    Attributes:
        unanimity: Share of all units on which every judge voted and all votes agree.
        unanimity_complete: The same share among the units on which every judge voted.
        cohen: Cohen's kappa of each pair of judges.
        fleiss: Fleiss' kappa, on the units on which every judge voted.
        krippendorff: Krippendorff's nominal alpha, on the units with at least two votes.
        gwet: Gwet's AC1; `n` counts the units with at least two votes.
    """

    judges: tuple[str, ...]
    categories: tuple[str, ...]
    units: int
    chains: int
    replicates: int
    seed: int
    confidence: float
    unanimity: Statistic
    unanimity_complete: Statistic
    cohen: tuple[PairStatistic, ...]
    fleiss: Statistic
    krippendorff: Statistic
    gwet: Statistic


@dataclass(frozen=True)
class ErrorCorrelation:
    """Correlation of judges' errors; `dataclasses.asdict` makes it ready for JSON.

    Attributes:
        units: Units with a known truth.
        pairs: Correlation of each pair's error indicators.
        mean: Plain mean of the pairs; undefined as soon as one pair is. `n` counts the units with
            a known truth and at least two votes.
        effective_votes: Independent votes the panel is worth; `n` as for `mean`.
    """

    judges: tuple[str, ...]
    units: int
    chains: int
    replicates: int
    seed: int
    confidence: float
    pairs: tuple[PairStatistic, ...]
    mean: Statistic
    effective_votes: Statistic


def agreement(
    codes: ArrayLike,
    chains: ArrayLike,
    judges: Sequence[str],
    categories: Sequence[str],
    *,
    replicates: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Agreement:
    """Measure how far judges agree, with bootstrap intervals over chains.

    For the coefficients 1 is perfect agreement, 0 what chance would give and less than 0 systematic
    disagreement. They differ in what chance means; see each formula's own docstring. Where one
    category prevails the kappas and alpha fall towards 0 however often judges agree; AC1 does not.

    Degenerate input gives a `Statistic` whose value is None and whose reason is named: no units
    (`no_units`), fewer than two judges (`one_judge`), no unit with the votes needed
    (`no_overlap`, `no_complete_units`), and for the kappas and alpha votes that are all in one
    category (`one_category`: chance agreement is 1, nothing is left to correct). AC1 is 1 there,
    unless only one category is declared. One chain gives values without intervals (`one_chain`).

    Args:
        codes: Votes, (units, judges), integer indices into `categories`; -1 is no valid vote.
        chains: The chain of each unit, (units,), ints or strings.
        judges: Names of the columns of `codes`.
        categories: Names of the codes. All are declared possible, used or not (AC1 counts them).
        replicates: Bootstrap resamples; 0 for values without intervals.
        seed: Seed of the bootstrap.
        confidence: Nominal coverage of the intervals.

    Raises:
        ValueError: Shapes do not match, a code is no index into `categories` or -1, a name
            occurs twice, or a bootstrap setting is out of range.

    Example:
        >>> panel = agreement(
        ...     [[0, 0], [1, 1], [0, 1], [1, 1]], ["a", "a", "b", "c"], ["x", "y"], ["ok", "bad"]
        ... )
        >>> panel.unanimity.value, panel.cohen[0].statistic.value
        (0.75, 0.5)
    """
    _require_distinct("judges", judges)
    _require_distinct("categories", categories)
    votes = _checked_votes(codes, judges, len(categories))
    _require_length("chains", chains, len(votes))
    found = patterns_of(votes)
    index, chain_count = group_index(chains)
    unanimity, complete, fleiss, krippendorff, gwet, *pairs = estimate(
        agreement_measures(found.votes, judges, categories, found.counts),
        index,
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        rows=found.index,
    )
    return Agreement(
        judges=tuple(map(str, judges)),
        categories=tuple(map(str, categories)),
        units=len(votes),
        chains=chain_count,
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        unanimity=unanimity,
        unanimity_complete=complete,
        cohen=_named_pairs(judges, pairs),
        fleiss=fleiss,
        krippendorff=krippendorff,
        gwet=gwet,
    )


def error_correlation(
    codes: ArrayLike,
    truth: ArrayLike,
    chains: ArrayLike,
    judges: Sequence[str],
    *,
    replicates: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> ErrorCorrelation:
    """Measure whether judges err together, and what that leaves of the panel's size.

    A vote is an error when it differs from the truth, whatever it says instead. Each pair of
    judges is correlated on the units with both votes and a known truth: 1 when they err on the same
    units, 0 when their errors are independent, below 0 when they avoid each other's errors.

    A pair is undefined (`constant_errors`) when one of the two never errs, or always errs, on the
    units they share; the mean and the effective number of votes are then undefined too, since
    leaving out the perfect judge would misstate the panel. Other reasons: `one_judge`, `no_units`
    (no known truth), `no_overlap`.

    Args:
        codes: Votes, (units, judges), integers; -1 is no valid vote.
        truth: True code of each unit, (units,), integers; -1 is unknown and leaves the unit out.
        chains: The chain of each unit, (units,), ints or strings.
        judges: Names of the columns of `codes`.
        replicates: Bootstrap resamples; 0 for values without intervals.
        seed: Seed of the bootstrap.
        confidence: Nominal coverage of the intervals.

    Raises:
        ValueError: Shapes do not match, a code is below -1, a judge occurs twice, or a bootstrap
            setting is out of range.
    """
    _require_distinct("judges", judges)
    votes = _checked_votes(codes, judges, None)
    _require_length("truth", truth, len(votes))
    _require_length("chains", chains, len(votes))
    answers = _checked_codes("truth", truth, None)
    known = answers >= 0
    index, chain_count = group_index(np.asarray(chains)[known])
    found = patterns_of(np.column_stack([votes[known], answers[known]]))
    mean, effective, *pairs = estimate(
        error_measures(found.votes[:, :-1], found.votes[:, -1], judges, found.counts),
        index,
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        rows=found.index,
    )
    return ErrorCorrelation(
        judges=tuple(map(str, judges)),
        units=int(known.sum()),
        chains=chain_count,
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        pairs=_named_pairs(judges, pairs),
        mean=mean,
        effective_votes=effective,
    )


def _require_distinct(what: str, names: Sequence[str]) -> None:
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ValueError(f"{what} holds {twice[0]!r} more than once; names must be distinct")


def _require_length(what: str, values: ArrayLike, units: int) -> None:
    shape = np.shape(values)
    if shape != (units,):
        raise ValueError(f"{what} has shape {shape}; with {units} units it must be ({units},)")


def _checked_votes(
    codes: ArrayLike, judges: Sequence[str], categories: int | None
) -> NDArray[np.int64]:
    """Votes as (units, judges) integers."""
    given = np.asarray(codes)
    if given.shape == (0,):
        given = np.empty((0, len(judges)), dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != len(judges):
        raise ValueError(
            f"codes has shape {given.shape}; with {len(judges)} judges it must be "
            f"(units, {len(judges)})"
        )
    return _checked_codes("codes", given, categories)


def _checked_codes(what: str, codes: ArrayLike, categories: int | None) -> NDArray[np.int64]:
    given = np.asarray(codes)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"{what} holds {given.dtype}; it must hold integers, -1 for none")
    whole = given.astype(np.int64)
    outside = whole < -1 if categories is None else (whole < -1) | (whole >= categories)
    if outside.any():
        allowed = "-1 or more" if categories is None else f"-1 to {categories - 1}"
        raise ValueError(f"{what} holds {whole[outside][0]}; allowed is {allowed}")
    return whole


def _named_pairs(
    judges: Sequence[str], statistics: Sequence[Statistic]
) -> tuple[PairStatistic, ...]:
    return tuple(
        PairStatistic(str(first), str(second), statistic)
        for (first, second), statistic in zip(combinations(judges, 2), statistics, strict=True)
    )
