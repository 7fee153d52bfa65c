"""The exact engine: what it promises of every synthetic negative."""

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.builders.exact import ExactChain, exact_negatives, exact_reference
from chainwright.builders.faults import FAMILIES
from chainwright.builders.solution_reader import read_solution
from chainwright.builders.worked import Unreadable
from chainwright.schemas.problem import Problem
from tests.builders.solutions import HALL, PLUMS, problem, worked_problems

_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def independent_value(text: str) -> Fraction:
    """The value of an expression by Python's own grammar, read as data and never run."""

    def walk(node: ast.expr) -> Fraction:
        match node:
            case ast.BinOp(left, op, right):
                return _OPERATORS[type(op)](walk(left), walk(right))
            case ast.UnaryOp(ast.USub(), operand):
                return -walk(operand)
            case ast.Constant(int() | float()):
                return Fraction(ast.get_source_segment(source, node) or "")
        raise AssertionError(f"{ast.dump(node)} in {text}")

    source = re.sub(r"(?<![\d.])0+(?=\d)", "", text.replace("x", "*").strip())
    return walk(ast.parse(source, mode="eval").body)


def check_promises(original: Problem, negative: ExactChain) -> None:
    """Everything the engine promises, checked without the engine's own reading of the text."""
    chain, labels = negative.chain, negative.labels
    before = (original.solution or "").splitlines()
    before = [line for line in before if line.strip() and not line.startswith("####")]
    at = chain.perturbed_step
    assert at is not None
    assert chain.perturbation is not None
    assert chain.polarity == "synthetic_negative"
    assert len(chain.steps) == len(before) == len(labels)
    assert chain.final_answer is not None
    assert Fraction(chain.final_answer) != Fraction(original.answer or "")

    wrong: set[int] = set()
    for step, label in enumerate(labels, start=1):
        assert label.step == step
        assert all(0 <= premise < step for premise in label.premises)
        inherits = bool(wrong.intersection(label.premises))
        if step == at:
            assert label.category == chain.perturbation.error_type
        elif inherits:
            assert label.category == "accumulation_error"
        else:
            assert (label.label, label.category) == ("correct", None)
        if label.label == "error":
            wrong.add(step)
        assert (chain.steps[step - 1] != before[step - 1]) == (label.label == "error")

        broken = 0
        for body in re.findall(r"<<(.*?)>>", chain.steps[step - 1]):
            left, _, stated = body.rpartition("=")
            broken += independent_value(left) != Fraction(stated.replace("%", ""))
        wrong_result = chain.perturbation.error_type == "mathematical_error"
        assert broken == int(step == at and wrong_result), chain.steps[step - 1]


@given(worked_problems(), st.integers(0, 5))
@settings(max_examples=150)
def test_every_negative_keeps_every_promise(original: Problem, seed: int) -> None:
    try:
        negatives = exact_negatives(original, seed=seed, count=6)
    except Unreadable as verdict:
        assert verdict.reason  # ambiguous numbers make a problem unusable, and it says so
        return
    for negative in negatives:
        check_promises(original, negative)
    assert len({negative.chain.chain_id for negative in negatives}) == len(negatives)


@given(worked_problems())
def test_every_fault_family_keeps_its_word(original: Problem) -> None:
    for family in FAMILIES:
        weights = {other: float(other == family) for other in FAMILIES}
        try:
            (negative,) = exact_negatives(original, weights=weights)
        except Unreadable:
            continue
        expected = "mathematical_error" if family == "wrong_result" else "logical_inconsistency"
        assert negative.chain.perturbation is not None
        assert negative.chain.perturbation.error_type == expected


def test_the_fault_is_carried_into_prose_currency_and_commas() -> None:
    only_results = {"wrong_operand": 0.0, "wrong_operator": 0.0}
    for negative in exact_negatives(problem(*HALL), count=20, weights=only_results):
        check_promises(problem(*HALL), negative)
        if negative.chain.perturbed_step != 1:
            continue
        mark = re.search(r"<<40\*300=(\d+)>>([\d,]+) seats", negative.chain.steps[0])
        assert mark is not None
        assert mark[2] == f"{int(mark[1]):,}"
        assert f" {mark[2]} * $2.50 = $<<{mark[1]}*2.5=" in negative.chain.steps[2]
        return
    pytest.fail("no negative at step 1 among twenty")


def test_a_number_in_the_line_outside_the_mark_changes_with_it() -> None:
    operand = {"wrong_result": 0.0, "wrong_operator": 0.0}
    seen = False
    for negative in exact_negatives(problem(*PLUMS), count=20, weights=operand):
        if negative.chain.perturbed_step == 2:
            left_over = re.search(r"So (\d+) plums .* earns (\d+) \*", negative.chain.steps[2])
            assert left_over is not None
            assert left_over[1] == left_over[2] != "24"
            seen = True
    assert seen


def test_same_seed_same_negatives_and_another_seed_others() -> None:
    original = problem(*PLUMS)
    ids = [[n.chain.chain_id for n in exact_negatives(original, seed=s)] for s in (1, 1, 2, 3, 4)]

    assert ids[0] == ids[1]
    assert len({tuple(one) for one in ids}) > 1


@given(worked_problems(), st.integers(0, 5), st.integers(1, 5))
@settings(max_examples=50)
def test_a_larger_count_keeps_the_negatives_there_are(
    original: Problem, seed: int, count: int
) -> None:
    try:
        every = exact_negatives(original, seed=seed, count=40)
    except Unreadable:
        return

    assert exact_negatives(original, seed=seed, count=count) == every[:count]


def test_each_step_is_broken_as_often_as_another() -> None:
    # each of the four has faults that hold, the later ones more of them
    of = [exact_negatives(problem(*PLUMS), seed=seed, count=4) for seed in range(200)]
    first = Counter(negatives[0].chain.perturbed_step for negatives in of)

    assert all(35 <= first[step] <= 65 for step in (1, 2, 3, 4)), first
    for negatives in of:
        assert {one.chain.perturbed_step for one in negatives} == {1, 2, 3, 4}


def test_the_reference_is_correct_with_its_premises() -> None:
    reference = exact_reference(problem(*PLUMS))

    assert reference.chain.polarity == "positive"
    assert {label.label for label in reference.labels} == {"correct"}
    assert [label.premises for label in reference.labels] == [[0], [0, 1], [0, 2], [0, 3]]


def test_marks_can_be_stripped_and_labels_stay() -> None:
    kept, stripped = (exact_negatives(problem(*PLUMS), marks=marks) for marks in ("keep", "strip"))

    assert [re.sub("<<.*?>>", "", step) for step in kept[0].chain.steps] == stripped[0].chain.steps
    assert [a.category for a in kept[0].labels] == [b.category for b in stripped[0].labels]


def test_a_hidden_dependence_is_refused() -> None:
    question = "Ann has 8 pens and buys 5. Bo has some more."
    solution = (
        "Ann has 8 + 5 = <<8+5=13>>13 pens.\nBo must have twice that less 9.\n"
        "Bo has <<17=17>>17 pens.\nTogether 13 + 17 = <<13+17=30>>30.\n#### 30"
    )
    for negative in exact_negatives(problem(question, solution), count=20):
        assert negative.chain.perturbed_step == 4


def test_an_ambiguous_number_is_not_rewritten() -> None:
    question = "Ann has 6 pens in each of 2 cases and wants 12 more. How many then?"
    solution = "6 * 2 = <<6*2=12>>12\nThen 12 + 12 = <<12+12=24>>24\n#### 24"

    for negative in exact_negatives(problem(question, solution), count=20):
        assert negative.chain.perturbed_step == 2


def test_of_two_results_with_one_value_neither_is_broken_before_its_use() -> None:
    question = (
        "Ann buys 3 packs of 4 pens at 5 cents a pen and 2 packs of 6 pencils. Each pen comes in 2 "
        "cases at a cent each. What does she pay?"
    )
    solution = (
        "She has 3 * 4 = <<3*4=12>>12 pens.\nThey cost 12 * 5 = <<12*5=60>>60 cents.\n"
        "She has 2 * 6 = <<2*6=12>>12 pencils.\nThe pens have 12 * 2 = <<12*2=24>>24 cases.\n"
        "She pays 60 + 24 = <<60+24=84>>84 cents.\n#### 84"
    )
    for negative in exact_negatives(problem(question, solution), count=20):
        assert negative.chain.perturbed_step in (2, 4, 5)


def test_the_operands_of_a_power_and_of_parentheses_are_recomputed() -> None:
    question = "A cube of 5 cm grows by 2 cm and three are made. What is the volume?"
    solution = (
        "The side is 5 + 2 = <<5+2=7>>7 cm.\nThe volume is 7 ^ 3 = <<7^3=343>>343.\n"
        "Three have (343 + 343) + 343 = <<(343+343)+343=1029>>1,029.\n#### 1029"
    )
    negatives = exact_negatives(problem(question, solution), count=20)

    first = next(n for n in negatives if n.chain.perturbed_step == 1)
    side = int(first.chain.steps[0].rpartition(">>")[2].split()[0])
    assert f"<<{side}^3={side**3}>>" in first.chain.steps[1]
    assert first.chain.final_answer == str(3 * side**3)


@pytest.mark.realdata
def test_gsm8k_yields_verified_negatives(real_data: Path) -> None:
    reasons: Counter[str] = Counter()
    for line in (real_data / "gsm8k" / "test.jsonl").read_text("utf-8").splitlines()[::4]:
        row = json.loads(line)
        original = problem(row["question"], row["answer"])
        try:
            (negative,) = exact_negatives(original, seed=7)
        except Unreadable as verdict:
            reasons[verdict.reason] += 1
            continue
        reasons["made"] += 1
        read_solution(row["question"], row["answer"])
        assert negative.chain.final_answer != original.answer

    assert reasons["made"] >= 0.8 * reasons.total(), reasons


def test_negatives_that_read_alike_without_marks_are_made_once() -> None:
    # the words hide the equation, so another sign changes the mark alone, which is not shown
    question = "Ann has 7 pens, 5 of them new. Ben had 3 times Ann's old ones. How many is that?"
    solution = (
        "Ann had 7 - 5 = <<7-5=2>>2 pens before.\n"
        "Ben had 3 times Ann's number of pens which is 3*2 = <<3*2=6>>6 pens.\n#### 6"
    )
    found = exact_negatives(problem(question, solution), count=30, marks="strip")
    assert len(found) > 1
    assert len({one.chain.chain_id for one in found}) == len(found)
