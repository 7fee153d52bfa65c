"""The bootstrap over chains: coverage of whole chains, chunks, and what bars an interval."""

from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from chainwright.annotation import bootstrap
from chainwright.annotation.agreement import Agreement, agreement
from chainwright.annotation.bootstrap import Measure, Statistic, estimate, ratio


def _share(hits: list[int]) -> Measure:
    columns = np.column_stack([hits, np.ones(len(hits))]).astype(np.float64)
    return Measure(columns, lambda sums: ratio(sums[..., 0], sums[..., 1]), len(hits), "none: none")


def _estimate(
    hits: list[int], chains: list[int], replicates: int = 1000, confidence: float = 0.95
) -> Statistic:
    return estimate([_share(hits)], chains, replicates=replicates, seed=3, confidence=confidence)[0]


def _agreement(codes: NDArray[np.int64], chains: NDArray[np.int64]) -> Agreement:
    return agreement(codes, chains, ["a", "b"], ["x", "y"], replicates=200)


def test_interval_of_a_share_has_binomial_ends() -> None:
    # Resampling n chains of one unit, 30% hits, makes the hits binomial (n, 0.3).
    units = 100
    result = _estimate([1] * 30 + [0] * 70, list(range(units)), replicates=4000)
    chances = [comb(units, k) * 0.3**k * 0.7 ** (units - k) for k in range(units + 1)]
    below = np.cumsum(chances)
    assert result.value == pytest.approx(0.3)
    assert result.low == pytest.approx(np.searchsorted(below, 0.025) / units, abs=0.0101)
    assert result.high == pytest.approx(np.searchsorted(below, 0.975) / units, abs=0.0101)


def test_repeating_units_within_chains_adds_no_certainty() -> None:
    generator = np.random.default_rng(5)
    codes = generator.integers(0, 2, (40, 2))
    chains = np.arange(40)
    once = _agreement(codes, chains)
    tenfold = _agreement(np.repeat(codes, 10, axis=0), np.repeat(chains, 10))
    for name in ("unanimity", "fleiss", "gwet"):
        one, other = getattr(once, name), getattr(tenfold, name)
        assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high))
        assert other.n == 10 * one.n


def test_more_confidence_widens_the_interval() -> None:
    hits, chains = [0, 1, 1, 0, 1, 1, 1, 0] * 5, list(range(40))
    half, most = _estimate(hits, chains, confidence=0.5), _estimate(hits, chains, confidence=0.99)
    assert half.low is not None
    assert half.high is not None
    assert most.low is not None
    assert most.high is not None
    assert most.low < half.low < half.high < most.high


def test_chunks_do_not_change_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    hits, chains = [0, 1, 1, 0, 1, 1, 1, 0] * 5, [unit // 3 for unit in range(40)]
    whole = _estimate(hits, chains, replicates=101)
    monkeypatch.setattr(bootstrap, "_DRAWS_PER_CHUNK", 50)
    assert _estimate(hits, chains, replicates=101) == whole


def test_seed_decides_the_interval() -> None:
    measures = [_share([0, 1, 1, 0, 1] * 20)]
    first, again, other = (
        estimate(measures, range(100), replicates=50, seed=seed, confidence=0.9)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first[0].value == other[0].value
    assert first[0].low != other[0].low or first[0].high != other[0].high


def test_chains_may_be_strings_in_any_order() -> None:
    hits = [0, 1, 1, 0, 1, 1]
    numbers = estimate([_share(hits)], [1, 2, 3, 1, 2, 3], replicates=50, seed=1, confidence=0.9)
    strings = estimate([_share(hits)], list("abcabc"), replicates=50, seed=1, confidence=0.9)
    assert numbers == strings


def test_one_chain_gives_a_value_without_interval() -> None:
    result = _estimate([0, 1], [7, 7])
    assert (result.value, result.low, result.high) == (0.5, None, None)
    assert result.reason == "one_chain: an interval over chains needs at least two chains"


def test_no_resamples_give_a_value_without_interval() -> None:
    result = _estimate([0, 1], [7, 8], replicates=0)
    assert (result.value, result.low, result.high) == (0.5, None, None)
    assert result.reason == "no_resamples: no resamples were asked for"


def test_few_undefined_resamples_are_left_out_and_counted() -> None:
    # 0.96**100 = 1.7% of resamples miss the four chains that hold the second category.
    codes = np.zeros((100, 2), dtype=np.int64)
    codes[:4] = 1
    result = _agreement(codes, np.arange(100)).cohen[0].statistic
    assert (result.value, result.low, result.high) == (1, 1, 1)
    assert result.reason is not None
    assert result.reason.startswith("undefined_resamples: the interval leaves out")


def test_many_undefined_resamples_bar_the_interval() -> None:
    # 0.75**4 = 32% of resamples miss the chain that holds the second category.
    result = _agreement(np.array([[0, 0], [0, 0], [0, 0], [1, 1]]), np.arange(4))
    kappa = result.cohen[0].statistic
    assert (kappa.value, kappa.low, kappa.high) == (1, None, None)
    assert kappa.reason is not None
    assert kappa.reason.endswith("too many for an interval")
    assert result.gwet.low == result.gwet.high == 1


@pytest.mark.parametrize(
    ("chains", "replicates", "confidence", "message"),
    [
        ([1, 2], -1, 0.95, "replicates is -1"),
        ([1, 2], 10, 1.0, r"confidence is 1\.0"),
        ([1, 2], 10, 0.0, r"confidence is 0\.0"),
        ([[1, 2]], 10, 0.95, r"chains has shape \(1, 2\)"),
    ],
)
def test_bad_settings_are_refused(
    chains: list[int], replicates: int, confidence: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _estimate([0, 1], chains, replicates, confidence)


def test_ratio_is_undefined_over_zero() -> None:
    result = ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    assert result[0] == 0.5
    assert np.isnan(result[1])
