"""Equations: an answer behind its name, `x = 5`, and answers that are equations themselves."""

import re
from dataclasses import dataclass

from chainwright.builders.matching.algebra import compare_equations
from chainwright.builders.matching.brackets import cut_at
from chainwright.builders.matching.case import Case
from chainwright.builders.matching.verdict import Match, undecided

_EQUALS = re.compile(r"(?<![<>=!\\])=(?!=)|\\approx(?![A-Za-z])|\\equiv(?![A-Za-z])")
_NAME = re.compile(r"[A-Za-z\\∠△|][A-Za-z\\ _{}'()|0-9,∠△]{0,60}")
_COMMAND = re.compile(r"\\(?:times|cdot|div|d?frac|sqrt)(?![A-Za-z])")
_MOST_SIDES = 12


@dataclass(frozen=True)
class Equation:
    """`left = right`; of `x = 2 + 3 = 5` the outer sides."""

    left: str
    right: str

    @property
    def names_its_answer(self) -> bool:
        """Whether the right side alone is the answer: a name on the left, or plain arithmetic."""
        plain = _COMMAND.sub("", self.left)
        return bool(_NAME.fullmatch(self.left)) or not re.search(r"[A-Za-z\\]", plain)

    @property
    def is_function(self) -> bool:
        """Whether the left side is a function's name or words, which stand for one another."""
        function = self.left == "y" or re.fullmatch(r"[A-Za-z]\([A-Za-z]\)", self.left)
        if function and re.search("[A-Za-z]", self.right):
            return True
        return re.search(r"[A-Za-z]{2}", self.left) is not None


def read_equation(text: str) -> Equation | None:
    """The equation that a bare text is, or None."""
    if "=" not in text and "\\" not in text:
        return None
    sides = cut_at(text, _EQUALS)
    if sides is None or not 2 <= len(sides) <= _MOST_SIDES or not all(sides):
        return None
    return Equation(sides[0], sides[-1])


def compare_as_equations(expected: str, given: str, case: Case) -> Match | None:
    """Whether two answers agree where at least one is an equation; None where neither is."""
    one, two = read_equation(expected), read_equation(given)
    if one is None and two is None:
        return None
    if one is None or two is None:
        equation = one or two
        if equation is None or not equation.names_its_answer:
            return undecided("an equation and something else")
        return case.parts(one.right if one else expected, two.right if two else given)
    if one.names_its_answer and two.names_its_answer:
        match = case.parts(one.right, two.right)
        same = _name(one.left) == _name(two.left)
        if match.verdict == "equal" and not (same or one.is_function or two.is_function):
            return undecided("the same value under other names")
        return match
    return compare_equations((one.left, one.right), (two.left, two.right), case.ask)


def _name(text: str) -> str:
    return re.sub(r"[\s{}\\]", "", text)
