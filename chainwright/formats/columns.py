"""Columns: values of raw rows by the name of their column, nested ones too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


class _Absent:
    """The one value that no row can hold: the column isn't there."""


ABSENT: Final = _Absent()


def pick(row: Mapping[str, Any], column: str) -> Any:
    """The value at a column whose dots step into nested objects; `ABSENT` where there is none.

    Keys that hold dots themselves are tried first, the longest first: `a.b.c` is the key `a.b.c`,
    then `c` within `a.b`, then `b.c` within `a`.
    """
    if column in row:
        return row[column]
    words = column.split(".")
    for cut in range(len(words) - 1, 0, -1):
        inner = row.get(".".join(words[:cut]))
        if isinstance(inner, Mapping):
            found = pick(inner, ".".join(words[cut:]))
            if found is not ABSENT:
                return found
    return ABSENT
