"""A judge against known labels."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support
from statsmodels.stats.proportion import proportion_confint

from chainwright.annotation.calibration import Accuracy, confusion, wilson_interval

LABELS = ["correct", "mathematical_error", "logical_inconsistency"]

units = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from([*LABELS, None])), max_size=30)


def test_small_table_by_hand() -> None:
    truth = ["a", "a", "a", "b", "b", "c"]
    votes = ["a", "b", None, "b", "b", None]
    result = confusion(truth, votes, ["a", "b", "c"])
    assert result.columns == ("a", "b", "c", "abstained")
    assert result.counts == ((1, 1, 0, 1), (0, 2, 0, 0), (0, 0, 0, 1))
    assert result.coverage == pytest.approx(4 / 6)
    assert (result.accuracy.value, result.accuracy.correct, result.accuracy.voted) == (0.75, 3, 4)
    first, second, third = result.scores
    assert [first.precision, first.recall, first.f1] == pytest.approx([1, 1 / 2, 2 / 3])
    assert [second.precision, second.recall, second.f1] == pytest.approx([2 / 3, 1, 4 / 5])
    assert (third.support, third.predicted) == (0, 0)
    assert third.precision is third.recall is third.f1 is None


def test_f1_is_zero_where_only_precision_is_undefined() -> None:
    score = confusion(["a", "b"], ["b", "b"], ["a", "b"]).scores[0]
    assert (score.precision, score.recall, score.f1) == (None, 0, 0)


@settings(deadline=None)
@given(units)
def test_equals_scikit_learn_over_the_votes(pairs: list[tuple[str, str | None]]) -> None:
    result = confusion([true for true, _ in pairs], [vote for _, vote in pairs], LABELS)
    voted = [(true, vote) for true, vote in pairs if vote is not None]
    assert sum(map(sum, result.counts)) == len(pairs)
    assert sum(row[-1] for row in result.counts) == len(pairs) - len(voted)
    if not voted:
        return
    truth, votes = zip(*voted, strict=True)
    table = confusion_matrix(truth, votes, labels=LABELS)
    assert np.array_equal(np.array(result.counts)[:, :-1], table)
    expected = precision_recall_fscore_support(truth, votes, labels=LABELS, zero_division=np.nan)
    for place, score in enumerate(result.scores):
        for value, other in zip(
            (score.precision, score.recall, score.f1), expected[:3], strict=True
        ):
            assert (np.nan if value is None else value) == pytest.approx(other[place], nan_ok=True)
        assert score.support == expected[3][place]


@settings(deadline=None)
@given(units)
def test_is_json_and_in_range(pairs: list[tuple[str, str | None]]) -> None:
    result = confusion([true for true, _ in pairs], [vote for _, vote in pairs], LABELS)
    json.dumps(asdict(result), allow_nan=False)
    accuracy = result.accuracy
    if accuracy.value is None or accuracy.low is None or accuracy.high is None:
        assert accuracy == Accuracy(None, None, None, 0, 0)
    else:
        assert 0 <= accuracy.low <= accuracy.value <= accuracy.high <= 1


def test_no_units_leave_scores_undefined() -> None:
    result = confusion([], [], ["a"])
    assert result.counts == ((0, 0),)
    assert result.coverage is None
    assert result.accuracy == Accuracy(None, None, None, 0, 0)


def test_abstentions_only_have_coverage_zero() -> None:
    result = confusion(["a", "a"], [None, None], ["a"])
    assert result.coverage == 0
    assert result.accuracy.value is None


@settings(deadline=None)
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_statsmodels(counts: tuple[int, int]) -> None:
    expected = proportion_confint(*counts, method="wilson")
    assert wilson_interval(*counts) == pytest.approx(expected, abs=1e-12)


def test_wilson_of_other_confidence() -> None:
    expected = proportion_confint(7, 9, alpha=0.2, method="wilson")
    assert wilson_interval(7, 9, confidence=0.8) == pytest.approx(expected)
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(
    ("successes", "trials", "confidence", "message"),
    [
        (3, 2, 0.95, "successes is 3; allowed is 0 to 2"),
        (-1, 2, 0.95, "successes is -1"),
        (1, 2, 1.0, r"confidence is 1\.0"),
    ],
)
def test_wilson_refuses_impossible_counts(
    successes: int, trials: int, confidence: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        wilson_interval(successes, trials, confidence)


@pytest.mark.parametrize(
    ("truth", "votes", "labels", "message"),
    [
        (["a"], ["a", "a"], ["a"], "truth has 1 units and votes 2"),
        (["z"], ["a"], ["a", "b"], r"truth\[0\] is 'z'; allowed are \['a', 'b'\]"),
        (["a", "a"], [None, "z"], ["a", "b"], r"votes\[1\] is 'z'; allowed are \['a', 'b'\]"),
        (["a"], ["a"], ["a", "a"], "labels holds 'a' more than once"),
        (["a"], ["a"], ["a", "abstained"], "labels holds 'abstained'"),
    ],
)
def test_malformed_input_is_refused(
    truth: list[str], votes: list[str | None], labels: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        confusion(truth, votes, labels)
