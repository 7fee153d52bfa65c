"""Fields of foreign rows, read with a countable reason where they are not what they should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chainwright.formats.trace import Unfit

Row = Mapping[str, Any]

_WORDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "object"}


def field(row: Row, key: str, kind: type, place: str = "") -> Any:
    """The value of a key, of that type.

    Raises:
        Unfit: `missing_field`, `wrong_type`, and `empty_field` for a blank text or an empty list.
    """
    value = present(row, key, kind, place)
    if kind in (str, list) and not (value.strip() if kind is str else value):
        raise Unfit("empty_field", f"`{place}{key}` is empty")
    return value


def present(row: Row, key: str, kind: type, place: str = "") -> Any:
    """The same, but a text may be blank and a list empty.

    Raises:
        Unfit: `missing_field`, `wrong_type`.
    """
    value = optional(row, key, kind, place)
    if value is None:
        there = ", ".join(map(str, row)) or "nothing"
        raise Unfit("missing_field", f"`{place}{key}` is missing or null; there are: {there[:200]}")
    return value


def optional(row: Row, key: str, kind: type, place: str = "") -> Any:
    """The value of a key, of that type, or None where it is missing or null.

    Raises:
        Unfit: `wrong_type`.
    """
    value = row.get(key)
    # true is an int to Python, and not to a reader of JSON
    if value is not None and (not isinstance(value, kind) or (kind is int) > (type(value) is int)):
        raise Unfit("wrong_type", f"`{place}{key}` is {shown(value)}, expected {_WORDS[kind]}")
    return value


def items(row: Row, key: str, kind: type, place: str = "") -> list[Any]:
    """A list that is not empty, all of whose elements are of that type, texts not blank.

    Raises:
        Unfit: as `field` does.
    """
    values: list[Any] = field(row, key, list, place)
    for at, value in enumerate(values):
        field({f"{key}[{at}]": value}, f"{key}[{at}]", kind, place)
    return values


def optional_items(row: Row, key: str, kind: type, place: str = "") -> list[Any]:
    """The same, but empty where the key is absent or null, or the list is empty.

    Raises:
        Unfit: `wrong_type`, `missing_field` for a null among the elements.
    """
    return items(row, key, kind, place) if optional(row, key, list, place) else []


def objects(row: Row, key: str, place: str = "") -> list[Row]:
    """A list of objects, which may be empty.

    Raises:
        Unfit: `missing_field`, `wrong_type`.
    """
    values: list[Any] = present(row, key, list, place)
    for at, value in enumerate(values):
        if not isinstance(value, dict):
            found = f"`{place}{key}[{at}]` is {shown(value)}"
            raise Unfit("wrong_type", f"{found}, expected {_WORDS[dict]}")
    return values


def texts(row: Row, key: str) -> tuple[str, ...]:
    """The steps of a chain: a list of texts, as they stand there.

    Raises:
        Unfit: `missing_field`, `wrong_type`, and `no_steps` for an empty list.
    """
    values: list[Any] = present(row, key, list)
    if not values:
        raise Unfit("no_steps", f"`{key}` is empty, expected at least one step")
    for at, value in enumerate(values):
        if not isinstance(value, str):
            raise Unfit("wrong_type", f"`{key}[{at}]` is {shown(value)}, expected text")
    return tuple(values)


def word(row: Row, key: str, place: str = "") -> str | None:
    """A text, or a number as its text; None where the key is absent or null.

    Raises:
        Unfit: `wrong_type`.
    """
    value = row.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise Unfit("wrong_type", f"`{place}{key}` is {shown(value)}, expected text or a number")
    return value


def shown(value: Any) -> str:
    """A value with its type, as a message quotes it."""
    return "null" if value is None else f"{type(value).__name__} {str(value)[:60]!r}"
