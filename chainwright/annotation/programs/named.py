"""Named quantities in a step: `Cost = Price * Count = $2 * 9`, and then `Cost = $18`.

To a reader of arithmetic a name is noise, and a repeated name says that the calculation goes on.
"""

import re
from dataclasses import dataclass

_STATEMENT = re.compile(r"(?:(?![.;:!?](?:\s|$))[^\n])+")
_CALCULATION = re.compile(r"\W*[\d.,]+\D*?(?:[-−–+*/×÷·^]|\bx\b|\bof\b)\D*\d")
"""It begins with a number, and has one behind a sign as well: `Price of 3 - 4` is none."""


def without_names(text: str) -> str:
    """The text with the names of quantities blanked out and all else in its place.

    A side of an equation without a digit is a name. A statement with the same left side as the
    calculation right before it says what that comes to: the two become one equation.
    """
    written = list(text)
    before: _Statement | None = None
    for match in _STATEMENT.finditer(text):
        if match.group().isspace():
            continue
        here = _Statement(match.group().split("="), match.start(), match.end())
        at = here.start
        for side in here.sides[:-1]:
            if not _has_digit(side):
                _blank(written, at, at + len(side) + 1)
            at += len(side) + 1
        if before and before.goes_on_in(here):
            _blank(written, before.start, before.equals)
            _blank(written, before.end, here.equals)
            written[here.equals] = "="
        before = here
    return "".join(written)


@dataclass(frozen=True)
class _Statement:
    """A sentence or line, cut at its equals signs; `start` and `end` are places in the text."""

    sides: list[str]
    start: int
    end: int

    @property
    def equals(self) -> int:
        """Where the first equals sign stands."""
        return self.start + len(self.sides[0])

    def goes_on_in(self, other: "_Statement") -> bool:
        """Whether it is one calculation, and the other gives the same thing a value."""
        name = self.sides[0].strip()
        same = len(other.sides) > 1 and other.sides[0].strip() == name != ""
        values = [side for side in self.sides[1:] if _has_digit(side)]
        return same and len(values) == 1 and _CALCULATION.match(values[0]) is not None


def _has_digit(side: str) -> bool:
    return any(sign.isnumeric() for sign in side)


def _blank(written: list[str], start: int, end: int) -> None:
    written[start:end] = " " * (end - start)
