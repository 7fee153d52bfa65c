"""What a question gives to calculate with."""

from fractions import Fraction

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from chainwright.notation.givens import MAX_QUESTION, Givens, Kind, givens


def kinds(text: str, *values: str) -> list[Kind | None]:
    found = [Givens(text).find(Fraction(value)) for value in values]
    return [None if given is None else given.kind for given in found]


@pytest.mark.parametrize(
    ("text", "value", "kind", "written"),
    [
        ("Ana has 48 plums", "48", "stated", "48"),
        ("Ana has seven plums", "7", "stated", "seven"),
        ("a rent of $1,250.50", "1250.5", "stated", "1,250.50"),
        ("half of the plums", "1/2", "stated", "half"),
        ("half of the plums", "2", "implied", "half"),
        ("half of the plums", "50", "implied", "half"),
        ("two thirds of the jars", "2/3", "stated", "two thirds"),
        ("two thirds of the jars", "3", "implied", "two thirds"),
        ("two thirds of the jars", "1/3", "implied", "two thirds"),
        ("three-quarters of a tank", "3/4", "stated", "three-quarters"),
        ("three-quarters of a tank", "1/4", "implied", "three-quarters"),
        ("a third more", "4/3", "implied", "a third"),
        ("5 eighths of the pie", "5/8", "stated", "5 eighths"),
        ("2/5 of the class", "2/5", "stated", "2/5"),
        ("2/5 of the class", "3/5", "implied", "2/5"),
        ("2/5 of the class", "3", "implied", "2/5"),
        ("a ratio of 3:4", "7", "implied", "3:4"),
        ("2½ cups", "5/2", "stated", "2½"),
        ("6 and a half hours", "13/2", "stated", "6 and a half"),
        ("20% off", "1/5", "stated", "20%"),
        ("20% off", "4/5", "implied", "20%"),
        ("20% off", "80", "implied", "20%"),
        ("20% off", "6/5", "implied", "20%"),
        ("20% off", "120", "implied", "20%"),
        ("20% off", "100", "unit", "%"),
        ("12.5 percent of it", "1/8", "stated", "12.5%"),
        ("30 per cent of it", "7/10", "implied", "30%"),
        ("twice as many", "2", "implied", "twice"),
        ("Doubled since", "2", "implied", "Doubled"),
        ("a triple scoop", "3", "implied", "triple"),
        ("quadrupled its size", "4", "implied", "quadrupled"),
        ("a dozen eggs", "12", "implied", "dozen"),
        ("three dozen eggs", "36", "stated", "three dozen"),
        ("5 hundred bricks", "500", "stated", "5 hundred"),
        ("2.5 million trees", "2500000", "stated", "2.5 million"),
        ("3 billion grains", str(3 * 10**9), "stated", "3 billion"),
        ("35 cents each", "7/20", "implied", "35 cents"),
        ("80¢ each", "4/5", "implied", "80 cents"),
        ("the third day", "2", "implied", "third"),
        ("the second day", "1", "implied", "second"),
        ("a century ago", "100", "implied", "century"),
        ("three weeks", "7", "unit", "weeks"),
        ("a year and a day", "12", "unit", "year"),
        ("a year and a day", "365", "unit", "year"),
        ("for an hour", "60", "unit", "hour"),
        ("6 feet tall", "12", "unit", "feet"),
        ("a mile", "5280", "unit", "mile"),
        ("2 gallons", "4", "unit", "gallons"),
        ("5 kg", "1000", "unit", "kg"),
        ("some nickels and dimes", "5", "unit", "nickels"),
        ("the weekend", "2", "unit", "weekend"),
        ("a leap year", "366", "unit", "leap"),
        ("the average of them", "2", "unit", "average"),
        ("a square room", "4", "unit", "square"),
        ("nothing at all", "1", "unit", "one"),
        ("", "1", "unit", "one"),
    ],
)
def test_what_is_given(text: str, value: str, kind: Kind, written: str) -> None:
    found = Givens(text).find(Fraction(value))
    assert found is not None
    assert (found.value, found.kind, found.text) == (Fraction(value), kind, written)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ana has 48 plums", "47"),
        ("Ana has 48 plums", "24"),
        ("bus B12", "12"),
        ("a thirdly made point", "1/3"),
        ("she behalves herself", "1/2"),
        ("20% off", "50"),
        ("over 100%", "0"),
        ("150% of it", "-50"),
        ("8/0 is nothing", "8/3"),
        ("the si\u017fth", "6"),
        ("2.5 thirds", "5/3"),
        ("7" * 41 + " thirds", "1/9"),
    ],
)
def test_what_is_not_given(text: str, value: str) -> None:
    assert Givens(text).find(Fraction(value)) is None


def test_the_plainest_kind_of_a_value_comes_first() -> None:
    assert kinds("12 eggs, a dozen, for a year", "12") == ["stated"]
    assert kinds("a dozen for a year", "12") == ["implied"]
    assert kinds("for a year", "12") == ["unit"]
    order = [given.kind for given in Givens("60 plums, half of them, for an hour").all]
    assert order == sorted(order, key=("stated", "implied", "unit").index)


def test_each_value_is_given_once() -> None:
    values = [given.value for given in Givens("half a dozen of 12, for 2 years, 50% of 6").all]
    assert len(values) == len(set(values))


def test_find_share_knows_the_share_by_its_two_numbers() -> None:
    read = Givens("Leo ate 2/3 of 27 figs.")
    share = read.find_share(Fraction(2), Fraction(3))
    assert share is not None
    assert share.value == Fraction(2, 3)
    assert read.find_share(Fraction(3), Fraction(2)) is None
    assert read.find_share(Fraction(2), Fraction(27)) is None


def test_a_question_is_read_once() -> None:
    assert givens("Ana has 48 plums") is givens("Ana has 48 plums")


WORDS = st.sampled_from(
    (
        "half",
        "3",
        "2/5",
        "20%",
        "two",
        "thirds",
        "dozen",
        "hour",
        "of",
        "-",
        ":",
        "¢",
        "0",
        "½",
        "\0",
    )
)


@for_all(st.lists(WORDS, max_size=15).map(" ".join))
def test_everything_given_is_found_and_only_zero_is_stated_below_one(text: str) -> None:
    read = Givens(text)
    assert all(read.find(given.value) is given for given in read.all)
    assert all(given.value > 0 or given.kind == "stated" for given in read.all)


def test_long_questions_are_read_up_to_a_limit() -> None:
    filler = "x" * MAX_QUESTION
    assert Givens(f"17 {filler} 23").find(Fraction(17)) is not None
    assert Givens(f"17 {filler} 23").find(Fraction(23)) is None
