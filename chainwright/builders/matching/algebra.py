r"""Algebra: expressions that take a computer algebra system, compared in a worker process.

What reaches a worker has passed the limits of `latex`; what it can't tell in time is undecided.
"""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from chainwright.builders.matching.latex import as_latex
from chainwright.builders.matching.numbers import Number, read_number
from chainwright.builders.matching.quantities import compare_numbers
from chainwright.builders.matching.verdict import Match, different, equal, undecided

_UNCLEAR = re.compile(r"/\s*(?:[0-9.]+|[A-Za-z])\s*(?:\\(?!cdot|times|div)[a-z]+|[A-Za-z(])")
"""`1/2x` is half of x to some and half of its reciprocal to others."""
_PLAIN_ANGLE = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)\s*[({]?\s*[0-9]{2}")
"""`\\sin 30` may be meant in degrees."""
_LETTER = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")

Ask = Callable[[Mapping[str, str]], Mapping[str, str]]
"""Puts a request to a worker; the reply is one of its own, or has `fault` alone."""


def compare_expressions(expected: str, given: str, question: str, ask: Ask) -> Match:
    """Whether two bare expressions are the same function of the same letters.

    Where one is a decimal, the other's value is what counts; see `compare_numbers`.
    """
    one, two = as_latex(expected), as_latex(given)
    if one is None or two is None:
        return undecided("not readable as mathematics")
    if one.replace(" ", "") == two.replace(" ", ""):
        return equal("the same expression")
    numbers = read_number(expected), read_number(given)
    if any(number is not None and number.places is not None for number in numbers):
        return _compare_values(numbers, (one, two), question, ask)
    if _UNCLEAR.search(one) or _UNCLEAR.search(two):
        return undecided("a quotient that may be read in two ways")
    match = _verdict(ask({"op": "expressions", "expected": one, "given": two}))
    if match.verdict == "different" and (_PLAIN_ANGLE.search(one) or _PLAIN_ANGLE.search(two)):
        return undecided("an angle that may be in degrees")
    if match.verdict == "equal" and _are_told_apart(one, two, question):
        return undecided("a letter in two cases")
    return match


def compare_equations(expected: tuple[str, str], given: tuple[str, str], ask: Ask) -> Match:
    """Whether two equations, each by its sides, have the same solutions."""
    sides = [as_latex(side) for side in (*expected, *given)]
    if any(side is None for side in sides):
        return undecided("not readable as mathematics")
    names = ("expected", "expected_right", "given", "given_right")
    request = {name: side or "" for name, side in zip(names, sides, strict=True)}
    return _verdict(ask({"op": "equations", **request}))


def _compare_values(
    numbers: tuple[Number | None, Number | None],
    written: tuple[str, str],
    question: str,
    ask: Ask,
) -> Match:
    values: list[Number] = []
    for number, latex in zip(numbers, written, strict=True):
        if number is not None:
            values.append(number)
            continue
        reply = ask({"op": "value", "expected": latex})
        if "value" not in reply:
            return undecided(reply.get("fault", "no real value"))
        values.append(Number(Fraction(reply["value"])))
    return compare_numbers(values[0], values[1], question)


def _are_told_apart(one: str, two: str, question: str) -> bool:
    """Whether the texts differ in a letter's case, and the question has that letter in both.

    The parser takes `R` and `r` for the same, and mostly they are.
    """
    left, right, asked = (set(_LETTER.findall(text)) for text in (one, two, question))
    swapped = {letter.swapcase() for letter in left} & right - left
    return any({letter, letter.swapcase()} <= asked for letter in swapped)


def _verdict(reply: Mapping[str, str]) -> Match:
    match reply.get("verdict"):
        case "equal":
            return equal(reply.get("reason", ""))
        case "different":
            return different(reply.get("reason", ""))
        case _:
            return undecided(reply.get("fault") or reply.get("reason") or "no verdict")
