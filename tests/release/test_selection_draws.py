"""Draws: the size wanted, the same each time, with the probabilities they say."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.release.selection_draws import weighted_sample

WEIGHTS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=4), st.integers(1, 10**6), max_size=30
)


@given(WEIGHTS, st.integers(0, 35), st.integers(0, 99))
def test_a_sample_has_its_size_and_probabilities_that_add_up_to_it(
    weights: dict[str, int], size: int, seed: int
) -> None:
    found = weighted_sample(weights, size, "x", seed)
    assert len(found.drawn) == min(size, len(weights))
    assert set(found.probabilities) == (set(weights) if size else set())
    assert all(0 < one <= 1 for one in found.probabilities.values())
    assert sum(found.probabilities.values()) == pytest.approx(len(found.drawn))
    assert all(item in found.drawn for item, odds in found.probabilities.items() if odds == 1)
    again = dict(reversed(weights.items()))
    assert weighted_sample(again, size, "x", seed) == found


@given(WEIGHTS, st.integers(1, 35))
def test_a_heavier_item_is_never_less_likely(weights: dict[str, int], size: int) -> None:
    odds = weighted_sample(weights, size, 7).probabilities
    ordered = sorted(weights, key=lambda item: weights[item])
    for lighter, heavier in pairwise(ordered):
        assert odds[lighter] <= odds[heavier] + 1e-12


def test_probabilities_are_in_proportion_to_weights_where_none_is_certain() -> None:
    odds = weighted_sample({"a": 1, "b": 2, "c": 3, "d": 4}, 2, 0).probabilities
    assert odds == pytest.approx({"a": 0.2, "b": 0.4, "c": 0.6, "d": 0.8})


def test_items_too_heavy_for_the_sample_are_certain_and_the_others_share_the_rest() -> None:
    odds = weighted_sample({"a": 100, "b": 100, "c": 1, "d": 3}, 3, 0).probabilities
    assert odds == pytest.approx({"a": 1, "b": 1, "c": 0.25, "d": 0.75})


def test_items_are_drawn_as_often_as_their_probability_says() -> None:
    weights = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 30}
    rounds = 2000
    counts: Counter[str] = Counter()
    for seed in range(rounds):
        counts.update(weighted_sample(weights, 2, seed).drawn)
    odds = weighted_sample(weights, 2, 0).probabilities
    for item in weights:
        # four standard errors of a share of 2,000 draws are less than 0.05
        assert counts[item] / rounds == pytest.approx(odds[item], abs=0.05)


def test_equal_weights_give_equal_odds() -> None:
    odds = weighted_sample({str(n): 1 for n in range(8)}, 2, 0).probabilities
    assert set(odds.values()) == {0.25}


@pytest.mark.parametrize(
    ("weights", "size", "message"),
    [({"a": 0}, 1, "a weight is 0; it must be 1 or more"), ({"a": 1}, -1, "size is -1")],
)
def test_bad_arguments_are_named(weights: dict[str, int], size: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        weighted_sample(weights, size, 0)
