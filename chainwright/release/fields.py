"""Fields: the columns of a config, as its record declares them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from chainwright.schemas.record import Record

_WORDS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True)
class Field:
    """One column, or one field within a column.

    Attributes:
        name: Path of the field; `[]` stands for each element of a list, `.` for a part.
        type: In words, such as `list of integer`; ends in `or null` where null is allowed.
        values: All allowed values of a closed vocabulary; empty for an open one.
        meaning: The record's own description; empty where it gives none.
    """

    name: str
    type: str
    values: tuple[str, ...]
    meaning: str


def fields_of(record: type[Record], prefix: str = "") -> Iterator[Field]:
    """The fields of a record in order, each nested record's fields right after it.

    Example:
        >>> from chainwright.schemas.problem import Problem
        >>> [field.name for field in fields_of(Problem)][4:8]
        ['context', 'context[].ref', 'context[].title', 'context[].text']
    """
    for name, info in record.model_fields.items():
        inner, nullable = _without_null(info.annotation)
        words, nested, path, values = _described(inner, prefix + name)
        yield Field(
            name=prefix + name,
            type=f"{words} or null" if nullable else words,
            values=values,
            meaning=info.description or "",
        )
        if nested is not None:
            yield from fields_of(nested, f"{path}.")


def _described(kind: Any, path: str) -> tuple[str, type[Record] | None, str, tuple[str, ...]]:
    """A type in words, the record in it, the record's path, and a closed vocabulary's values."""
    if get_origin(kind) is list:
        element, _ = _without_null(get_args(kind)[0])
        words, nested, inner_path, values = _described(element, f"{path}[]")
        return f"list of {words}", nested, inner_path, values
    if get_origin(kind) is Literal:
        return "string", None, path, tuple(get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Record):
        return "object", kind, path, ()
    return _WORDS.get(kind, str(kind)), None, path, ()


def _without_null(kind: Any) -> tuple[Any, bool]:
    if get_origin(kind) is Annotated:
        return _without_null(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        options = [option for option in get_args(kind) if option is not NoneType]
        if len(options) == 1:
            return _without_null(options[0])[0], True
    return kind, False
