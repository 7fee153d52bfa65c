"""Calculator marks: what they say, whether it is true, and which can't be read."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.notation.expression import evaluate
from chainwright.notation.marks import find_marks, holds, states, strip_marks


@pytest.mark.parametrize(
    ("text", "left", "result", "true"),
    [
        ("<<6*7=42>>", "42", "42", True),
        ("so 6*7=<<6*7=42>>42 eggs", "42", "42", True),
        ("<< 6 * 7 = 42 >>", "42", "42", True),
        ("<<6*7=41>>", "42", "41", False),
        ("<<1,200/4=300>>", "300", "300", True),
        ("<<$3.50*2=$7.00>>", "7", "7", True),
        ("<<30%*50=15>>", "15", "15", True),
        ("<<.3*50=15.0>>", "15", "15", True),
        ("<<10/3=3.33>>", "10/3", "3.33", True),
        ("<<20/3=6.66>>", "20/3", "6.66", True),
        ("<<20/3=6.67>>", "20/3", "6.67", True),
        ("<<20/3=6.65>>", "20/3", "6.65", False),
        ("<<20/3=7>>", "20/3", "7", True),
        ("<<7/2=4>>", "7/2", "4", False),
        ("<<2/3=0.6666666666666667>>", "2/3", "0.6666666666666667", True),
        ("<<0.1+0.2=0.30000000000000004>>", "0.3", "0.30000000000000004", True),
        ("<<3.9-3.6=0.2999999999999998>>", "0.3", "0.2999999999999998", True),
        ("<<0.1+0.2=0.30000000010000>>", "0.3", "0.3000000001", False),
        ("<<5-8=-3>>", "-3", "-3", True),
        ("<<-5+2=-3>>", "-3", "-3", True),
        ("<<5−8=−3>>", "-3", "-3", True),
        ("<<9=9>>", "9", "9", True),
        ("<<1/2=2/4>>", "1/2", "1/2", True),
    ],
)
def test_readable_marks(text: str, left: str, result: str, true: bool) -> None:
    (mark,) = find_marks(text)
    assert mark.fault is None
    assert mark.left is not None
    assert mark.result is not None
    assert evaluate(mark.left) == Fraction(left)
    assert evaluate(mark.result) == Fraction(result)
    assert holds(mark) is true
    assert text[slice(*mark.span)] == f"<<{mark.body}>>"
    assert text[slice(*mark.result_span)] == mark.body.partition("=")[2]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("", "no `=`"),
        ("42", "no `=`"),
        ("6*7", "no `=`"),
        ("6*7=", "ends where a number"),
        ("=42", "ends where a number"),
        ("6*=42", "ends where a number"),
        ("6*7=42=42", "`=` at character 3"),
        ("6*n=42", "`n` at character 3"),
        ("6 apples*7=42", "`a` at character 3"),
        ("(6*7=42", r"ends where `\)`"),
        ("6*7≈42", "no `=`"),
        ("__import__('os')=1", "`_` at character 1"),
        ("open('x').read()=1", "`o` at character 1"),
        ("6*7=\0", "at character 1"),
        ("6*7=\ud800", "at character 1"),
    ],
)
def test_faults_quote_the_mark(body: str, fault: str) -> None:
    (mark,) = find_marks(f"so <<{body}>>42")
    assert mark.left is None
    assert mark.result is None
    assert not holds(mark)
    assert mark.fault is not None
    assert mark.fault.startswith(f"`{body}`: ")
    assert re.search(fault, mark.fault)


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("", []),
        ("5 << 6 and 7 >> 3", [" 6 and 7 "]),
        ("<<1+1=2", []),
        ("1+1=2>>", []),
        ("<<1+1=2>", []),
        ("<1+1=2>>", []),
        ("<<1+1\n=2>>", []),
        ("<<1+1=2>>2 and <<2+2=4>>4", ["1+1=2", "2+2=4"]),
        ("<<1+1=2>><<2+2=4>>", ["1+1=2", "2+2=4"]),
        ("<<<1+1=2>>>", ["1+1=2"]),
        ("<<1+<<1=2>>>>", ["1=2"]),
        ("<<<<>>>>", [""]),
        ("<<1+1=2>> <<3", ["1+1=2"]),
    ],
)
def test_which_brackets_are_marks(text: str, bodies: list[str]) -> None:
    marks = find_marks(text)
    assert [mark.body for mark in marks] == bodies
    assert [text[slice(*mark.span)] for mark in marks] == [f"<<{body}>>" for body in bodies]


def test_division_by_zero_in_a_mark_does_not_hold() -> None:
    (mark,) = find_marks("<<4/0=0>>")
    assert mark.fault is None
    assert not holds(mark)


@given(
    st.lists(st.sampled_from(("<<", ">>", "<<1+1=2>>", "2", "=", "<", ">", "\n", "x")), max_size=12)
)
def test_stripping_removes_the_marks_and_nothing_else(parts: list[str]) -> None:
    text = "".join(parts)
    rest = list(text)
    for mark in reversed(find_marks(text)):
        del rest[slice(*mark.span)]
    assert strip_marks(text) == "".join(rest)


@pytest.mark.parametrize(
    ("value", "stated", "text", "may"),
    [
        ("15", "15", "15", True),
        ("15", "15", "$15.00", True),
        ("2.345", "2.35", "2.35", True),
        ("2.345", "2.34", "2.34", True),
        ("2.345", "2.33", "2.33", False),
        ("2.345", "2.3", "2.3", True),
        ("2.345", "2", "2", False),
        ("7/3", "2", "2", True),
        ("8/3", "2", "2", False),
        ("8/3", "3", "3", True),
        ("-8/3", "-2.67", "-2.67", True),
        ("-8/3", "-2.66", "-2.66", True),
        ("-8/3", "2.67", "2.67", False),
        ("1234.567", "1234.57", "$1,234.57", True),
        ("13/3", "4.33", "3.33 + 1", True),
        ("13/3", "4.33", "1 + 3.33 apples", True),
        ("0", "0.004", "0.004", False),
        ("1/3", "0.333333333333", "0.333333333333", True),
        ("0", "0.000000000001", "0.000000000001", False),
    ],
)
def test_rounding_and_cutting(value: str, stated: str, text: str, may: bool) -> None:
    assert states(Fraction(value), Fraction(stated), text) is may


@given(st.fractions(-1000, 1000, max_denominator=60), st.integers(1, 6))
def test_a_value_may_be_written_rounded_at_any_place(value: Fraction, places: int) -> None:
    text = f"{float(value):.{places}f}"
    off = Fraction(text) + Fraction(2, 10**places)
    assert states(value, Fraction(text), text)
    assert not states(value, off, f"{float(off):.{places}f}")
