"""Splits: by problem, by hash, monotone in the fraction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.release.splits import split_of
from chainwright.schemas.identity import short_id

ids = st.text(alphabet="0123456789abcdef", min_size=20, max_size=20).map("p-{}".format)
fractions = st.floats(0, 1)
seeds = st.integers(0, 2**32)


@given(ids, fractions, fractions, seeds)
def test_a_problem_in_test_stays_there_at_every_larger_fraction(
    problem_id: str, one: float, other: float, seed: int
) -> None:
    smaller, larger = sorted((one, other))
    if split_of(problem_id, smaller, seed) == "test":
        assert split_of(problem_id, larger, seed) == "test"


@given(ids, seeds)
def test_nothing_is_in_test_at_0_and_everything_at_1(problem_id: str, seed: int) -> None:
    assert split_of(problem_id, 0.0, seed) == "train"
    assert split_of(problem_id, 1.0, seed) == "test"


def test_the_side_is_the_same_on_every_machine() -> None:
    sides = [split_of(short_id("problem", number), 0.3, seed=7) for number in range(16)]
    assert "".join(side[1] for side in sides) == "rrrrrrrerrrrrrrr"


@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.5])
def test_the_share_of_test_is_about_the_fraction(fraction: float) -> None:
    size = 4_000
    found = sum(split_of(short_id("problem", n), fraction, 1) == "test" for n in range(size))
    # Five standard deviations of a binomial share.
    assert abs(found / size - fraction) < 5 * (fraction * (1 - fraction) / size) ** 0.5


def test_seeds_cut_independently() -> None:
    problems = [short_id("problem", number) for number in range(1_000)]
    both = sum(split_of(p, 0.5, 1) == split_of(p, 0.5, 2) for p in problems)
    assert 400 < both < 600


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan")])
def test_a_fraction_outside_0_to_1_is_quoted(fraction: float) -> None:
    with pytest.raises(ValueError, match=f"test_fraction is {fraction}; allowed is 0 to 1"):
        split_of("p-0", fraction, 0)
