"""Numerals: where they stand, what they are worth, and the way back to text."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.notation.marks import find_marks
from chainwright.notation.numerals import (
    MAX_DIGITS,
    Numeral,
    blank,
    decimal_text,
    find_numerals,
    literal_value,
    render_like,
    round_to,
)

FRAGMENTS = (
    *("7", "12", "1,250", "3.5", "$4", "€ 2.50", ".75", "2½", "¾", "60%", "25 %", "B2", "x7"),
    *("one", "Twenty-five", "two hundred and five", "nine million", "zero", "ninety-", "tone"),
    *(
        "and",
        "apples",
        "of",
        "-",
        "−",
        ",",
        ".",
        "/",
        ":",
        "(",
        ")",
        "\n",
        "\t",
        "\u00a0",
        "\u017fix",
    ),
    *("f\u0131ve", "٣", "²", "\0", "\ud800", "1,2,3", "1,0000", "007", "5."),
)
MODELS = ("7", "1,250", "3.50", "2.5", ".75", "12,000.00", "0.125", "three", "Forty-two", "2½")
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(" ".join)
DECIMALS = st.builds(
    Fraction, st.integers(-(10**9), 10**9), st.sampled_from((1, 2, 4, 5, 10, 100, 1000, 10**4))
)


def only(text: str) -> Numeral:
    (numeral,) = find_numerals(text)
    return numeral


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("no number here", []),
        ("3 hens and 12 ducks", [3, 12]),
        ("$1,250.75 in all", ["1250.75"]),
        ("1,250,000 grains", [1250000]),
        ("rows 1,2,3", [1, 2, 3]),
        (".5 and 0.25", ["0.5", "0.25"]),
        ("2½ cups, ¾ cup, 1 ⅓ cups", ["5/2", "3/4", "4/3"]),
        ("bus B2, item_9, x7", []),
        ("90° and #4", [90, 4]),
        ("the end is 5.", [5]),
        ("at 3:45", [3, 45]),
        ("one hen, Two ducks, THREE geese", [1, 2, 3]),
        ("twenty-five", [25]),
        ("twenty five", [25]),
        ("two hundred and five", [205]),
        ("one two", [1, 2]),
        ("three thousand four hundred twenty", [3420]),
        ("a million", [1000000]),
        ("two million one hundred thousand", [2100000]),
        ("ninety and nine", [99]),
        ("someone, often, height, sixth, seventies", []),
        ("one-third", [1]),
        ("fifty 3", [50, 3]),
        ("٣ apples", [3]),
        ("\u017fix, f\u0131ve", []),
    ],
)
def test_values_in_order(text: str, values: list[str | int]) -> None:
    assert [numeral.value for numeral in find_numerals(text)] == [Fraction(v) for v in values]


@pytest.mark.parametrize(
    ("text", "currency", "percent", "word", "decimals"),
    [
        ("$5", True, False, False, 0),
        ("€ 5.20", True, False, False, 2),
        ("₹1,000", True, False, False, 0),
        ("5$", False, False, False, 0),
        ("60%", False, True, False, 0),
        ("12.5 %", False, True, False, 1),
        ("60 percent", False, False, False, 0),
        ("seven", False, False, True, 0),
        ("2½", False, False, False, 0),
    ],
)
def test_signs_around(text: str, currency: bool, percent: bool, word: bool, decimals: int) -> None:
    numeral = only(text)
    seen = (numeral.currency, numeral.percent, numeral.word, numeral.decimals)
    assert seen == (currency, percent, word, decimals)


@given(TEXTS)
def test_spans_enclose_the_text_and_keep_apart(text: str) -> None:
    found = find_numerals(text)
    assert all(text[numeral.start : numeral.end] == numeral.text for numeral in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


@given(st.lists(st.sampled_from((*FRAGMENTS, "<<2*3=6>>", "<<1=1>>")), max_size=12).map("".join))
def test_numerals_never_reach_into_hidden_marks(text: str) -> None:
    hidden = [mark.span for mark in find_marks(text)]
    for numeral in find_numerals(text, hidden):
        assert text[numeral.start : numeral.end] == numeral.text
        assert all(numeral.end <= start or end <= numeral.start for start, end in hidden)


def test_blank_keeps_every_place() -> None:
    assert blank("a <<1=1>> b", [(2, 9)]) == "a         b"
    assert blank("abc", []) == "abc"
    assert blank("abc", [(1, 99), (0, 1)]) == "   "


@given(DECIMALS, st.sampled_from(MODELS))
def test_rendered_like_a_model_reads_back(value: Fraction, model: str) -> None:
    written = render_like(value, only(model))
    if written is None:
        assert only(model).word
        return
    assert written.startswith("-") == (value < 0)
    found = find_numerals(written)
    assert [numeral.value for numeral in found] == [abs(value)]
    assert found[0].text == written.removeprefix("-")


@pytest.mark.parametrize(
    ("value", "model", "written"),
    [
        ("1234.5", "1,000", "1,234.5"),
        ("1234.5", "7.25", "1234.50"),
        ("-1/2", "1,000", "-0.5"),
        ("-1234", "9,999", "-1,234"),
        ("1/20", ".5", ".05"),
        ("3", ".25", "3.00"),
        ("0", ".25", ".00"),
        ("0", ".5", "0"),
        ("0.125", "2.50", "0.125"),
        (str(10**13), "2.50", f"{10**13}.00"),
        ("24", "Seven", "Twenty-four"),
        ("0", "seven", "zero"),
        ("100", "seven", None),
        ("-3", "seven", None),
        ("1/2", "seven", None),
        ("1/3", "7", None),
        ("1/100000", "7", None),
        (str(10**MAX_DIGITS), "7", None),
        (str(10 ** (MAX_DIGITS - 1)), "1,000", None),
    ],
)
def test_render_like(value: str, model: str, written: str | None) -> None:
    assert render_like(Fraction(value), only(model)) == written


@given(st.integers(0, 99))
def test_number_words_read_back(number: int) -> None:
    written = render_like(Fraction(number), only("one"))
    assert written is not None
    assert only(written).value == number


@given(DECIMALS)
def test_decimal_text_is_exact_and_shortest(value: Fraction) -> None:
    written = decimal_text(value)
    assert written is not None
    assert Fraction(written) == value
    assert "." not in written or written[-1] not in "0."


def test_decimal_text_refuses_what_needs_more_places() -> None:
    assert decimal_text(Fraction(1, 8), most=2) is None
    assert decimal_text(Fraction(1, 8), most=3) == "0.125"
    assert decimal_text(Fraction(5), most=0) == "5"


@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        ("2.5", 0, "3"),
        ("-2.5", 0, "-3"),
        ("2.4999", 0, "2"),
        ("1.005", 2, "1.01"),
        ("-0.004", 2, "0"),
        ("2/3", 3, "0.667"),
    ],
)
def test_round_to_is_half_away_from_zero(value: str, places: int, rounded: str) -> None:
    assert round_to(Fraction(value), places) == Fraction(rounded)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,250.50", "1250.5"), (".5", "1/2"), ("5.", "5"), ("1 1/2", "3/2"), ("007", "7")],
)
def test_literal_value(text: str, value: str) -> None:
    assert literal_value(text) == Fraction(value)


def test_a_word_number_has_a_longest_form() -> None:
    longest = "nine hundred ninety nine million nine hundred ninety nine thousand nine hundred"
    assert only(f"{longest} ninety nine").value == 999_999_999
    values = [numeral.value for numeral in find_numerals("hundred two " * 500)]
    assert max(values) < 10**16
