"""Verdict: what a comparison of two answers comes to, and why."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["equal", "different", "undecided"]


@dataclass(frozen=True, slots=True)
class Match:
    """A verdict with its reason, a short phrase that can be counted."""

    verdict: Verdict
    reason: str

    @property
    def is_correct(self) -> bool | None:
        """The verdict as `is_correct` has it: True, False, or None for undecided."""
        return {"equal": True, "different": False, "undecided": None}[self.verdict]


def equal(reason: str) -> Match:
    """Both answers are the same."""
    return Match("equal", reason)


def different(reason: str) -> Match:
    """They are two answers, and one is wrong if the other is right."""
    return Match("different", reason)


def undecided(reason: str) -> Match:
    """They may be either; nothing is to be concluded."""
    return Match("undecided", reason)
