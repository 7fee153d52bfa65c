"""Votes weighed: against brute force, by hand, and on judges of known worth."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from chainwright.annotation.aggregation.confusion_model import (
    ConfusionModel,
    calibrated,
    decide,
)
from chainwright.annotation.aggregation.dawid_skene import dawid_skene
from chainwright.annotation.aggregation.held_out import (
    cross_fitted,
    cross_fitted_posterior,
    held_out,
    majority_codes,
)
from chainwright.annotation.aggregation.ranking import rank_chains, rank_judges
from chainwright.annotation.panel import tally
from chainwright.annotation.patterns import group_index, outcomes, patterns_of
from tests.annotation.ballots import cast_votes

WORDS = ["correct", "mathematical_error", "logical_inconsistency", "other"]
LETTERS = "cmlo"
Codes = NDArray[np.int64]
VOTES = arrays(
    np.int64, st.tuples(st.integers(1, 30), st.integers(1, 4)), elements=st.integers(-1, 3)
)


def simulated(units: int, reliability: list[float], seed: int = 0) -> tuple[Codes, Codes]:
    """Votes of independent judges and the truth, most of it sound."""
    random = np.random.default_rng(seed)
    truth = random.choice(4, size=units, p=[0.7, 0.1, 0.1, 0.1])
    said = [
        np.where(random.random(units) < right, truth, random.integers(0, 4, units))
        for right in reliability
    ]
    return np.stack(said, axis=1), truth


@given(VOTES)
def test_patterns_give_the_votes_back(codes: Codes) -> None:
    found = patterns_of(codes)
    assert (found.votes[found.index] == codes).all()
    assert found.counts.sum() == len(codes)
    assert len({tuple(row) for row in found.votes.tolist()}) == len(found)


def test_patterns_of_many_judges_are_found_by_sorting() -> None:
    for judges in (15, 40):  # beyond counting, and beyond 64 bits
        codes = np.random.default_rng(judges).integers(-1, 4, size=(50, judges))
        found = patterns_of(np.vstack([codes, codes]))
        assert (found.votes[found.index[:50]] == codes).all()
        assert (found.counts == 2).all()
    assert len(patterns_of(np.empty((0, 3), dtype=np.int64))) == 0


@given(VOTES)
def test_outcomes_of_patterns_are_those_of_the_panel(codes: Codes) -> None:
    found = patterns_of(codes)
    by_pattern = outcomes(found, WORDS)
    for row, place in zip(codes.tolist(), found.index, strict=True):
        letters = "".join("-" if code < 0 else LETTERS[code] for code in row)
        assert by_pattern[place] == tally(cast_votes(letters))


@pytest.mark.parametrize(
    "groups", [[3, 3, 9, -5], ["b", "b", "c", "a"], [10**12, 10**12, 10**15, 1]]
)
def test_groups_are_numbered_in_order(groups: list[object]) -> None:
    index, count = group_index(np.array(groups))
    assert (index.tolist(), count) == ([1, 1, 2, 0], 3)


def test_calibrated_weights_by_hand() -> None:
    # One judge: of 3 sound steps it calls 2 sound; of 1 faulty step it calls 1 faulty.
    model = calibrated(np.array([[0], [0], [1], [1]]), np.array([0, 0, 0, 1]), 2, smoothing=1.0)
    assert model.prior == pytest.approx([3.5 / 5, 1.5 / 5])
    # the judge's votes are even, so each row gets half a vote of either kind
    assert model.confusion[0] == pytest.approx(np.array([[2.5 / 4, 1.5 / 4], [0.5 / 2, 1.5 / 2]]))
    odds = model.log_odds(0)
    assert odds[0] == pytest.approx([0, 0])
    assert odds[1] == pytest.approx([np.log(0.25 / 0.625), np.log(0.75 / 0.375)])
    after = model.posterior(np.array([[1]]))[0]
    assert after[1] / after[0] == pytest.approx(1.5 / 3.5 * 2.0)


def test_an_abstention_and_an_unmet_judge_say_nothing() -> None:
    codes = np.array([[0, -1], [1, -1], [0, -1]])
    model = calibrated(codes, np.array([0, 1, 0]), 2)
    assert model.posterior(np.array([[-1, -1]]))[0] == pytest.approx(model.prior)
    silent = model.posterior(np.array([[-1, 0], [-1, 1]]))
    assert silent == pytest.approx(np.array([model.prior, model.prior]))


@pytest.mark.parametrize(
    ("codes", "truth", "smoothing", "message"),
    [
        (np.empty((0, 2), dtype=int), np.empty(0, dtype=int), 1.0, "no unit has a known label"),
        (np.array([[0]]), np.array([4]), 1.0, "truth holds 4 to 4"),
        (np.array([[0]]), np.array([0]), 0.0, "smoothing is 0.0"),
    ],
)
def test_what_cannot_be_calibrated(
    codes: Codes, truth: Codes, smoothing: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        calibrated(codes, truth, 4, smoothing)


def test_decide_below_the_threshold_and_at_a_tie() -> None:
    posterior = np.array([[0.9, 0.1], [0.55, 0.45], [0.5, 0.5]])
    assert decide(posterior, 0.6).tolist() == [0, -1, -1]
    assert decide(posterior, 0.0).tolist() == [0, 0, -1]
    with pytest.raises(ValueError, match=r"threshold is 1\.5"):
        decide(posterior, 1.5)


def likelihood(model: ConfusionModel, codes: Codes) -> float:
    """Mean log-likelihood of a unit, spelled out."""
    total = 0.0
    for row in codes:
        total += np.log(
            sum(
                model.prior[true]
                * np.prod([model.confusion[j, true, v] for j, v in enumerate(row) if v >= 0])
                for true in range(len(model.prior))
            )
        )
    return total / len(codes)


def test_dawid_skene_reaches_the_maximum_that_brute_force_finds() -> None:
    # two judges with the same symmetric error rate and a third: a grid over all symmetric models
    codes = np.array([[0, 0, 0]] * 30 + [[1, 1, 1]] * 12 + [[0, 0, 1]] * 6 + [[1, 0, 0]] * 3)
    fitted = dawid_skene(codes, 2, smoothing=0, iterations=5000, tolerance=1e-14)
    best = likelihood(fitted.model, codes)
    assert fitted.likelihoods[-1] == pytest.approx(best)
    grid = [0.02, 0.1, 0.2, 0.3, 0.4]
    for prior in (0.5, 0.6, 0.7, 0.8):
        for rates in product(grid, repeat=3):
            confusion = np.array([[[1 - r, r], [r, 1 - r]] for r in rates])
            model = ConfusionModel(np.array([prior, 1 - prior]), confusion)
            assert likelihood(model, codes) <= best + 1e-9


@settings(max_examples=30)
@given(VOTES)
def test_likelihood_never_falls_without_smoothing(codes: Codes) -> None:
    if not (codes >= 0).any():
        with pytest.raises(ValueError, match="no unit has a vote"):
            dawid_skene(codes, 4)
        return
    rounds = np.array(dawid_skene(codes, 4, smoothing=0).likelihoods)
    assert (np.diff(rounds) > -1e-9).all()


def test_dawid_skene_tells_good_judges_from_bad_ones() -> None:
    codes, truth = simulated(3000, [0.95, 0.9, 0.3])
    fitted = dawid_skene(codes, 4)
    right = [np.diag(one).mean() for one in fitted.model.confusion]
    assert fitted.converged and right[0] > right[1] > right[2]
    labels = fitted.model.posterior(codes).argmax(axis=1)
    assert (labels == truth).mean() > (majority_codes(codes, WORDS) == truth).mean()


def test_dawid_skene_by_hand_after_one_round() -> None:
    # Votes 0 0 | 0 1: guesses (1, 0) and (1/2, 1/2); prior 3/4; the first judge said 0 always.
    fitted = dawid_skene(np.array([[0, 0], [0, 1]]), 2, smoothing=0, iterations=1)
    assert fitted.model.prior == pytest.approx([0.75, 0.25])
    assert fitted.model.confusion[0] == pytest.approx(np.array([[1, 0], [1, 0]]))
    assert fitted.model.confusion[1] == pytest.approx(np.array([[2 / 3, 1 / 3], [0, 1]]))
    assert not fitted.converged


def test_codes_beyond_the_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="codes holds 3; allowed is -1 to 1"):
        dawid_skene(np.array([[3]]), 2)


def test_held_out_evidence_favours_weights_where_one_judge_knows() -> None:
    random = np.random.default_rng(1)
    truth = random.choice(2, size=600, p=[0.7, 0.3])
    blind = np.zeros(600, dtype=int)
    codes = np.stack([truth, blind, blind], axis=1)  # two who never see a fault outvote one
    found = held_out(codes, truth, np.arange(600) // 4, WORDS[:2], replicates=200)
    assert found is not None and found.best == "calibrated"
    assert found.methods["calibrated"].accuracy.value == 1.0
    majority = found.methods["majority"]
    assert majority.accuracy.value == pytest.approx((truth == 0).mean())
    assert majority.errors_found.value == 0.0
    assert majority.gain.value == 0.0
    assert (found.units, found.groups, found.folds) == (600, 150, 5)


def test_held_out_needs_two_groups_and_labels_nothing_without_votes() -> None:
    codes, truth = np.array([[0, 0], [-1, -1]]), np.array([0, 0])
    assert held_out(codes, truth, [1, 1], WORDS) is None
    assert held_out(codes, np.array([-1, -1]), [1, 2], WORDS) is None
    apart = cross_fitted(np.vstack([codes, codes]), np.zeros(4, dtype=int), [1, 1, 2, 2], WORDS)
    assert apart is not None
    assert all(labels[1] == labels[3] == -1 for labels in apart.values())


def test_no_unit_is_labelled_by_its_own_truth() -> None:
    codes, truth = simulated(200, [0.8, 0.8])
    groups = np.arange(200) // 5
    before = cross_fitted_posterior(codes, truth, groups, 4, "calibrated", seed=3)
    changed = truth.copy()
    changed[groups == 7] = 3 - changed[groups == 7]
    after = cross_fitted_posterior(codes, changed, groups, 4, "calibrated", seed=3)
    assert before is not None and after is not None
    assert (before[groups == 7] == after[groups == 7]).all()
    assert (before != after).any()


def test_people_read_first_where_labels_are_least_sure() -> None:
    codes = np.array([[0, 0, 0]] * 40 + [[1, 1, 1]] * 10 + [[0, 0, 1], [0, 0, 0], [0, 1, -1]])
    truth = np.array([0] * 40 + [1] * 10 + [-1, -1, -1])
    steps = [("exact", n) for n in range(50)] + [("a", 1), ("a", 2), ("b", 1)]
    ranked = rank_chains(codes, truth, steps, WORDS[:2])
    assert [one.chain_id for one in ranked] == ["b", "a"]  # b has no label at all
    assert (ranked[0].expected, ranked[0].rate) == (1.0, 1.0)
    assert (ranked[1].steps, ranked[1].step) == (2, 1)
    unknown = rank_chains(codes, np.full(53, -1), steps, WORDS[:2])
    assert unknown[0].chain_id == "b" and len(unknown) == 3
    assert rank_chains(np.full((2, 2), -1), np.array([-1, -1]), steps[:2], WORDS) == []


def test_judges_are_ranked_by_what_they_add() -> None:
    codes, truth = simulated(2000, [0.6, 0.6, 0.6, 0.97])
    codes[:, 1] = codes[:, 0]  # an echo: its errors are the first judge's
    groups = np.arange(2000) // 4
    members = ["first", "echo", "third"]
    ranked = rank_judges(codes, truth, groups, [*members, "new"], members, WORDS)
    assert ranked[0].judge == "new" and not ranked[0].member
    by_name = {one.judge: one for one in ranked}
    assert by_name["new"].gain is not None and by_name["new"].gain > 0.1
    assert by_name["echo"].gain == pytest.approx(0, abs=0.02)
    correlations = {name: one.error_correlation or 0 for name, one in by_name.items()}
    assert correlations["new"] < correlations["echo"]


def test_without_exact_labels_judges_are_ranked_by_disagreement() -> None:
    codes = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 1]])
    unknown = np.full(3, -1)
    ranked = rank_judges(codes, unknown, np.arange(3), ["a", "b", "c"], ["a", "b"], WORDS[:2])
    assert (ranked[0].judge, ranked[0].disagreement, ranked[0].gain) == ("c", 2 / 3, None)
    assert ranked[0].accuracy is None and ranked[0].error_correlation is None
