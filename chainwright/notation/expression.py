"""Arithmetic expressions: one grammar, an exact value, and the way back to text.

    sum     = product (("+" | "-") product)*
    product = power (("*" | "/")? power)*          x, ×, · and ÷ are read as well; the sign may
                                                   be left out before a parenthesis
    power   = "-" power | atom "%"* ("^" power)?
    atom    = numeral | "(" sum ")"                `1 1/2` is one numeral; currency signs are
                                                   passed over

Values are `fractions.Fraction`, so nothing is lost to rounding. Text is data: it is never
executed, and length, depth, digits, exponents and values have hard limits.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from chainwright.notation.numerals import CURRENCY, MAX_DIGITS, literal_value

MAX_LENGTH = 1000
MAX_TOKENS = 200
MAX_DEPTH = 60
MAX_EXPONENT = 64
MAX_BITS = 1000
"""Of a numerator or denominator: `float()` of a value then never overflows."""

Operator = Literal["+", "-", "*", "/", "^"]
Span = tuple[int, int]

_SIGNS: dict[str, Operator] = {
    "+": "+",
    "-": "-",
    "−": "-",
    "–": "-",
    "*": "*",
    "×": "*",
    "·": "*",
    "x": "*",
    "X": "*",
    "/": "/",
    "÷": "/",
    "^": "^",
}
OPERATOR_SIGNS = "".join(_SIGNS)
_OPERATORS: dict[str, Operator] = {**_SIGNS, "**": "^"}
MIXED = r"\d+\ \d+/[1-9]\d*(?!\.?\d)"
"""A whole number and a fraction, `1 1/2`."""
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{MIXED}|\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)"
    rf"|(?P<power>\*\*)|(?P<sign>[{re.escape(OPERATOR_SIGNS)}])|(?P<percent>%)"
    rf"|(?P<open>\()|(?P<close>\))|(?P<currency>[{re.escape(CURRENCY)}])|(?P<other>\S))"
)
_PRECEDENCE: dict[Operator, int] = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}


class ExpressionError(ValueError):
    """The text is no expression of the grammar, or its value has no exact, bounded form."""


@dataclass(frozen=True)
class Number:
    """A literal as written; two literals are equal when their text is."""

    text: str
    span: Span = field(default=(0, 0), compare=False)

    @property
    def value(self) -> Fraction:
        """The literal's exact value."""
        return literal_value(self.text)


@dataclass(frozen=True)
class Negation:
    """-x."""

    operand: "Expression"


@dataclass(frozen=True)
class Percent:
    """x%: a hundredth of x."""

    operand: "Expression"


@dataclass(frozen=True)
class Operation:
    """left operator right; `span` is where the operator stands."""

    operator: Operator
    left: "Expression"
    right: "Expression"
    span: Span = field(default=(0, 0), compare=False)


Expression: TypeAlias = Number | Negation | Percent | Operation


def parse(text: str, offset: int = 0) -> Expression:
    """The expression that the whole text is.

    Args:
        text: the expression alone, such as `(8+4)*3`.
        offset: where it stands in a longer text; spans count from there.

    Raises:
        ExpressionError: saying what was found, at which character, and what could stand there.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"{len(text)} characters; the limit is {MAX_LENGTH}")
    text = text.rstrip()
    if alone := _literal(text, offset):
        return alone
    return _Parser(text, offset).whole()


def evaluate(
    expression: Expression, value_of: Callable[[Number], Fraction] = lambda n: n.value
) -> Fraction:
    """The exact value; `value_of` may put other values in the literals' place.

    Raises:
        ExpressionError: for a division by zero, or a power or value beyond the limits.
    """
    match expression:
        case Number():
            return value_of(expression)
        case Negation(operand):
            return -evaluate(operand, value_of)
        case Percent(operand):
            return _bounded(evaluate(operand, value_of) / 100)
        case Operation(operator, left, right):
            return _bounded(_apply(operator, evaluate(left, value_of), evaluate(right, value_of)))


def render(expression: Expression) -> str:
    """The expression as text with no more parentheses than it needs: parse(render(x)) == x."""
    match expression:
        case Number(text):
            return text
        case Negation(operand):
            return "-" + _wrapped(operand, 3)
        case Percent(operand):
            return _wrapped(operand, 5) + "%"
        case Operation(operator, left, right):
            level = _PRECEDENCE[operator]
            if operator == "^":
                return f"{_wrapped(left, 5)}^{_wrapped(right, 3)}"
            return f"{_wrapped(left, level)}{operator}{_wrapped(right, level + 1)}"


def numbers_in(expression: Expression) -> Iterator[Number]:
    """The literals from left to right."""
    match expression:
        case Number():
            yield expression
        case Negation(operand) | Percent(operand):
            yield from numbers_in(operand)
        case Operation(_, left, right):
            yield from numbers_in(left)
            yield from numbers_in(right)


def operations_in(expression: Expression) -> Iterator[Operation]:
    """The operations in the order their operators stand."""
    match expression:
        case Negation(operand) | Percent(operand):
            yield from operations_in(operand)
        case Operation(_, left, right):
            yield from operations_in(left)
            yield expression
            yield from operations_in(right)


def _literal(text: str, offset: int) -> Number | None:
    """Half of all sides are one number: those need no parser."""
    found = _TOKEN.fullmatch(text)
    if found is None or found.lastgroup != "number":
        return None
    start, end = found.span("number")
    if end - start > MAX_DIGITS:
        return None
    return Number(found["number"], (start + offset, end + offset))


def _wrapped(expression: Expression, least: int) -> str:
    text = render(expression)
    return text if _level(expression) >= least else f"({text})"


def _level(expression: Expression) -> int:
    match expression:
        case Number():
            return 6
        case Percent():
            return 5
        case Negation():
            return 3
        case Operation(operator, _, _):
            return _PRECEDENCE[operator]


def _apply(operator: Operator, left: Fraction, right: Fraction) -> Fraction:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            if right == 0:
                raise ExpressionError("division by zero")
            return left / right
        case "^":
            return _power(left, right)


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ExpressionError(f"the value needs over {MAX_BITS} bits")
    return value


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT:
        raise ExpressionError(f"exponent {exponent}: whole numbers up to {MAX_EXPONENT} are read")
    if base == 0 and exponent < 0:
        raise ExpressionError("division by zero")
    return base ** int(exponent)


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, offset: int) -> None:
        self.offset = offset
        self.depth = 0
        self.at = 0
        self.tokens: list[tuple[str, str, Span]] = []
        for found in _TOKEN.finditer(text):
            kind = str(found.lastgroup)
            start, end = found.span(kind)
            if kind == "number" and end - start > MAX_DIGITS:
                raise ExpressionError(
                    f"a number of {end - start} digits; the limit is {MAX_DIGITS}"
                )
            if kind != "currency":
                self.tokens.append((kind, found[kind], (start + offset, end + offset)))
        if len(self.tokens) > MAX_TOKENS:
            raise ExpressionError(
                f"{len(self.tokens)} numbers and signs; the limit is {MAX_TOKENS}"
            )
        self.tokens.append(("end", "", (len(text) + offset, len(text) + offset)))

    def whole(self) -> Expression:
        value = self.sum()
        if self.kind() != "end":
            raise self.unexpected("an operator or the end")
        return value

    def sum(self) -> Expression:
        left = self.product()
        while (operator := self.operator()) and operator in "+-":
            span = self.take()[2]
            left = Operation(operator, left, self.product(), span)
        return left

    def product(self) -> Expression:
        left = self.power()
        while True:
            if (operator := self.operator()) and operator in "*/":
                span = self.take()[2]
            elif self.kind() == "open":
                operator, span = "*", self.tokens[self.at][2]
            else:
                return left
            left = Operation(operator, left, self.power(), span)

    def power(self) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"nested deeper than {MAX_DEPTH}")
        if self.operator() == "-":
            self.take()
            value: Expression = Negation(self.power())
        else:
            value = self.atom()
            while self.kind() == "percent":
                self.take()
                value = Percent(value)
            if self.operator() == "^":
                span = self.take()[2]
                value = Operation("^", value, self.power(), span)
        self.depth -= 1
        return value

    def atom(self) -> Expression:
        if self.kind() == "number":
            _, text, span = self.take()
            return Number(text, span)
        if self.kind() == "open":
            self.take()
            value = self.sum()
            if self.kind() != "close":
                raise self.unexpected("`)`")
            self.take()
            return value
        raise self.unexpected("a number or `(`")

    def kind(self) -> str:
        return self.tokens[self.at][0]

    def operator(self) -> Operator | None:
        return _OPERATORS.get(self.tokens[self.at][1])

    def take(self) -> tuple[str, str, Span]:
        self.at += 1
        return self.tokens[self.at - 1]

    def unexpected(self, wanted: str) -> ExpressionError:
        kind, text, (start, _) = self.tokens[self.at]
        if kind == "end":
            return ExpressionError(f"the text ends where {wanted} was expected")
        return ExpressionError(
            f"`{text}` at character {start - self.offset + 1}, where {wanted} was expected"
        )
