"""Equations in running text, such as `6 feet + 2 feet = 8 feet` or `9 plus 3 equals 12`.

A reader passes over units and asides; so does this one. It keeps the text's own positions, so a
number that it finds can be rewritten in place.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from chainwright.notation.expression import (
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
from chainwright.notation.runs import Run, arithmetic_runs

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
        sides.append(Side(span, expression, value, text[span[0] : span[1]], has_unit=False))
    return Equation(sides[0], sides[1])


def _from_run(run: Run, text: str) -> list[Equation]:
    masked = "".join(run.masked)
    cuts = [-1, *run.equals, len(masked)]
    sides: list[Side | None] = []
    for left, right in pairwise(cuts):
        start, end = run.start + left + 1, run.start + right
        units = any(left < unit < right for unit in run.units)
        sides.append(_side(masked[left + 1 : right], (start, end), text, has_unit=units))
    equations = []
    for at, (first, second) in enumerate(pairwise(sides)):
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
