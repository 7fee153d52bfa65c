"""Solutions read as computation graphs."""

from fractions import Fraction

import pytest
from hypothesis import given

from chainwright.builders.solution_reader import read_solution
from chainwright.builders.worked import Unreadable
from chainwright.schemas.problem import Problem
from tests.builders.solutions import HALL, PLUMS, worked_problems


def test_operands_resolve_to_results_first_and_then_to_the_question() -> None:
    worked = read_solution(*PLUMS)

    assert [worked.premises(step) for step in range(1, 5)] == [[0], [0, 1], [0, 2], [0, 3]]
    assert [worked.unresolved(step) for step in range(1, 5)] == [[], [], [], []]
    assert worked.answer_computation == 3


def test_a_step_that_nothing_uses_is_a_leaf() -> None:
    worked = read_solution(*HALL)

    assert [worked.premises(step) for step in (1, 2, 3)] == [[0], [0], [0, 1]]


@pytest.mark.parametrize(
    ("question", "line", "premises", "unresolved"),
    [
        ("Ann has 10 pens and loses a fifth.", "10 / 5 = <<10/5=2>>2", [0], []),
        ("Ann has 10 pens, Bo twice as many.", "10 * 2 = <<10*2=20>>20", [0], []),
        ("Ann saves 20% of $50.", "50 * .2 = $<<50*.2=10>>10", [0], []),
        ("Ann pays $50 less a 20% discount.", "50 * 0.8 = $<<50*0.8=40>>40", [0], []),
        ("Ann walks for 3 weeks.", "3 * 7 = <<3*7=21>>21", [0], []),
        ("Ann buys three dozen eggs.", "3 * 12 = <<3*12=36>>36", [0], []),
        ("Ann has two-thirds of 9.", "9 * 2 / 3 = <<9*2/3=6>>6", [0], []),
        ("Ann has 10 pens.", "10 * 37 = <<10*37=370>>370", [0], ["37", "37"]),
    ],
)
def test_what_a_question_gives_in_words(
    question: str, line: str, premises: list[int], unresolved: list[str]
) -> None:
    value = line.rpartition(">>")[2]
    worked = read_solution(question, f"{line}\n#### {value}")

    assert worked.premises(1) == premises
    assert worked.unresolved(1) == unresolved


def test_a_number_mentioned_in_prose_is_a_premise_too() -> None:
    solution = (
        "He has 3 * 9 = <<3*9=27>>27 nuts.\nOf the 27 nuts none is bad.\n"
        "He gets 27 * 2 = <<27*2=54>>54.\n#### 54"
    )
    worked = read_solution("Three boxes of 9 nuts at $2 each.", solution)

    assert worked.premises(2) == [1]


def test_an_equation_without_a_mark_counts() -> None:
    worked = read_solution("5 bags of 8 kg, 3 kg lost.", "5 * 8 = 40 kg.\n40 - 3 = 37 kg.\n#### 37")

    assert [c.marked for c in worked.computations] == [False, False]
    assert worked.premises(2) == [0, 1]


@pytest.mark.parametrize(
    ("solution", "reason"),
    [
        ("#### 5", "no_steps"),
        ("2 + 3 = <<2+3=5>>5\n#### five", "no_answer"),
        ("2 + 3 = <<2+3=5>>5", "no_answer"),
        ("2 + 3 = <<2+*3=5>>5\n#### 5", "unparsable_mark"),
        ("2 + 3 = <<2+3>>5\n#### 5", "unparsable_mark"),
        ("2 + 3 = <<2+3=6>>6\n#### 6", "inconsistent_mark"),
        ("2 + 3 = 6 apples\n#### 6", "inconsistent_equation"),
        ("He just knows it is five.\n#### 5", "no_computation"),
        ("2 + 3 = <<2+3=5>>5\n#### 7", "answer_not_computed"),
        ("2 / 0 = <<2/0=5>>5\n#### 5", "inconsistent_mark"),
        ("x = <<__import__('os')=5>>5\n#### 5", "unparsable_mark"),
        ("x = <<9^9^9^9=5>>5\n#### 5", "inconsistent_mark"),
    ],
)
def test_what_cannot_be_read_says_why(solution: str, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_solution("2 apples and 3 pears.", solution)

    assert caught.value.reason == reason
    assert str(caught.value)


@pytest.mark.parametrize("line", ["#### -1,200 ", "A: -1,200"])
def test_the_answer_line_may_have_commas_and_signs(line: str) -> None:
    worked = read_solution("300 below, 4 times.", f"-300 * 4 = <<-300*4=-1200>>-1,200\n\n{line}")

    assert len(worked.steps) == 1
    assert worked.answer == Fraction(-1200)


@given(worked_problems())
def test_random_graphs_resolve_completely(problem: Problem) -> None:
    worked = read_solution(problem.question, problem.solution or "")

    for step in range(1, len(worked.steps) + 1):
        assert worked.unresolved(step) == []
        assert all(0 <= premise < step for premise in worked.premises(step))
