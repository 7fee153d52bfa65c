"""Calculator marks, GSM8K's `<<48/2=24>>` (Cobbe et al. 2021, arXiv 2110.14168, appendix C)."""

import re
from dataclasses import dataclass
from fractions import Fraction

from chainwright.notation.expression import Expression, ExpressionError, Span, evaluate, parse
from chainwright.notation.numerals import round_to

_MARK = re.compile(r"<<([^<>\n]*)>>")
_DECIMALS = re.compile(r"\.([0-9]+)")
_FLOAT_PLACES = 12
"""A result with so many places comes from a calculator's floats, and may carry their noise."""


@dataclass(frozen=True)
class Mark:
    """One mark of a text.

    `span` encloses the brackets too, `result_span` the stated result alone. Where the mark can't
    be read, `fault` says why and the two expressions are None.
    """

    span: Span
    body: str
    left: Expression | None
    result: Expression | None
    result_span: Span
    fault: str | None


def find_marks(text: str) -> list[Mark]:
    """The marks of a text in order; those that can't be read carry a fault."""
    return [_read(match) for match in _MARK.finditer(text)]


def strip_marks(text: str) -> str:
    """The text without its marks."""
    return _MARK.sub("", text)


def states(value: Fraction, stated: Fraction, stated_text: str) -> bool:
    """Whether a computed value may be written as the stated one.

    Exactly, or rounded or cut at the decimal places that the text shows. To a whole number only
    a value with no finite decimal may be rounded: 10/3 = 3 is rounding, 7/2 = 3 is an error.
    A result such as 14.999999999999998 for 15 is what floats make of it.
    """
    if value == stated:
        return True
    places = max(map(len, _DECIMALS.findall(stated_text)), default=0)
    if places >= _FLOAT_PLACES and abs(value - stated) * 10**_FLOAT_PLACES <= abs(value):
        return True
    if places == 0:
        return not _terminates(value) and round_to(value, 0) == stated
    cut = Fraction(int(value * 10**places), 10**places)
    return stated in (round_to(value, places), cut)


def holds(mark: Mark) -> bool:
    """Whether a mark's left side has the value its right side states."""
    if mark.left is None or mark.result is None:
        return False
    try:
        value, stated = evaluate(mark.left), evaluate(mark.result)
    except ExpressionError:
        return False
    return states(value, stated, mark.body.rpartition("=")[2])


def _terminates(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _read(match: re.Match[str]) -> Mark:
    body, start = match[1], match.start(1)
    left, equals, result = body.partition("=")
    result_start = start + len(left) + 1
    where = (result_start, match.end(1)) if equals else (match.end(1), match.end(1))
    try:
        if not equals:
            raise ExpressionError("no `=`")  # noqa: TRY301
        return Mark(
            match.span(), body, parse(left, start), parse(result, result_start), where, None
        )
    except ExpressionError as error:
        return Mark(match.span(), body, None, None, where, f"`{body}`: {error}")
