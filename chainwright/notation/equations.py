"""Equations in running text, such as `6 feet + 2 feet = 8 feet` or `9 plus 3 equals 12`.

A reader passes over units and asides; so does this one. It keeps the text's own positions, so a
number that it finds can be rewritten in place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from chainwright.notation.expression import (
    MIXED,
    OPERATOR_SIGNS,
    Expression,
    ExpressionError,
    Number,
    Operation,
    Percent,
    Span,
    evaluate,
    numbers_in,
    operations_in,
    parse,
)
from chainwright.notation.marks import Mark, find_marks, states
from chainwright.notation.numerals import CURRENCY

_WORD_SIGNS = {"plus": "+", "minus": "-", "times": "*", "x": "*", "X": "*"}
_TOKEN = re.compile(
    rf"(?P<number>{MIXED}|\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<words>(?:multiplied|divided)\s+by\b)|(?P<word>[A-Za-z]+(?:['’][A-Za-z]+)?)"
    rf"|(?P<equals>[=≈])|(?P<power>\*\*)|(?P<sign>[{re.escape(OPERATOR_SIGNS)}])"
    rf"|(?P<percent>%)|(?P<open>\()|(?P<close>\))|(?P<currency>[{re.escape(CURRENCY)}])"
    r"|(?P<space>\s+)|(?P<other>.)",
    re.DOTALL,
)
_GLUE = frozenset("0123456789)")
_CLAUSE_ENDS = frozenset(".,;:!?\n")
MAX_UNIT_WORDS = 4
MAX_TEXT = 20_000
"""Longer steps are read up to here: running text of a step is far shorter."""


@dataclass(frozen=True)
class Side:
    """One side of an equation: where it stands and what it is worth."""

    span: Span
    expression: Expression
    value: Fraction
    text: str
    has_unit: bool

    @property
    def is_number(self) -> bool:
        """Whether the side is a single literal, with or without sign and percent."""
        return not any(True for _ in operations_in(self.expression))


@dataclass(frozen=True)
class Equation:
    """`left = right`, neighbours in a row such as `a + b = c = d`."""

    left: Side
    right: Side
    approximate: bool = False

    @property
    def holds(self) -> bool:
        """Whether both sides agree, within the rounding that the right side shows.

        A percent sign may be meant or not: `50 / 200 * 100 = 25%` is how people write.
        """
        left, right = self.left.value, self.right.value
        if states(left, right, self.right.text):
            return True
        if self.approximate and abs(left - right) <= abs(right) / 100:
            return True
        if "%" in self.right.text and states(left, right * 100, self.right.text):
            return True
        return "%" in self.left.text and states(left * 100, right, self.right.text)


def find_equations(text: str, *, marks: bool = True) -> list[Equation]:
    """The equations of a text that have arithmetic on at least one side, in order.

    Args:
        text: running text of a step; calculator marks are read first unless `marks` is false.
            Then the text is read as if they were not there.

    Bare equalities of two literals (`1 foot = 12 inches`) state a conversion and are left out,
    as are lines with variables (`2x + 4 = 10`).
    """
    text = text[:MAX_TEXT]
    found = find_marks(text)
    equations = [e for mark in found if marks and (e := _from_mark(mark, text))]
    for run in _runs(text, [mark.span for mark in found]):
        equations += _from_run(run, text)
    return sorted(equations, key=lambda equation: equation.left.span)


def side_numbers(side: Side) -> list[Number]:
    """The literals of a side, left to right."""
    return list(numbers_in(side.expression))


def _from_mark(mark: Mark, text: str) -> Equation | None:
    if mark.left is None or mark.result is None:
        return None
    start, end = mark.result_span
    sides = []
    for expression, span in (
        (mark.left, (mark.span[0] + 2, start - 1)),
        (mark.result, (start, end)),
    ):
        try:
            value = evaluate(expression)
        except ExpressionError:
            return None
        sides.append(Side(span, expression, value, text[span[0] : span[1]], has_unit=False))
    return Equation(sides[0], sides[1])


@dataclass
class _Run:
    """A stretch of text that reads as arithmetic, with all else blanked out."""

    start: int
    masked: list[str]
    equals: list[int]
    units: list[int]

    def cut(self, end: int) -> "_Run":
        return _Run(self.start, self.masked[:end], [e for e in self.equals if e < end], self.units)


def _runs(text: str, hidden: Sequence[Span]) -> list[_Run]:
    """Maximal stretches that alternate operands and operators, units passed over."""
    for start, end in hidden:
        text = text[:start] + " " * (end - start) + text[end:]
    runs: list[_Run] = []
    reader = _Reader(text)
    algebra = False
    for token in _TOKEN.finditer(text):
        if reader.accepts(token):
            continue
        runs += [] if algebra else reader.finished()
        # what follows a dangling sign or a number that ran into the next is a part of something
        # that can't be read: no arithmetic of its own until the clause ends
        algebra = (algebra or reader.dangles(token)) and token.group() not in _CLAUSE_ENDS
        reader = _Reader(text)
        reader.accepts(token)
    runs += [] if algebra else reader.finished()
    return [run for run in runs if run.equals]


class _Reader:
    """Reads tokens into one run until a token doesn't fit."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.run: _Run | None = None
        self.wants_operand = True
        self.depth = 0
        self.aside = 0
        self.unit_words = 0
        self.unit_division = False
        self.spoilt = False
        self.complete = 0

    def accepts(self, token: re.Match[str]) -> bool:  # noqa: PLR0911
        kind, start = str(token.lastgroup), token.start()
        if kind in ("space", "currency"):
            return kind == "space" or self.wants_operand or self.run is None
        if self.aside:
            self.aside += {"open": 1, "close": -1}.get(kind, 0)
            return kind != "equals"
        if self.wants_operand:
            return self._operand(kind, token, start)
        return self._operator(kind, token, start)

    def finished(self) -> list[_Run]:
        """The run up to its last operand; a side that a dangling sign cuts short is dropped."""
        if self.run is None or self.spoilt:
            return []
        end = self.complete
        if self._ends_in_sign() and self.run.equals:
            end = self.run.equals[-1]
        return [self.run.cut(end)]

    def dangles(self, token: re.Match[str]) -> bool:
        """Whether the token cuts the run short in the middle of something."""
        if self.spoilt:
            return True
        if self.run is None:
            return token.lastgroup in ("sign", "power") and token.group() not in "xX"
        runs_on = token.lastgroup in ("number", "open") and not self.unit_words
        return self._ends_in_sign() or (runs_on and not self.wants_operand)

    def _operand(self, kind: str, token: re.Match[str], start: int) -> bool:
        glued = start > 0 and (self.text[start - 1].isalnum() or self.text[start - 1] == "_")
        if kind == "number" and not (self.run is None and glued):
            self._put(token)
            self.wants_operand = False
            self._mark_complete(token.end())
            return True
        if kind == "open":
            self._put(token)
            self.depth += 1
            return True
        if kind == "sign" and token.group() in "-−–" and not self._ends_in_sign():
            # a dash that opens a run is a minus when it's glued to its number: `books - 135` isn't
            if self.run is None and not self.text[token.end() : token.end() + 1].isdigit():
                return False
            self._put(token)
            return True
        if kind == "word" and self.unit_division and not self._ends_in_equals():
            # `80 square feet/piece`: the slash belonged to the unit
            self._drop_last_sign()
            return self._unit(token)
        return False

    def _operator(self, kind: str, token: re.Match[str], start: int) -> bool:
        assert self.run is not None
        sign = None
        if kind == "sign" or kind == "power":
            sign = "^" if kind == "power" else token.group()
        elif kind == "words":
            sign = "*" if token.group().lower().startswith("multiplied") else "/"
        elif kind == "word" and token.group() in _WORD_SIGNS:
            sign = _WORD_SIGNS[token.group()]
        elif kind == "word" and token.group() == "of" and self._after_share():
            sign = "*"
        elif kind == "equals" or (kind == "word" and token.group() in ("equals", "equal")):
            if self.depth:
                return False
            self.run.equals.append(start - self.run.start)
            sign = "="
        if sign is not None:
            self.unit_division = sign == "/"
            self._put(token, sign)
            self.wants_operand = True
            self.unit_words = 0
            return True
        if kind == "percent":
            self._put(token)
            self._mark_complete(token.end())
            return True
        if kind == "close" and self.depth:
            self._put(token)
            self.depth -= 1
            self._mark_complete(token.end())
            return True
        if kind == "open" and self._opens_aside(token):
            self.aside = 1
            return True
        if kind == "open" and not self.unit_words:
            self._put(token)
            self.depth += 1
            self.wants_operand = True
            return True
        return kind == "word" and self._unit(token)

    def _unit(self, token: re.Match[str]) -> bool:
        """A word behind a number is its unit; a single letter glued to it is a variable."""
        assert self.run is not None
        word, start = token.group(), token.start()
        if len(word) == 1 and self.text[start - 1] in _GLUE:
            return self._spoil()
        if len(word) == 1 and self._equation_goes_on(token.end()) and word not in "mglLshkK":
            return self._spoil()
        self.unit_words += 1
        if self.unit_words > MAX_UNIT_WORDS:
            return False
        self.run.units.append(start - self.run.start)
        self.unit_division = False
        self.wants_operand = False
        return True

    def _opens_aside(self, token: re.Match[str]) -> bool:
        """Whether a parenthesis holds words, as in `3 (breakfast) + 4`, and not a factor."""
        inside = self.text[token.end() :].partition(")")[0]
        glued = self.text[token.start() - 1].isdigit()
        return inside[:1].isalpha() or (not glued and any(c.isalpha() for c in inside))

    def _equation_goes_on(self, end: int) -> bool:
        return self.text[end:].lstrip()[:1] in set("=≈+*^/")

    def _spoil(self) -> bool:
        """A variable makes the whole run algebra, which nothing here can check."""
        self.spoilt = True
        return False

    def _after_share(self) -> bool:
        """Whether what stands before is a share (`25%`, `1/2`), which `of` multiplies."""
        assert self.run is not None
        written = "".join(self.run.masked[: self.complete]).rstrip()
        return written.endswith("%") or bool(re.search(r"\d\s*/\s*\d+$", written))

    def _put(self, token: re.Match[str], text: str | None = None) -> None:
        if self.run is None:
            self.run = _Run(token.start(), [], [], [])
        at = token.start() - self.run.start
        self.run.masked += [" "] * (at - len(self.run.masked))
        written = text or token.group()
        self.run.masked += list(written.ljust(token.end() - token.start()))

    def _mark_complete(self, end: int) -> None:
        if self.run is not None and not self.depth:
            self.complete = end - self.run.start

    def _last_sign(self) -> str:
        return "".join(self.run.masked).rstrip()[-1:] if self.run else ""

    def _ends_in_sign(self) -> bool:
        return self._last_sign() in set("+-−–*/^")

    def _ends_in_equals(self) -> bool:
        return self._last_sign() in set("=≈")

    def _drop_last_sign(self) -> None:
        assert self.run is not None
        while self.run.masked and self.run.masked.pop() == " ":
            pass


def _from_run(run: _Run, text: str) -> list[Equation]:
    masked = "".join(run.masked)
    cuts = [-1, *run.equals, len(masked)]
    sides: list[Side | None] = []
    for left, right in zip(cuts, cuts[1:], strict=False):
        start, end = run.start + left + 1, run.start + right
        units = any(left < unit < right for unit in run.units)
        sides.append(_side(masked[left + 1 : right], (start, end), text, has_unit=units))
    equations = []
    for at, (first, second) in enumerate(zip(sides, sides[1:], strict=False)):
        if first is None or second is None or (first.is_number and second.is_number):
            continue
        if _is_conversion(first, second) or _is_description(first, second):
            continue
        approximate = masked[run.equals[at]] == "≈" or text[run.start + run.equals[at]] == "≈"
        equations.append(Equation(first, second, approximate))
    return equations


def _side(masked: str, span: Span, text: str, *, has_unit: bool) -> Side | None:
    body = masked.strip()
    if not body:
        return None
    start = span[0] + masked.index(body)
    try:
        expression = parse(body, start)
        value = evaluate(expression)
    except ExpressionError:
        return None
    end = start + len(body)
    return Side((start, end), expression, value, text[start:end], has_unit=has_unit)


def _is_conversion(left: Side, right: Side) -> bool:
    """`1/2 hour = 30 minutes` says what a unit is worth; no arithmetic is claimed."""
    expression = left.expression
    share = isinstance(expression, Operation) and expression.operator == "/"
    share = share and all(
        isinstance(part, Number)
        for part in (expression.left, expression.right)  # type: ignore[union-attr]
    )
    literal = share or isinstance(expression, Number | Percent)
    return literal and left.has_unit and right.has_unit and left.value != right.value


def _is_description(left: Side, right: Side) -> bool:
    """`4 students drank 1.5 quarts = 4 * 1.5` names what the right side works out."""
    return left.is_number and left.has_unit and left.value != right.value
