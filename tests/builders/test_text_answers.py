"""Answers in words and letters: exact match, word F1, and what stays undecided."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.builders.grading import answer_f1, matches_answer
from chainwright.builders.option_answers import same_option, stated_letter
from chainwright.builders.text_answers import exact_match, normalised, same_text, word_f1
from chainwright.schemas.problem import Passage, Problem

HOLM = ["Ida M. Holm", "Ida Holm"]


def test_words_that_count() -> None:
    assert normalised("The  Ferry “Anna”, of-Norrvik!") == ["ferry", "anna", "ofnorrvik"]
    assert normalised("The A") == ["the", "a"]
    assert normalised("…") == []


def test_the_best_alias_counts() -> None:
    assert exact_match("the ida holm", HOLM)
    assert not exact_match("", [""])
    assert word_f1("Ida Berg", HOLM) == 0.5
    assert word_f1("Ida", HOLM) == pytest.approx(2 / 3)
    assert word_f1("no", ["no way"]) == word_f1("x", []) == word_f1("", ["x"]) == 0.0


@pytest.mark.parametrize(
    ("given", "golds", "verdict"),
    [
        ("Ida Holm.", HOLM, True),
        ("two", ["2"], True),
        ("Yes, since both are.", ["yes"], True),
        ("no", ["yes"], False),
        ("Per Lund", HOLM, False),
        ("1987", ["1986"], False),
        ("3 May 1987", ["3 May 1986"], False),
        ("north end of the old harbour", ["south bay of Norrvik"], False),
        ("3 May 1902", HOLM, False),
        ("60th parallel", ["Mystic River"], False),
        ("ARN", ["Stockholm Arlanda Airport"], None),
        ("WW2", ["World War II"], None),
        ("about a dozen", ["12"], True),
        ("14", ["Louis XIV"], None),
        ("Holm", HOLM, None),
        ("the mayor Ida Holm of Norrvik", HOLM, None),
        ("Ida Maria Holm", ["I. M. Holm"], None),
        ("USA", ["United States of America"], None),
        ("Kyiv", ["Kiev"], None),
        ("1776-07-04", ["July 4, 1776"], None),
        ("unknown", HOLM, None),
        ("", HOLM, None),
        ("x", ["…"], None),
    ],
)
def test_texts(given: str, golds: list[str], verdict: bool | None) -> None:
    assert same_text(given, golds) is verdict


@given(st.text(max_size=30), st.text(max_size=30))
def test_f1_is_symmetric_and_one_for_the_same_words(one: str, two: str) -> None:
    assert word_f1(one, [two]) == word_f1(two, [one])
    assert 0.0 <= word_f1(one, [two]) <= 1.0
    assert word_f1(one, [one]) == (1.0 if normalised(one) else 0.0)
    assert exact_match(one, [two]) == (
        word_f1(one, [two]) == 1.0 and normalised(one) == normalised(two)
    )


def test_long_answers_are_compared_by_words() -> None:
    assert same_text("word " * 400, ["other " * 300]) is False
    assert same_text("word " * 400 + "holm", ["Holm"]) is None


OPTIONS = ["The Anna sinks.", "The Anna is no ferry.", "Bells ring.", "All is well."]


@pytest.mark.parametrize(
    "given",
    ["B", "b", "(B)", "B.", "**B**", r"\boxed{B}", "Option B", "option (b)", "The answer is B.",
     "<B>", "B. The Anna is no ferry.", "The Anna is no ferry", "B - no bell", "B is correct",
     "So it's B",
     "the second option", "option 2", "The correct answer is B because it has no bell", "{B}"],
)  # fmt: skip
def test_many_ways_to_name_an_option(given: str) -> None:
    assert same_option(given, "B", OPTIONS) is True
    assert same_option(given, "C", OPTIONS) is False


@pytest.mark.parametrize(
    "given",
    ["", "B or C", "both A and B", "not B", "A is wrong, so B", "E", "2", "neither",
     "B. Bells ring.", "B - all is well", "the sixth option", "A ferry has a bell",
     "I think so", "option 9"],
)  # fmt: skip
def test_what_names_no_option_is_undecided(given: str) -> None:
    assert same_option(given, "B", OPTIONS) is None


def test_letters_that_are_words() -> None:
    assert stated_letter("A is correct", OPTIONS) == "A"
    assert stated_letter("I say the last one", OPTIONS) == "D"
    assert stated_letter("A bell rings", OPTIONS) is None


def problem(**more: Any) -> Problem:
    return Problem.build(
        source="s", question="Who?", context=[Passage(ref=1, title="", text="x")], **more
    )


def test_grading_by_the_kind_of_question() -> None:
    text = problem(answer="Ida M. Holm", aliases=["Holm"], answer_kind="text", track="grounding")
    assert (matches_answer(text, "holm"), answer_f1(text, "holm")) == (True, 1.0)
    assert (matches_answer(text, None), answer_f1(text, None)) == (None, None)
    choice = problem(answer="B", options=OPTIONS, answer_kind="option", track="inference")
    assert (matches_answer(choice, "the second option"), answer_f1(choice, "B")) == (True, None)
    sums = problem(answer="12", answer_kind="number")
    assert (matches_answer(sums, "12.0"), answer_f1(sums, "12")) == (True, None)
    assert answer_f1(problem(answer_kind="text", track="grounding"), "x") is None
