"""Fields: taking values out of raw rows, or refusing the row with a reason that can be counted."""

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from chainwright.builders.raw_rows import printable
from chainwright.formats.columns import ABSENT, pick

_UNCLEAN = re.compile("[\x00\ufffd\ud800-\udfff]")
_SHOWN_COLUMNS = 20


class Refused(ValueError):
    """A row that can't be used; `reason` is a code for rejects."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(printable(detail))
        self.reason = reason
        self.detail = printable(detail)


def present(row: Mapping[str, Any], column: str) -> Any:
    """The value at a column, null included.

    Raises:
        Refused: `missing_field`, naming the columns that are there.
    """
    value = pick(row, column)
    if value is ABSENT:
        there = ", ".join(list(map(str, row))[:_SHOWN_COLUMNS]) or "none"
        more = ", …" if len(row) > _SHOWN_COLUMNS else ""
        raise Refused("missing_field", f"no `{column}`; there are: {there}{more}")
    return value


def text_at(row: Mapping[str, Any], column: str) -> str:
    """The text at a column, as it stands there.

    Raises:
        Refused: `missing_field`, `empty_field` (null or blank), `wrong_type`, `bad_encoding`.
    """
    value = present(row, column)
    if value is None:
        raise Refused("empty_field", f"`{column}` is null")
    return clean_text(value, column)


def optional_text_at(row: Mapping[str, Any], column: str | None) -> str | None:
    """The same, but None where no column is named or the value is null."""
    if column is None:
        return None
    value = present(row, column)
    return None if value is None else clean_text(value, column)


def optional_word_at(row: Mapping[str, Any], column: str | None) -> str | None:
    """An answer: text without blanks around it, or a number or truth value as JSON writes it."""
    if column is None:
        return None
    value = present(row, column)
    if value is None:
        return None
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    return clean_text(value, column, allowed="text, a number, or true or false").strip()


def clean_text(value: Any, place: str, allowed: str = "text") -> str:
    """The value if it is text that a table can hold and a reader can read.

    Raises:
        Refused: `wrong_type`, `empty_field` where it is blank, `bad_encoding` for half a surrogate
            pair, the NUL character, and U+FFFD, which stands where bytes were lost.
    """
    if not isinstance(value, str):
        raise Refused("wrong_type", f"`{place}` is {type_in_words(value)}, expected {allowed}")
    if not value.strip():
        raise Refused("empty_field", f"`{place}` is blank")
    unclean = _UNCLEAN.search(value)
    if unclean:
        code = f"U+{ord(unclean.group()):04X}"
        raise Refused("bad_encoding", f"`{place}` holds {code} at character {unclean.start() + 1}")
    return value


def type_in_words(value: Any) -> str:
    """The type of a value in the words of JSON, such as `a list`."""
    for kind, words in _TYPES:
        if isinstance(value, kind):
            return words
    return "null" if value is None else f"a {type(value).__name__}"


_TYPES: tuple[tuple[type, str], ...] = (
    (str, "text"),
    (bool, "true or false"),
    (int, "a number"),
    (float, "a number"),
    (list, "a list"),
    (Mapping, "an object"),
)
