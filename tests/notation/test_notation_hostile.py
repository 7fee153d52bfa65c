"""Text made to break the reading of it: refused with a reason, or nothing found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.notation.equations import MAX_TEXT, find_equations, side_numbers
from chainwright.notation.expression import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_TOKENS,
    Expression,
    ExpressionError,
    evaluate,
    numbers_in,
    operations_in,
    parse,
    render,
)
from chainwright.notation.givens import Givens
from chainwright.notation.latex import plain
from chainwright.notation.marks import find_marks, holds
from chainwright.notation.numerals import MAX_DIGITS, find_numerals

COPRIME = [f"1/({'9' * 39}{digit})^6" for digit in "13579"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(" * 3000 + "1" + ")" * 3000, "6001 characters"),
        ("(" * 3000, "3000 characters"),
        ("(" * 99 + "1" + ")" * 99, f"nested deeper than {MAX_DEPTH}"),
        ("-" * 150 + "1", f"nested deeper than {MAX_DEPTH}"),
        ("2^" * 90 + "2", f"nested deeper than {MAX_DEPTH}"),
        ("1" + "%" * 900, f"the limit is {MAX_TOKENS}"),
        ("1+" * 400 + "1", f"the limit is {MAX_TOKENS}"),
        ("9" * 5000, "5000 characters"),
        ("9" * 500, f"500 digits; the limit is {MAX_DIGITS}"),
        ("0." + "3" * 200, "202 digits"),
        ("1 1/" + "3" * 200, "204 digits"),
        ("9^9^9^9", "exponent"),
        ("9^9^9", "exponent 387420489"),
        ("2^99999999999", "exponent 99999999999"),
        ("2^-65", "exponent -65"),
        ("4^0.5", "exponent 1/2"),
        ("((9^64)^64)^64", "bits"),
        ("*".join(["9" * 40] * 20), "bits"),
        ("1" + "%" * 190, "bits"),
        ("+".join(COPRIME), "bits"),
        (f"2^({'+'.join(COPRIME)})", "bits"),
        ("1/" * 90 + "0", "division by zero"),
        ("1\0", "at character 2"),
        ("\ud800+1", "at character 1"),
        ("1+\udfff", "at character 3"),
        ("__import__('os')", "at character 1"),
        ("(lambda: 1)()", "`l` at character 2"),
        ("1;2", "`;` at character 2"),
        ("1e999", "`e` at character 2"),
        (" " * MAX_LENGTH, "ends where a number"),
        ("1" + " " * MAX_LENGTH, "characters; the limit"),
    ],
)
def test_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        evaluate(parse(text))


def test_the_largest_trees_are_walked_without_recursion_limits() -> None:
    wide = "1+" * (MAX_TOKENS // 2 - 1) + "1"
    deep = "1" + "%" * (MAX_TOKENS - 1)
    for text in (wide, deep):
        tree = parse(text)
        assert tree == parse(text)
        assert hash(tree) == hash(parse(text))
        assert len(repr(tree)) > len(text)
        assert render(tree) == text
        assert (
            len(list(numbers_in(tree))) + len(list(operations_in(tree))) == text.count("1") * 2 - 1
        )
    assert evaluate(parse(wide)) == MAX_TOKENS // 2


def nested(depth: int) -> str:
    return "(" * depth + "1" + ")" * depth


def test_nesting_is_read_up_to_the_limit() -> None:
    assert evaluate(parse(nested(MAX_DEPTH - 1))) == 1
    with pytest.raises(ExpressionError, match="nested"):
        parse(nested(MAX_DEPTH))


@pytest.mark.parametrize(
    "text",
    [
        "<<__import__('os')=1>>",
        "<<" + "(" * 3000 + "=1>>",
        "<<" + "9" * 5000 + "+1=1>>",
        "<<9^9^9^9=9>>",
        "<<1/0=1>>",
        "<<" * 500,
        ">>" * 500,
        "<<<>>>",
        "<<\0=\0>>",
        "9^9^9^9 = 5",
        "2^99999999 = 5",
        "1/0 = 5",
        "9" * 5000 + " + 1 = 2",
        "1 + 1 = " + "9" * 5000,
        f"2^({'+'.join(COPRIME)}) = 2",
        "1" + "%" * 900 + " + 1 = 2",
        "1 +\0 1 = 2",
        "1 + \ud800 = 2",
    ],
)
def test_nothing_is_found(text: str) -> None:
    assert find_equations(text) == []
    assert find_equations(plain(text)) == []
    assert not any(holds(mark) for mark in find_marks(text))


@pytest.mark.parametrize(
    "text",
    [
        "<<1+1=2",
        "1+1=2>>",
        "<<1+1=2>",
        "<<<1+1=2>>>",
        "<<1+1=2>> <<",
        "(" * 3000 + "1+1=2" + ")" * 3000,
        "\0" * 3000 + "1+1=2\0",
        "\ud8001+1=2\udfff",
        "$" * 3000 + "1+1=2",
    ],
)
def test_one_equation_is_found_among_debris(text: str) -> None:
    (equation,) = find_equations(text)
    assert (equation.left.text, equation.right.text, equation.holds) == ("1+1", "2", True)


def test_long_digits_are_no_numerals() -> None:
    assert find_numerals("9" * 5000) == []
    assert find_numerals("9" * MAX_DIGITS)[0].value == int("9" * MAX_DIGITS)
    assert find_numerals("9" * (MAX_DIGITS + 1)) == []
    assert find_numerals(",".join(["9" * 3] * 2000)) == []
    read = Givens("9" * 5000 + " thirds of " + "9" * 5000 + "%")
    assert max(given.value for given in read.all) <= 100


@pytest.mark.parametrize("before", ["", "3 + 4 = 7 ", "<<3+4=7>>", "9" * 5000, "\0\ud800 "])
def test_text_is_read_up_to_a_limit(before: str) -> None:
    filler = "." * (MAX_TEXT - len(before))
    found = find_equations(f"{before}{filler} 5 + 5 = 10 <<5+5=10>>")
    assert all(equation.right.value == 7 for equation in found)
    assert bool(found) == ("7" in before)


FRAGMENTS = (
    *(
        "0",
        "7",
        "1,000",
        ".5",
        "3.25",
        "1 1/2",
        "½",
        "²",
        "٣",
        "9" * 45,
        "+",
        "-",
        "−",
        "*",
        "/",
        "÷",
    ),
    *(
        "x",
        "^",
        "**",
        "=",
        "=",
        "≈",
        "equals",
        "(",
        ")",
        "[",
        "{",
        "}",
        "%",
        "$",
        " ",
        "\n",
        ".",
        ",",
    ),
    *(
        ":",
        ";",
        "!",
        "apples",
        "a",
        "of",
        "is",
        "times",
        "divided by",
        "<<",
        ">>",
        "<",
        "->",
        "\\pi",
    ),
    *(
        "\\frac",
        "\\sqrt",
        "\\",
        "√",
        "\0",
        "\ud800",
        "\u017fix",
        "twenty",
        "hundred",
        "half",
        "th",
        "&",
    ),
)
HOSTILE = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join),
    st.text(st.sampled_from("0123456789+-*/^=(). x$%<>\n"), max_size=60),
    st.text(st.characters(), max_size=30),
)


def read_back(tree: Expression) -> bool:
    return parse(render(tree)) == tree


@settings(max_examples=300)
@given(HOSTILE)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tree = parse(text)
        assert read_back(tree)
        evaluate(tree)
    except ExpressionError as error:
        assert str(error)
    for equation in find_equations(text) + find_equations(text, marks=False):
        assert equation.holds in (True, False)
        for side in (equation.left, equation.right):
            assert text[slice(*side.span)] == side.text
            assert all(text[slice(*number.span)] == number.text for number in side_numbers(side))
            assert read_back(side.expression)
    assert all(text[n.start : n.end] == n.text for n in find_numerals(text))
    assert all(given.value >= 0 for given in Givens(text).all)
    assert all(mark.fault or mark.left for mark in find_marks(plain(text)))
