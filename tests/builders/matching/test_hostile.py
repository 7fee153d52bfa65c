"""Inputs that are made to hang, to raise or to fool."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.builders.matching import Match, match
from chainwright.builders.matching.case import Case
from chainwright.builders.matching.rules import MAX_LENGTH, decide
from chainwright.schemas.words import AnswerKind

SEVENS = "7" * 5000
DEEP = "(" * 3000 + "1" + ")" * 3000


@pytest.mark.parametrize(
    ("expected", "given", "verdict"),
    [
        (SEVENS, SEVENS, "equal"),
        (SEVENS, f"${SEVENS}", "equal"),
        (SEVENS, SEVENS[:-1] + "8", "different"),
        (SEVENS, SEVENS[:-1], "different"),
        ("7" * (MAX_LENGTH + 1), "7" * (MAX_LENGTH + 1), "equal"),
        ("7" * (MAX_LENGTH + 1), "8", "undecided"),
        (DEEP, DEEP, "equal"),
        (DEEP, "1", "undecided"),
        ("9^{9^{9^9}}", "9^{9^{9^9}}", "equal"),
        ("9^{9^{9^9}}", "387420489", "undecided"),
        ("x^" * 200 + "2", "x", "undecided"),
        (r"\sqrt{" * 60 + "2" + "}" * 60, "1", "undecided"),
        (r"\frac{1}{" * 900 + "2" + "}" * 900, "1", "undecided"),
        ("1e999999999", "1", "undecided"),
        ("1e400", "1e401", "undecided"),
        ("1/" * 4000 + "1", "1", "undecided"),
        ("5 cm " * 1900, "3", "undecided"),
        ("1, " * 3000 + "1", "1", "undecided"),
        (r"\pm" * 3000, "2", "undecided"),
        (r"\boxed{" * 1400, "2", "undecided"),
        (r"\begin{pmatrix}" * 600, "2", "undecided"),
        ("a" * 9000, "b" * 9000, "undecided"),
        ("$" * 9000, "5", "undecided"),
        ("-" * 9000, "-1", "undecided"),
        ("\x00", "\x00", "undecided"),
        ("\ud800", "\ud801", "undecided"),
        ("5\x00", "5", "undecided"),
        ("1/0", "0", "undecided"),
        (r"\frac{0}{0}", "0", "undecided"),
        ("__import__('os').getpid()", "1", "undecided"),
    ],
)
def test_limits_end_in_a_verdict(expected: str, given: str, verdict: str) -> None:
    assert match(expected, given).verdict == verdict
    assert match(given, expected).verdict == verdict


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ("18", "not 18"),
        ("18", "It is not 18."),
        ("18", "more than 18 dollars"),
        ("18", "at least 18"),
        ("18", "18 or 19"),
        ("18", "18 is wrong"),
        ("18", "minus 18 of them"),
        ("18", "between 10 and 18"),
        ("12", "12 percent of 50"),
        ("2", "2 out of 3"),
        ("3", "3-4"),
        ("-1", "3-4"),
        ("50", "50/50/50"),
        ("1/2", "1:2"),
        ("no", "no one knows"),
        ("0", "none"),
        ("xy", "yx"),
        ("35 of them", "3.5 of them"),
        ("x'", "x"),
        ("f(x)", "x"),
        ("aA", "Aa^1"),
        ("2 3", "5"),
        ("2 3", "6"),
        ("3R^2 + r", "3r^2 + R"),
        (r"\Gamma", "0.5772"),
        ("100", "1 00"),
        ("(1,000)", "1000.5"),
    ],
)
def test_likeness_is_no_equality(expected: str, given: str) -> None:
    assert match(expected, given).verdict != "equal"
    assert match(given, expected).verdict != "equal"


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ("1,5", "1.5"),
        ("1.500", "1500"),
        ("1/2", "0.5 approximately"),
        ("5", "5 (five)"),
        ("United Kingdom", "the UK"),
        ("New York City", "NYC"),
        ("J. K. Rowling", "JK Rowling"),
        ("3 pm", "15:00"),
        ("Anna and Bob", "Bob and Anna"),
        ("second", "2nd"),
        ("1990s", "the nineties"),
        ("18", "18\u200b"),
        ("x > 3 and x < 5", "(3, 5)"),
        ("2/3", "0.667"),
        (r"\log 5", r"\ln 5"),
        (r"\sqrt[3]{-45}", r"-\sqrt[3]{45}"),
        ("5 km", "3.1 miles"),
        ("£5", "5 pounds"),
        ("100 °C", "100 degrees"),
        ("a + b", "b + a"),
        (r"k\pi, k \in \mathbb{Z}", r"n\pi"),
    ],
)
def test_another_way_to_write_is_never_different(expected: str, given: str) -> None:
    assert match(expected, given).verdict != "different"
    assert match(given, expected).verdict != "different"


def offline(request: Mapping[str, str]) -> Mapping[str, str]:
    return {"fault": "no worker in this test"}


def decided(
    expected: str, given: str, kind: AnswerKind | None = None, options: tuple[str, ...] = ()
) -> Match:
    return decide(expected, given, Case("", options, kind, offline, decide))


FRAGMENTS = (
    r"1 2 12 0 .5 1/2 1,000 - + * / ^ ( ) [ ] { } \{ \} \frac \frac{1}{2} \sqrt \boxed{ \text{ "
    r"\left \right \pi x y i = < > \le \ne \cup \infty , ; and or yes no C (C) A. $ \$ € % \% "
    r"cm km dollars \\ & \begin{pmatrix} \end{pmatrix} \pm ^\circ #### ** _ _{11} ! | ... "
    r"\overline{3} 1e3 twelve half million of the not ² ½ − ° per hour 0.333 \binom sin sqrt( "
    r"\in \mathbb{R}"
).split()
PIECES = st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3), st.just(" "))
ANSWERS = st.lists(PIECES, max_size=10).map("".join)
KINDS: st.SearchStrategy[AnswerKind | None] = st.sampled_from(
    (None, "number", "expression", "option", "text")
)
OPTIONS = st.sampled_from(((), ("1", "2", "A. yes", "cm")))


@given(ANSWERS, ANSWERS, KINDS, OPTIONS)
@settings(max_examples=400)
def test_nothing_raises_and_no_order_contradicts_the_other(
    one: str, two: str, kind: AnswerKind | None, options: tuple[str, ...]
) -> None:
    verdicts = {decided(one, two, kind, options).verdict, decided(two, one, kind, options).verdict}
    assert verdicts != {"equal", "different"}


@given(ANSWERS, KINDS, OPTIONS)
@settings(max_examples=300)
def test_an_answer_is_itself(text: str, kind: AnswerKind | None, options: tuple[str, ...]) -> None:
    readable = any(char.isalnum() for char in text)
    verdict = decided(text, text, kind, options).verdict
    assert verdict == "equal" if readable else verdict in {"equal", "undecided"}


NUMBERS = st.fractions(max_denominator=10**6).filter(lambda value: abs(value) < 10**15)
WRITTEN = (
    lambda n: f"{n.numerator}/{n.denominator}",
    lambda n: rf"\frac{{{n.numerator}}}{{{n.denominator}}}",
    lambda n: rf"$\dfrac{{{n.numerator}}}{{{n.denominator}}}$",
    lambda n: f"The answer is {n.numerator}/{n.denominator}.",
    lambda n: f"x = {n.numerator}/{n.denominator}",
)


@given(NUMBERS, NUMBERS, st.sampled_from(WRITTEN), st.sampled_from(WRITTEN))
def test_numbers_are_told_apart_exactly(
    one: Fraction, two: Fraction, left: object, right: object
) -> None:
    assert callable(left) and callable(right)
    assert decided(left(one), right(one)).verdict == "equal"
    assert decided(left(one), right(two)).verdict == ("equal" if one == two else "different")


@given(st.integers(), st.integers())
def test_whole_numbers_in_their_forms(one: int, two: int) -> None:
    for text in (f"{one:,}", f"${one:,}.00", f"{one} dollars", f"{one}.0"):
        assert decided(str(one), text).verdict == "equal"
        assert decided(str(two), text).verdict == ("equal" if one == two else "different")
