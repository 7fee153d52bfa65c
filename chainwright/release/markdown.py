"""Markdown: text of unknown origin, made harmless for a dataset card."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

_SPECIAL = re.compile(r"[\\`*_\[\]|~$@]|:(?=//)")
# A list, a heading or a rule is one only at the start of a line.
_BLOCK_START = re.compile(r"^(\d*)([-+=#]|[.)](?=\s|$))")
_CODE = re.compile(r"[\w.,:/@#*+=<>()\[\] -]+")


def one_line(text: str) -> str:
    """The text with every run of blanks, line breaks and control characters made one blank."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(printable.split())


def literal(text: str) -> Markup:
    r"""Text that a Markdown renderer shows as it is: no markup, no HTML, no table cell, one line.

    Safe at the start of a line and inside a table cell.

    Example:
        >>> print(literal("a|b <script> # c"))
        a\|b &lt;script&gt; # c
    """
    line = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = _SPECIAL.sub(r"\\\g<0>", line)
    return Markup(_BLOCK_START.sub(r"\1\\\2", escaped))  # noqa: S704 - escaped here


def code(text: str) -> Markup:
    """Text as a code span where nothing in it could end the span or a cell, else as `literal`."""
    line = one_line(text)
    return Markup(f"`{line}`") if _CODE.fullmatch(line) else literal(text)  # noqa: S704


def cell(value: Any) -> Markup:
    """Any value of a card: whole numbers with separators, others to three places, None empty."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return Markup("")
    if isinstance(value, int) and not isinstance(value, bool):
        return Markup(f"{value:,}")  # noqa: S704 - digits and commas
    if isinstance(value, float):
        return Markup(f"{value:.3f}")  # noqa: S704 - digits and a point
    return literal(str(value))
