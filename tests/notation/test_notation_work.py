"""Work that grows with the text and no faster, counted in calls: no test asks a clock."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from chainwright.notation.equations import find_equations
from chainwright.notation.givens import Givens
from chainwright.notation.latex import plain
from chainwright.notation.marks import find_marks, strip_marks
from chainwright.notation.numerals import find_numerals

REPEATED = (
    *(
        "<<1+1=2>>",
        "<<1",
        "1+",
        "1+1=",
        "1 + 1 = 2 ",
        "1 = 1 apple ",
        "(",
        "1(",
        "1 (",
        "1 (2 ",
        "(1",
    ),
    *(
        "1 (a ",
        "5 apples + ",
        "25% of ",
        "1/2 of ",
        "-",
        "- ",
        "1 - ",
        "=",
        "=-",
        "$",
        "$ ",
        "1%",
        "1.",
    ),
    *(
        "1,",
        ",000",
        "1 1/2 ",
        "2½",
        "x ",
        "x",
        "one ",
        "hundred ",
        "half ",
        "multiplied ",
        " ",
        " \n",
    ),
    *(
        "1  ",
        "1 a ",
        "a/b ",
        "\\",
        "\\frac{",
        "\\frac ",
        "{",
        "**a",
        "9",
        "\\pi",
        "1\n",
        "<",
        "\0",
        "√",
    ),
)


def calls(run: Callable[[str], object], text: str) -> int:
    """How many functions a run calls: the work it does, but for the machine's speed."""
    count = 0

    def seen(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        run(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("unit", ["word ", "9", " ", "\n", "\ud800", "<<", "- "])
def test_megabytes_without_arithmetic(unit: str) -> None:
    text = unit * (10**6 // len(unit))
    assert find_marks(text) == []
    assert strip_marks(text) == text
    assert find_numerals(text) == []
    assert find_equations(text) == []
    assert len(plain(text)) <= len(text)
    assert [given.kind for given in Givens(text).all] == ["unit"]


@pytest.mark.parametrize("unit", ["3 + 4 = 7. ", "3 + 4 = <<3+4=7>>7 ", "(3 + 4 = 7)", "x3+4=7\n"])
def test_long_lines_of_arithmetic(unit: str) -> None:
    text = unit * (10**5 // len(unit))
    marks = find_marks(text)
    assert len(marks) == text.count("<<")
    visible = len(find_numerals(text, [mark.span for mark in marks]))
    assert visible == len(find_numerals(strip_marks(text)))
    assert all(equation.holds for equation in find_equations(text))


@pytest.mark.parametrize("unit", REPEATED)
@pytest.mark.parametrize("run", [find_equations, find_numerals, find_marks, Givens, plain])
def test_work_grows_no_faster_than_the_text(run: Callable[[str], object], unit: str) -> None:
    short, long = (unit * (length // len(unit)) for length in (500, 2000))
    run(short)
    assert calls(run, long) <= 5 * calls(run, short) + 100
