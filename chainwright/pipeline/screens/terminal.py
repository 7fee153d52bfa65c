"""Terminal: text from datasets and models made safe to print, and where it is printed."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Callable
from typing import Any, Protocol, TextIO, TypeVar

from rich.console import Console

PIPED_WIDTH = 120
"""Columns of output that goes to a file or a pipe, unless COLUMNS says otherwise."""


class Presentable(Protocol):
    """A command's result."""

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""


T = TypeVar("T", bound=Presentable)

_KEPT = "\n\t"
_JOINERS = "\u200c\u200d"
"""Format characters that some scripts and emoji need and that cannot mislead."""


def visible(text: str) -> str:
    r"""The text with every character that could steer a terminal or hide spelled out.

    Control characters (escape sequences start with one), marks that reverse the reading
    direction and lone surrogates become `\x1b` or `\u202e`; line breaks and tabs stay.

    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(c if _is_harmless(c) else _spelled(c) for c in text.replace("\r\n", "\n"))


def one_line(text: str, width: int = 100) -> str:
    """The text safe to print, on one line of at most `width` characters."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def console(file: TextIO) -> Console:
    """A console that takes text as it is: no markup, no emoji codes, no guessed highlights."""
    fixed = None if file.isatty() or "COLUMNS" in os.environ else PIPED_WIDTH
    return Console(file=file, markup=False, emoji=False, highlight=False, width=fixed)


def show(result: T, draw: Callable[[T, Console], None], *, as_json: bool) -> None:
    """Puts a command's result on the output: drawn for people, or as one JSON document."""
    if as_json:
        document = json.dumps(result.as_json(), ensure_ascii=True, indent=2, allow_nan=False)
        sys.stdout.write(f"{document}\n")
    else:
        draw(result, console(sys.stdout))


def _is_harmless(char: str) -> bool:
    return (
        char in _KEPT
        or char in _JOINERS
        or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
    )


def _spelled(char: str) -> str:
    code = ord(char)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )
