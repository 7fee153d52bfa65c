"""Stretches of running text that read as arithmetic, with units and asides passed over.

A stretch keeps the text's own positions: what is not arithmetic is blanked out, words for signs
become signs, and everything stays where it stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chainwright.notation.expression import MIXED, OPERATOR_SIGNS, Span
from chainwright.notation.numerals import CURRENCY

NOWHERE = -1
_WORD_SIGNS = {"plus": "+", "minus": "-", "times": "*", "x": "*", "X": "*"}
_TOKEN = re.compile(
    rf"(?P<number>{MIXED}|\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<words>(?:multiplied|divided)\s+by\b)|(?P<word>[A-Za-z]+(?:['’][A-Za-z]+)?)"
    rf"|(?P<equals>[=≈])|(?P<power>\*\*)|(?P<sign>[{re.escape(OPERATOR_SIGNS)}])"
    rf"|(?P<percent>%)|(?P<open>\()|(?P<close>\))|(?P<currency>[{re.escape(CURRENCY)}])"
    r"|(?P<space>\s+)|(?P<other>.)",
    re.DOTALL,
)
_SIGN_AMONG_WORDS = re.compile(r"[+*/=^]|[-−]\s")
_GLUE = frozenset("0123456789)")
_CLAUSE_ENDS = frozenset(".,;:!?\n")
MAX_UNIT_WORDS = 4


@dataclass
class Run:
    """A stretch of text that reads as arithmetic, with all else blanked out."""

    start: int
    masked: list[str]
    equals: list[int]
    units: list[int]

    def cut(self, end: int) -> "Run":
        """The run up to a place in its masked text."""
        return Run(self.start, self.masked[:end], [e for e in self.equals if e < end], self.units)


def arithmetic_runs(text: str, hidden: Sequence[Span]) -> list[Run]:
    """Maximal stretches that alternate operands and operators, units passed over."""
    for start, end in hidden:
        text = text[:start] + " " * (end - start) + text[end:]
    runs: list[Run] = []
    reader = _Reader(text)
    algebra = False
    for token in _TOKEN.finditer(text):
        if reader.accepts(token):
            continue
        runs += [] if algebra else reader.finished()
        # what follows a dangling sign or a number that ran into the next is a part of something
        # that can't be read: no arithmetic of its own until the clause ends
        algebra = (algebra or reader.dangles(token)) and token.group() not in _CLAUSE_ENDS
        reader = _Reader(text)
        reader.accepts(token)
    runs += [] if algebra else reader.finished()
    return [run for run in runs if run.equals]


class _Reader:
    """Reads tokens into one run until a token doesn't fit."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.run = Run(NOWHERE, [], [], [])
        self.wants_operand = True
        self.depth = 0
        self.aside = 0
        self.unit_words = 0
        self.unit_division = False
        self.spoilt = False
        self.complete = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been read yet."""
        return self.run.start == NOWHERE

    def accepts(self, token: re.Match[str]) -> bool:
        kind, start = str(token.lastgroup), token.start()
        if kind == "space":
            return "\n" not in token.group()
        if kind == "currency":
            return self.wants_operand or self.is_empty
        if self.aside:
            self.aside += {"open": 1, "close": -1}.get(kind, 0)
            return kind != "equals"
        if self.wants_operand:
            return self._operand(kind, token, start)
        return self._operator(kind, token, start)

    def finished(self) -> list[Run]:
        """The run up to its last operand; a side that a dangling sign cuts short is dropped."""
        if self.is_empty or self.spoilt:
            return []
        end = self.complete
        if self._ends_in_sign() and self.run.equals:
            end = self.run.equals[-1]
        return [self.run.cut(end)]

    def dangles(self, token: re.Match[str]) -> bool:
        """Whether the token cuts the run short in the middle of something."""
        if self.spoilt:
            return True
        if self.is_empty:
            return token.lastgroup in ("sign", "power") and token.group() not in "xX"
        runs_on = token.lastgroup in ("number", "open") and not self.unit_words
        return self._ends_in_sign() or (runs_on and not self.wants_operand)

    def _operand(self, kind: str, token: re.Match[str], start: int) -> bool:
        glued = start > 0 and (self.text[start - 1].isalnum() or self.text[start - 1] == "_")
        if kind == "number" and not (self.is_empty and glued):
            self._put(token)
            self.wants_operand = False
            self._mark_complete(token.end())
            return True
        if kind == "open":
            self._put(token)
            self.depth += 1
            return True
        if kind == "sign" and token.group() in "-−–" and not self._ends_in_sign():
            # a dash that opens a run is a minus when it's glued to its number: `books - 135` isn't
            if self.is_empty and not self.text[token.end() : token.end() + 1].isdigit():
                return False
            self._put(token)
            return True
        if kind == "word" and self.unit_division and not self._ends_in_equals():
            # `80 square feet/piece`: the slash belonged to the unit
            self._drop_last_sign()
            return self._unit(token)
        return False

    def _operator(self, kind: str, token: re.Match[str], start: int) -> bool:
        sign = None
        if kind in {"sign", "power"}:
            sign = "^" if kind == "power" else token.group()
        elif kind == "words":
            sign = "*" if token.group().lower().startswith("multiplied") else "/"
        elif kind == "word" and token.group() in _WORD_SIGNS:
            sign = _WORD_SIGNS[token.group()]
        elif kind == "word" and token.group() == "of" and self._after_share():
            sign = "*"
        elif kind == "equals" or (kind == "word" and token.group() in ("equals", "equal")):
            if self.depth:
                return False
            self.run.equals.append(start - self.run.start)
            sign = "="
        if sign is not None:
            self.unit_division = sign == "/"
            self._put(token, sign)
            self.wants_operand = True
            self.unit_words = 0
            return True
        if kind == "percent":
            self._put(token)
            self._mark_complete(token.end())
            return True
        if kind == "close" and self.depth:
            self._put(token)
            self.depth -= 1
            self._mark_complete(token.end())
            return True
        if kind == "open" and (inside := self._words_inside(token)):
            if _SIGN_AMONG_WORDS.search(inside):
                return self._spoil()
            self.aside = 1
            return True
        if kind == "open" and not self.unit_words:
            self._put(token)
            self.depth += 1
            self.wants_operand = True
            return True
        return kind == "word" and self._unit(token)

    def _unit(self, token: re.Match[str]) -> bool:
        """A word behind a number is its unit; a single letter glued to it is a variable."""
        word, start = token.group(), token.start()
        if len(word) == 1 and self.text[start - 1] in _GLUE:
            return self._spoil()
        if len(word) == 1 and self._equation_goes_on(token.end()) and word not in "mglLshkK":
            return self._spoil()
        self.unit_words += 1
        if self.unit_words > MAX_UNIT_WORDS:
            return False
        self.run.units.append(start - self.run.start)
        self.unit_division = False
        self.wants_operand = False
        return True

    def _words_inside(self, token: re.Match[str]) -> str:
        """What a parenthesis says when it is an aside, `3 (breakfast) + 4`, or holds a variable."""
        inside = self.text[token.end() :].partition(")")[0]
        glued = self.text[token.start() - 1].isdigit()
        words = inside[:1].isalpha() or (not glued and any(c.isalpha() for c in inside))
        return inside if words else ""

    def _equation_goes_on(self, end: int) -> bool:
        return self.text[end:].lstrip()[:1] in set("=≈+*^/")

    def _spoil(self) -> bool:
        """A variable makes the whole run algebra, which nothing here can check."""
        self.spoilt = True
        return False

    def _after_share(self) -> bool:
        """Whether what stands before is a share (`25%`, `1/2`), which `of` multiplies."""
        written = "".join(self.run.masked[: self.complete]).rstrip()
        return written.endswith("%") or bool(re.search(r"\d\s*/\s*\d+$", written))

    def _put(self, token: re.Match[str], text: str | None = None) -> None:
        if self.is_empty:
            self.run.start = token.start()
        at = token.start() - self.run.start
        self.run.masked += [" "] * (at - len(self.run.masked))
        written = text or token.group()
        self.run.masked += list(written.ljust(token.end() - token.start()))

    def _mark_complete(self, end: int) -> None:
        if not self.depth:
            self.complete = end - self.run.start

    def _last_sign(self) -> str:
        return "".join(self.run.masked).rstrip()[-1:]

    def _ends_in_sign(self) -> bool:
        return self._last_sign() in set("+-−–*/^")

    def _ends_in_equals(self) -> bool:
        return self._last_sign() in set("=≈")

    def _drop_last_sign(self) -> None:
        while self.run.masked and self.run.masked.pop() == " ":
            pass
