"""`program:reference` compares what a step derives with what the source's solution derives."""

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
from chainwright.notation.latex import plain
from chainwright.notation.numerals import find_numerals

VERSION = "1"


def reference(case: Case) -> list[Opinion]:
    """One opinion a step.

    A derived quantity that the reference has too is right. One that the reference lacks, in a
    chain that ends in another answer, is an error of this step when all it builds on was right,
    and inherited otherwise, which is no error of its own. In a chain that ends in the
    reference's answer it is another way there, on which this judge abstains.
    """
    if not case.reference_solution:
        return [abstained("the problem has no reference solution")] * len(case.steps)
    expected = _expected(case)
    answer = _number(case.reference_answer)
    final = _number(case.final_answer)
    other_way = answer is not None and final == answer
    off: set[Fraction] = set()
    return [_judge(step, expected, off, other_way=other_way) for step in case.steps]


def _judge(step: str, expected: set[Fraction], off: set[Fraction], *, other_way: bool) -> Opinion:
    """Judges one step and adds to `off` the quantities that it gets wrong."""
    equations = step_equations(step)
    if not equations:
        return abstained("nothing derived that could be compared")
    inherited = False
    for equation in equations:
        value = equation.right.value
        if not equation.holds:
            off.add(value)
            return error(
                "mathematical_error",
                f"{equation.left.text.strip()} is {written(equation.left.value)}, "
                f"not {equation.right.text.strip()}",
            )
        if any(form in off for form in _operands(equation)):
            off.add(value)
            inherited = True
        elif not _matches(equation, expected):
            if other_way:
                return abstained(f"{written(value)} is not in the reference; another way there")
            off.add(value)
            return error(
                "logical_inconsistency",
                f"{written(value)} is derived nowhere in the reference solution",
            )
    if inherited:
        return correct("follows from earlier quantities that are off")
    return correct("derives what the reference derives")


def _expected(case: Case) -> set[Fraction]:
    """Every quantity that the reference derives, and its answer."""
    values: set[Fraction] = set()
    for line in (case.reference_solution or "").splitlines():
        for equation in step_equations(line):
            values.add(equation.right.value)
            values.add(equation.left.value)
    answer = _number(case.reference_answer)
    return values if answer is None else values | {answer}


def _operands(equation: Equation) -> set[Fraction]:
    return {number.value for number in side_numbers(equation.left)}


def _matches(equation: Equation, expected: set[Fraction]) -> bool:
    """Whether the reference has the value, as computed or as written (rounded, say).

    It may have it as an amount or, of a percentage, as a share.
    """
    forms: set[Fraction] = set()
    for value in (equation.left.value, equation.right.value):
        forms |= {value, -value}
        if "%" in equation.right.text or "%" in equation.left.text or abs(value) < 1:
            forms |= {value * 100, value / 100}
    return not forms.isdisjoint(expected)


def _number(text: str | None) -> Fraction | None:
    """The last number of an answer, with its sign."""
    cleaned = plain(text or "")
    numerals = find_numerals(cleaned)
    if not numerals:
        return None
    last = numerals[-1]
    before = cleaned[: last.start].rstrip("$€£¥₹ ")
    return -last.value if before.endswith(("-", "−")) else last.value
