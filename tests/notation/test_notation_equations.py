"""Equations: places in the text, marks and prose, and sums made up to be found."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.notation.equations import Equation, Side, find_equations, side_numbers
from chainwright.notation.expression import operations_in, parse
from chainwright.notation.marks import strip_marks
from chainwright.notation.numerals import decimal_text

Claim = tuple[Fraction, Fraction, bool]


def claims(text: str, *, marks: bool = True) -> list[Claim]:
    found = find_equations(text, marks=marks)
    return [(e.left.value, e.right.value, e.holds) for e in found]


def side(text: str, value: str) -> Side:
    return Side((0, len(text)), parse(text), Fraction(value), text)


SIGNS = {"+": ("+", " + ", " plus "), "-": ("-", " - ", " − ", " minus "), "*": ("*", " × ", " x ")}
WRITTEN_SIGNS = tuple(sign.strip() for signs in SIGNS.values() for sign in signs)
BEFORE = ("", "So she has ", "On day one, ", "- ", "(", "Total = ", "It is worth $", "a well-worn ")
BEHIND = ("", ".", " in all.", ")", ", as said.", "\n", " apples; done", "!")
UNITS = ("", " cups", " red pens", " (big)", "/box")


@st.composite
def sums(draw: st.DrawFn) -> tuple[str, Fraction]:
    """`a op b` with two positive numbers, and its value."""
    numbers = [
        Fraction(draw(st.integers(1, 4000)), draw(st.sampled_from((1, 2, 4, 10)))) for _ in "ab"
    ]
    sign = draw(st.sampled_from(tuple(SIGNS)))
    left, right = numbers
    value = {"+": left + right, "-": left - right, "*": left * right}[sign]
    written = [decimal_text(number, most=8) or "" for number in numbers]
    unit = draw(st.sampled_from(UNITS))
    return f"{written[0]}{unit}{draw(st.sampled_from(SIGNS[sign]))}{written[1]}{unit}", value


@given(
    st.sampled_from(BEFORE),
    sums(),
    st.sampled_from(("=", " = ", " equals ", " ≈ ")),
    st.sampled_from(BEHIND),
    st.integers(-3, 3),
)
def test_a_sum_in_a_sentence_is_found_and_recomputed(
    before: str, summed: tuple[str, Fraction], equals: str, behind: str, off: int
) -> None:
    text, value = summed
    stated = decimal_text(value + off * value / 8, most=8)
    assert stated is not None
    if equals == "=" and text[-1].isalpha():
        equals = " = "
    found = find_equations(f"{before}{text}{equals}{stated}{behind}")
    assert [(e.left.value, e.right.value) for e in found] == [(value, Fraction(stated))]
    assert found[0].holds is (Fraction(stated) == value)


@st.composite
def worked(draw: st.DrawFn) -> str:
    """A step with marks whose sums are in the prose too."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        text, value = draw(sums())
        stated = decimal_text(value, most=8)
        body = text.translate(str.maketrans("−×", "-*"))
        bare = "".join(
            c for c in body.replace("plus", "+").replace("minus", "-") if c in "0123456789.+-*x"
        )
        mark = draw(st.sampled_from((f"<<{bare}={stated}>>", "<<broken>>", "<<1+1=3>>", "")))
        parts.append(f"{text} = {mark}{stated}")
    return draw(st.sampled_from((", ", ". ", "\n", " and then ", "; "))).join(parts)


@given(worked())
def test_marks_stripped_or_passed_over_the_prose_reads_the_same(text: str) -> None:
    assert claims(text, marks=False) == claims(strip_marks(text))
    assert len(claims(text)) >= len(claims(text, marks=False))


@given(worked(), st.booleans(), st.booleans())
def test_places_are_those_of_the_text(text: str, strip: bool, marks: bool) -> None:
    if strip:
        text = strip_marks(text)
    found = find_equations(text, marks=marks)
    assert found == sorted(found, key=lambda equation: equation.left.span)
    for equation in found:
        assert equation.left.span[1] < equation.right.span[0]
        for one in (equation.left, equation.right):
            assert text[slice(*one.span)] == one.text
            for number in side_numbers(one):
                assert text[slice(*number.span)] == number.text
                assert one.span[0] <= number.span[0] < number.span[1] <= one.span[1]
            for operation in operations_in(one.expression):
                assert text.startswith(WRITTEN_SIGNS, operation.span[0])


def test_a_word_for_a_sign_is_pointed_at_by_its_first_letter() -> None:
    text = "9 plus 3 divided by 2 = 10.5"
    (equation,) = find_equations(text)
    assert [
        text[o.span[0] :].split(maxsplit=1)[0] for o in operations_in(equation.left.expression)
    ] == [
        "plus",
        "divided",
    ]


@pytest.mark.parametrize(
    ("text", "with_marks", "without"),
    [
        ("6*7 = <<6*7=42>>42", [("6*7", "42"), ("6*7", "42")], [("6*7", "42")]),
        ("He has <<6*7=42>>42 eggs", [("6*7", "42")], []),
        ("$<<3.5*2=7>>7 and 1+1=2", [("3.5*2", "7"), ("1+1", "2")], [("1+1", "2")]),
        ("3 + 4 = <<oops>>7", [("3 + 4", "7")], [("3 + 4", "7")]),
        ("3 + <<1+1=2>>4 = 7", None, [("3 + <<1+1=2>>4", "7")]),
        ("<<9=9>>", [("9", "9")], []),
        ("<<4/0=1>>", [], []),
        ("<<1+1=2", [("1+1", "2")], [("1+1", "2")]),
    ],
)
def test_marks_and_prose(
    text: str, with_marks: list[tuple[str, str]] | None, without: list[tuple[str, str]]
) -> None:
    both = [
        [(e.left.text, e.right.text) for e in find_equations(text, marks=m)] for m in (True, False)
    ]
    assert both[1] == without
    if with_marks is not None:
        assert both[0] == with_marks


@pytest.mark.parametrize(
    ("left", "right", "approximate", "holds"),
    [
        (("3+4", "7"), ("7", "7"), False, True),
        (("10/3", "10/3"), ("3.3", "3.3"), False, True),
        (("3.3", "3.3"), ("10/3", "10/3"), False, False),
        (("99+2", "101"), ("100", "100"), True, True),
        (("99+2", "101"), ("100", "100"), False, False),
        (("99+3", "102"), ("100", "100"), True, False),
        (("1/4", "1/4"), ("25%", "1/4"), False, True),
        (("1/4*100", "25"), ("25%", "1/4"), False, True),
        (("25%", "1/4"), ("100/4", "25"), False, True),
        (("25%*1", "1/4"), ("25", "25"), False, True),
        (("26%*1", "26/100"), ("25", "25"), False, False),
    ],
)
def test_when_an_equation_holds(
    left: tuple[str, str], right: tuple[str, str], approximate: bool, holds: bool
) -> None:
    assert Equation(side(*left), side(*right), approximate).holds is holds


@pytest.mark.parametrize(
    ("text", "alone"), [("7", True), ("-7", True), ("7%", True), ("-(7%)", True), ("7*1", False)]
)
def test_a_side_may_be_a_number_alone(text: str, alone: bool) -> None:
    assert side(text, "7").is_number is alone
