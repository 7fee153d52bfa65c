"""Variants: what is promised of every one, and what is refused."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainwright.builders
from chainwright.builders.exact import exact_negatives, exact_reference
from chainwright.builders.solution_reader import read_solution
from chainwright.builders.variants.variants import variants
from chainwright.builders.worked import FromResult, Unreadable, Worked
from chainwright.notation.equations import find_equations
from chainwright.notation.marks import find_marks, holds
from chainwright.notation.numerals import find_numerals
from chainwright.schemas.problem import Problem
from tests.builders.solutions import HALL, PLUMS, problem, worked_problems

QUICKSTART = Path(chainwright.builders.__file__).parent / "data" / "quickstart.jsonl"
GSM8K = Path(__file__).parents[4] / "shared/data/gsm8k/test.jsonl"


def made(original: Problem, count: int = 3, seed: int = 7) -> list[Problem]:
    return [one for one in variants(original, count, seed=seed) if isinstance(one, Problem)]


def refusal(question: str, solution: str) -> str:
    (found,) = variants(problem(question, solution), 1)
    assert isinstance(found, Unreadable)
    return found.reason


def graph(worked: Worked) -> list[object]:
    """What the exact engine itself sees of a solution, its numbers aside."""
    return [
        (
            one.step,
            [operation.operator for operation in one.operations],
            [o if isinstance(o, FromResult) else type(o) for o in one.operands],
            one.ambiguous,
        )
        for one in worked.computations
    ]


def without_numbers(text: str) -> str:
    for numeral in reversed(find_numerals(text)):
        text = f"{text[: numeral.start]}N{text[numeral.end :]}"
    return text


def check_promises(original: Problem, variant: Problem) -> None:
    assert variant.variant_of == original.problem_id == variant.family
    assert variant.problem_id != original.problem_id
    assert (variant.licence, variant.source, variant.split, variant.origin_ref) == (
        original.licence,
        original.source,
        original.split,
        original.origin_ref,
    )
    assert variant.answer is not None
    assert original.answer is not None
    assert variant.solution is not None
    assert original.solution is not None
    assert Fraction(variant.answer) > 0
    assert Fraction(variant.answer) != Fraction(original.answer)
    assert variant.question != original.question
    assert without_numbers(variant.question) == without_numbers(original.question)
    assert without_numbers(variant.solution) == without_numbers(
        "\n".join(line.strip() for line in original.solution.splitlines() if line.strip())
    )
    assert all(holds(mark) for mark in find_marks(variant.solution))
    assert all(one.holds for one in find_equations(variant.solution, marks=False))
    before = read_solution(original.question, original.solution)
    after = read_solution(variant.question, variant.solution)
    assert graph(after) == graph(before)
    for step in range(1, len(before.steps) + 1):
        assert after.premises(step) == before.premises(step)
    for old, new in zip(before.computations, after.computations, strict=True):
        assert (old.stated.denominator == 1) <= (new.stated.denominator == 1)
        assert (old.stated > 0) <= (new.stated > 0)
        assert (old.stated == 1) == (new.stated == 1)
    apart = {
        (o.stated, n.stated) for o, n in zip(before.computations, after.computations, strict=True)
    }
    assert len({new for _, new in apart}) == len(apart)  # no two meet that were apart
    assert all(label.label == "correct" for label in exact_reference(variant).labels)


def quickstart() -> Iterator[Problem]:
    for line in QUICKSTART.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield problem(row["question"], row["answer"])


@pytest.mark.parametrize("original", [PLUMS, HALL])
def test_a_variant_keeps_what_is_promised(original: tuple[str, str]) -> None:
    parent = problem(*original)
    found = made(parent, 5)
    assert len({one.problem_id for one in found}) == 5
    assert [one.variant for one in found] == [1, 2, 3, 4, 5]
    for one in found:
        check_promises(parent, one)


def test_the_problems_that_ship_have_variants() -> None:
    pairs = [(parent, one) for parent in quickstart() for one in made(parent, 1)]
    assert len(pairs) >= 20
    for parent, one in pairs:
        check_promises(parent, one)


@given(worked_problems())
@settings(deadline=None, max_examples=60)
def test_any_problem_of_arithmetic(original: Problem) -> None:
    found = list(variants(original, 2, seed=1))
    assert len(found) == 2  # each is a variant or a reason
    for one in found:
        if isinstance(one, Problem):
            check_promises(original, one)
        else:
            assert re.fullmatch("[a-z_]+", one.reason)


@pytest.mark.skipif(not GSM8K.is_file(), reason="GSM8K is not here")
def test_on_real_questions() -> None:
    rows = [json.loads(line) for line in GSM8K.read_text(encoding="utf-8").splitlines()[:60]]
    originals = [problem(row["question"], row["answer"]) for row in rows]
    pairs = [(parent, one) for parent in originals for one in made(parent, 1)]
    assert len(pairs) >= 20
    for parent, one in pairs:
        check_promises(parent, one)


def test_the_same_everywhere_and_more_only_append() -> None:
    parent = problem(*PLUMS)
    assert made(parent, 2) == made(parent, 4)[:2]
    assert made(parent, 3, seed=8) != made(parent, 3, seed=7)


def test_negatives_can_be_made_of_a_variant() -> None:
    (one,) = made(problem(*PLUMS), 1)
    negatives = exact_negatives(one, count=2)
    assert len(negatives) == 2
    assert all(negative.chain.problem_id == one.problem_id for negative in negatives)


KEPT = [
    ("In 2015 Ann had 30 stamps.", "2015"),
    ("On May 12 Ann had 30 stamps.", "12"),
    ("On the 4th day Ann had 30 stamps.", "4"),
    ("Ann lost 2/3 of her 30 stamps.", "2"),
    ("At 5:30 Ann had 30 stamps.", "5"),
    ("At 5 pm Ann had 30 stamps.", "5"),
    ("Ann paid 30 stamps with a $20 bill.", "20"),
    ("Her 9 dogs have 4 legs each and 30 toys.", "4"),
    ("Her three sisters, Bea, Cleo and Dana, have 30 stamps.", "three"),
    ("The two have 30 stamps.", "two"),
    ("Ann waits 5-10 minutes for 30 stamps.", "5"),
    ("One US cup equals 250 ml. Ann has 30 stamps.", "250"),
    ("There are 16 ounces in a pound. Ann has 30 stamps.", "16"),
    ("Marble has a density of 2700 kg. Ann has 30 stamps.", "2700"),
]


@pytest.mark.parametrize(("question", "number"), KEPT)
def test_what_is_no_amount_stays(question: str, number: str) -> None:
    question += " She buys 11 more. How many stamps are there?"
    solution = "There are 30 + 11 = <<30+11=41>>41 stamps.\n#### 41"
    outcomes = list(variants(problem(question, solution), 4))
    at = question.index(number)
    for one in outcomes:
        if isinstance(one, Problem):
            assert one.question[at:].startswith(number)
        else:
            assert one.reason == "unused_number"


def test_what_is_said_twice_changes_together() -> None:
    question = "Of 40 pupils in a hall, 12 leave. How many of the 40 pupils stay?"
    solution = "There stay 40 - 12 = <<40-12=28>>28 pupils.\n#### 28"
    found = made(problem(question, solution), 4)
    assert found
    for one in found:
        first, _, again = (numeral.value for numeral in find_numerals(one.question))
        assert first == again


def test_equal_numbers_that_may_be_two_things_stay() -> None:
    question = "Ann has 40 pens, Bo has 40 books and Cy has 12 cups. How many things are there?"
    solution = "They have 40 + 40 + 12 = <<40+40+12=92>>92 things.\n#### 92"
    for one in made(problem(question, solution), 4):
        assert [str(n.value) for n in find_numerals(one.question)][:2] == ["40", "40"]


def test_shares_stay_shares() -> None:
    question = "A coat costs $80 and is sold at 25% off. What does it cost now?"
    solution = (
        "The discount is $80 * .25 = $<<80*.25=20>>20.\n"
        "It costs $80 - $20 = $<<80-20=60>>60 now.\n#### 60"
    )
    found = made(problem(question, solution), 6)
    assert len({one.question for one in found}) == 6
    for one in found:
        price, percent = find_numerals(one.question)
        assert 0 < percent.value < 100
        assert Fraction(one.answer or "") == price.value * (1 - percent.value / 100)


def test_a_divisor_that_a_percentage_may_be_is_in_doubt() -> None:
    question = "Ada earns $40 a day. 10% of it are taxes. What is left of 30 days?"
    solution = (
        "The taxes are $40 / 10 = $<<40/10=4>>4.\n"
        "There is left $40 - $4 = $<<40-4=36>>36 a day.\n"
        "In 30 days that is 30 * 36 = $<<30*36=1080>>1080.\n#### 1080"
    )
    found = made(problem(question, solution), 6)
    assert found
    for one in found:
        assert "10%" in one.question  # a tenth is 10%, and no 14th is 14%


COUNTED = [
    (
        "Bo has 3 pounds, Cy has 5 pounds and Al has 4 pounds. They share all. What gets each?",
        "They have 3+5+4 = <<3+5+4=12>>12 pounds.\nEach gets 12/3 = <<12/3=4>>4 pounds.\n#### 4",
        "Bo has 3 pounds",
    ),
    (
        "In 3 games Bo scored 20, 32 and 38 points. How many on average?",
        "He scored 20+32 = <<20+32=52>>52 at first.\nIn all 52+38 = <<52+38=90>>90.\n"
        "On average 90/3 = <<90/3=30>>30.\n#### 30",
        "In 3 games",
    ),
]


@pytest.mark.parametrize(("question", "solution", "stays"), COUNTED)
def test_what_counts_the_things_listed_stays(question: str, solution: str, stays: str) -> None:
    found = made(problem(question, solution), 6)
    assert found
    assert all(stays in one.question for one in found)


def test_five_shops_are_not_a_fifth() -> None:
    question = "Ada sells 50 pens in 5 shops, and 20% of them are red. How many are red?"
    solution = "Red are 20% of the pens, which is 50 / 5 = <<50/5=10>>10 pens.\n#### 10"
    found = made(problem(question, solution), 6)
    assert found
    assert all("in 5 shops, and 20% of" in one.question for one in found)


def test_a_percent_sign_is_worth_a_hundredth() -> None:
    question = "Misha picks 4 blouses at 30% off. Each costs $20. What is the discount?"
    solution = (
        "They cost $20 x 4 = $<<20*4=80>>80.\n"
        "The discount is $80 x 30% = $<<80*30*.01=24>>24.\n#### 24"
    )
    found = made(problem(question, solution), 6)
    assert found
    for one in found:
        count, percent, price = (numeral.value for numeral in find_numerals(one.question))
        assert Fraction(one.answer or "") == count * price * percent / 100


def test_what_rose_rises_still() -> None:
    question = (
        "Ada types 47 words a minute. After a course that has increased to 52 WPM. By how many?"
    )
    solution = "It is 52 - 47 = <<52-47=5>>5 WPM more. From 47 she came to 52.\n#### 5"
    found = made(problem(question, solution), 12)
    assert found
    for one in found:
        before, after = (numeral.value for numeral in find_numerals(one.question))
        assert before < after


REFUSED = [
    ("unresolved_operand", "She adds 30 + 17 = <<30+17=47>>47 pens.\n#### 47", "Ann has 30 pens."),
    (
        "unaccounted_number",
        "Of the 9 she keeps 30 + 11 = <<30+11=41>>41 pens.\n#### 41",
        "Ann has 30 pens and 11 pencils.",
    ),
    (
        "conditional_question",
        "She gets 30 + 11 = <<30+11=41>>41 points.\n#### 41",
        "Ann has 30 points and gets 11 more for more than 20 jumps.",
    ),
    (
        "hidden_number",
        "She has a dozen more, 30 + 11 = <<30+11=41>>41 pens.\n#### 41",
        "Ann has 30 pens and gets 11.",
    ),
    (
        "unused_number",
        "She has 30 + 11 = <<30+11=41>>41 pens.\n#### 41",
        "Ann has 30 pens, 17 books and gets 11 pens.",
    ),
    (
        "ambiguous_quantity",
        "There are 5 * 4 = <<5*4=20>>20 pens.\nShe has 20 + 20 = <<20+20=40>>40.\n#### 40",
        "Ann has 5 bags of 4 pens and 20 books.",
    ),
    ("inconsistent_mark", "She has 30 + 11 = <<30+11=40>>40 pens.\n#### 40", "30 pens and 11."),
    (
        "no_valid_draw",
        "A box gets 14 / 7 = <<14/7=2>>2 pens.\n#### 2",
        "All 14 pens go into 7 boxes.",
    ),
]


@pytest.mark.parametrize(("reason", "solution", "question"), REFUSED)
def test_in_doubt_there_is_none(reason: str, solution: str, question: str) -> None:
    assert refusal(f"{question} How many are there?", solution) == reason


def test_without_a_solution_each_that_is_wanted_has_its_reason() -> None:
    bare = Problem.build(source="test", question="How many?")
    found = list(variants(bare, 3))
    assert [one.reason for one in found if isinstance(one, Unreadable)] == ["no_solution"] * 3
    assert list(variants(bare, 0)) == []


@given(st.integers(2, 9), st.integers(11, 60))
@settings(deadline=None, max_examples=30)
def test_divisions_come_out_even(boxes: int, each: int) -> None:
    total = boxes * each
    question = f"{total} pens are put into {boxes} boxes of the same size. How many has a box?"
    solution = f"A box has {total} / {boxes} = <<{total}/{boxes}={each}>>{each} pens.\n#### {each}"
    for one in made(problem(question, solution), 3):
        pens, into = find_numerals(one.question)
        assert pens.value % into.value == 0
        assert Fraction(one.answer or "") == pens.value / into.value
