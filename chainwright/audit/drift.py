r"""Drift: how far a copy of a text has moved from the original, in layers.

Each layer undoes one more kind of rewriting, on both sides and on top of those before it. The
first layer at which the two are the same names the drift. What no layer makes the same differs in
what it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable

_PLACEHOLDER = re.compile(r"\s*\{+\s*[A-Za-z_][\w. ]{0,40}\}+\s*")
_PREFIX = re.compile(
    r"(?:(?:\*\*|#+\s*)?(?:step\s*\d+|problem|question|q)\s*(?:[:.)]|[-–]\s)(?:\*\*)?\s*)+",
    re.IGNORECASE,
)
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u2032`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("×·⋅∙", "*"),
        "÷": "/",
        "…": "...",
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
    }
)
# A greek letter or relation is written either way; the longer command first.
_COMMANDS = {
    "pi": "π", "theta": "θ", "alpha": "α", "beta": "β", "leq": "≤", "le": "≤", "geq": "≥",
    "ge": "≥", "neq": "≠", "ne": "≠", "times": "*", "cdot": "*", "div": "/", "circ": "°",
    "equiv": "≡", "infty": "∞", "approx": "≈", "pm": "±", "ldots": "...", "dots": "...",
    "cdots": "...",
}  # fmt: skip
_COMMAND = re.compile(rf"\\({'|'.join(sorted(_COMMANDS, key=len, reverse=True))})(?![A-Za-z])")
_ESCAPED_BREAK = re.compile(
    r"\\t(?![a-z])|\\n(?!(?:eq?|ot(?:in)?|u|abla|i|mid|eg|ewline|earrow|exists)(?![A-Za-z]))"
)
"""A line break as two signs, and none of LaTeX's own commands in `n`."""
_FRAMES = re.compile(
    r"\\[()\[\]]|\$+|\\(?:left|right|big|Big|displaystyle|quad|qquad)(?![A-Za-z])|\\[,;:! ]|~"
)
_WRAPPED = re.compile(r"\\(?:text|mathrm|mathbf|textbf|operatorname|mbox)\s*\{([^{}]*)\}")
_MODULUS = re.compile(r"\\pmod\s*\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_PUNCTUATION = re.compile(r"(?<!\d)[.,](?!\d)|(?<=\d)[.,](?!\d)|[;:!?'\"*_#{}]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SHORTEST_PART = 12
"""Characters, blanks aside, that a part needs to be more than a coincidence."""

LAYERS = (
    *("white_space", "prefix", "unicode", "escapes", "latex", "punctuation"),
    *("part", "words", "numbers", "placeholder"),
)
"""How far a copy may have drifted; `part` to `placeholder` are differences in what is said."""


def drift(original: str, copy: str) -> str | None:
    """The layer at which a copy is the same as the original; None where it is exactly so.

    Returns:
        One of `LAYERS`. `part`: one is a stretch of the other, something was left out or added.
        `numbers`: the copy has a number that the original lacks. `words`: it has none, and says
        it otherwise. `placeholder`: the copy is a template's name in braces, `{question}`.

    >>> drift("Step 1: 2 + 2 = 4.", "2 + 2 =  4.")
    'prefix'
    >>> drift("He eats 4 eggs.", "He eats 5 eggs.")
    'numbers'
    """
    if original == copy:
        return None
    if _PLACEHOLDER.fullmatch(copy):
        return "placeholder"
    left, right = original, copy
    for name, undo in _UNDO:
        left, right = undo(left), undo(right)
        if left == right:
            return name
    if min(len(left), len(right)) >= _SHORTEST_PART and (left in right or right in left):
        return "part"
    return "numbers" if _numbers(right) - _numbers(left) else "words"


def bare(text: str) -> str:
    """A text with every layer up to `latex` undone, fit to be compared for equality."""
    for name, undo in _UNDO:
        if name != "punctuation":
            text = undo(text)
    return text


def undone(text: str) -> str:
    """A text with every layer undone that leaves its words as they are."""
    for _, undo in _UNDO:
        text = undo(text)
    return text


def without_prefix(text: str) -> str:
    """A text without the `Step 3:` or `Problem:` that it begins with."""
    found = _PREFIX.match(text.lstrip())
    return text.lstrip()[found.end() :] if found else text


def _one_blank(text: str) -> str:
    return " ".join(text.split())


def _unicode(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS).split())


def _escapes(text: str) -> str:
    # `\\frac` and `\n` as two signs: the text went through one encoding too many.
    text = _ESCAPED_BREAK.sub(" ", text.replace("\\\\", "\\"))
    return _one_blank(without_prefix(text))


def _latex(text: str) -> str:
    text = _WRAPPED.sub(r"\1", re.sub(r"\\([%$#&_{}])", r"\1", text))
    text = _COMMAND.sub(lambda found: _COMMANDS[found[1]], text)
    text = re.sub(r"\^\{?°\}?", "°", _FRAMES.sub(" ", text))
    text = _FRACTION.sub(_division, _MODULUS.sub(r"(mod \1)", text))
    text = re.sub(r"\\[dt]frac", r"\\frac", text).replace("{", "").replace("}", "")
    return "".join(text.split())


def _division(found: re.Match[str]) -> str:
    over, under = (part if part.strip().isalnum() else f"({part})" for part in found.groups())
    return f"{over}/{under}"


def _punctuation(text: str) -> str:
    return _PUNCTUATION.sub("", text.casefold())


def _numbers(text: str) -> Counter[str]:
    return Counter(number.replace(",", "") for number in _NUMBER.findall(text))


_UNDO: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("white_space", _one_blank),
    ("prefix", without_prefix),
    ("unicode", _unicode),
    ("escapes", _escapes),
    ("latex", _latex),
    ("punctuation", _punctuation),
)
