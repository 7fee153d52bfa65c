"""Equations in running text, such as `6 feet + 2 feet = 8 feet` or `9 plus 3 equals 12`.

A reader passes over units and asides; so does this one. It keeps the text's own positions, so a
number that it finds can be rewritten in place.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from chainwright.notation.expression import (
    Expression,
    ExpressionError,
    Negation,
    Number,
    Operation,
    Percent,
    Span,
    evaluate,
    numbers_in,
    parse,
)
from chainwright.notation.marks import Mark, find_marks, states
from chainwright.notation.runs import Run, arithmetic_runs

MAX_TEXT = 20_000
"""Longer steps are read up to here: running text of a step is far shorter."""

_WORD = re.compile(r"[A-Za-z]+")
_REST = re.compile(r"[^.;\n=]{0,60}?\b(?:remain(?:s|der|ing)?|left ?over)\b")


@dataclass(frozen=True)
class Side:
    """One side of an equation: where it stands and what it is worth."""

    span: Span
    expression: Expression
    value: Fraction
    text: str

    @property
    def is_number(self) -> bool:
        """Whether the side is a single literal, with or without sign and percent."""
        inner = self.expression
        while isinstance(inner, Negation | Percent):
            inner = inner.operand
        return isinstance(inner, Number)


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

    Bare equalities of two literals (`1 foot = 12 inches`) state a conversion and are left out,
    as are lines with variables (`2x + 4 = 10`), divisions with a remainder, and a number that
    opens a line as the name of what is worked out (`day 2 = 5 * 3`). An operator written as a
    word is pointed at by its first letter.

    Args:
        text: running text of a step; calculator marks are read first unless `marks` is false.
            Then the text is read as if they were not there.
    """
    text = text[:MAX_TEXT]
    found = find_marks(text)
    equations = [e for mark in found if marks and (e := _from_mark(mark, text))]
    for run in arithmetic_runs(text, [mark.span for mark in found]):
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
        sides.append(Side(span, expression, value, text[span[0] : span[1]]))
    return Equation(sides[0], sides[1])


def _from_run(run: Run, text: str) -> list[Equation]:
    cuts = [-1, *run.equals, len(run.masked)]
    sides = [_side(run, left + 1, right, text) for left, right in pairwise(cuts)]
    equations = []
    for at, (left, right) in enumerate(pairwise(sides)):
        if left is None or right is None or (left.is_number and right.is_number):
            continue
        equation = Equation(left, right, text[run.start + run.equals[at]] == "≈")
        if equation.holds or not _claims_nothing(equation, run, at, text):
            equations.append(equation)
    return equations


def _side(run: Run, start: int, end: int, text: str) -> Side | None:
    body = run.masked[start:end].strip()
    if not body:
        return None
    start = run.start + run.masked.index(body, start)
    try:
        expression = parse(body, start)
        value = evaluate(expression)
    except ExpressionError:
        return None
    end = start + len(body)
    return Side((start, end), expression, value, text[start:end])


def _claims_nothing(equation: Equation, run: Run, at: int, text: str) -> bool:
    """Whether an equation that doesn't hold, the run's `at`-th, isn't meant as a computation."""
    left, right = equation.left, equation.right
    cuts = [-1, *run.equals, len(text)]
    first, second, third = (bisect(run.units, cut) for cut in cuts[at : at + 3])
    left_units = [_word(run.start + place, text) for place in run.units[first:second]]
    right_units = [_word(run.start + place, text) for place in run.units[second:third]]
    # `4 students drank 1.5 quarts = 4 * 1.5` and `day 2 = 4 * 1.5` name what is worked out
    if left.is_number and (at == 0 or left_units):
        return True
    return _is_conversion(left, right, left_units, right_units) or _leaves_rest(left, right, text)


def _word(place: int, text: str) -> str:
    found = _WORD.match(text, place)
    return found.group().lower() if found else ""


def _is_conversion(
    left: Side, right: Side, left_units: Sequence[str], right_units: Sequence[str]
) -> bool:
    """`1/2 hour = 30 minutes` says what a unit is worth; no arithmetic is claimed.

    `60/4 pies = 12 pies` does claim some, and so does `60 miles / 4 hours = 12 mph`. In
    `$1 / 2 = 50 cents` both sides are the same.
    """
    if not right_units:
        return False
    if left.value * 100 == right.value and right_units[0] in ("cent", "cents"):
        return True
    if not left_units or left.value >= 1 or not _is_share(left.expression):
        return False
    within = _WORD.search(left.text)
    return not within and left_units[0].rstrip("s") != right_units[0].rstrip("s")


def _is_share(expression: Expression) -> bool:
    return (
        isinstance(expression, Operation)
        and expression.operator == "/"
        and isinstance(expression.left, Number)
        and isinstance(expression.right, Number)
    )


def _leaves_rest(left: Side, right: Side, text: str) -> bool:
    """`50 / 3 = 16 with 2 remaining` divides whole things, and says what remains."""
    divides = isinstance(left.expression, Operation) and left.expression.operator == "/"
    whole = divides and right.value == left.value // 1
    return whole and _REST.match(text, right.span[1]) is not None
