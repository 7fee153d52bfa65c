"""What running text is split into before arithmetic is looked for in it."""

import re

from chainwright.notation.expression import MIXED, OPERATOR_SIGNS
from chainwright.notation.numerals import CURRENCY, VULGAR

DASHES = frozenset("-−–")
_SIGNS = re.escape(OPERATOR_SIGNS.replace("x", "").replace("X", ""))
"""The letter x is a word here, and a sign only between two operands."""
_THOUSANDS = r"\d{1,3}(?:,\d{3})+(?!\d)"
_ODD = (
    rf"(?!{_THOUSANDS})\d+(?:,\d+)+"  # 2,5 and 16,0000
    rf"|\d+(?:\.\d+)?(?:\ ?[{VULGAR}]|[⁰¹²³⁴-⁹])"
)
_SYMBOL = (
    r"[√∛π]|\\(?:pi|sqrt|[dt]?frac|[dt]?binom|overline|bar|[pb]?mod|circ|pm|mp|star|infty"
    r"|angle|log|ln|sin|cos|tan|sum|prod|theta|alpha|beta)(?![A-Za-z])"
)
_JOINT = r"(?:(?<=\d)-|(?<=[A-Za-z]{2})[-/])(?=[A-Za-z]{2})"
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<words>(?:multiplied|divided)\s+by\b)"
    r"|(?P<word>[A-Za-z]+(?:['’][A-Za-z]+)?)"
    rf"|(?P<odd>{_ODD})|(?P<number>{MIXED}|{_THOUSANDS}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    rf"|(?P<arrow>(?:-{{1,3}}|={{1,3}})>|[→⇒])|(?P<joint>{_JOINT})"
    rf"|(?P<equals>[=≈])|(?P<power>\*\*)|(?P<sign>[{_SIGNS}])"
    rf"|(?P<percent>%)|(?P<open>\()|(?P<close>\))|(?P<currency>[{re.escape(CURRENCY)}])"
    rf"|(?P<symbol>{_SYMBOL})|(?P<other>.)",
    re.DOTALL,
)
"""`odd` are digits that are no plain number, such as `2½` or `2,5`: whoever read one there
would stop half-way. `symbol` is mathematics that nothing here reads: a number beside it is
worth something else. `joint` joins words, `5-year` or `and/or`."""
OPENER = re.compile(rf"[\d.(√∛π\\,;:!?\n→⇒{_SIGNS}]|={{1,3}}>")
"""What can open a stretch of arithmetic or end a clause; anything before it is prose."""
_CLAUSE_ENDS = frozenset(".,;:!?")
_NAME_BEHIND = re.compile(r"\w\Z")
_FUNCTION_BEHIND = re.compile(r"\w\Z|(?:^|[^A-Za-z])[B-HJ-Zb-z] \Z")
_SIGNED_NUMBER = re.compile(rf"[{re.escape(CURRENCY)}]?\.?\d")
_NO_MINUS_BEHIND = re.compile(r"[\w)\]}]\Z|[\d)\]}]\s+\Z|(?<![A-Za-z])[A-Za-z]\s+\Z")


def ends_clause(token: re.Match[str]) -> bool:
    """Whether a token of `TOKEN` ends a clause: what follows it stands for itself."""
    found = token.group()
    return found in _CLAUSE_ENDS or token.lastgroup == "arrow" or "\n" in found


def belongs_to_name(token: re.Match[str]) -> bool:
    """Whether a number or parenthesis goes with what stands before it: `B2`, `f(2)`."""
    behind = token.string[max(token.start() - 3, 0) : token.start()]
    pattern = _FUNCTION_BEHIND if token.lastgroup == "open" else _NAME_BEHIND
    return pattern.search(behind) is not None


def signs_number(token: re.Match[str]) -> bool:
    """Whether a dash is glued to a number: `books - 135` has no -135."""
    return _SIGNED_NUMBER.match(token.string, token.end()) is not None


def follows_name(token: re.Match[str]) -> bool:
    """Whether a dash takes something from what stands before it, as in `x -5` and `total-5`."""
    behind = token.string[max(token.start() - 20, 0) : token.start()]
    return _NO_MINUS_BEHIND.search(behind) is not None


def is_bullet(token: re.Match[str]) -> bool:
    """Whether a dash or star opens an item of a list."""
    text, start, end = token.string, token.start(), token.end()
    if token.group() not in "-–*" or not text[end : end + 1].isspace():
        return False
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()
