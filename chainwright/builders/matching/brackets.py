"""Brackets: a text cut where nothing is open, in one pass and without recursion."""

import re

_BRACKET = re.compile(r"\\\{|\\\}|\\\\|\\[A-Za-z]+|[()\[\]{}]")
_OPENING = frozenset(("(", "[", "{", "\\{", "\\lfloor", "\\lceil", "\\langle", "\\begin"))
_CLOSING = frozenset((")", "]", "}", "\\}", "\\rfloor", "\\rceil", "\\rangle", "\\end"))


def cut_at(text: str, separator: re.Pattern[str]) -> list[str] | None:
    """The parts between the separators that stand outside of all brackets, without outer blanks.

    Brackets of different shapes close one another, as they do in `[1, 3)`.

    Returns:
        None where the brackets don't match.
    """
    depths = _depths(text)
    if depths is None:
        return None
    parts, at = [], 0
    for found in separator.finditer(text):
        if depths[found.start()] == 0 and found.start() >= at:
            parts.append(text[at : found.start()].strip())
            at = found.end()
    return [*parts, text[at:].strip()]


def enclosed(text: str) -> tuple[str, str, str] | None:
    r"""The opening bracket, content and closing bracket where one pair encloses the whole text.

    `\{` and `\}` lose their backslash; `\langle` and `\rangle` are written `(` and `)`.
    """
    text = text.strip()
    for pattern, plain in ((r"\{", "{"), (r"\langle", "("), ("(", "("), ("[", "["), ("{", "{")):
        if not text.startswith(pattern):
            continue
        for ending, shut in ((r"\}", "}"), (r"\rangle", ")"), (")", ")"), ("]", "]"), ("}", "}")):
            if text.endswith(ending) and len(text) >= len(pattern) + len(ending):
                content = text[len(pattern) : len(text) - len(ending)]
                return (plain, content.strip(), shut) if _depths(content) is not None else None
    return None


def _depths(text: str) -> list[int] | None:
    """How many brackets are open before each character; None where they don't match."""
    depths: list[int] = []
    depth = 0
    for found in _BRACKET.finditer(text):
        depths += [depth] * (found.start() - len(depths))
        step = (found.group() in _OPENING) - (found.group() in _CLOSING)
        depth += step
        if depth < 0:
            return None
        depths += [max(depth, abs(step))] * (found.end() - len(depths))
    return None if depth else depths + [0] * (len(text) - len(depths))
