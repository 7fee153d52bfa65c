"""Correlation of judges' errors and the effective number of votes."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from chainwright.annotation.agreement import ErrorCorrelation, error_correlation

Codes = NDArray[np.int64]


def _codes(errors: list[list[int]]) -> Codes:
    """Votes against a truth of 0 everywhere: 1 is an error."""
    return np.array(errors, dtype=np.int64)


def _measure(codes: Codes, truth: list[int] | Codes, replicates: int = 0) -> ErrorCorrelation:
    judges = [f"judge {place}" for place in range(codes.shape[1])]
    return error_correlation(codes, truth, np.arange(len(codes)), judges, replicates=replicates)


@st.composite
def marked_panels(draw: st.DrawFn) -> tuple[Codes, list[int]]:
    judges = draw(st.integers(1, 4))
    unit = st.lists(st.integers(-1, 2), min_size=judges, max_size=judges)
    units = draw(st.lists(unit, max_size=12))
    truth = draw(st.lists(st.integers(-1, 2), min_size=len(units), max_size=len(units)))
    return np.array(units, dtype=np.int64).reshape(-1, judges), truth


def test_pairs_equal_numpy_on_shared_units() -> None:
    generator = np.random.default_rng(2)
    truth = generator.integers(0, 3, 200)
    codes = np.where(generator.random((200, 3)) < 0.7, truth[:, None], (truth[:, None] + 1) % 3)
    codes[generator.random((200, 3)) < 0.1] = -1
    truth[:10] = -1
    result = _measure(codes, truth, replicates=50)
    expected = []
    for pair, (first, second) in zip(result.pairs, ((0, 1), (0, 2), (1, 2)), strict=True):
        shared = (codes[:, first] >= 0) & (codes[:, second] >= 0) & (truth >= 0)
        wrong = codes[shared] != truth[shared, None]
        expected.append(np.corrcoef(wrong[:, first], wrong[:, second])[0, 1])
        assert pair.statistic.value == pytest.approx(expected[-1], abs=1e-12)
        assert pair.statistic.n == shared.sum()
    assert result.units == 190
    assert result.mean.value == pytest.approx(np.mean(expected), abs=1e-12)


def test_votes_wrong_in_different_ways_are_errors_alike() -> None:
    result = _measure(np.array([[1, 2], [2, 1], [0, 0]]), [0, 0, 0])
    assert result.mean.value == pytest.approx(1)


def test_judges_that_err_together_are_worth_one_vote() -> None:
    result = _measure(_codes([[1, 1, 1], [0, 0, 0], [0, 0, 0], [1, 1, 1]]), [0] * 4)
    assert result.mean.value == pytest.approx(1)
    assert result.effective_votes.value == pytest.approx(1)


def test_judges_that_avoid_each_others_errors_are_worth_no_more_than_all() -> None:
    result = _measure(_codes([[1, 0], [0, 1], [0, 0], [0, 0]]), [0] * 4)
    assert result.mean.value == pytest.approx(-1 / 3)
    assert result.effective_votes.value == 2


def test_effective_votes_by_hand() -> None:
    # Both err on 1 of 4 units, one more each: phi = (4 * 1 - 2 * 2) / 4 = 0, so 2 / (1 + 0) = 2;
    # with 2 more units on which neither errs phi = (6 - 4) / 8 = 1/4, so 2 / (1 + 1/4) = 1.6.
    errors = [[1, 1], [1, 0], [0, 1], [0, 0]]
    assert _measure(_codes(errors), [0] * 4).effective_votes.value == pytest.approx(2)
    longer = _measure(_codes([*errors, [0, 0], [0, 0]]), [0] * 6)
    assert longer.mean.value == pytest.approx(0.25)
    assert longer.effective_votes.value == pytest.approx(1.6)


@pytest.mark.parametrize(
    ("codes", "truth", "reason"),
    [
        ([[0, 1], [0, 0]], [0, 0], "constant_errors: 'judge 0' never errs on the 2 units"),
        ([[0, 1], [1, 1]], [0, 0], "constant_errors: 'judge 1' always errs on the 2 units"),
        ([[0, -1], [-1, 1]], [0, 0], "no_overlap: no unit has votes of both 'judge 0' and"),
        ([[0, 1], [1, 1]], [-1, -1], "no_units: no unit has a known truth"),
    ],
)
def test_undefined_pairs_make_the_mean_undefined(
    codes: list[list[int]], truth: list[int], reason: str
) -> None:
    result = _measure(_codes(codes), truth, replicates=10)
    for statistic in (result.pairs[0].statistic, result.mean, result.effective_votes):
        assert statistic.value is None
        assert statistic.reason is not None
        assert statistic.reason.startswith(reason)


def test_one_perfect_judge_leaves_the_other_pairs() -> None:
    result = _measure(_codes([[0, 1, 1], [0, 0, 0], [0, 1, 0]]), [0] * 3)
    assert [pair.statistic.value for pair in result.pairs] == [None, None, pytest.approx(0.5)]
    assert result.mean.value is None


def test_one_judge_has_no_pairs() -> None:
    result = _measure(_codes([[0], [1]]), [0, 0], replicates=10)
    assert result.pairs == ()
    assert (
        result.effective_votes.reason == "one_judge: correlation needs at least two judges, got 1"
    )


@settings(deadline=None)
@given(marked_panels())
def test_values_stay_in_range(panel: tuple[Codes, list[int]]) -> None:
    codes, truth = panel
    result = _measure(codes, truth, replicates=40)
    json.dumps(asdict(result), allow_nan=False)
    judges = codes.shape[1]
    ranged = [(pair.statistic, -1, 1) for pair in result.pairs]
    ranged += [(result.mean, -1, 1), (result.effective_votes, 1, judges)]
    for statistic, least, most in ranged:
        if statistic.value is None:
            assert statistic.reason
            assert statistic.low is statistic.high is None
            continue
        assert least <= statistic.value <= most
        if statistic.low is None or statistic.high is None:
            assert statistic.reason
        else:
            assert least <= statistic.low <= statistic.high <= most


@settings(deadline=None)
@given(marked_panels())
def test_order_of_judges_does_not_matter(panel: tuple[Codes, list[int]]) -> None:
    codes, truth = panel
    before, after = (
        _measure(votes, truth, replicates=20).effective_votes for votes in (codes, codes[:, ::-1])
    )
    assert (before.value is None) == (after.value is None)
    for end in ("value", "low", "high"):
        expected = getattr(before, end)
        assert getattr(after, end) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("codes", "truth", "message"),
    [
        ([[0, 1]], [0, 0], r"truth has shape \(2,\); with 1 units"),
        ([[0, 1]], [-2], r"truth holds -2; allowed is -1 or more"),
        ([[0, -3]], [0], r"codes holds -3; allowed is -1 or more"),
    ],
)
def test_malformed_input_is_refused(codes: list[list[int]], truth: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        error_correlation(codes, truth, [1], ["a", "b"])
