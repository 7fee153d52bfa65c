"""Pairs of answers with their verdicts: what `match` promises, one line each."""

import pytest

from chainwright.builders.matching import match

E, D, U = "equal", "different", "undecided"

SYMMETRIC: list[tuple[str, str, str]] = [
    # numbers
    ("18", "18", E),
    (r"\$18", "18", E),
    ("$18", "18.00", E),
    ("$18", "€18", D),
    ("€18", "18", E),
    ("$1,875", "1875.00", E),
    ("1,000", "1000", E),
    ("10 000", "10000", E),
    ("10\u202f000", "10,000", E),
    (r"32,\!760", "32760", E),
    ("10{,}000", "10000", E),
    ("1,00,000", "100000", E),
    ("1,234", "1.234", U),
    ("3,14", "3.14", U),
    ("1e3", "1000", E),
    ("1.5e-3", "0.0015", E),
    (r"1.5 \times 10^{3}", "1500", E),
    ("-5", "−5", E),
    ("-5", "5", D),
    ("+5", "5", E),
    (".35625", "0.35625", E),
    ("007", "7", E),
    ("2.5 million", "2,500,000", E),
    ("9007199254740993", "9007199254740992", D),
    ("18", "19", D),
    ("7", "6.75", D),
    ("8", "7.98", D),
    ("18", "17.999999999999996", E),
    # fractions, mixed numbers, repeating decimals
    (r"\frac12", "1/2", E),
    (r"\dfrac{1}{2}", "0.5", E),
    (r"\frac{\frac{1}{2}}{3}", "1/6", E),
    (r"\frac{360}7", "360/7", E),
    (r"-\frac{24}{25}", "-24/25", E),
    (r"\frac{-1}{2}", r"-\frac{1}{2}", E),
    ("-24/25", "-0.7660", D),
    ("2 1/3", r"2\frac{1}{3}", E),
    ("7/3", "2 1/3", E),
    ("-2 1/3", "-7/3", E),
    (r"2\frac{1}{3}", "2/3", D),
    ("2½", "2.5", E),
    (r"0.\overline{3}", "1/3", E),
    ("0.(3)", "1/3", E),
    ("0.333...", "1/3", E),
    (r"0.1\overline{6}", r"\frac{1}{6}", E),
    ("625/4", "156.25", E),
    ("1/0", "5", U),
    # words
    ("twelve", "12", E),
    ("Twenty-five", "25", E),
    ("one hundred and five", "105", E),
    ("negative three", "-3", E),
    ("two thirds", "2/3", E),
    ("a dozen", "12", E),
    ("twelve", "13", D),
    # truth values and text
    ("yes", "Yes.", E),
    ("yes", "true", E),
    ("no", "False", E),
    ("yes", "no", D),
    ("Yes", "Yes, because both are even.", E),
    ("No", "None", U),
    (r"\text{even}", "Even", E),
    ("the Eiffel Tower", "Eiffel tower.", E),
    ("São Paulo", "Sao Paulo", E),
    ("even", "odd", D),
    ("Evelyn", "Carla", D),
    ("USA", "United States of America", U),
    ("Robert", "Rob", U),
    ("Barack Obama", "Obama", U),
    ("Москва", "Moscow", U),
    ("Paris", "I don't know", U),
    ("12 May 1990", "May 12, 1990", U),
    ("f(x)+1", "f(x)-1", U),
    ("7", "many", U),
    # options
    (r"\text{(C)}", "C", E),
    ("C", "(C)", E),
    ("C", "C. the third one", E),
    ("(C)", "option C", E),
    ("C", "D", D),
    ("(A)", r"\boxed{\text{(B)}}", D),
    ("A. Lincoln", "A. Jackson", U),
    # units
    ("5 cm", "5 km", D),
    ("5 cm", "5", E),
    ("5 cm", "50 mm", E),
    ("5 cm", "0.05 meters", E),
    ("5 cm", "5 kg", D),
    ("5", "500 cm", U),
    ("8 cm^2", r"8\text{ square centimeters}", E),
    ("8 cm^2", "8 cm", U),
    ("90 minutes", "1 hour and 30 minutes", E),
    ("2 weeks", "14 days", E),
    ("1 year", "365 days", U),
    ("60 miles per hour", "60 mph", E),
    ("$2", "200 cents", E),
    ("$18", "18 dollars per day", E),
    ("5 apples", "5", E),
    ("5 apples", "5 oranges", U),
    ("5 apples", "6 oranges", D),
    ("20", "200 cups", D),
    (r"90^\circ", "90", E),
    (r"90^\circ", "90 degrees", E),
    (r"90^\circ", r"\frac{\pi}{2}", U),
    (r"14\pi\text{ inches}", r"14\pi", E),
    ("5k", "5000", U),
    # what surrounds an answer
    ("18", "The answer is 18 dollars.", E),
    ("18", "The final answer is: $18$.", E),
    ("18", r"So she makes \boxed{18} dollars.", E),
    ("19", r"\boxed{18}, and 19 otherwise", D),
    ("18", "**18**", E),
    ("18", "#### 18", E),
    (r"\frac{1}{2}", "Therefore, the answer is 0.5.", E),
    ("18", r"\boxed{18", U),
    # names and equations
    ("x=5", "5", E),
    ("x=5", "x = 6", D),
    ("x=5", "y=5", U),
    ("x=5", "y=6", D),
    ("2", r"x=\frac{11}{5}", D),
    ("5", "2 + 3 = 5", E),
    ("50", r"150 \div 3 = 50", E),
    ("Area = 25", "25", E),
    ("4x-5y=-50", "5y - 4x = 50", E),
    ("4x-5y=-50", "5y - 4x = 51", D),
    ("x - 3z = 0", "x = 3z", E),
    ("y = 2x + 1", "2x+1", E),
    ("x - 3z = 0", "0", U),
    # intervals
    ("(1,3)", "1<x<3", E),
    ("1<x<3", "3>x>1", E),
    ("[1,3]", r"1 \le x \le 3", E),
    ("(1,3]", "1<x<3", D),
    ("[1,3]", "(1,3)", U),
    (r"x \ge 2", r"[2,\infty)", E),
    (r"x > 2", r"[2,\infty)", D),
    (r"(-\infty,-4)\cup(-4,\infty)", r"x \ne -4", E),
    (r"(1,2]\cup[2,3)", "(1,3)", E),
    (r"(-\infty, \sqrt{2})", r"x < \sqrt{2}", E),
    # sets, tuples, lists, matrices
    ("{1,2}", "{2,1}", E),
    (r"\{1,2\}", "2, 1", E),
    ("{1,2}", "{1,3}", D),
    ("{1,2}", "{1,2,3}", D),
    ("(1,2)", "(1, 2)", E),
    ("(1,2)", "(2,1)", D),
    ("(1,2)", "1, 2", E),
    ("x = 2, y = 3", "(2,3)", E),
    ("x = 2, y = 3", "x = 3, y = 2", D),
    ("27,93", "93 and 27", E),
    (r"\pm 3", "3, -3", E),
    ("3", "x = 3 or x = 4", D),
    ("-3/2", "x = -3/2 and x = 3/5", D),
    (r"\left( 3, \frac{\pi}{2} \right)", r"(3, \pi/2)", E),
    (r"(3 \sqrt{3}, -9, -2)", r"(3\sqrt3,-9,-2)", E),
    (
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        "\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}",
        E,
    ),
    (
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        "\\begin{pmatrix}1&2\\\\3&5\\end{pmatrix}",
        D,
    ),
    (r"\begin{pmatrix} 1/2 \\ 3 \end{pmatrix}", "(0.5, 3)", E),
    ("152A_{11}", "152A", E),
    ("152A_{11}", "152B_{11}", D),
    # algebra
    (r"\sqrt{12}", r"2\sqrt{3}", E),
    (r"\sqrt{12}", r"2\sqrt{5}", D),
    (r"\frac{\sqrt6}3", r"\sqrt{2/3}", E),
    ("22", "10 + 4sqrt(37)", D),
    ("216", "12 + 2(6^(5/3))", D),
    (r"\sqrt[3]{-8}", "-2", E),
    ("2π", r"2\pi", E),
    ("176/3", "(160.16/3) π", D),
    ("x^2 + 10x + 25", "(x+5)^2", E),
    ("x^2 + 10x + 25", "(x+5)^2 + 1", D),
    ("1/y + y", r"\frac{y^2+1}{y}", E),
    ("6p^4 + 5p^2 - 4", "5p^2 - 4 + 6p^4", E),
    ("cot x", "csc x", D),
    ("1", r"\sin^2 x + \cos^2 x", E),
    ("6+9i", "9i + 6", E),
    ("6+9i", "6 + 3i", D),
    ("i^2", "-1", E),
    ("5!", "120", E),
    (r"\sin 30^\circ", "1/2", E),
    (r"\ln x^2", r"2\ln x", E),
    ("|x|", "x", U),
    (r"\frac{1}{2}x", "1/2x", U),
    (r"\frac{1}{2}x", "(1/2)x", E),
    (r"\frac{1}{2x}", "1/2x", U),
    (r"\frac{1}{2}", r"\sin 30", U),
    ("x^2+1", "t^2+1", U),
    ("x", "5", U),
    ("17", "(34 + 4q)/3", D),
    # nothing to go by
    ("", "5", U),
    ("", "", U),
    ("?", "?", U),
    ("???", "5", U),
]

ONE_WAY: list[tuple[str, str, str, str]] = [
    # a decimal stands for what rounds to it, only where it is the expected one
    ("0.333", "1/3", E, U),
    ("0.33", "1/3", E, U),
    ("0.66", "2/3", U, D),
    ("0.3", "1/3", U, D),
    ("114.82", "114.82352941176471", E, U),
    ("6.283", r"2\pi", E, U),
    ("3.1 miles", "5 km", E, U),
    # `5m` is 5 metres for one whose answer is 5, but not the other way round
    ("5", "5m", E, U),
    # a sentence may be read for its number, an expected answer is never taken for a sentence
    ("18", "She makes 18 dollars every day.", E, U),
    ("5", "the answer is " * 700 + "5", E, U),
]


@pytest.mark.parametrize(("expected", "given", "verdict"), SYMMETRIC)
def test_in_both_orders(expected: str, given: str, verdict: str) -> None:
    assert match(expected, given).verdict == verdict
    assert match(given, expected).verdict == verdict


@pytest.mark.parametrize(("expected", "given", "verdict", "turned"), ONE_WAY)
def test_in_each_order(expected: str, given: str, verdict: str, turned: str) -> None:
    assert match(expected, given).verdict == verdict
    assert match(given, expected).verdict == turned


PERCENT = "What percent of the marbles are red?"
COUNT = "How many marbles are there?"
CHANCE = "What is the probability that it is red?"


@pytest.mark.parametrize(
    ("expected", "given", "percent", "count", "chance"),
    [
        ("50", "50%", E, D, U),
        ("0.5", "50%", U, E, E),
        ("50", "0.5", U, D, D),
        ("60", "55%", D, D, D),
        ("50%", "50 percent", E, E, E),
        ("1/2", "50%", U, E, E),
    ],
)
def test_percents(expected: str, given: str, percent: str, count: str, chance: str) -> None:
    for question, verdict in ((PERCENT, percent), (COUNT, count), (CHANCE, chance), ("", chance)):
        assert match(expected, given, question=question).verdict == verdict
        assert match(given, expected, question=question).verdict == verdict


@pytest.mark.parametrize(
    ("expected", "given", "question", "verdict"),
    [
        ("2, 1", "1, 2", "Find all solutions.", E),
        ("2, 1", "1, 2", "List them in decreasing order.", U),
        ("[1,3]", "(1,3)", "Give the domain in interval notation.", D),
        ("20.4", "20", "How long does it take?", D),
        ("20.4", "20", "How long does it take, to the nearest minute?", U),
        ("Circle A", "Circle C", "Which is larger, circle A or circle C?", D),
        ("Circle A", "Circle C", "Which is larger?", U),
        (r"3R^2", "3 r^2", "Find the area of the square around the circle.", E),
        (r"3R^2", "3 r^2", "With circumradius $R$ and inradius $r$, find the area.", U),
    ],
)
def test_the_question_counts(expected: str, given: str, question: str, verdict: str) -> None:
    assert match(expected, given, question=question).verdict == verdict


CITIES = ("Paris", "London", "Rome", "5 cm")
LETTERED = ("A.4", "B. 6", "(C) 9")


@pytest.mark.parametrize(
    ("expected", "given", "options", "verdict"),
    [
        ("B", "London", CITIES, E),
        ("London", "(B)", CITIES, E),
        ("London", "b) London", CITIES, E),
        ("B", "Rome", CITIES, D),
        ("B", "C", CITIES, D),
        ("B", "C. London", CITIES, U),
        ("B", "Berlin", CITIES, U),
        ("B", "Z", CITIES, U),
        ("D", "5 cm", CITIES, E),
        ("D", "50 mm", CITIES, E),
        ("D", "6 cm", CITIES, D),
        ("B", "6", LETTERED, E),
        ("6", "B", LETTERED, E),
        ("B", "9", LETTERED, D),
        ("B", "The answer is (B) 6.", LETTERED, E),
        ("B", "", LETTERED, U),
    ],
)
def test_options(expected: str, given: str, options: tuple[str, ...], verdict: str) -> None:
    assert match(expected, given, options=options).verdict == verdict
    assert match(expected, given, options=options, kind="option").verdict == verdict


@pytest.mark.parametrize(
    ("expected", "given", "verdict"),
    [("c", "C", E), ("c", "d", D), ("C", "Paris", U), ("B", "B) 7", E)],
)
def test_known_options_without_their_texts(expected: str, given: str, verdict: str) -> None:
    assert match(expected, given, kind="option").verdict == verdict


def test_a_text_is_no_algebra() -> None:
    assert match("ab+c", "c+ba").verdict == E
    assert match("ab+c", "c+ba", kind="text").verdict == U
    assert match("Three Musketeers", "3", kind="text").verdict == U


def test_the_reason_says_why() -> None:
    assert match("18", "19").reason == "other numbers"
    assert match("18", "").reason == "an empty answer"
    assert [match("1", text).is_correct for text in ("1", "2", "")] == [True, False, None]


def test_the_table_is_large_enough() -> None:
    assert len({(one, two) for one, two, _ in SYMMETRIC}) == len(SYMMETRIC) >= 100
