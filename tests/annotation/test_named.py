"""Names of quantities in a step, which program judges pass over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.programs.case import step_equations
from chainwright.annotation.programs.named import without_names


@pytest.mark.parametrize(
    "text",
    [
        "Total = 5\nTotal = 5 + 3 = 8",  # a new value, not what the first comes to
        "Total = 5 + 3 = 8\nTotal = 8 + 2 = 10",
        "Red = 5 + 3\nBlue = 9",
        "x = 2 + 3, x = 2 - 3",
    ],
)
def test_a_name_that_is_used_anew_is_no_error(text: str) -> None:
    assert all(equation.holds for equation in step_equations(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sum = a + b = 3 + 4 = 7", "              3 + 4 = 7"),
        ("3 + 4 = sum = 7", "3 + 4 =       7"),
        ("Sum = 3 + 4. Sum = 7", "      3 + 4      = 7"),
        ("3 apples = 2 + 1", "3 apples = 2 + 1"),
        ("no equation here", "no equation here"),
    ],
)
def test_names_are_blanked_in_place(text: str, expected: str) -> None:
    assert without_names(text) == expected


@given(st.text("ab 12+*=.\n", max_size=60))
def test_blanking_names_moves_nothing_and_writes_nothing_new(text: str) -> None:
    named = without_names(text)
    assert len(named) == len(text)
    assert all(new in (old, " ", "=") for new, old in zip(named, text, strict=True))
