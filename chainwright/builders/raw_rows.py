"""Raw rows: what reading a source yields, before anything is made of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_PAYLOAD = 4000
"""Characters of a row that a reject keeps."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row of a source as it stands there.

    `where` names the file (or Hub repository) and the row, such as `test.jsonl:12`, and never a
    folder of the machine.
    """

    where: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowFault:
    """A place in a source where no row could be read, with the reason's code."""

    where: str
    reason: str
    detail: str
    payload: str | None


def payload_of(row: Mapping[str, Any]) -> str:
    """The row as JSON, shortened; values that JSON lacks (dates, bytes) as text."""
    try:
        return shortened(json.dumps(row, ensure_ascii=False, default=str))
    except RecursionError:
        return "(nested too deeply to be shown)"


def shortened(text: str) -> str:
    """The text in printable form, cut at `MAX_PAYLOAD` characters with an ellipsis."""
    text = printable(text[: MAX_PAYLOAD + 1])
    return text if len(text) <= MAX_PAYLOAD else f"{text[: MAX_PAYLOAD - 1]}…"


def printable(text: str) -> str:
    r"""The text with lone surrogates, which no file can hold, spelled out as `\udc80`."""
    return text.encode("utf-8", "backslashreplace").decode()
