r"""Intervals: `(1, 3]`, `1 < x \le 3` and unions of such, compared as sets of numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from chainwright.builders.matching.brackets import cut_at, enclosed
from chainwright.builders.matching.case import Case
from chainwright.builders.matching.numbers import read_number
from chainwright.builders.matching.verdict import Match, different, equal, undecided

_UNION = re.compile(r"\\cup(?![A-Za-z])|\bor\b")
_COMMA = re.compile(r",")
_RELATION = re.compile(r"\\le(?![A-Za-z])|\\ge(?![A-Za-z])|\\ne(?![A-Za-z])|<|>")
_MEMBER = re.compile(r"[A-Za-z]\s*\\in\s+")
_VARIABLE = re.compile(r"[A-Za-z]|\\[a-z]+")
_ALL = re.compile(
    r"(?:[A-Za-z]\s*\\in\s*)?(?:\\mathbb\s*\{?R\}?|all real numbers|\u211d)", re.IGNORECASE
)
_INFINITE = re.compile(r"([-+]?)\s*(?:\\infty|infinity|inf|oo)", re.IGNORECASE)
_UP, _DOWN, _STRICT = frozenset(("<", r"\le")), frozenset((">", r"\ge")), frozenset("<>")
_LOW, _HIGH = r"-\infty", r"\infty"


@dataclass(frozen=True)
class Interval:
    r"""From `low` to `high`, texts both, which may be `-\infty` and `\infty`."""

    low: str
    high: str
    low_open: bool
    high_open: bool


@dataclass(frozen=True)
class Region:
    """Intervals in a row; `is_definite` unless it may as well be a point, as `(1, 3)` may."""

    intervals: tuple[Interval, ...]
    is_definite: bool


def read_region(text: str) -> Region | None:
    """The intervals that a bare text is, or None."""
    if _ALL.fullmatch(text):
        return Region((Interval(_LOW, _HIGH, True, True),), True)
    if member := _MEMBER.match(text):
        text = text[member.end() :]
    parts = cut_at(text, _UNION)
    if parts is None:
        return None
    intervals: list[Interval] = []
    definite = len(parts) > 1 or member is not None
    for part in parts:
        found = _bracketed(part) or _related(part)
        if not found:
            return None
        intervals += found
        definite = definite or not enclosed(part) or _shows_an_interval(found[0])
    return Region(tuple(intervals), definite)


def compare_regions(expected: Region, given: Region, case: Case) -> Match:
    """Whether two unions of intervals hold the same numbers.

    Bounds that are plain numbers are compared exactly, and the unions after joining what touches;
    others one by one in the order in which they stand.
    """
    one, two = _joined(expected.intervals), _joined(given.intervals)
    if one is not None and one == two:
        return equal("the same intervals")
    if len(expected.intervals) != len(given.intervals):
        if one is None or two is None:
            return undecided("intervals that can't be compared")
        return different("other intervals")
    verdicts = [
        match
        for left, right in zip(expected.intervals, given.intervals, strict=True)
        for match in _compare(left, right, case)
    ]
    if all(match.verdict == "equal" for match in verdicts):
        return equal("the same intervals")
    if any(match.verdict == "different" for match in verdicts):
        if None in (one, two) and len(expected.intervals) > 1:
            return undecided("intervals that can't be compared")
        return different("other intervals")
    return undecided("intervals whose bounds can't be compared")


def _compare(left: Interval, right: Interval, case: Case) -> list[Match]:
    matches = []
    for one, two, open_one, open_two in (
        (left.low, right.low, left.low_open, right.low_open),
        (left.high, right.high, left.high_open, right.high_open),
    ):
        infinite = {_LOW, _HIGH} & {one, two}
        if infinite:
            matches.append(equal("no bound") if one == two else different("another bound"))
        else:
            matches.append(case.parts(one, two))
            if open_one != open_two:
                matches.append(different("open and closed"))
    return matches


def _shows_an_interval(interval: Interval) -> bool:
    """Whether brackets and bounds alone say that it is no point and no list."""
    infinite = interval.low == _LOW or interval.high == _HIGH
    return infinite or interval.low_open != interval.high_open


def _bracketed(text: str) -> list[Interval]:
    shell = enclosed(text)
    if shell is None or shell[0] not in "([" or shell[2] not in ")]":
        return []
    bounds = cut_at(shell[1], _COMMA)
    if bounds is None or len(bounds) != 2 or not all(bounds):
        return []
    low, high = (_bound(bound) for bound in bounds)
    return [Interval(low, high, shell[0] == "(", shell[2] == ")")]


def _related(text: str) -> list[Interval]:
    r"""`1 < x \le 3`, `x > 2`, `2 < x`, and `x \ne 2` for all numbers but one."""
    signs = [sign.group().strip() for sign in _RELATION.finditer(text)]
    sides = [side.strip() for side in _RELATION.split(text)]
    if not all(sides) or len(signs) not in (1, 2):
        return []
    places = [place for place, side in enumerate(sides) if _VARIABLE.fullmatch(side)]
    places = [place for place in places if not _INFINITE.fullmatch(sides[place])]
    if len(places) != 1 or (len(signs) == 2 and places != [1]):
        return []
    if len(signs) == 2:
        below, above = signs
        if not any({below, above} <= way for way in (_UP, _DOWN)):
            return []
        if below in _DOWN:
            sides, below, above = sides[::-1], above, below
        return [Interval(_bound(sides[0]), _bound(sides[2]), below in _STRICT, above in _STRICT)]
    bound, sign = _bound(sides[1 - places[0]]), signs[0]
    if sign == r"\ne":
        return [Interval(_LOW, bound, True, True), Interval(bound, _HIGH, True, True)]
    is_open = sign in _STRICT
    if (sign in _DOWN) == (places[0] == 0):
        return [Interval(bound, _HIGH, is_open, True)]
    return [Interval(_LOW, bound, True, is_open)]


def _bound(text: str) -> str:
    infinite = _INFINITE.fullmatch(text)
    if infinite is None:
        return text
    return _LOW if infinite[1] == "-" else _HIGH


_Bound = tuple[int, Fraction]
"""-1 and 1 are the infinities, 0 a number."""


def _joined(
    intervals: Sequence[Interval],
) -> list[tuple[_Bound, bool, _Bound, bool]] | None:
    """The intervals in order and without overlaps; None where a bound is no plain number."""
    rows = []
    for interval in intervals:
        low, high = _value(interval.low), _value(interval.high)
        if low is None or high is None:
            return None
        low_open = interval.low_open or low[0] != 0
        rows.append((low, low_open, high, interval.high_open or high[0] != 0))
    rows.sort()
    joined: list[tuple[_Bound, bool, _Bound, bool]] = []
    for low, low_open, high, high_open in rows:
        touches = joined and low == joined[-1][2] and not (low_open and joined[-1][3])
        if joined and (touches or low < joined[-1][2]):
            before = joined.pop()
            end, end_open = max((before[2], not before[3]), (high, not high_open))
            joined.append((before[0], before[1], end, not end_open))
        else:
            joined.append((low, low_open, high, high_open))
    return joined


def _value(text: str) -> _Bound | None:
    if text in (_LOW, _HIGH):
        return (-1 if text == _LOW else 1, Fraction(0))
    number = read_number(text)
    return (0, number.value) if number else None
