"""Line blocks: LogiQA's text format, a question on eight lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from chainwright.builders.raw_rows import RawRow, RowFault, shortened

LINES = 7
"""Lines of a block besides the blank one before it: letter, context, question, four options."""

_LETTER = re.compile(r"\s*[A-Da-d]\s*")


def line_blocks(stream: IO[bytes], label: str) -> Iterator[RawRow | RowFault]:
    """The rows of a file, each with the keys answer, context, question and options.

    Blank lines part the blocks, so one that has lines too many or too few costs itself alone. A
    row's place is the line of its letter, from 1.
    """
    for number, lines in _blocks(stream):
        where = f"{label}:{number}"
        try:
            texts = [line.decode() for line in lines]
        except UnicodeDecodeError as error:
            payload = shortened(b"\n".join(lines).decode(errors="backslashreplace"))
            detail = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
            yield RowFault(where, "bad_encoding", detail, payload)
            continue
        if len(texts) != LINES or not _LETTER.fullmatch(texts[0]):
            expected = f"{LINES}: a letter from a to d, context, question and four options"
            found = f"{len(texts)} lines that begin with `{texts[0][:40]}`"
            yield RowFault(where, "bad_block", f"{found}; expected {expected}", _shown(texts))
            continue
        answer, context, question, *options = texts
        row = {"answer": answer, "context": context, "question": question, "options": options}
        yield RawRow(where, row)


def _blocks(stream: IO[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Runs of lines that are not blank, with the number of the first line of each."""
    lines: list[bytes] = []
    for number, line in enumerate(stream, start=1):
        content = line.rstrip(b"\r\n")
        if number == 1:
            content = content.removeprefix(b"\xef\xbb\xbf")
        if content.strip():
            lines.append(content)
        elif lines:
            yield number - len(lines), lines
            lines = []
    if lines:
        yield number + 1 - len(lines), lines


def _shown(texts: list[str]) -> str:
    return shortened("\n".join(texts))
