"""The recipe's selection, a balanced training set and a hard test set, and its day."""

import datetime
from collections.abc import Iterable
from typing import Any

from pydantic import Field

from chainwright.recipe_parts.part import Part, PartError


class TrainSelection(Part):
    """Quotas of the training set."""

    per_category: int = Field(500, ge=1, description="chains with a wrong step, of each category")
    per_generator: int = Field(50, ge=1, description="of these, of each generator")


class HardSelection(Part):
    """Quotas of the test set, of each generator and track."""

    hard: int = Field(20, ge=0, description="chains drawn by how far the judges differ")
    random: int = Field(20, ge=0, description="chains drawn with equal odds beside them")


class SelectionPart(Part):
    """A balanced training set and a hard test set, in place of a split by problem."""

    train: TrainSelection = TrainSelection()
    test: HardSelection = HardSelection()


def not_on_a_calendar(date: Any) -> Iterable[PartError]:
    """A fault for what has the form of a date and is none."""
    if isinstance(date, str) and len(date) == len("2026-05-31"):
        try:
            datetime.date.fromisoformat(date)
        except ValueError:
            yield PartError(("date",), f"`{date}`", "a day of the calendar, such as 2026-05-31")
