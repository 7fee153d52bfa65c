"""Agreement against other software, by hand, and under the laws it must obey."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from chainwright.annotation.agreement import Agreement, Statistic, agreement

Codes = NDArray[np.int64]

# Three judges, categories a = 0 and b = 1.
#   unit   votes    ordered pairs, each / (votes - 1)
#   1      a a a    aa 6/2
#   2      a a b    aa 2/2, ab 2/2, ba 2/2
#   3      b b -    bb 2/1
#   4      a - b    ab 1/1, ba 1/1
#   5      - - a    none: one vote pairs with nothing
# Coincidence matrix:     a   b
#                     a   4   2   n_a = 6
#                     b   2   2   n_b = 4, n = 10
BY_HAND = [[0, 0, 0], [0, 0, 1], [1, 1, -1], [0, -1, 1], [-1, -1, 0]]

# The four observers of Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]


def _judges(codes: Codes) -> list[str]:
    return [f"judge {place}" for place in range(codes.shape[1])]


def _measure(codes: list[list[int]] | Codes, categories: int = 3, replicates: int = 0) -> Agreement:
    votes = np.asarray(codes)
    names = [f"category {place}" for place in range(categories)]
    return agreement(votes, np.arange(len(votes)), _judges(votes), names, replicates=replicates)


def _statistics(result: Agreement) -> Iterator[tuple[str, Statistic]]:
    for name in ("unanimity", "unanimity_complete", "fleiss", "krippendorff", "gwet"):
        yield name, getattr(result, name)
    for pair in result.cohen:
        yield " & ".join(sorted((pair.first, pair.second))), pair.statistic


def _panel(seed: int, units: int = 300, missing: float = 0.0) -> Codes:
    generator = np.random.default_rng(seed)
    truth = generator.choice(3, units, p=[0.7, 0.2, 0.1])
    guesses = generator.integers(0, 3, (units, 3))
    codes = np.where(generator.random((units, 3)) < 0.8, truth[:, None], guesses)
    codes[generator.random((units, 3)) < missing] = -1
    return codes


@st.composite
def panels(draw: st.DrawFn) -> tuple[Codes, list[int], int]:
    """Votes, chains and the number of categories, small enough to be degenerate often."""
    judges = draw(st.integers(1, 4))
    categories = draw(st.integers(1, 4))
    unit = st.lists(st.integers(-1, categories - 1), min_size=judges, max_size=judges)
    units = draw(st.lists(unit, max_size=12))
    chain = st.integers(0, 4)
    chains = draw(st.lists(chain, min_size=len(units), max_size=len(units)))
    return np.array(units, dtype=np.int64).reshape(-1, judges), chains, categories


def _of_panel(codes: Codes, chains: list[int], categories: int, judges: list[str]) -> Agreement:
    names = [f"category {place}" for place in range(categories)]
    return agreement(codes, chains, judges, names, replicates=40)


@pytest.mark.parametrize("seed", range(3))
def test_cohen_equals_scikit_learn_on_shared_units(seed: int) -> None:
    codes = _panel(seed, missing=0.1)
    for pair, (first, second) in zip(_measure(codes).cohen, ((0, 1), (0, 2), (1, 2)), strict=True):
        shared = (codes[:, first] >= 0) & (codes[:, second] >= 0)
        expected = cohen_kappa_score(codes[shared, first], codes[shared, second])
        assert pair.statistic.value == pytest.approx(expected, abs=1e-12)
        assert pair.statistic.n == shared.sum()


@pytest.mark.parametrize("seed", range(3))
def test_fleiss_equals_statsmodels_on_complete_units(seed: int) -> None:
    codes = _panel(seed, missing=0.1)
    complete = codes[(codes >= 0).all(axis=1)]
    table = (complete[:, :, None] == np.arange(3)).sum(axis=1)
    result = _measure(codes).fleiss
    assert result.value == pytest.approx(fleiss_kappa(table), abs=1e-12)
    assert result.n == len(complete)


def test_alpha_equals_krippendorff_package() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    codes = _panel(7, missing=0.2)
    data = np.where(codes < 0, np.nan, codes).T
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    assert _measure(codes).krippendorff.value == pytest.approx(expected, abs=1e-12)


def test_alpha_by_hand() -> None:
    # Observed disagreement 4/10, expected 2 * 6 * 4 / (10 * 9): alpha = 1 - 0.4 / (48/90) = 1/4.
    result = _measure(BY_HAND, categories=2).krippendorff
    assert result.value == pytest.approx(0.25)
    assert result.n == 4


def test_gwet_by_hand() -> None:
    # Shares of agreeing pairs 1, 1/3, 1, 0: agreement 7/12. Shares of a: 1, 2/3, 0, 1/2, 1, hence
    # prevalence 19/30, chance 2 * (19/30) * (11/30) and AC1 = (7/12 - 209/450) / (241/450).
    result = _measure(BY_HAND, categories=2).gwet
    assert result.value == pytest.approx(107 / 482)
    assert result.n == 4


def test_unanimity_by_hand() -> None:
    result = _measure(BY_HAND, categories=2)
    assert (result.unanimity.value, result.unanimity.n) == (1 / 5, 5)
    assert (result.unanimity_complete.value, result.unanimity_complete.n) == (1 / 2, 2)


def test_published_table_with_missing_votes() -> None:
    result = _measure(np.array(FOUR_OBSERVERS).T - 1, categories=5)
    assert result.krippendorff.value == pytest.approx(0.743, abs=5e-4)
    assert result.gwet.value == pytest.approx(0.775, abs=5e-4)


def test_gwet_stands_where_kappa_collapses() -> None:
    codes = np.zeros((100, 2), dtype=np.int64)
    codes[0, 0] = codes[1, 1] = 1
    result = _measure(codes, categories=2)
    assert result.unanimity.value == 0.98
    assert result.cohen[0].statistic.value == pytest.approx(-1 / 99)
    assert result.gwet.value is not None
    assert result.gwet.value > 0.97


@settings(deadline=None)
@given(panels())
def test_alpha_equals_its_definition(panel: tuple[Codes, list[int], int]) -> None:
    codes, _, categories = panel
    weights: dict[tuple[int, int], Fraction] = {}
    for unit in codes.tolist():
        votes = [vote for vote in unit if vote >= 0]
        for pair in permutations(votes, 2):
            weights[pair] = weights.get(pair, Fraction(0)) + Fraction(1, len(votes) - 1)
    margins = [
        sum((weight for pair, weight in weights.items() if pair[0] == category), Fraction(0))
        for category in range(categories)
    ]
    total = sum(margins, Fraction(0))
    expected = sum((one * other for one, other in permutations(margins, 2)), Fraction(0))
    value = _measure(codes, categories).krippendorff.value
    if expected == 0:
        assert value is None
    else:
        observed = sum(weight for (one, other), weight in weights.items() if one != other)
        assert value == pytest.approx(float(1 - (total - 1) * observed / expected), abs=1e-12)


@settings(deadline=None)
@given(panels())
def test_values_and_intervals_stay_in_range(panel: tuple[Codes, list[int], int]) -> None:
    codes, chains, categories = panel
    result = _of_panel(codes, chains, categories, _judges(codes))
    json.dumps(asdict(result), allow_nan=False)
    for name, statistic in _statistics(result):
        least = 0 if name.startswith("unanimity") else -1
        if statistic.value is None:
            assert statistic.reason
            assert statistic.low is statistic.high is None
            continue
        assert least <= statistic.value <= 1
        if statistic.low is None or statistic.high is None:
            assert statistic.reason
        else:
            assert least <= statistic.low <= statistic.high <= 1


@settings(deadline=None)
@given(panels(), st.randoms(use_true_random=False))
def test_order_of_judges_and_names_of_categories_do_not_matter(
    panel: tuple[Codes, list[int], int], random: Random
) -> None:
    codes, chains, categories = panel
    judges = _judges(codes)
    order = random.sample(range(len(judges)), len(judges))
    names = np.array([*random.sample(range(categories), categories), -1])
    before = dict(_statistics(_of_panel(codes, chains, categories, judges)))
    shuffled = names[codes][:, order]
    after = dict(
        _statistics(_of_panel(shuffled, chains, categories, [judges[place] for place in order]))
    )
    assert before.keys() == after.keys()
    for name, statistic in before.items():
        other = after[name]
        assert statistic.n == other.n
        assert (statistic.reason or "").split(":")[0] == (other.reason or "").split(":")[0]
        for end in ("value", "low", "high"):
            expected = getattr(statistic, end)
            assert getattr(other, end) == (
                None if expected is None else pytest.approx(expected, abs=1e-9)
            )


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=20), st.integers(2, 5))
def test_perfect_agreement_is_one(truth: list[int], judges: int) -> None:
    codes = np.repeat(np.array(truth)[:, None], judges, axis=1)
    for name, statistic in _statistics(_measure(codes, categories=4, replicates=20)):
        one_category = len(set(truth)) == 1
        if one_category and name not in ("unanimity", "unanimity_complete", "gwet"):
            assert statistic.value is None
            assert statistic.reason is not None
            assert statistic.reason.startswith("one_category")
        else:
            assert statistic.value == 1
            assert statistic.low in (1, None)


def test_result_is_json_with_plain_names() -> None:
    result = agreement(
        _panel(1), ["a", "b", "c"] * 100, ["j1", "j2", "j3"], ["x", "y", "z"], replicates=20
    )
    read = json.loads(json.dumps(asdict(result)))
    assert read["chains"] == 3
    assert read["units"] == 300
    assert read["cohen"][2]["first"] == "j2"
    assert math.isclose(read["gwet"]["value"], result.gwet.value or math.nan)
