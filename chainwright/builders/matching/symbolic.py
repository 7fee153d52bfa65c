r"""Symbolic comparison: what a worker process does with a request. Imports sympy: only workers may.

Two expressions are compared by their values at fixed points, to 40 digits, which tells apart what
is different as surely as it tells what is the same; math-verify has the word where there are no
values. Its own "no" means "not found equal" and is never taken for a difference.
"""

import logging
import re
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import sympy
from latex2sympy2_extended.latex2sympy2 import latex2sympy
from math_verify import verify

DIGITS = 40
"""Precision of the values compared; they agree where 30 digits do."""
_CLOSE = sympy.Float(10) ** -30
_POSITIVE = ((37, 29), (53, 61), (101, 43), (67, 83))
_MIXED = ((-41, 31), (29, 37), (-59, 71))
"""Quotients of primes, so that no point is special to an expression that people write."""
_MOST_RENAMED = 3
_DECIMAL = re.compile(r"([0-9]*)\.([0-9]+)")
_IMAGINARY = re.compile(r"(?<![A-Za-z\\])i(?![A-Za-z])")

logging.getLogger("math_verify").setLevel(logging.CRITICAL)
logging.getLogger("latex2sympy2_extended").setLevel(logging.CRITICAL)


class UnreadableError(ValueError):
    """The parser doesn't read it, or reads something else than an expression."""


def reply_to(request: Mapping[str, str]) -> dict[str, str]:
    """The reply to one request; see `algebra` for what is asked.

    Raises:
        Exception: whatever the parser and sympy raise; nothing can be concluded from it.
    """
    match request.get("op"):
        case "expressions":
            verdict, reason = _compare(request["expected"], request["given"])
            return {"verdict": verdict, "reason": reason}
        case "equations":
            verdict, reason = _compare_equations(
                (request["expected"], request["expected_right"]),
                (request["given"], request["given_right"]),
            )
            return {"verdict": verdict, "reason": reason}
        case "value":
            return _value(request["expected"])
        case other:
            raise ValueError(f"op is {other!r}, expected expressions, equations or value")


def _compare(expected: str, given: str) -> tuple[str, str]:
    one, two = _parsed(expected), _parsed(given)
    letters = one.free_symbols, two.free_symbols
    same, other, compared = _tally(one, two)
    if compared and not other:
        return "equal", "the same value everywhere"
    if compared and not same:
        if _logarithms_of_two_kinds(expected, given):
            return "undecided", "logarithms that may have the same base"
        if letters[0] != letters[1]:
            return _with_other_letters(one, two)
        return "different", "other values"
    if verify(one, two, timeout_seconds=None):
        return "equal", "the same by algebra"
    return "undecided", "values that agree in part" if compared else "no values to compare"


def _with_other_letters(one: Any, two: Any) -> tuple[str, str]:
    """Two expressions of different letters, which differ as they stand."""
    if not one.free_symbols or not two.free_symbols:
        unknown = two if not one.free_symbols else one
        if isinstance(unknown, sympy.Symbol):
            return "undecided", "a letter that stands for itself"
        return "different", "a number and an expression"
    left = sorted(one.free_symbols, key=str)
    right = sorted(two.free_symbols, key=str)
    if len(left) == len(right) <= _MOST_RENAMED:
        for order in permutations(left):
            renamed = two.subs(dict(zip(right, order, strict=True)), simultaneous=True)
            _, other, compared = _tally(one, renamed)
            if compared and not other:
                return "undecided", "the same in other letters"
    return "different", "other values"


def _tally(one: Any, two: Any) -> tuple[int, int, int]:
    """At how many positive points the values agree, at how many they differ, of how many points.

    A difference at points that aren't positive counts only beside one at a positive point: `|x|`
    and `x` are neither the same nor plainly different.
    """
    symbols = sorted(one.free_symbols | two.free_symbols, key=str)
    has_i = one.has(sympy.I) or two.has(sympy.I)
    same = other = compared = 0
    for at, point in enumerate((*_POSITIVE, *_MIXED)):
        values = {
            symbol: sympy.Rational(point[0], point[1]) + sympy.Rational(place * 11, 17)
            for place, symbol in enumerate(symbols)
        }
        left, right = _number(one.subs(values)), _number(two.subs(values))
        if left is None or right is None:
            continue
        if at >= len(_POSITIVE) and not has_i and (sympy.im(left) or sympy.im(right)):
            # beyond the domain of a root or a logarithm
            continue
        compared += 1
        size = max(1, abs(left), abs(right))
        if abs(left - right) <= _CLOSE * size:
            same += at < len(_POSITIVE)
        else:
            other += 1
        if not symbols:
            break
    return same, other, compared


def _number(expression: Any) -> Any:
    """The value as a complex number of 40 digits, or None where there is none."""
    value = sympy.N(expression, DIGITS, maxn=400)
    if not value.is_number or value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        return None
    real, imaginary = value.as_real_imag()
    if not (real.is_Float or real.is_Rational) or not (imaginary.is_Float or imaginary.is_Rational):
        return None
    return sympy.Add(real, sympy.I * imaginary)


def _value(latex: str) -> dict[str, str]:
    value = _number(_parsed(latex))
    if value is None or abs(sympy.im(value)) > _CLOSE:
        return {"fault": "no real value"}
    return {"value": str(sympy.Float(sympy.re(value), DIGITS))}


def _compare_equations(expected: tuple[str, str], given: tuple[str, str]) -> tuple[str, str]:
    """Both as `left - right = 0`: the same where one is a multiple of the other."""
    one, two = (_parsed(left) - _parsed(right) for left, right in (expected, given))
    if one.free_symbols != two.free_symbols or not one.free_symbols:
        return "undecided", "equations in different letters"
    parts: list[Any] = []
    for equation in (one, two):
        above = sympy.fraction(sympy.together(sympy.expand(equation.doit())))[0]
        if not above.is_polynomial():
            parts.append(None)
            continue
        # a square has the same zeros as its root
        parts.append(sympy.Poly(above, *sorted(above.free_symbols, key=str)).sqf_part().monic())
    if None in parts:
        ratio = sympy.simplify(one / two)
        alike = ratio.is_number and ratio.is_finite and not ratio.is_zero
        return ("equal", "multiples of one another") if alike else ("undecided", "no polynomials")
    if parts[0] == parts[1]:
        return "equal", "the same equation"
    return "different", "another equation"


def _parsed(latex: str) -> Any:
    imaginary = _IMAGINARY.search(latex) is not None
    # sympy's floats would spoil all digits beyond the fifteenth
    exact = _DECIMAL.sub(lambda d: rf"(\frac{{{d[1]}{d[2]}}}{{1{'0' * len(d[2])}}})", latex)
    expression = latex2sympy(
        exact, is_real=not imaginary, convert_degrees=False, normalization_config=None
    )
    if not isinstance(expression, sympy.Expr):
        raise UnreadableError(f"`{latex[:80]}` is no expression")
    units = {symbol: sympy.I for symbol in expression.free_symbols if str(symbol) == "i"}
    return _with_real_roots(expression.subs(units) if units else expression)


def _with_real_roots(expression: Any) -> Any:
    """With odd roots of negative numbers real, as people mean them: the cube root of -8 is -2."""

    def root(base: Any, exponent: Any) -> Any:
        times, order = exponent.as_numer_denom()
        return (sympy.sign(base) * sympy.Abs(base) ** (1 / order)) ** times

    def is_odd_root(node: Any) -> bool:
        exponent = sympy.nsimplify(node.exp) if node.is_Pow and node.exp.is_number else None
        return exponent is not None and exponent.is_Rational and exponent.q % 2 == 1 < exponent.q

    return expression.replace(is_odd_root, lambda node: root(node.base, sympy.nsimplify(node.exp)))


def _logarithms_of_two_kinds(expected: str, given: str) -> bool:
    r"""`\log` without a base is the natural one to some."""
    plain = [re.search(r"\\log(?!\s*_)", text) is not None for text in (expected, given)]
    natural = [r"\ln" in text for text in (expected, given)]
    return (plain[0] and natural[1]) or (plain[1] and natural[0])
