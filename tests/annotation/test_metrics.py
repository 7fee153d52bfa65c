"""The papers' metrics on cases computed by hand, and at the edges of their formulas."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from chainwright.annotation.metrics.faithfulness import class_addends, f1, macro_f1
from chainwright.annotation.metrics.first_error import (
    accuracy_on_correct,
    accuracy_on_wrong,
    first_error,
    first_error_addends,
    harmonic_f1,
)
from chainwright.annotation.metrics.paired import EXACT_UP_TO, exact_sign, sign_test
from chainwright.annotation.metrics.premises import PremiseScore, premise_score
from chainwright.annotation.metrics.step_errors import inherited, merged, step_accuracy

MATH, LOGIC, ACC = "mathematical_error", "logical_inconsistency", "accumulation_error"
SETS = st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=6)


def test_premises_by_hand() -> None:
    # gold edges: 0-1; 0-2, 1-2; 2-3. said: 0-1; 1-2; 0-3, 2-3. Three right of four and of four.
    found = premise_score([{0}, {0, 1}, {2}], [{0}, {1}, {0, 2}])
    assert found == PremiseScore(0.75, 0.75, 0.75)


@pytest.mark.parametrize(
    ("gold", "said", "scores"),
    [
        ([set()], [set()], (1.0, 1.0, 1.0)),  # nothing to find, nothing made up
        ([set()], [{0}], (0.0, 0.0, 0.0)),
        ([{0}], [set()], (0.0, 0.0, 0.0)),
        ([{0}], [None], (0.0, 0.0, 0.0)),  # silence is no premise
        ([set()], [None], (1.0, 1.0, 1.0)),
        ([{0}, {0, 1}], [{0}, None], (1.0, 1 / 3, 0.5)),
        ([{0}, None], [{0}, {0, 1}], (1.0, 1.0, 1.0)),  # what is not known counts on neither side
        ([{0}], [{1}], (0.0, 0.0, 0.0)),
    ],
)
def test_premises_at_the_edges(
    gold: list[set[int] | None],
    said: list[set[int] | None],
    scores: tuple[float, float, float],
) -> None:
    assert premise_score(gold, said) == PremiseScore(*scores)


def test_premises_need_something_known_and_equal_lengths() -> None:
    assert premise_score([None], [{0}]) is None
    assert premise_score([], []) is None
    with pytest.raises(ValueError, match="zip"):
        premise_score([{0}], [])


@given(SETS, st.randoms())
def test_premise_f1_is_the_harmonic_mean_and_symmetric(
    gold: list[set[int]], random: object
) -> None:
    said = gold[::-1]
    found, turned = premise_score(gold, said), premise_score(said, gold)
    assert found is not None and turned is not None
    total = found.precision + found.recall
    mean = 2 * found.precision * found.recall / total if total else 0.0
    assert found.f1 == pytest.approx(mean)
    assert (found.precision, found.recall) == (turned.recall, turned.precision)
    assert premise_score(gold, gold) == PremiseScore(1.0, 1.0, 1.0)


def test_mathematical_and_logical_errors_are_one_class() -> None:
    gold = ["correct", MATH, ACC, "correct"]
    said = ["correct", LOGIC, "correct", None]
    assert step_accuracy(gold, said) == 0.5
    assert step_accuracy(gold, said, MATH) == 1.0
    assert step_accuracy(gold, said, "error") == 1.0
    assert step_accuracy(gold, said, ACC) == 0.0
    assert step_accuracy(gold, said, "correct") == 0.5  # the abstention is wrong
    assert step_accuracy(gold, said, LOGIC) is None
    assert [merged(w) for w in ("other", "error", MATH)] == ["error"] * 3


def test_accuracy_without_known_steps_is_undefined() -> None:
    assert step_accuracy([None, None], ["correct", MATH]) is None
    assert step_accuracy([None, "correct"], ["correct", "correct"]) == 1.0
    assert step_accuracy(["correct"] * 3, ["correct"] * 3, "error") is None  # all-correct chain


def test_errors_are_inherited_along_premises_and_carry_on() -> None:
    said = ["correct", MATH, "correct", "correct", None, "correct"]
    premises = [(0,), (0,), (2,), (1,), (2,), (3, 5)]
    assert inherited(said, premises) == ["correct", MATH, ACC, "correct", None, ACC]


def test_nothing_is_inherited_without_premises_from_the_question_or_an_abstention() -> None:
    assert inherited([MATH, "correct"], [None, None]) == [MATH, "correct"]
    assert inherited([MATH, "correct"], [(0,), (0,)]) == [MATH, "correct"]
    assert inherited([None, "correct"], [(0,), (1,)]) == [None, "correct"]
    assert inherited(["correct"], [(4,)]) == ["correct"]  # a step that is not there


def test_first_error_passes_abstentions_over() -> None:
    assert first_error(["correct", None, MATH, MATH]) == 3
    assert first_error(["correct", "correct"]) == 0
    assert first_error([None, None]) is None
    assert first_error([]) is None


def test_process_bench_by_hand() -> None:
    # wrong chains: one of two found at its step; right ones: two of three said to be right
    pairs = [(2, 2), (1, 3), (0, 0), (0, 0), (0, 1), (None, 1)]
    sums = np.sum([first_error_addends(gold, said) for gold, said in pairs], axis=0)
    assert accuracy_on_wrong(sums) == 1 / 2
    assert accuracy_on_correct(sums) == pytest.approx(2 / 3)
    assert harmonic_f1(sums) == pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))


def test_process_bench_at_the_edges() -> None:
    silent = np.sum([first_error_addends(1, None), first_error_addends(0, None)], axis=0)
    assert accuracy_on_wrong(silent) == accuracy_on_correct(silent) == harmonic_f1(silent) == 0
    no_errors = np.array(first_error_addends(0, 0))
    assert accuracy_on_correct(no_errors) == 1
    assert np.isnan(accuracy_on_wrong(no_errors)) and np.isnan(harmonic_f1(no_errors))
    assert np.isnan(harmonic_f1(np.zeros(4)))


def test_step_f1_of_both_classes_by_hand() -> None:
    gold = ["faithful", "confusion", "contradiction", "faithful", None, "confusion"]
    said = ["faithful", "contradiction", "faithful", "confusion", "faithful", None]
    # unfaithful: one right, two said, three true; faithful: one right, two said, two true
    assert class_addends(gold, said, "unfaithful") == (1, 2, 3)
    assert class_addends(gold, said, "faithful") == (1, 2, 2)
    assert f1(np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / 5)
    assert class_addends(gold, said, "confusion") == (0, 1, 2)
    assert np.isnan(f1(np.zeros(3)))


WORDS = ["faithful", "groundedness_violation", "contradiction", "confusion", "evidence_neglect"]


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), min_size=1, max_size=30))
def test_f1_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    gold, said = [g for g, _ in pairs], [s for _, s in pairs]
    sums = np.array([x for word in WORDS[1:] for x in class_addends(gold, said, word)])
    used = [word for word in WORDS[1:] if word in gold + said]
    if used:
        expected = f1_score(gold, said, labels=used, average="macro", zero_division=0)
        assert macro_f1(sums) == pytest.approx(expected)
    else:
        assert np.isnan(macro_f1(sums))
    wrong = [word != "faithful" for word in gold]
    found = [word != "faithful" for word in said]
    if any(wrong + found):
        mine = f1(np.array(class_addends(gold, said, "unfaithful")))
        assert mine == pytest.approx(f1_score(wrong, found, zero_division=0))


@given(st.integers(0, 40), st.integers(0, 40))
def test_exact_sign_test_is_the_binomial_tail(wins: int, losses: int) -> None:
    trials = wins + losses
    tail = sum(comb(trials, k) for k in range(min(wins, losses) + 1)) / 2**trials
    assert exact_sign(wins, losses) == pytest.approx(min(1.0, 2 * tail))
    assert exact_sign(wins, losses) == exact_sign(losses, wins)


def test_sign_test_agrees_with_itself_where_logarithms_take_over() -> None:
    small = exact_sign(470, EXACT_UP_TO - 470)
    large = exact_sign(471, EXACT_UP_TO + 1 - 471)
    assert small == pytest.approx(large, rel=0.1)
    assert exact_sign(3000, 0) == 0.0


def test_sign_test_is_named_after_what_it_compares() -> None:
    binary = sign_test([1, 1, 0, 1], [0, 0, 0, 1])
    assert (binary.name, binary.wins, binary.losses, binary.ties, binary.p) == (
        "mcnemar",
        *(2, 0, 2),
        0.5,
    )
    assert sign_test([0.5, 1.0], [0.25, 1.0]).name == "sign"
    assert sign_test([], []).p == 1.0
    with pytest.raises(ValueError, match="zip"):
        sign_test([1.0], [])
