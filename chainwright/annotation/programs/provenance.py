"""`program:provenance` asks of every quantity a step uses where it comes from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from chainwright.annotation.programs.case import (
    Case,
    Opinion,
    abstained,
    correct,
    error,
    step_equations,
    written,
)
from chainwright.notation.equations import Equation, side_numbers
from chainwright.notation.givens import Givens, givens
from chainwright.notation.latex import plain
from chainwright.notation.marks import find_marks
from chainwright.notation.numerals import find_numerals

VERSION = "1"
_NEUTRAL = (Fraction(0), Fraction(1), Fraction(100), Fraction(1, 100))
"""Numbers that carry no quantity: nothing, one of a thing, and the two ends of a percent sign."""
_COUNTED = (Fraction(2), Fraction(3), Fraction(4))
"""Numbers that a reader sees at a glance: of two people named, or of a ticket and a drink."""


def provenance(case: Case) -> list[Opinion]:
    """One opinion a step, with its premises.

    A quantity may be the result of an earlier step, be given by the question, or be mentioned by
    an earlier step; the first that fits is its premise. A step that uses a quantity from nowhere
    is a logical inconsistency, unless it may have been counted. A step without quantities is
    abstained on.
    """
    known = _Known(givens(case.question))
    return [known.judge(number, step) for number, step in enumerate(case.steps, start=1)]


class _Known:
    """The quantities that have come up so far, and the step that brought each."""

    def __init__(self, given: Givens) -> None:
        self.given = given
        self.results: dict[Fraction, int] = {}
        self.mentions: dict[Fraction, int] = {}

    def judge(self, number: int, step: str) -> Opinion:
        equations = step_equations(step)
        premises: set[int] = set()
        missing: list[Fraction] = []
        derived: set[Fraction] = set()
        used = list(_used(equations)) if equations else _stated(step)
        for use in used:
            source = number if use.value in derived else self.source(use.value)
            if source is not None:
                premises.add(source)
            elif not use.intermediate:
                missing.append(use.value)
            if use.result is not None:
                derived |= _forms(use.result)
        self._remember(number, step, equations)
        rests_on = sorted(premises - {number}) or [0]
        if not used:
            return abstained("no quantity to trace")
        if missing and not equations:
            return abstained(f"{_listed(missing)} appears without a calculation", rests_on)
        if missing and all(value in _COUNTED for value in missing):
            return abstained(f"{_listed(missing)} is given nowhere and may be a count", rests_on)
        if missing:
            return error(
                "logical_inconsistency",
                f"{_listed(missing)} comes neither from the question nor from an earlier step",
                rests_on,
            )
        return correct(f"every quantity comes from {_places(rests_on)}", rests_on)

    def source(self, value: Fraction) -> int | None:
        """The step a value comes from: an earlier result, the question, an earlier mention."""
        if value in self.results:
            return self.results[value]
        if value in _NEUTRAL or self.given.find(value) is not None:
            return 0
        return self.mentions.get(value)

    def _remember(self, number: int, step: str, equations: Sequence[Equation]) -> None:
        for equation in equations:
            for form in _forms(equation.right.value):
                self.results[form] = number
        text = plain(step)
        for numeral in find_numerals(text, [mark.span for mark in find_marks(text)]):
            self.mentions.setdefault(numeral.value, number)


@dataclass(frozen=True)
class _Use:
    """A quantity that a step uses.

    `intermediate` in `a = b = c` are the numbers of b, which a gave; `result` is what the equation
    derives once its last operand has been used.
    """

    value: Fraction
    intermediate: bool = False
    result: Fraction | None = None


def _used(equations: Sequence[Equation]) -> Iterator[_Use]:
    """The operands of the equations in order."""
    before = None
    for equation in equations:
        *numbers, last = side_numbers(equation.left)
        goes_on = equation.left.span == before
        before = equation.right.span
        for number in numbers:
            yield _Use(number.value, goes_on)
        yield _Use(last.value, goes_on, equation.right.value)


def _stated(step: str) -> list[_Use]:
    return [_Use(numeral.value) for numeral in find_numerals(plain(step))]


def _forms(value: Fraction) -> set[Fraction]:
    """A result and the other ways to refer to it: its amount, and as a percentage."""
    return {value, abs(value), value * 100, abs(value) / 100}


def _listed(values: list[Fraction]) -> str:
    return ", ".join(dict.fromkeys(written(value) for value in values))


def _places(premises: list[int]) -> str:
    steps = [str(step) for step in premises if step]
    parts = ["the question"] if 0 in premises else []
    if steps:
        parts.append(f"step{'s' if len(steps) > 1 else ''} {', '.join(steps)}")
    return " and ".join(parts)
