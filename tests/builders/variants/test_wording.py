"""Which numbers of a question are free, and within which bounds."""

from fractions import Fraction

import pytest

from chainwright.builders.variants.values import options
from chainwright.builders.variants.wording import (
    Quantity,
    changeable,
    is_conditional,
    is_reached,
    kind_of,
)
from chainwright.notation.numerals import find_numerals


def the(question: str) -> Quantity:
    (quantity,) = changeable(question)
    return quantity


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Ann has 30 pens and 12 cups.", [30, 12]),
        ("Ann has one pen and 0 cups.", []),
        ("Ann has half of 12 cups.", [12]),
        ("Ann has ½ of 12 cups.", [12]),
        ("Ann has 2 and a half cups.", []),
        ("The ratio is 2:3.", []),
        ("In 1999 she had 12 cups.", [12]),
        ("She drives 1999 miles.", [1999]),
        ("She reads page 12.", []),
        ("She drives 60 miles an hour and pays 3 dollars a gallon.", [60, 3]),
        ("A yard is 3 feet.", []),
        ("She has 3 kinds of fruit: apples, pears and plums.", []),
        ("Ann has 12 cups. Bo has 12 pens.", []),
        ("Ann has 12 cups. The 12 cups are red.", [12]),
    ],
)
def test_free_numbers(question: str, values: list[int]) -> None:
    assert [quantity.value for quantity in changeable(question)] == values


@pytest.mark.parametrize(
    ("question", "forms"),
    [
        (
            "a tax of 20%",
            {
                "share": "1/5",
                "rest": "4/5",
                "grown": "6/5",
                "rest_percent": 80,
                "grown_percent": 120,
            },
        ),
        ("25 cents", {"dollars": "1/4"}),
        ("3 dozen eggs", {"scaled": 36}),
        ("3 eggs", {}),
    ],
)
def test_forms(question: str, forms: dict[str, str | int]) -> None:
    quantity = the(question)
    expected = {form: Fraction(value) for form, value in forms.items()}
    assert quantity.forms(quantity.value) == {"itself": quantity.value, **expected}


@pytest.mark.parametrize(
    ("question", "least", "most", "step"),
    [
        ("60 pens", 30, 120, 10),
        ("25 pens", 15, 50, 5),
        ("7 pens", 4, 14, 1),
        ("2 pens", 2, 5, 1),
        ("a tax of 80%", 40, 95, 5),
        ("5 days a week", 3, 7, 1),
        ("She can bike at 25 mph", 15, 30, 5),
        ("She walks at 4 miles per hour", 2, 6, 1),
        ("She drives at 25 mph", 15, 50, 5),
        ("8 hours a day", 4, 12, 1),
        ("she is 60 years old", 30, 80, 10),
        ("sixty pens", 30, 90, 10),
    ],
)
def test_options(question: str, least: int, most: int, step: int) -> None:
    found = options(the(question))
    assert list(found) == [Fraction(value) for value in range(least, most + 1, step)]


def test_options_of_prices_keep_their_cents() -> None:
    found = options(the("it costs $2.50"))
    assert min(found) == Fraction("1.5")
    assert max(found) == Fraction("4.5")
    assert all(value.denominator == 2 for value in found)


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("She gets a bonus for more than 40 hours.", "more than 40"),
        ("Which is cheaper, 3 pens at $2 or one?", "cheaper"),
        ("She has 5 more than Bo.", None),
    ],
)
def test_conditions(question: str, what: str | None) -> None:
    assert is_conditional(question) == what


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("It rose from 3 dollars to 5 dollars.", True),
        ("His speed has increased to 5 WPM.", True),
        ("They were reduced by a third to $5.", True),
        ("She went to 5 shops.", False),
        ("It rose by 5 dollars.", False),
    ],
)
def test_what_another_number_rose_or_fell_to(question: str, is_so: bool) -> None:
    assert is_reached(question, find_numerals(question)[-1]) == is_so


def test_kinds() -> None:
    question = "$5, 20% and 3 red pens"
    assert [kind_of(question, one) for one in find_numerals(question)] == ["$", "%", "red"]
