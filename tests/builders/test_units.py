from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.builders.units import conversions, is_unit, read_unit


@pytest.mark.parametrize(
    ("text", "dimension", "factor"),
    [
        ("cm", (("length", 1),), "1/100"),
        ("Kilometers", (("length", 1),), "1000"),
        ("in", (("length", 1),), "127/5000"),
        ("cm^{2}", (("length", 2),), "1/10000"),
        ("sq. ft", (("length", 2),), "145161/1562500"),
        ("meters squared", (("length", 2),), "1"),
        ("cubic centimeters", (("length", 3),), "1/1000000"),
        ("mL", (("length", 3),), "1/1000000"),
        ("cups of feed", (("length", 3),), "473176473/2000000000000"),
        ("miles per hour", (("length", 1), ("time", -1)), "1397/3125"),
        ("mph", (("length", 1), ("time", -1)), "1397/3125"),
        ("dollars", (("dollar", 1),), "1"),
        ("cents", (("dollar", 1),), "1/100"),
        ("° C", (("celsius", 1),), "1"),
        ("degrees", (("angle", 1),), "1"),
        ("years old", (("calendar", 1),), "12"),
        ("apples", None, "1"),
    ],
)
def test_read_unit(text: str, dimension: object, factor: str) -> None:
    unit = read_unit(text)
    assert unit is not None
    assert (unit.dimension, unit.factor) == (dimension, Fraction(factor))


@pytest.mark.parametrize("text", ["", "units", "square units", "in total", "altogether."])
def test_words_that_name_no_unit(text: str) -> None:
    assert read_unit(text) is None


def test_a_unit_below_the_line() -> None:
    weekly, plain = read_unit("$ per week"), read_unit("$")
    assert weekly is not None
    assert plain is not None
    assert (weekly.per, plain.per) == (True, False)
    assert weekly.is_money
    assert weekly.dimension == (("dollar", 1), ("time", -1))


def test_conversions() -> None:
    centimeter, apple = read_unit("cm"), read_unit("apple")
    assert centimeter is not None
    assert apple is not None
    assert {Fraction(10), Fraction(1, 100), Fraction(1, 100_000)} <= conversions(centimeter)
    assert Fraction(1) not in conversions(centimeter)
    assert conversions(apple) == frozenset()


@pytest.mark.parametrize(("word", "known"), [("km", True), ("feet", True), ("x", False)])
def test_is_unit(word: str, known: bool) -> None:
    assert is_unit(word) is known


@given(st.text())
def test_any_text_is_read_or_not(text: str) -> None:
    unit = read_unit(text)
    assert unit is None or (unit.words and unit.factor > 0)
