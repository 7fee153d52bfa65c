"""Values: taking what a record needs out of raw JSON, or saying why it can't be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class ShapeError(ValueError):
    """A row that is no record of its format; says which key, what it holds, what it should."""


def text(row: Mapping[str, Any], key: str) -> str:
    """The text at a key.

    Raises:
        ShapeError: The key is absent or holds no text.
    """
    value = row.get(key)
    if not isinstance(value, str):
        raise ShapeError(f"`{key}` holds {_shown(row, key)}, expected a text")
    return value


def text_or_none(row: Mapping[str, Any], key: str) -> str | None:
    """A text, or a number as its text; None where the key is absent or null."""
    return as_text(row.get(key), key)


def as_text(value: Any, name: str) -> str | None:
    """A text or a number as a text; None for null.

    Raises:
        ShapeError: It is neither.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ShapeError(f"`{name}` holds {_short(value)}, expected a text or a number")


def integer(row: Mapping[str, Any], key: str) -> int:
    """The integer at a key.

    Raises:
        ShapeError: The key is absent or holds no integer.
    """
    value = row.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ShapeError(f"`{key}` holds {_shown(row, key)}, expected a whole number")
    return value


def flag(row: Mapping[str, Any], key: str) -> bool | None:
    """True, false, or None where the key is absent or null.

    Raises:
        ShapeError: The key holds something else.
    """
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise ShapeError(f"`{key}` holds {_shown(row, key)}, expected true or false")


def objects(row: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The list of objects at a key.

    Raises:
        ShapeError: The key is absent, or holds something else.
    """
    value = row.get(key)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ShapeError(f"`{key}` holds {_shown(row, key)}, expected a list of objects")
    return value


def inner(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object at a key.

    Raises:
        ShapeError: The key is absent, or holds something else.
    """
    value = row.get(key)
    if not isinstance(value, dict):
        raise ShapeError(f"`{key}` holds {_shown(row, key)}, expected an object")
    return value


def texts(value: Any, name: str) -> tuple[str, ...]:
    """A list of texts.

    Raises:
        ShapeError: It is none, or is empty.
    """
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value) or not value:
        raise ShapeError(f"`{name}` holds {_short(value)}, expected a list of texts, at least one")
    return tuple(value)


def _shown(row: Mapping[str, Any], key: str) -> str:
    return _short(row[key]) if key in row else "nothing (there is no such key)"


def _short(value: Any) -> str:
    written = json.dumps(value, default=str)
    return written if len(written) <= 60 else f"{written[:59]}…"
