r"""Groups: answers of several parts, such as sets, tuples, lists and matrices.

Sets are free of order, tuples and matrices are not; a list without brackets (`2, 3`, `x = 2 or
x = 3`) is a set unless the question asks for an order.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chainwright.builders.matching.asked import asks_for_interval, asks_for_order
from chainwright.builders.matching.brackets import cut_at, enclosed
from chainwright.builders.matching.case import Case
from chainwright.builders.matching.latex import as_latex
from chainwright.builders.matching.quantities import read_quantity, split_unit
from chainwright.builders.matching.verdict import Match, different, equal, undecided

MAX_PARTS = 40
MAX_UNORDERED = 16
"""Larger sets are compared only where they stand in the same order."""

Shape = Literal["set", "tuple", "bracket", "list", "matrix", "single"]

_SHAPES: dict[str, Shape] = {"(": "tuple", "[": "bracket", "{": "set"}
_SEPARATOR = re.compile(r"\s*(?:[,;]|\band\b|\bor\b|\\text\{\s*(?:and|or)\s*\})+\s*")
_COMMA = re.compile(r"[,;]")
_MATRIX = re.compile(
    r"\\begin\s*\{(?P<name>[pbvBV]?matrix|smallmatrix|array)\}(?:\s*\{[lcr|]*\})?"
    r"(?P<body>.*?)\\end\s*\{(?P=name)\}",
    re.DOTALL,
)
_ROW = re.compile(r"\\\\(?:\[[^\[\]]*\])?")
_CELL = re.compile(r"&")
_EMPTY = re.compile(r"\\(?:emptyset|varnothing)|∅|empty set|the empty set", re.IGNORECASE)
_NAMED = re.compile(r"(?P<name>[A-Za-z](?:_\{?\w\}?)?)\s*=(?!=)\s*(?P<value>[^=]+)")
_PLUS_MINUS = re.compile(r"\\pm(?![A-Za-z])\s*")


@dataclass(frozen=True)
class Group:
    """Parts in the order in which they stand; for a matrix row by row, `columns` in each."""

    shape: Shape
    parts: tuple[str, ...]
    columns: int = 0
    fence: str = ""
    """What encloses a matrix: a determinant isn't the same as a matrix."""


def read_group(text: str) -> Group | None:
    r"""The group that a bare text is; None for a single answer, and beyond `MAX_PARTS`.

    A list needs parts that are numbers, quantities or mathematics: `Paris, France` is a text.
    """
    group = _matrix(text) or _bracketed(text) or _plus_minus(text) or _listed(text)
    return group if group and len(group.parts) <= MAX_PARTS else None


def compare_groups(expected: str, given: str, case: Case) -> Match | None:
    """Whether two answers have the same parts; None where neither is a group."""
    one, two = read_group(expected), read_group(given)
    if one is None and two is None:
        return None
    if one is None or two is None:
        if re.sub(r"[\s,]", "", expected) == re.sub(r"[\s,]", "", given):
            return undecided("commas that may be read in two ways")
        one, two = one or Group("single", (expected,)), two or Group("single", (given,))
        return _with_single(one, two, case)
    if "matrix" in (one.shape, two.shape):
        return _compare_matrices(one, two, case)
    ordered = {"tuple", "bracket"}
    if one.shape in ordered and two.shape in ordered:
        match = in_order(one.parts, two.parts, case)
        if match.verdict == "equal" and one.shape != two.shape:
            if asks_for_interval(case.question):
                return different("open and closed")
            return undecided("round and square brackets")
        return match
    return _compare_unordered(one, two, case)


def in_order(expected: Sequence[str], given: Sequence[str], case: Case) -> Match:
    """Whether the parts are the same, each in its place."""
    if len(expected) != len(given):
        return different("another number of parts")
    verdicts = {case.parts(one, two).verdict for one, two in zip(expected, given, strict=True)}
    if verdicts <= {"equal"}:
        return equal("the same parts")
    if "different" in verdicts:
        return different("other parts")
    return undecided("parts that can't be compared")


def as_sets(expected: Sequence[str], given: Sequence[str], case: Case) -> Match:
    """Whether the parts are the same in any order, repeated ones counted once.

    A part without any that may be the same on the other side makes the sets different.
    """
    if len(expected) > MAX_UNORDERED or len(given) > MAX_UNORDERED:
        same = in_order(expected, given, case)
        return same if same.verdict == "equal" else undecided(f"over {MAX_UNORDERED} parts")
    verdicts = [[case.parts(one, two).verdict for two in given] for one in expected]
    lines = [*verdicts, *([row[place] for row in verdicts] for place in range(len(given)))]
    if any(all(verdict == "different" for verdict in line) for line in lines):
        return different("other parts")
    if all("equal" in line for line in lines):
        return equal("the same parts")
    return undecided("parts that can't be compared")


def _compare_unordered(one: Group, two: Group, case: Case) -> Match:
    anyhow = as_sets(one.parts, two.parts, case)
    if anyhow.verdict != "equal":
        return anyhow
    placed = in_order(one.parts, two.parts, case).verdict == "equal"
    shapes = {one.shape, two.shape}
    if placed and shapes not in ({"set", "tuple"}, {"set", "bracket"}):
        return equal("the same parts")
    if shapes <= {"set", "list"} and not (shapes == {"list"} and asks_for_order(case.question)):
        return equal("the same parts")
    return undecided("the same parts in another order or other brackets")


def _compare_matrices(one: Group, two: Group, case: Case) -> Match:
    if one.shape != two.shape:
        matrix, other = (one, two) if one.shape == "matrix" else (two, one)
        if matrix.columns not in (1, len(matrix.parts)) or other.shape == "set":
            return undecided("a matrix and something else")
        return in_order(one.parts, two.parts, case)
    if one.fence != two.fence and "v" in (one.fence, two.fence):
        return undecided("a matrix and a determinant")
    if one.columns != two.columns and sorted((one.columns, two.columns))[0] == 1:
        match = in_order(one.parts, two.parts, case)
        return undecided("a row and a column") if match.verdict == "equal" else match
    if one.columns != two.columns:
        return different("matrices of other shapes")
    return in_order(one.parts, two.parts, case)


def _with_single(one: Group, two: Group, case: Case) -> Match:
    """A group and a single answer: the same only where the group has one part."""
    group, single = (two, one) if one.shape == "single" else (one, two)
    if len(group.parts) == 1 and group.shape != "matrix":
        return case.parts(one.parts[0], two.parts[0])
    if group.shape == "matrix" and len(group.parts) > 1 and read_quantity(single.parts[0]):
        return different("a matrix and a number")
    if group.shape == "matrix" or not group.parts or not _is_mathematical(single.parts[0]):
        return undecided("several parts and a single answer")
    match = as_sets(one.parts, two.parts, case)
    # `5 apples and 3 oranges` may answer with 5 what was asked, and say more
    worded = any((q := read_quantity(part)) and q.unit for part in group.parts)
    if match.verdict != "different" or worded:
        return undecided("several parts and a single answer")
    return match


def _matrix(text: str) -> Group | None:
    found = _MATRIX.fullmatch(text.strip())
    if found is None:
        return None
    rows = [cut_at(row, _CELL) or [] for row in cut_at(found["body"], _ROW) or [] if row]
    if not rows or len({len(row) for row in rows}) != 1:
        return None
    fence = {"vmatrix": "v", "Vmatrix": "v"}.get(found["name"], "")
    return Group("matrix", tuple(cell for row in rows for cell in row), len(rows[0]), fence)


def _bracketed(text: str) -> Group | None:
    if _EMPTY.fullmatch(text):
        return Group("set", ())
    shell = enclosed(text)
    if shell is None or shell[0] + shell[2] not in ("()", "[]", "{}"):
        return None
    parts = cut_at(shell[1], _COMMA)
    if parts is None or not all(parts):
        return Group("set", ()) if parts == [""] and shell[0] == "{" else None
    shape = _SHAPES[shell[0]]
    if len(parts) == 1 and shape != "set":
        return None
    return Group(shape, tuple(parts))


def _plus_minus(text: str) -> Group | None:
    if len(_PLUS_MINUS.findall(text)) != 1:
        return None
    return Group("list", (_PLUS_MINUS.sub("+", text), _PLUS_MINUS.sub("-", text)))


def _listed(text: str) -> Group | None:
    body, unit = split_unit(text)
    parts = cut_at(body, _SEPARATOR)
    if parts is None or len(parts) < 2 or not all(parts):
        return None
    named = [_NAMED.fullmatch(part) for part in parts]
    values = [name["value"] if name else part for name, part in zip(named, parts, strict=True)]
    if not all(_is_mathematical(value) or _bracketed(value) for value in values):
        return None
    names = Counter(name["name"] for name in named if name)
    if len(names) > 1 and len(names) == len(parts):
        # `x = 2, y = 3` is the point (2, 3)
        return Group("tuple", tuple(value for _, value in sorted(zip(names, values, strict=True))))
    return Group("list", tuple(f"{value} {unit}".strip() for value in values))


def _is_mathematical(text: str) -> bool:
    return read_quantity(text) is not None or as_latex(text) is not None
