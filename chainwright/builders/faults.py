"""The ways a computation can go wrong (PERL's native errors, arXiv 2502.02362, section 3).

A wrong result is a mathematical error: digit slip, carry, order of magnitude, sign. A wrong
operand or operator is a logical inconsistency: the arithmetic is right, what it is done to is not.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from chainwright.builders.recompute import MOST_DECIMALS, Fault
from chainwright.builders.worked import Computation, FromQuestion, FromResult, Origin, Worked
from chainwright.notation.expression import (
    Expression,
    ExpressionError,
    Operation,
    Operator,
    evaluate,
    parse,
)
from chainwright.notation.marks import states
from chainwright.notation.numerals import Numeral, decimal_text

FAMILIES = ("wrong_result", "wrong_operand", "wrong_operator")

_OTHER_SIGNS: dict[Operator, tuple[Operator, ...]] = {
    "+": ("-", "*"),
    "-": ("+",),
    "*": ("+", "/"),
    "/": ("*", "-"),
    "^": ("*",),
}


def faults_of(worked: Worked, stated: Sequence[Numeral], family: str) -> Iterator[Fault]:
    """Every fault of a family in every computation, in a fixed order.

    Args:
        worked: the solution's computation graph.
        stated: the numbers of the question; wrong operands are taken from there and from the
            results so far.
        family: one of FAMILIES.

    Raises:
        KeyError: for an unknown family.
    """
    make = {
        "wrong_result": _wrong_results,
        "wrong_operand": _wrong_operands,
        "wrong_operator": _wrong_operators,
    }[family]
    for computation in worked.computations:
        yield from make(worked, computation, stated)


def _wrong_results(
    worked: Worked, computation: Computation, stated: Sequence[Numeral]
) -> Iterator[Fault]:
    seen: set[Fraction] = {computation.stated}
    for kind, value in _slips(worked, computation):
        if value in seen or _is_right(computation, value):
            continue
        seen.add(value)
        yield Fault(computation.index, "mathematical_error", kind, stated=value)


def _is_right(computation: Computation, value: Fraction) -> bool:
    true = evaluate(computation.left) * (100 if computation.exact_percent else 1)
    return states(true, value, decimal_text(value) or "")


def _slips(worked: Worked, computation: Computation) -> Iterator[tuple[str, Fraction]]:
    stated = computation.stated
    text = decimal_text(abs(stated))
    if text is None or not any(True for _ in computation.operations):
        return
    sign = -1 if stated < 0 else 1
    digits = [place for place, character in enumerate(text) if character.isdigit()]
    for place in digits:
        for step in (1, -1, 2, -2):
            digit = int(text[place]) + step
            if not 0 <= digit <= 9 or (digit == 0 and place == 0 and len(text) > 1):
                continue
            yield "digit_slip", sign * Fraction(text[:place] + str(digit) + text[place + 1 :])
    if any(operation.operator in "+-*" for operation in computation.operations):
        for power in range(1, len(text.partition(".")[0]) + 1):
            for carry in (10**power, -(10**power)):
                if abs(stated) + carry > 0:
                    yield "carry", sign * (abs(stated) + carry)
    yield "order_of_magnitude", stated * 10
    if decimal_text(stated / 10, MOST_DECIMALS) is not None:
        yield "order_of_magnitude", stated / 10
    subtracts = any(operation.operator == "-" for operation in computation.operations)
    if subtracts and not _used_later(worked, computation.index):
        yield "sign", -stated


def _used_later(worked: Worked, index: int) -> bool:
    """Whether the result is an operand further on, where a minus sign would garble the text."""
    return any(
        isinstance(origin, FromResult) and origin.computation == index
        for computation in worked.computations
        for origin in computation.operands
    )


def _wrong_operands(
    worked: Worked, computation: Computation, stated: Sequence[Numeral]
) -> Iterator[Fault]:
    numbers = computation.numbers
    own = {number.value for number in numbers}
    for place, number in enumerate(numbers):
        if computation.spelt_out and computation.marked and computation.prose_signs is None:
            return
        if number.value == 1 or len(numbers) == 1:
            continue
        for value, origin in _other_quantities(worked, computation, stated):
            if value in own or value == computation.stated:
                continue
            kind = "other_result" if isinstance(origin, FromResult) else "other_given"
            yield Fault(
                computation.index,
                "logical_inconsistency",
                kind,
                operand=place,
                value=value,
                origin=origin,
            )


def _other_quantities(
    worked: Worked, computation: Computation, stated: Sequence[Numeral]
) -> Iterator[tuple[Fraction, Origin]]:
    for earlier in worked.computations[: computation.index]:
        if earlier.stated > 0:
            yield earlier.stated, FromResult(earlier.index)
    for numeral in stated:
        if numeral.value not in (0, 1) and decimal_text(numeral.value, MOST_DECIMALS):
            yield numeral.value, FromQuestion(numeral.text)


def _wrong_operators(
    worked: Worked, computation: Computation, stated: Sequence[Numeral]
) -> Iterator[Fault]:
    text = worked.steps[computation.step - 1]
    start, end = computation.left_span
    for place, operation in enumerate(computation.operations):
        for sign in _OTHER_SIGNS[operation.operator]:
            left = _reread(text[start:end], start, operation, sign)
            if left is None:
                continue
            yield Fault(
                computation.index,
                "logical_inconsistency",
                f"{_NAME[sign]}_for_{_NAME[operation.operator]}",
                operator=place,
                sign=sign,
                left=left,
            )


_NAME: dict[Operator, str] = {
    "+": "addition",
    "-": "subtraction",
    "*": "multiplication",
    "/": "division",
    "^": "power",
}


def _reread(text: str, start: int, operation: Operation, sign: Operator) -> Expression | None:
    """The left side with another sign in place of one of its own; None where it has no sign."""
    a, b = operation.span[0] - start, operation.span[1] - start
    if b - a != 1 or text[a:b] == "(":
        return None
    try:
        return parse(text[:a] + sign + text[b:], start)
    except ExpressionError:
        return None
