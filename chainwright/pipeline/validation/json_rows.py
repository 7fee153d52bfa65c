"""JSON rows: JSONL files and JSON arrays, plain or compressed, read piece by piece."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from chainwright.pipeline.validation.faults import Flaw, clip, shorten
from chainwright.pipeline.validation.raw_row import UNREAD, RawRow

CHUNK = 1 << 20
"""Bytes read at a time from a JSON array."""

_LONGEST_WORD = 16
"""No word, escape or exponent that the end of the window can cut in two is longer."""

_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"
_BLANKS = re.compile(rf"[{_BLANK}]*")
# Bytes that are no UTF-8 are decoded to lone surrogates, so that a fault can name their field. An
# escape such as \ud83d may be half of a pair, and NaN a word of a text: both are only reasons to
# look closer.
_SUSPECT = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]|NaN|Infinity")
_LONE = re.compile(r"[\ud800-\udfff]")


def json_rows(path: Path) -> Iterator[RawRow]:
    """The rows of a JSON or JSONL file, with `.gz` or without.

    A JSONL row is numbered by its line, and blank lines are passed over. A `.json` file holds one
    array of rows, or rows one after another; they are numbered in order. A syntax error costs one
    line of a JSONL file, but the rest of a `.json` file, as its fault says.
    """
    name = path.name.lower()
    try:
        with _opened(path) as file:
            if name.removesuffix(".gz").endswith(".json"):
                yield from _stream(file)
            else:
                yield from _lines(file)
    except (OSError, EOFError, zlib.error) as error:
        flaw = Flaw("", clip(str(error)), "a readable file (what follows is not checked)")
        yield RawRow(None, UNREAD, (flaw,))


def _opened(path: Path) -> BinaryIO:
    if path.name.lower().endswith(".gz"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _lines(file: Iterable[bytes]) -> Iterator[RawRow]:
    for number, line in enumerate(file, 1):
        raw = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        text = raw.decode("utf-8", "surrogateescape").strip(_BLANK)
        if not text:
            continue
        try:
            value = _DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            yield RawRow(number, UNREAD, (Flaw("", _what(error), "one JSON object on the line"),))
        else:
            yield RawRow(number, value, tuple(_foreign(text, value)))


def _stream(file: BinaryIO) -> Iterator[RawRow]:
    """The elements of one array, or values that follow one another."""
    text = _Text(file)
    head = text.peek()
    if head == "[":
        text.take()
    in_array = head == "["
    number = 0
    while True:
        head = text.peek()
        if in_array and number and head == ",":
            text.take()
            head = text.peek()
        elif in_array and head == "]":
            text.take()
            if head := text.peek():
                yield _lost(text, f"{head!r} after the end of the array", "one array")
            return
        elif in_array and number and head:
            yield _lost(text, repr(head), "',' or ']' after a row")
            return
        if not head:
            if in_array or not number:
                expected = "']' at the end of the array" if in_array else "JSON"
                yield _lost(text, "the end of the file", expected)
            return
        number += 1
        try:
            value, raw = text.value()
        except (ValueError, RecursionError) as error:
            yield _lost(text, _what(error), "JSON", number)
            return
        yield RawRow(number, value, tuple(_foreign(raw, value)))


def _lost(text: _Text, found: str, expected: str, number: int | None = None) -> RawRow:
    flaw = Flaw("", clip(f"line {text.line}: {found}"), f"{expected} (what follows is not checked)")
    return RawRow(number, UNREAD, (flaw,))


class _Text:
    """A window on decoded text that moves forward only and grows until a value fits in."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._buffer = ""
        self._at = 0
        self._ended = False
        self.line = 1

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            blanks = _BLANKS.match(self._buffer, self._at)
            self._move(blanks.end() if blanks else self._at)
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if self._ended:
                return ""
            self._more()

    def take(self) -> None:
        """Passes over one character."""
        self._move(self._at + 1)

    def value(self) -> tuple[Any, str]:
        """The next JSON value and the text that it was written in."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                open_text = error.msg.startswith("Unterminated string")
                cut = open_text or error.pos + _LONGEST_WORD > len(self._buffer)
                if self._ended or not cut:
                    self._move(error.pos)
                    raise
            else:
                if self._ended or not self._may_go_on(value, end):
                    raw = self._buffer[self._at : end]
                    self._move(end)
                    return value, raw
            self._more()

    def _may_go_on(self, value: Any, end: int) -> bool:
        """Whether the window may have cut a number short: `1` of `12`, `1.5` of `1.5e-3`."""
        rest = self._buffer[end : end + _LONGEST_WORD]
        if len(rest) == _LONGEST_WORD or not isinstance(value, int | float):
            return False
        return not rest or rest[0] in ".eE"

    def _move(self, to: int) -> None:
        self.line += self._buffer.count("\n", self._at, to)
        self._at = to

    def _more(self) -> None:
        rest = self._buffer[self._at :]
        # Reading at least as much as is there keeps the cost of a huge row linear.
        piece = self._file.read(max(CHUNK, len(rest)))
        self._ended = not piece
        self._buffer = rest + self._decoder.decode(piece, final=self._ended)
        self._at = 0


def _foreign(text: str, value: Any) -> Iterator[Flaw]:
    """What Python reads and JSON in UTF-8 cannot hold."""
    if _SUSPECT.search(text):
        try:
            yield from _foreign_within(value, "")
        except RecursionError as error:
            yield Flaw("", _what(error), "text and numbers that JSON can hold")


def _foreign_within(value: Any, path: str) -> Iterator[Flaw]:
    if isinstance(value, str):
        if _LONE.search(value):
            yield Flaw(clip(path), clip(repr(value)), "text that is valid UTF-8")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _foreign_within(item, f"{path}[{at}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            inner = f"{path}.{key}" if path else key
            yield from _foreign_within(key, inner)
            yield from _foreign_within(item, inner)
    elif isinstance(value, float) and value - value != 0:
        yield Flaw(clip(path), shorten(value), "a number that JSON can hold")


def _what(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return clip(f"{error.msg} at character {error.colno}")
    if isinstance(error, RecursionError):
        return "brackets nested too deep to be read"
    return clip(str(error))
