"""Arrow schemas of the tables, derived from the records so that the two cannot drift apart."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from chainwright.schemas.record import Record

if TYPE_CHECKING:
    import pyarrow as pa


@cache
def arrow_schema(record: type[Record]) -> pa.Schema:
    """The Arrow schema of a record: one column per field, in the order of declaration.

    `int` becomes int64, `list[X]` a list (never a large one), a nested record a struct and a
    `Literal` of strings a string. Only columns say that they hold no null: inside lists and
    structs every field may, since readers of Parquet disagree on nested non-null fields.

    Raises:
        TypeError: for an annotation that has no Arrow type here, with the field it stands at.
    """
    import pyarrow as pa

    fields = []
    for name, info in record.model_fields.items():
        inner, nullable = _split_null(info.annotation)
        kind = _arrow_type(inner, f"{record.__name__}.{name}")
        fields.append(pa.field(name, kind, nullable=nullable))
    return pa.schema(fields)


def _split_null(annotation: Any) -> tuple[Any, bool]:
    """The annotation without its `| None`, and whether it had one."""
    if get_origin(annotation) is Annotated:
        return _split_null(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        options = [option for option in get_args(annotation) if option is not NoneType]
        if len(options) == 1:
            return _split_null(options[0])[0], True
    return annotation, False


def _arrow_type(annotation: Any, place: str) -> pa.DataType:
    import pyarrow as pa

    plain = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if annotation in plain:
        return plain[annotation]
    arguments = get_args(annotation)
    if get_origin(annotation) is list:
        return pa.list_(_arrow_type(_split_null(arguments[0])[0], f"{place}[]"))
    if get_origin(annotation) is Literal and all(isinstance(word, str) for word in arguments):
        return pa.string()
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return pa.struct(
            [
                pa.field(name, _arrow_type(_split_null(info.annotation)[0], f"{place}.{name}"))
                for name, info in annotation.model_fields.items()
            ]
        )
    raise TypeError(
        f"{place}: {annotation!r} has no Arrow type; allowed are str, int, float, bool, a Literal "
        "of strings, a Record, list[X] and X | None"
    )
