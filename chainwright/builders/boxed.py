r"""Boxed answers: LaTeX's `\boxed{…}` and `\fbox{…}`, found by matching braces."""

import re

_BOX = re.compile(r"\\(?:boxed|fbox|framebox)(?![A-Za-z])\s*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_UNBRACED = re.compile(r"(?:[^\s$\\{}]|\\[a-zA-Z]+\{[^{}]*\}(?:\{[^{}]*\})?)+")


class UnclosedBoxError(ValueError):
    """The text ends inside a box: it was cut off."""


def last_box(text: str) -> str | None:
    r"""What stands in the last box that isn't empty.

    Of nested boxes the outermost counts, with the inner ones unwrapped. `\boxed 5` holds what
    follows, up to a blank or dollar sign. Escaped braces (`\{`) are part of the content.

    Returns:
        None where there is no box, or empty ones only.

    Raises:
        UnclosedBoxError: where a box has no closing brace.
    """
    found: str | None = None
    at = 0
    while mark := _BOX.search(text, at):
        at = mark.end()
        if text[at : at + 1] == "{":
            end = group_end(text, at)
            if end is None:
                raise UnclosedBoxError("the last box has no closing brace")
            found = _unboxed(text[at + 1 : end]).strip() or found
            at = end + 1
        elif bare := _UNBRACED.match(text, at):
            found = bare.group().rstrip(".,;:") or found
            at = bare.end()
    return found


def has_box(text: str) -> bool:
    """Whether there is any box, closed or not."""
    return "\\" in text and _BOX.search(text) is not None


def group_end(text: str, start: int) -> int | None:
    """The place of the `}` that closes the `{` at `start`; None where nothing does."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            return brace.start()
    return None


def _unboxed(content: str) -> str:
    if not has_box(content):
        return content
    opened: list[int] = []
    closing: dict[int, int] = {}
    for brace in _BRACE.finditer(content):
        if brace.group() == "{":
            opened.append(brace.start())
        elif brace.group() == "}" and opened:
            closing[opened.pop()] = brace.start()
    cuts: list[tuple[int, int]] = []
    for mark in _BOX.finditer(content):
        if mark.end() in closing:
            end = closing[mark.end()]
            cuts += [(mark.start(), mark.end() + 1), (end, end + 1)]
    parts, at = [], 0
    for start, end in sorted(cuts):
        parts.append(content[at:start])
        at = end
    return "".join(parts) + content[at:]
