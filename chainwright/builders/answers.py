"""Final answers: when two of them are the same number, and the line that states one.

Whatever is not plainly a number stays undecided: a chain that is called wrong because its answer
was written differently would be a wrong label.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_LENGTH = 1000
"""Longer texts are not read as numbers."""

_NUMBER = re.compile(
    r"(?P<sign>[-+]?)\s*[$€£]?\s*(?P<inner>[-+]?)\s*"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?P<exponent>[eE][-+]?[0-9]{1,3})?"
    r"(?:\s*/\s*(?P<below>[0-9]+))?"
    r"\.?\s*(?P<percent>%?)\.?"
)
"""Commas stand where thousands (or India's hundreds of thousands) are parted, so `1,2` is none."""

_ANSWER_LINE = re.compile(r"\s*(?:####|A:)\s*(?P<answer>.*?)\s*")


def same_number(first: str, second: str) -> bool | None:
    """Whether two texts are the same number, exactly, currency signs and commas aside.

    Returns:
        None (undecided) where either is no number, as with words around it, a mixed number
        (`1 1/2`) or blanks between digits; and where one has a percent sign, the other none, and
        they differ by the factor 100 (`20%` and `0.2`). `20%` and `20` are the same.

    >>> same_number("$1,875", "1875.00"), same_number("3/4", ".75"), same_number("18", "a dozen")
    (True, True, None)
    """
    left, right = _read(first), _read(second)
    if left is None or right is None:
        return None
    if left.value == right.value:
        return True
    if left.percent != right.percent:
        percent, plain = (left, right) if left.percent else (right, left)
        if percent.value == 100 * plain.value:
            return None
    return False


def plain_number(text: str) -> str | None:
    """The number without commas, currency, percent or plus sign: `-$1,875.50` is `-1875.50`.

    Returns:
        None where the text is no number.
    """
    number = _read(text)
    return number.text if number else None


def split_answer_line(solution: str) -> tuple[list[str], str | None]:
    """A solution's lines without blank ones, and the answer its last line states.

    Such a line is GSM8K's `#### N`, or `A: N` as its model solutions have it. Without one, or with
    nothing behind the mark, the answer is None; the line with the mark is never a step.
    """
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", solution)]
    lines = [line for line in lines if line]
    last = _ANSWER_LINE.fullmatch(lines[-1]) if lines else None
    return (lines[:-1], last["answer"] or None) if last else (lines, None)


@dataclass(frozen=True)
class _Number:
    text: str
    value: Fraction
    percent: bool


def _read(text: str) -> _Number | None:
    if len(text) > MAX_LENGTH:
        return None
    match = _NUMBER.fullmatch(text.strip().replace("\N{MINUS SIGN}", "-"))
    if match is None or (match["sign"] and match["inner"]):
        return None
    below = match["below"]
    if below is not None and (int(below) == 0 or "." in match["digits"] or match["exponent"]):
        return None
    sign = "-" if "-" in (match["sign"], match["inner"]) else ""
    above = sign + match["digits"].replace(",", "") + (match["exponent"] or "")
    value = Fraction(above) / (int(below) if below else 1)
    return _Number(f"{above}/{below}" if below else above, value, bool(match["percent"]))
