"""Expressions against other evaluators, and there and back between trees and text."""

import ast
import operator
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chainwright.notation.expression import (
    MAX_BITS,
    MAX_EXPONENT,
    Expression,
    ExpressionError,
    Negation,
    Number,
    Operation,
    Percent,
    evaluate,
    numbers_in,
    operations_in,
    parse,
    render,
)

WHOLES = st.integers(0, 10**6).map(str)
LITERALS = st.one_of(
    WHOLES,
    st.integers(0, 10**9).map("{:,}".format),
    st.tuples(WHOLES, WHOLES).map(".".join),
    WHOLES.map(".{}".format),
    WHOLES.map("{}.".format),
    st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(1, 99)).map(
        lambda parts: "{} {}/{}".format(*parts)
    ),
)


def trees(literals: st.SearchStrategy[str]) -> st.SearchStrategy[Expression]:
    return st.recursive(
        literals.map(Number),
        lambda inner: st.one_of(
            st.builds(Negation, inner),
            st.builds(Percent, inner),
            st.builds(Operation, st.sampled_from("+-*/^"), inner, inner),
        ),
        max_leaves=12,
    )


@given(trees(LITERALS))
def test_rendered_trees_parse_back(tree: Expression) -> None:
    assert parse(render(tree)) == tree


@given(trees(LITERALS), st.integers(0, 500))
def test_spans_say_where_literals_and_operators_stand(tree: Expression, offset: int) -> None:
    text = render(tree)
    parsed = parse(text, offset)
    padded = " " * offset + text
    assert all(padded[slice(*n.span)] == n.text for n in numbers_in(parsed))
    assert all(padded[slice(*o.span)] == o.operator for o in operations_in(parsed))
    places = [n.span for n in numbers_in(parsed)]
    assert places == sorted(places)


PYTHON: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def by_python(text: str) -> Fraction:
    """The value by Python's own grammar, in fractions; raises ZeroDivisionError."""

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.Constant():
                return Fraction(ast.get_source_segment(text, node) or "")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left, ast.Pow(), right):
                exponent = value(right)
                return Fraction(value(left) ** int(exponent))
            case ast.BinOp(left, sign, right):
                return PYTHON[type(sign)](value(left), value(right))
        raise AssertionError(ast.dump(node))

    return value(ast.parse(text, mode="eval").body)


def sums(leaf: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Text of the + - * / ( ) subset, with parentheses and signs where they aren't needed too."""
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            inner.map("({})".format),
            inner.map("-{}".format),
            st.tuples(inner, st.sampled_from(("+", "-", "*", "/", " - ", " / ")), inner).map(
                "".join
            ),
        ),
        max_leaves=10,
    )


SMALL = st.one_of(
    st.integers(0, 60).map(str), st.sampled_from(("0.5", "2.25", ".1", "7.0", "10.", "0"))
)


@given(sums(SMALL))
def test_value_agrees_with_python(text: str) -> None:
    try:
        expected = by_python(text)
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="division by zero"):
            evaluate(parse(text))
        return
    assert evaluate(parse(text)) == expected


@given(sums(st.tuples(st.integers(0, 9), st.integers(-3, 4)).map("({0[0]}**{0[1]})".format)))
def test_powers_agree_with_python(text: str) -> None:
    try:
        expected = by_python(text)
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="division by zero"):
            evaluate(parse(text))
        return
    assert evaluate(parse(text)) == expected == evaluate(parse(text.replace("**", "^")))


@settings(max_examples=12)
@given(trees(st.integers(0, 6).map(str)))
def test_value_agrees_with_sympy(tree: Expression) -> None:
    sympy = pytest.importorskip("sympy")
    text = render(tree)
    assume("%" not in text)
    try:
        value = evaluate(tree)
    except ExpressionError:
        return
    theirs = sympy.sympify(text.replace("^", "**"), rational=True)
    assert theirs == sympy.Rational(value.numerator, value.denominator)


@given(trees(st.integers(0, 9).map(str)), st.integers(-20, 20))
def test_other_values_can_stand_for_the_literals(tree: Expression, other: int) -> None:
    try:
        value = evaluate(tree)
    except ExpressionError:
        return
    last = Number("3")
    sum_ = Operation("+", tree, last)
    assert evaluate(sum_, lambda n: Fraction(other) if n is last else n.value) == value + other


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2+3*4", "14"),
        ("(2+3)*4", "20"),
        ("20-6-4", "10"),
        ("48/4/2", "6"),
        ("2^3^2", "512"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^-2", "1/4"),
        ("3--4", "7"),
        ("2*-3", "-6"),
        ("25%", "1/4"),
        ("50%%", "1/200"),
        ("2^50%*1", None),
        ("80*25%", "20"),
        ("(100-20)%", "4/5"),
        ("-50%", "-1/2"),
        ("7×8", "56"),
        ("7·8", "56"),
        ("7x8", "56"),
        ("7 X 8", "56"),
        ("0x10", "0"),
        ("56÷8", "7"),
        ("9−4", "5"),
        ("9–4", "5"),
        ("2**5", "32"),
        ("3(4+1)", "15"),
        ("(1+1)(2+2)", "8"),
        ("2(3)(4)", "24"),
        ("$3.50*2", "7"),
        ("-$5+$8", "3"),
        ("€1,200/4", "300"),
        ("1 1/2+1/2", "2"),
        ("1 1/2/3", "1/2"),
        ("2*1 1/2", "3"),
        ("5.*2", "10"),
        (" 6 \t/ 4 ", "3/2"),
        ("0^0", "1"),
        ("7^-0", "1"),
    ],
)
def test_precedence_and_notation(text: str, value: str | None) -> None:
    if value is None:
        with pytest.raises(ExpressionError, match="exponent 1/2"):
            evaluate(parse(text))
    else:
        assert evaluate(parse(text)) == Fraction(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends where a number"),
        ("   ", "ends where a number"),
        ("3+", "ends where a number"),
        ("(3+4", r"ends where `\)`"),
        ("3+4)", r"`\)` at character 4, where an operator"),
        ("3 4", "`4` at character 3, where an operator"),
        ("*3", r"`\*` at character 1"),
        ("+3", r"`\+` at character 1"),
        ("3+a", "`a` at character 3"),
        ("1.2.3", r"`.3` at character 4"),
        ("3=3", "`=` at character 2"),
        ("%5", "`%` at character 1"),
        ("1 1/0", "`1` at character 3"),
        ("()", r"`\)` at character 2"),
        ("1_000", "`_` at character 2"),
        ("1e5", "`e`"),
        ("٣²", "`²`"),
    ],
)
def test_messages_say_what_stands_where(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        evaluate(parse(text))


def test_position_counts_from_the_expression_whatever_the_offset() -> None:
    with pytest.raises(ExpressionError, match="`b` at character 3"):
        parse("1+b", offset=700)


@pytest.mark.parametrize("text", ["1/0", "5/(3-3)", "0^-1", "1/(0*7%)"])
def test_division_by_zero_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="division by zero"):
        evaluate(parse(text))


def test_limits_are_where_they_are_said_to_be() -> None:
    assert evaluate(parse(f"2^{MAX_EXPONENT}")) == 2**MAX_EXPONENT
    with pytest.raises(ExpressionError, match="exponent 65"):
        evaluate(parse(f"2^{MAX_EXPONENT + 1}"))
    most = Fraction(2**MAX_BITS - 1)
    assert evaluate(parse("1*7"), lambda n: most if n.text == "7" else n.value) == most
    with pytest.raises(ExpressionError, match=f"over {MAX_BITS} bits"):
        evaluate(parse("1+7"), lambda n: most if n.text == "7" else n.value)


@given(trees(st.sampled_from(("9" * 40, "64", "0.0001", "7"))))
def test_every_value_fits_a_float(tree: Expression) -> None:
    try:
        value = evaluate(tree)
    except ExpressionError:
        return
    assert abs(float(value)) < float("inf")
