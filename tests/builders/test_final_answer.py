import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.builders.final_answer import final_answer_of, find_final_answer


@pytest.mark.parametrize(
    ("text", "answer", "rule"),
    [
        (
            r"so $x = \boxed{\frac{1}{2}}$ and $\boxed{\frac{\sqrt{3}}{2}}$.",
            r"\frac{\sqrt{3}}{2}",
            "box",
        ),
        (r"It is $\boxed 5$ now.", "5", "box"),
        (r"\fbox{7}", "7", "box"),
        ("5 + 3 = 8\n#### 8", "8", "mark"),
        ("#### 7\nno\n#### 1,000", "1,000", "mark"),
        ("2 + 2 = 4\nA: 4", "4", "line"),
        ("Thinking.\nAnswer: (C)", "(C)", "line"),
        ("So we add.\nThe answer is: 10", "10", "phrase"),
        (r"So. The answer is: $\frac{1}{2}$.", r"\frac{1}{2}", "phrase"),
        ("Thus the final answer is 18 dollars. Well done!", "18 dollars", "phrase"),
        ("**Answer:** 12 eggs", "12 eggs", "line"),
        ("3 * 4 = 12\nSo she has **12 eggs**.", "12 eggs", "bold"),
        ("We take 3 + 4.\nTherefore she has 3 + 4 = 7.", "7", "equation"),
        ("9 (balls) - 5 (lent) = 4 balls left.", "4", "equation"),
        ("Total = $3 * 4 = $12\nTherefore, she pays $12 in 4 weeks.", "$12", "prose"),
        ("So, the distance is 0.7 kilometers.", "0.7 kilometers", "prose"),
        ("Therefore, the area is 216 square centimeters.", "216 square centimeters", "prose"),
        ("The sum of all odd numbers from 1 to 20 is 100.", "100", "prose"),
        ("The share is 3/4 of it.", "3/4", "prose"),
        ("Therefore, Melanie started with 12 vacuum cleaners.", "12", "prose"),
        ("It falls to −5.\n\nIf you need further assistance, feel free to ask.", "−5", "prose"),
    ],
)
def test_an_answer_and_its_rule(text: str, answer: str, rule: str) -> None:
    found = find_final_answer(text)
    assert (found.answer, found.rule) == (answer, rule)
    assert final_answer_of(text) == answer


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the text is empty"),
        (" \n", "the text is empty"),
        (r"It is \boxed{3} or \boxed{4", "the last box has no closing brace"),
        ("Junsu drank more milk than Jimin.", "no number in the last sentence"),
        ("Therefore, A is 433 and B is 43.3.", "several numbers in the last sentence"),
        ("Circle C, with a radius of 3 cm, is the smallest.", "no number in the last sentence"),
        ("Let me know.", "no sentence"),
    ],
)
def test_no_answer_has_a_reason(text: str, reason: str) -> None:
    found = find_final_answer(text)
    assert (found.answer, found.rule, found.reason) == (None, "none", reason)


def test_the_question_helps() -> None:
    text = "There are 5 possible digits for A in 18A4 to make it less than 1853."
    assert final_answer_of(text) is None
    assert final_answer_of(text, question="Below 1853, how many digits can A be?") == "5"
    text = "Heejin drinks the most with 2 liters."
    assert find_final_answer(text).answer is None
    text = "Heejin drinks the most, namely 2 liters."
    assert final_answer_of(text) == "2 liters"
    found = find_final_answer(text, question="There are three. Who drinks the most?")
    assert (found.answer, found.reason) == (None, "the question asks for no number")


@pytest.mark.parametrize(
    "piece", ["1 ", "= 5 ", r"\boxed{", "the answer is ", "**a", "#### 5\n", "1/"]
)
def test_long_texts(piece: str) -> None:
    found = find_final_answer(piece * 30_000)
    assert (found.answer is None) == (found.rule == "none")


@given(st.text())
def test_any_text(text: str) -> None:
    found = find_final_answer(text, question=text)
    assert (found.answer is None) == (found.rule == "none")
    assert found.reason
    assert found.answer is None or found.answer.strip()
