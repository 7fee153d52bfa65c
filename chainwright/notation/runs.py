"""Stretches of running text that read as arithmetic, with units and asides passed over.

A stretch keeps the text's own positions: what is not arithmetic is blanked out, words for signs
become signs, and everything stays where it stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chainwright.notation.expression import OPERATOR_SIGNS, Span
from chainwright.notation.numerals import blank
from chainwright.notation.tokens import (
    DASHES,
    OPENER,
    TOKEN,
    belongs_to_name,
    ends_clause,
    follows_name,
    is_bullet,
    signs_number,
)

NOWHERE = -1
MAX_UNIT_WORDS = 4
MAX_ASIDE = 200
"""Characters of a parenthesis that are looked at to tell an aside from arithmetic."""

_WORD_SIGNS = {"plus": "+", "minus": "-", "times": "*", "x": "x", "X": "X"}
_NO_UNITS = frozenset("is are was were because since then if".split())
_ASIDE = re.compile(rf"[^)\n]{{0,{MAX_ASIDE}}}")
_LETTER = re.compile(r"(?![xX](?![A-Za-z]))[^\W\d_]")
_VARIABLE = re.compile(r"\s*[A-Za-z]\s*(?:$|[-−+*/^=,_\d])")
_SIGN_AMONG_WORDS = re.compile(r"[+*/=^]|[-−]\s")
_GOES_ON = re.compile(r"\s*[=≈+*^/]")
_ORDINAL_END = re.compile(r"(?:st|nd|rd|th)\b")
_GOES_BEYOND = re.compile(r":\d|!\s*[=+*/]")
_FACTOR = re.compile(r"\s*[\d.({+*/^-]")
_SHARE = re.compile(r"%$|\d/\d+$")


@dataclass
class Run:
    """A stretch of text that reads as arithmetic, with all else blanked out.

    `equals` and `units` are places in `masked`: of the equals signs, and of the words passed
    over. The last unit may stand behind the end of `masked`.
    """

    start: int
    masked: str
    equals: list[int]
    units: list[int]


def arithmetic_runs(text: str, hidden: Sequence[Span]) -> list[Run]:
    """Maximal stretches that alternate operands and operators, units passed over."""
    text = blank(text, hidden)
    last = max(map(text.rfind, ("=", "≈", "equal")))
    runs: list[Run] = []
    reader = _Reader(text)
    algebra = False
    at = 0
    while (at <= last or not reader.is_empty) and (token := _next(text, at, reader)):
        at = token.end()
        if reader.accepts(token):
            continue
        if not algebra and (run := reader.finished(token)):
            runs.append(run)
        # what follows a dangling sign or a number that ran into the next is a part of something
        # that can't be read: no arithmetic of its own until the clause ends
        algebra = (algebra or reader.dangles(token)) and not ends_clause(token)
        if not reader.is_empty:
            reader = _Reader(text)
            reader.accepts(token)
    if not algebra and (run := reader.finished(None)):
        runs.append(run)
    return runs


def _next(text: str, at: int, reader: "_Reader") -> re.Match[str] | None:
    if reader.is_empty:
        opener = OPENER.search(text, at)
        if opener is None:
            return None
        at = opener.start()
    while text.startswith(" ", at):
        at += 1
    return TOKEN.match(text, at)


class _Reader:
    """Reads tokens into one run until a token doesn't fit."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_empty = True
        self.start = NOWHERE
        self.pieces: list[str] = []
        self.length = 0
        self.complete = 0
        self.equals: list[int] = []
        self.units: list[int] = []
        self.opened: list[int] = []
        self.aside = 0
        self.wants_operand = True
        self.sign = ""
        self.unit_words = 0
        self.spoilt = False

    def accepts(self, token: re.Match[str]) -> bool:
        kind = str(token.lastgroup)
        if kind == "space":
            return "\n" not in token.group()
        if self.aside:
            self.aside += {"open": 1, "close": -1}.get(kind, 0)
            return kind != "equals"
        if self.wants_operand:
            return self._operand(kind, token)
        return self._operator(kind, token)

    def finished(self, stop: re.Match[str] | None) -> Run | None:
        """The run up to its last operand; a side that a sign or symbol cuts short is dropped."""
        beside = stop is not None and stop.lastgroup == "symbol" and not self.unit_words
        cut_short = self._ends_in_sign() or bool(self.opened) or (beside and not self.wants_operand)
        if self.spoilt or not self.equals:
            return None
        end = self.equals[-1] if cut_short else self.complete
        equals = [place for place in self.equals if place < end]
        if not equals:
            return None
        dropped = self.equals[len(equals)] if len(equals) < len(self.equals) else len(self.text)
        units = [place for place in self.units if place < dropped]
        return Run(self.start, "".join(self.pieces)[:end], equals, units)

    def dangles(self, token: re.Match[str]) -> bool:
        """Whether the token cuts the run short in the middle of something."""
        kind = token.lastgroup
        if self.spoilt:
            return True
        if kind == "symbol":
            return _FACTOR.match(self.text, token.end()) is not None
        if self.is_empty:
            return kind in ("sign", "power") and not is_bullet(token)
        if self._ends_in_sign():
            return True
        if self.wants_operand or (kind == "open" and "=" in self._inside(token)):
            return False
        return kind in ("number", "odd", "open") and not self.unit_words

    def _operand(self, kind: str, token: re.Match[str]) -> bool:
        if kind == "currency":
            return True
        if self.is_empty and kind in ("number", "open") and belongs_to_name(token):
            return False
        if kind == "number":
            # `1st - 5` counts places; `= 5:30` and `= 4! = 24` are more than a 5 and a 4
            end = _ORDINAL_END if self.is_empty else _GOES_BEYOND if self.sign == "=" else None
            if end and end.match(self.text, token.end()):
                return False
            self._put(token)
            self._close_operand(token)
            return True
        if kind == "open":
            self._open(token)
            return True
        if kind == "sign" and token.group() in DASHES and self._is_minus(token):
            self._put(token, sign="-")
            return True
        if kind == "word" and self.sign == "/":
            # `80 square feet/piece`: the slash belonged to the unit
            self.length -= len(self.pieces.pop())
            self.sign = ""
            return self._unit(token)
        return False

    def _operator(self, kind: str, token: re.Match[str]) -> bool:
        word = token.group()
        sign = ""
        if kind in ("sign", "power"):
            sign = "^" if kind == "power" else word
        elif kind == "equals" or (kind == "word" and word in ("equals", "equal")):
            return self._equals(token)
        elif kind == "words":
            sign = "*" if word.startswith("multiplied") else "/"
        elif kind == "word":
            sign = "*" if word == "of" and self._follows_share() else _WORD_SIGNS.get(word, "")
            if not sign:
                return self._unit(token)
        if sign:
            self._put(token, sign, sign)
            self._await_operand()
            return True
        if kind == "percent" or (kind == "close" and self.opened):
            if kind == "close":
                self.opened.pop()
            self._put(token)
            self._close_operand(token)
            return True
        if kind == "currency" and self.text[token.start() - 1].isdigit():
            self.unit_words += 1
            return True
        if kind == "joint":
            self.unit_words = 0
            return True
        return kind == "open" and self._parenthesis(token)

    def _equals(self, token: re.Match[str]) -> bool:
        if self.opened:
            # `(3 + 4 = 7)`: the parenthesis is the text's and not the equation's
            if self.opened[-1] != len(self.opened) - 1:
                return False
            for place in self.opened:
                self.pieces[place] = " " * len(self.pieces[place])
            self.opened.clear()
            self.complete = self.length
        self.equals.append(token.start() - self.start)
        self._put(token, "=", "=")
        self._await_operand()
        return True

    def _parenthesis(self, token: re.Match[str]) -> bool:
        """Behind an operand: an aside, `3 (breakfast) + 4`, a factor, or a variable's place."""
        inside = self._inside(token)
        glued = self.text[token.start() - 1].isdigit()
        if inside[:1].isalpha() or (not glued and _LETTER.search(inside)):
            product = self.pieces[-1].endswith(")") and not self.unit_words
            if product or _VARIABLE.match(inside) or _SIGN_AMONG_WORDS.search(inside):
                return self._spoil()
            self.aside = 1
            return True
        if self.unit_words or "=" in inside:
            return False
        self._open(token)
        self._await_operand()
        return True

    def _unit(self, token: re.Match[str]) -> bool:
        """A word behind a number is its unit; a single letter glued to it is a variable."""
        word, start = token.group(), token.start()
        if len(word) == 1 and self.text[start - 1] in "0123456789)":
            return self._spoil()
        if len(word) == 1 and word not in "mglLshkK" and _GOES_ON.match(self.text, token.end()):
            return self._spoil()
        self.unit_words += 1
        if self.unit_words > MAX_UNIT_WORDS or word in _NO_UNITS:
            return False
        self.units.append(start - self.start)
        self.wants_operand = False
        return True

    def _spoil(self) -> bool:
        """A variable makes the whole run algebra, which nothing here can check."""
        self.spoilt = True
        return False

    def _is_minus(self, token: re.Match[str]) -> bool:
        """Whether a dash before an operand is its sign; one that stands apart seldom is."""
        if self.sign and self.sign in "(=":
            return True
        if self.sign in ("x", "X") or not signs_number(token):
            return False
        return not self.is_empty or not follows_name(token)

    def _inside(self, token: re.Match[str]) -> str:
        found = _ASIDE.match(self.text, token.end())
        return found.group() if found else ""

    def _follows_share(self) -> bool:
        """Whether what stands before is a share (`25%`, `1/2`), which `of` multiplies."""
        written = "".join(piece.strip() for piece in self.pieces[-3:])
        return _SHARE.search(written) is not None

    def _put(self, token: re.Match[str], written: str | None = None, sign: str = "") -> None:
        start, end = token.span()
        if self.is_empty:
            self.start, self.is_empty = start, False
        piece = token.group() if written is None else written.ljust(end - start)
        gap = start - self.start - self.length
        self.pieces.append(" " * gap + piece if gap else piece)
        self.length += gap + end - start
        self.sign = sign

    def _open(self, token: re.Match[str]) -> None:
        self.opened.append(len(self.pieces))
        self._put(token, sign="(")

    def _await_operand(self) -> None:
        self.wants_operand = True
        self.unit_words = 0

    def _close_operand(self, token: re.Match[str]) -> None:
        self.wants_operand = False
        if not self.opened:
            self.complete = token.end() - self.start

    def _ends_in_sign(self) -> bool:
        return self.sign != "" and self.sign in OPERATOR_SIGNS
