"""The alternative annotator test, its t distribution and its false discoveries, beside oracles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.people.alternative_test import alternative_test
from chainwright.annotation.people.student import discoveries, t_below

stats = pytest.importorskip("scipy.stats")


@given(st.floats(-40, 40), st.integers(1, 400))
def test_t_is_that_of_scipy(t: float, freedom: int) -> None:
    assert t_below(t, freedom) == pytest.approx(stats.t.cdf(t, freedom), abs=1e-12, rel=1e-8)


def test_t_at_the_ends() -> None:
    assert (t_below(float("-inf"), 3), t_below(float("inf"), 3), t_below(0, 3)) == (0, 1, 0.5)
    with pytest.raises(ValueError, match="0 degrees"):
        t_below(0, 0)


@given(st.lists(st.floats(0, 1), max_size=12), st.sampled_from([0.01, 0.05, 0.2]))
def test_discoveries_are_those_of_scipy(p_values: list[float], rate: float) -> None:
    if not p_values:
        assert discoveries(p_values, rate) == []
        return
    adjusted = stats.false_discovery_control(p_values, method="by")
    ours = discoveries(p_values, rate)
    for value, rejected in zip(adjusted, ours, strict=True):
        if abs(value - rate) > 1e-9:  # where rounding decides, either is right
            assert rejected == (value <= rate)


def answers(
    error_rates: list[float], judge: float, units: int = 1200
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three-way truth, people and a judge who err at given rates; 4 units a chain."""
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 3, units)

    def said(rate: float) -> np.ndarray:
        wrong = draw.random(units) < rate
        return np.where(wrong, (truth + draw.integers(1, 3, units)) % 3, truth)

    people = np.column_stack([said(rate) for rate in error_rates])
    return said(judge), people, np.arange(units) // 4


def test_a_good_judge_passes_and_a_poor_one_does_not() -> None:
    good = alternative_test(*answers([0.1, 0.15, 0.2], 0.1), ["a", "b", "c"])
    assert (good.winning_rate, good.passes) == (1.0, True)
    poor = alternative_test(*answers([0.1, 0.15, 0.2], 0.7), ["a", "b", "c"])
    assert (poor.winning_rate, poor.passes) == (0.0, False)
    assert (poor.advantage or 1) < (good.advantage or 0)
    assert [one.chains for one in good.annotators] == [300] * 3


def test_the_advantages_and_the_p_value_are_those_worked_out_by_hand() -> None:
    judge = np.array([0, 0, 1, 0])
    people = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, -1]])
    found = alternative_test(judge, people, np.arange(4), ["a", "b", "c"], epsilon=0.2)
    first = found.annotators[0]
    # Of the four steps the judge ties, wins, ties and ties where `a` is left out.
    assert (first.judge_advantage, first.annotator_advantage) == (1.0, 0.75)
    expected = stats.ttest_1samp([0, -1, 0, 0], 0.2, alternative="less").pvalue
    assert first.p_value == pytest.approx(expected)
    assert str(first.reason).startswith("few_chains")


def test_without_overlap_there_is_no_test() -> None:
    found = alternative_test([0, 1], [[0, -1], [-1, 1]], [0, 1], ["a", "b"])
    assert (found.winning_rate, found.passes, found.advantage) == (None, None, None)
    assert all(str(one.reason).startswith("no_overlap") for one in found.annotators)
    (one, _) = alternative_test([0, 1], [[0, 0], [0, 1]], [0, 0], ["a", "b"]).annotators
    assert one.p_value is None
    assert str(one.reason).startswith("one_chain")


def test_equal_differences_leave_nothing_to_chance() -> None:
    same = alternative_test([0, 0], [[0, 0], [0, 0]], [0, 1], ["a", "b"])
    assert [one.p_value for one in same.annotators] == [0.0, 0.0]
    never = alternative_test([1, 1], [[0, 0], [0, 0]], [0, 1], ["a", "b"])
    assert [one.p_value for one in never.annotators] == [1.0, 1.0]


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="epsilon"):
        alternative_test([0], [[0, 0]], [0], ["a", "b"], epsilon=2)
    with pytest.raises(ValueError, match="shape"):
        alternative_test([0], [[0, 0]], [0, 1], ["a", "b"])
