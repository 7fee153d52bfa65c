"""Statistics that are functions of sums, with percentile bootstrap intervals over chains.

Every agreement statistic here is a closed formula on sums over units. So a unit becomes a row of
numbers, rows are summed once per chain, and a resample of chains is a product of resampling counts
with those sums: no unit is visited twice. Units with the same votes share one row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chainwright.annotation.patterns import group_index

# Draws held at once (int64): about 32 MB whatever the number of chains.
_DRAWS_PER_CHUNK = 4_000_000

# Multiplications up to which a product is one thread's work (OpenBLAS: 262,144).
_ONE_THREAD = 200_000


@dataclass(frozen=True)
class Statistic:
    """A value with a bootstrap interval, or the reason why there is none.

    Attributes:
        value: The statistic on the data as given; None where it is undefined.
        low: Lower end of the percentile interval; None where there is no interval.
        high: Upper end of the percentile interval; None where there is no interval.
        n: Units the value rests on.
        reason: None when value and interval are complete. Otherwise `name: explanation`, which
            says why the value is undefined (`one_judge`, `no_units`, `no_overlap`,
            `no_complete_units`, `one_category`, `constant_errors`), why there is no interval
            (`one_chain`, `no_resamples`, `undefined_resamples`), or how many resamples the
            interval leaves out (`undefined_resamples`).
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None


@dataclass(frozen=True)
class Measure:
    """What a statistic needs: a row of addends per unit and a formula on their sums.

    Attributes:
        columns: Addends, (units, m), or (rows, m) where units share rows.
        formula: Sums (..., m) to values (...), NaN where undefined.
        n: Units the value rests on.
        undefined: The reason to give when the formula is undefined on the whole data.
    """

    columns: NDArray[np.float64]
    formula: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    n: int
    undefined: str


def estimate(
    measures: Iterable[Measure],
    chains: ArrayLike,
    *,
    replicates: int,
    seed: int,
    confidence: float,
    rows: NDArray[np.intp] | None = None,
) -> list[Statistic]:
    """Evaluate measures and bootstrap them over chains, all on the same resamples.

    Whole chains are drawn with replacement, since steps of one chain are not independent (cluster
    bootstrap: Davison and Hinkley 1997, section 3.8), and the interval is the percentile interval
    (Efron and Tibshirani 1993, chapter 13). It may leave the value out when it is very skewed.

    A resample can leave a statistic undefined (all votes in one category, say). Such resamples
    are left out and counted in the reason; when their share exceeds 1 - confidence, no interval
    is given. One chain, or no resamples, gives no interval.

    Args:
        measures: Read once, one at a time, so that a generator keeps only one in memory.
        chains: The chain of each unit, (units,), ints or strings.
        replicates: Resamples to draw, 0 for no intervals.
        seed: Seed of the resampling; equal input and seed give equal intervals.
        confidence: Nominal coverage of the interval, in (0, 1).
        rows: Each unit's row of the columns, (units,); None = row k is unit k's.

    Returns:
        One statistic a measure, in order.

    Raises:
        ValueError: `chains` is not one-dimensional, `replicates` is negative or `confidence` is
            not in (0, 1).
    """
    if replicates < 0:
        raise ValueError(f"replicates is {replicates}; it must be 0 or more")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must lie between 0 and 1")
    index, chain_count = group_index(chains)
    drawn = replicates if chain_count > 1 else 0
    given, totals, by_chain = [], [], []
    weights = None if rows is None else np.bincount(rows).astype(np.float64)
    for one in measures:
        given.append(one)
        totals.append(one.columns.sum(axis=0) if weights is None else weights @ one.columns)
        if drawn:
            by_chain.append(_sum_by_chain(one.columns, rows, index, chain_count))
    ends = np.cumsum([len(total) for total in totals])[:-1]
    stacked = np.hstack(by_chain) if by_chain else np.empty((chain_count, 0))
    resampled = np.empty((drawn, stacked.shape[1]))
    done = 0
    for draws in _resampling_weights(chain_count, drawn, seed):
        resampled[done : done + len(draws)] = _product(draws, stacked)
        done += len(draws)
    parts = np.split(resampled, ends, axis=1) if drawn else [np.empty((0, 0))] * len(given)
    return [
        _statistic(one, total, sums, chain_count, confidence)
        for one, total, sums in zip(given, totals, parts, strict=True)
    ]


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide, with NaN (and no warning) where the denominator is 0."""
    quotient = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def _sum_by_chain(
    columns: NDArray[np.float64],
    rows: NDArray[np.intp] | None,
    index: NDArray[np.intp],
    chain_count: int,
) -> NDArray[np.float64]:
    sums = np.empty((chain_count, columns.shape[1]))
    for position in range(columns.shape[1]):
        addends = np.ascontiguousarray(columns[:, position])
        if rows is not None:
            addends = addends[rows]
        sums[:, position] = np.bincount(index, weights=addends, minlength=chain_count)
    return sums


def _resampling_weights(
    chain_count: int, replicates: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """How often each resample holds each chain, (chunk, chains), chunk after chunk.

    Counting uniform draws gives the multinomial counts and is much quicker than drawing them
    directly, which costs one binomial a chain.
    """
    generator = np.random.default_rng(seed)
    rows = max(1, _DRAWS_PER_CHUNK // max(1, chain_count))
    for start in range(0, replicates, rows):
        weights = np.empty((min(rows, replicates - start), chain_count))
        for row in weights:
            draws = generator.integers(0, chain_count, size=chain_count)
            row[:] = np.bincount(draws, minlength=chain_count)
        yield weights


def _product(draws: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """`draws @ sums`, piece by piece.

    A product this long and narrow gains nothing from the linear algebra library's threads, and on a
    busy machine waiting for each other costs them twenty times the work: pieces stay below the size
    at which it uses any.
    """
    rows, columns = len(draws), max(1, sums.shape[1])
    piece = max(16, _ONE_THREAD // (rows * columns))
    pieces = len(sums) // piece
    whole = pieces * piece
    tiles = draws[:, :whole].reshape(rows, pieces, piece).transpose(1, 0, 2)
    total: NDArray[np.float64] = draws[:, whole:] @ sums[whole:]
    step = max(1, _DRAWS_PER_CHUNK // (rows * columns))
    parts = sums[:whole].reshape(pieces, piece, sums.shape[1])
    for start in range(0, len(tiles), step):
        total += np.matmul(tiles[start : start + step], parts[start : start + step]).sum(axis=0)
    return total


def _statistic(
    one: Measure,
    total: NDArray[np.float64],
    resampled: NDArray[np.float64],
    chain_count: int,
    confidence: float,
) -> Statistic:
    value = float(one.formula(total))
    if np.isnan(value):
        return Statistic(None, None, None, one.n, one.undefined)
    if chain_count == 1:
        reason = "one_chain: an interval over chains needs at least two chains"
        return Statistic(value, None, None, one.n, reason)
    if len(resampled) == 0:
        return Statistic(value, None, None, one.n, "no_resamples: no resamples were asked for")
    values = one.formula(resampled)
    defined = values[~np.isnan(values)]
    missing = len(values) - len(defined)
    if missing > (1 - confidence) * len(values):
        reason = (
            f"undefined_resamples: undefined in {missing} of {len(values)} resamples, "
            f"too many for an interval"
        )
        return Statistic(value, None, None, one.n, reason)
    tail = (1 - confidence) / 2
    low, high = (float(end) for end in np.quantile(defined, [tail, 1 - tail]))
    left_out = f"undefined_resamples: the interval leaves out {missing} of {len(values)} resamples"
    return Statistic(value, low, high, one.n, left_out if missing else None)
