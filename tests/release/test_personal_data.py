"""Personal data: forms are found with their check digits, arithmetic is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.personal_data import PERSONAL, personal_data
from chainwright.schemas.problem import Problem

MAIL, PHONE, IBAN, CARD, URL = PERSONAL


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Write to ada.l+pears@mail.example.org today.", MAIL),
        ("Ring +49 30 1234567 or not.", PHONE),
        ("Ring (555) 123-4567.", PHONE),
        ("555-123-4567", PHONE),
        ("DE89 3704 0044 0532 0130 00", IBAN),
        ("GB82WEST12345698765432", IBAN),
        ("Pay with 4111-1111-1111-1111, please.", CARD),
        ("3782 822463 10005", CARD),
        ("See https://ada:secret@pears/list", URL),
        ("See http://example.org/users/ada", URL),
        ("See http://example.org/list?email=ada", URL),
    ],
)
def test_each_form_is_found(text: str, kind: str) -> None:
    assert personal_data([text]) == {kind: 1}


@pytest.mark.parametrize(
    "text",
    [
        "He pays 100 - 200 - 3000 = -3100 dollars.",
        "<<500-125-1000=-625>>",
        "It is 3.141.5926 or 1000000000000 pears.",
        "DE89 3704 0044 0532 0130 02",
        "4111 1111 1111 1112",
        "He has 411 111 111 111 1111 pears, and 41 11 11 11 11 11 11 11.",
        "0000 0000 0000 0000",
        "f(x) @ home, https://example.org/pears",
        "The ratio is 555-1234.",
        "",
    ],
)
def test_arithmetic_and_wrong_check_digits_are_none(text: str) -> None:
    assert personal_data([text]) == {}


@given(st.lists(st.integers(0, 9), min_size=11, max_size=18).filter(lambda d: len(set(d)) > 1))
def test_of_ten_last_digits_one_passes(digits: list[int]) -> None:
    begun = "".join(map(str, digits))
    passing = [last for last in range(10) if CARD in personal_data([f"{begun}{last}"])]
    assert len(passing) == 1


def test_all_released_text_is_looked_through_and_counted_by_table(
    tmp_path: Path, recipe: Callable[..., Recipe], block: Callable[[int], dict[str, list[Any]]]
) -> None:
    given = block(1)
    problem: Problem = given["problems"][0]
    asked = problem.model_copy(update={"question": "Ring 555-123-4567. 555-123-4568 too."})
    given["problems"] = [asked]
    vote = given["votes"][0]
    given["votes"][0] = vote.model_copy(update={"explanation": "says ada@example.org"})
    write_release(tmp_path / "r", recipe=recipe(), blocks=[given], statistics={}, stages=[])
    card = (tmp_path / "r" / "README.md").read_text(encoding="utf-8")
    assert "| telephone numbers | 1 | 0 | 0 | 2 |" in card
    assert "| e-mail addresses | 0 | 0 | 1 | 1 |" in card
    assert "| web addresses with a user in them | 0 | 0 | 0 | 0 |" in card
    assert "telephone numbers in 1 rows" in (tmp_path / "r" / "croissant.json").read_text()
