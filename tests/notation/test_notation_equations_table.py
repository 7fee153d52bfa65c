"""Equations in sentences of many styles: what is found in each, and whether it holds."""

import pytest

from chainwright.notation.equations import find_equations

Found = list[tuple[str, str, bool]]


def found(text: str) -> Found:
    return [(e.left.text, e.right.text, e.holds) for e in find_equations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3+4=7", [("3+4", "7", True)]),
        ("3 + 4 = 8", [("3 + 4", "8", False)]),
        ("The two rows hold 14 + 9 = 23 seats.", [("14 + 9", "23", True)]),
        ("She keeps 60-18=42 of the beads", [("60-18", "42", True)]),
        ("He carries 6×8 = 48 bricks", [("6×8", "48", True)]),
        ("Each tray gets 96 ÷ 8 = 12 rolls", [("96 ÷ 8", "12", True)]),
        ("They spent 70 − 25 = 45 minutes", [("70 − 25", "45", True)]),
        ("That leaves 70 – 25 = 45 minutes", [("70 – 25", "45", True)]),
        ("The floor is 5 x 12 = 60 tiles", [("5 x 12", "60", True)]),
        ("The floor is 5 X 12 = 62 tiles", [("5 X 12", "62", False)]),
        ("The wall is 7·9 = 63 tiles", [("7·9", "63", True)]),
        ("The cube holds 4^3 = 64 dice", [("4^3", "64", True)]),
        ("The cube holds 4**3 = 64 dice", [("4**3", "64", True)]),
        ("2 * (3 + 4) = 14", [("2 * (3 + 4)", "14", True)]),
        ("((3+4)*2)/7 = 2", [("((3+4)*2)/7", "2", True)]),
        ("3(4 + 1) = 15", [("3(4 + 1)", "15", True)]),
        ("23 = 14 + 9", [("23", "14 + 9", True)]),
        ("80 - 5*4 = 30 + 30", [("80 - 5*4", "30 + 30", True)]),
    ],
)
def test_plain_arithmetic(text: str, expected: Found) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6 feet + 2 feet = 8 feet", [("6 feet + 2", "8", True)]),
        ("18 red pens + 5 blue pens = 23 pens", [("18 red pens + 5", "23", True)]),
        ("90 pages / 3 pages per minute = 30 minutes", [("90 pages / 3", "30", True)]),
        ("45 miles/hour * 2 hours = 90 miles", [("45 miles/hour * 2", "90", True)]),
        ("80 square feet/piece * 2 pieces = 160", [("80 square feet/piece * 2", "160", True)]),
        ("a baker's 13 rolls + 7 rolls = 20 rolls", [("13 rolls + 7", "20", True)]),
        ("4 (hens) + 5 (ducks) = 9", [("4 (hens) + 5", "9", True)]),
        ("44 (class A) + 2 = 46", [("44 (class A) + 2", "46", True)]),
        ("3 shirts (at $8 each) * 4 = 12", [("3 shirts (at $8 each) * 4", "12", True)]),
        ("She walks 2 km + 3 km (uphill) = 6 km", [("2 km + 3", "6", False)]),
        ("5m + 3m = 8m", []),
        ("7 L - 2 L = 5 L", [("7 L - 2", "5", True)]),
        ("250 ml + 250 ml = 500 ml", [("250 ml + 250", "500", True)]),
        ("For the 5-year plan he pays 12 * 5 = 60", [("12 * 5", "60", True)]),
        ("One well-known and/or cheap brand: 4*6 = 24", [("4*6", "24", True)]),
        ("10 cups of flour/bag * 3 bags = 30 cups", [("10 cups of flour/bag * 3", "30", True)]),
        ("6 tall and very old oak trees + 1 = 7", []),
    ],
)
def test_units_and_asides(text: str, expected: Found) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9 plus 9 plus 3 equals 21.", [("9 plus 9 plus 3", "21", True)]),
        ("30 minus 12 equals 17.", [("30 minus 12", "17", False)]),
        ("6 times 7 equals 42", [("6 times 7", "42", True)]),
        ("72 divided by 8 equals 9", [("72 divided by 8", "9", True)]),
        ("11 multiplied by 11 is equal to 121", []),
        ("11 multiplied by 11 = 121", [("11 multiplied by 11", "121", True)]),
        ("25% of 80 = 20", [("25% of 80", "20", True)]),
        ("1/4 of 80 = 25", [("1/4 of 80", "25", False)]),
        ("(50% of 30) + 5 = 20", [("(50% of 30) + 5", "20", True)]),
        ("two plus two equals four", []),
        ("4 times 5 is 20", []),
        ("6 of 8 = 48", []),
    ],
)
def test_words_for_signs(text: str, expected: Found) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$12.48 - $0.48 = $12", [("12.48 - $0.48", "12", True)]),
        ("It costs 5$ + 3$ = 8$", [("5$ + 3", "8", True)]),
        ("€4,50 + €1 = €5,50", []),
        ("€4.50 + €1 = €5.50", [("4.50 + €1", "5.50", True)]),
        ("$1,250 + $750 = $2,000", [("1,250 + $750", "2,000", True)]),
        ("1,250,000 / 5 = 250,000", [("1,250,000 / 5", "250,000", True)]),
        ("16,0000/10 = 16000", []),
        ("$1 / 2 = 50 cents", []),
        ("$1 / 2 = 60 cents", [("1 / 2", "60", False)]),
        ("18 * 25% = 4.5", [("18 * 25%", "4.5", True)]),
        ("3/4 * 100% = 75%", [("3/4 * 100%", "75%", True)]),
        ("30/120 * 100 = 25%", [("30/120 * 100", "25%", True)]),
        ("30/120 = 25%", [("30/120", "25%", True)]),
        ("30/120 = 30%", [("30/120", "30%", False)]),
        ("100% - 35% = 65%", [("100% - 35%", "65%", True)]),
        ("a fall of 20% = 60 * 0.2 = 12", [("60 * 0.2", "12", True)]),
    ],
)
def test_money_and_percent(text: str, expected: Found) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10/3 = 3.33", [("10/3", "3.33", True)]),
        ("20/3 = 6.66", [("20/3", "6.66", True)]),
        ("20/3 = 6.65", [("20/3", "6.65", False)]),
        ("20/3 = 7", [("20/3", "7", True)]),
        ("7/2 = 3", [("7/2", "3", False)]),
        ("22/7 ≈ 3.1", [("22/7", "3.1", True)]),
        ("199 * 5 ≈ 1000", [("199 * 5", "1000", True)]),
        ("199 * 5 = 1000", [("199 * 5", "1000", False)]),
        ("0.1 + 0.2 = 0.30000000000000004", [("0.1 + 0.2", "0.30000000000000004", True)]),
        (
            "10/3 + 1 = 3.33 + 1 = 4.33",
            [("10/3 + 1", "3.33 + 1", True), ("3.33 + 1", "4.33", True)],
        ),
        ("50 / 3 = 16 with a remainder of 2", []),
        ("50 / 3 = 16 rows, and 2 chairs remain", []),
        ("50 / 3 = 15 with some remaining", [("50 / 3", "15", False)]),
        ("3/4 + 3/4 = 1 1/2.", [("3/4 + 3/4", "1 1/2", True)]),
        ("2 1/2 cups * 2 = 5 cups", [("2 1/2 cups * 2", "5", True)]),
        (".5 + .25 = .75", [(".5 + .25", ".75", True)]),
    ],
)
def test_rounding_and_fractions(text: str, expected: Found) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*3 + 4 = 6 + 4 = 10", [("2*3 + 4", "6 + 4", True), ("6 + 4", "10", True)]),
        ("2 + 3 = 5 = 4 + 1", [("2 + 3", "5", True), ("5", "4 + 1", True)]),
        ("2 + 3 = 5 = 4 + 2", [("2 + 3", "5", True), ("5", "4 + 2", False)]),
        ("2 + 3 = 5 + 1 = 6", [("2 + 3", "5 + 1", False), ("5 + 1", "6", True)]),
        ("4 * 2 = 8 and 8 - 3 = 5", [("4 * 2", "8", True), ("8 - 3", "5", True)]),
        ("4 * 2 = 8, then 8 - 3 = 6.", [("4 * 2", "8", True), ("8 - 3", "6", False)]),
        ("4*2 = 8; 8-3 = 5", [("4*2", "8", True), ("8-3", "5", True)]),
        ("4*2 = 8\n8-3 = 5", [("4*2", "8", True), ("8-3", "5", True)]),
        ("4*2 = 8 -> 8-3 = 5", [("4*2", "8", True), ("8-3", "5", True)]),
        ("4*2 = 8 => 8-3 = 5", [("4*2", "8", True), ("8-3", "5", True)]),
        ("4*2 = 8 → 8-3 = 5", [("4*2", "8", True), ("8-3", "5", True)]),
        ("- 3 hens + 4 hens = 7\n- 2 * 5 = 10", [("3 hens + 4", "7", True), ("2 * 5", "10", True)]),
        ("* 6/2 = 3", [("6/2", "3", True)]),
        ("1. 6/2 = 3", [("6/2", "3", True)]),
        ("1) 6/2 = 3", [("6/2", "3", True)]),
        ("Step 2: 6/2 = 3", [("6/2", "3", True)]),
        ("so 9 are left (15 - 6 = 9)", [("15 - 6", "9", True)]),
        ("so 9 (15 - 6 = 9) are left", [("15 - 6", "9", True)]),
        ("a = 3 + 4 = 7", [("3 + 4", "7", True)]),
        ("Total: 12\n\n\n5 + 7 = 12", [("5 + 7", "12", True)]),
        ("3 +\n4 = 7", []),
    ],
)
def test_several_equations(text: str, expected: Found) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 - 8 = -3", [("5 - 8", "-3", True)]),
        ("5 − 8 = −3", [("5 − 8", "−3", True)]),
        ("On Monday it was -3 + 5 = 2 degrees", [("-3 + 5", "2", True)]),
        ("-.5 + 1 = .5", [("-.5 + 1", ".5", True)]),
        ("-$5 + $8 = $3", [("-$5 + $8", "3", True)]),
        ("10 + -3 = 7", [("10 + -3", "7", True)]),
        ("4 * -2 = -8", [("4 * -2", "-8", True)]),
        ("6 - -2 = 8", [("6 - -2", "8", True)]),
        ("6 - - 2 = 8", []),
        ("books - 135 + 5 = 20", []),
        ("total-5 + 3 = 8", []),
        ("n -5 + 3 = 8", []),
        ("the mean is -30/3 = -10", [("-30/3", "-10", True)]),
    ],
)
def test_minus_signs(text: str, expected: Found) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "There is nothing to add.",
        "12 + 5",
        "2x + 4 = 10",
        "3*n = 24",
        "n + n + 2*n + 5 = 25",
        "5a = 20 + 5",
        "2(x) + 3 = 9",
        "0 = 3/4(x-2)^2 + 5",
        "3 apples + b = 10 + 2 + b",
        "10 + 6 = 8 × b",
        "y/2 + 3 = 5",
        "(k + 3) * 2 = 10",
        "√16 + 2 = 6",
        "16 + 2 = 3√36",
        "2π + 3 = 9",
        "5 + 4 = 3²",
        "3 + 2½ = 5",
        "1,5 + 2 = 3,5",
        "at 3:30 + 2 hours = 5:30",
        "2 + 3 = 5:30",
        "1 * 2 * 3 = 3! = 6",
        "1st - 5 = 6th",
        "Item B2 + 3 = 5",
        "[2 + 3] * 4 = 20",
        "3 + 4 > 6",
        "3 + 4 != 8",
        "3 + 4 >= 7",
        "3 + 4 == 7",
        "3 + 4 =",
        "= 3 + 4",
        "3 + = 7",
        "3 ++ 4 = 7",
        "3 * / 4 = 7",
        "(3 + 4 * 2 = ",
        "7(1) = 2x(r-x)",
    ],
)
def test_what_cannot_be_read_is_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 foot = 12 inches", []),
        ("1/2 hour = 30 minutes", []),
        ("3/4 pound = 12 ounces = 6 ounces + 6 ounces", [("12", "6 ounces + 6", True)]),
        ("1/2 of 60 = 30 minutes", [("1/2 of 60", "30", True)]),
        ("60/4 pies = 12 pies", [("60/4", "12", False)]),
        ("60 miles / 4 hours = 12 mph", [("60 miles / 4", "12", False)]),
        ("4 pupils drank 1.5 quarts = 4 * 1.5 = 6", [("4 * 1.5", "6", True)]),
        ("day 2 = 5*3 = 15", [("5*3", "15", True)]),
        ("legs (4) = 2*3 = 6", [("2*3", "6", True)]),
        ("one third of 27 = 27/3 = 9", [("27/3", "9", True)]),
        ("f(3) = 2*3 + 1 = 7", [("2*3 + 1", "7", True)]),
        ("P (2) = 1/6 + 1/6 = 1/3", [("1/6 + 1/6", "1/3", True)]),
        ("9 is 12 because 9 + 3 = 12", [("9 + 3", "12", True)]),
    ],
)
def test_conversions_and_names_claim_nothing(text: str, expected: Found) -> None:
    assert found(text) == expected
