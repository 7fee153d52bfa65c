"""Parquet rows: the rows of a Parquet file, after a look at its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.tables import BATCH, parquet_file
from chainwright.pipeline.validation.faults import Flaw, clip
from chainwright.pipeline.validation.raw_row import UNREAD, RawRow
from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.record import Record

if TYPE_CHECKING:
    import pyarrow as pa


def parquet_rows(path: Path, record: type[Record] | None) -> Iterator[RawRow]:
    """The rows of a Parquet file, headed by the flaws of its columns if a record is given.

    A column fits whatever its width or encoding: int32 where the record has an int, a dictionary
    of strings where it has a text, an untyped column without values anywhere.
    """
    import pyarrow as pa

    number = 0
    try:
        with parquet_file(path) as file:
            if record and (flaws := tuple(_column_flaws(file.schema_arrow, record))):
                yield RawRow(None, UNREAD, flaws)
            for batch in file.iter_batches(batch_size=BATCH):
                for row in _rows(batch):
                    number += 1
                    yield row._replace(number=number)
    except (OSError, ValueError, pa.ArrowException) as error:
        expected = "a readable Parquet file (what follows is not checked)"
        yield RawRow(None, UNREAD, (Flaw("", clip(str(error)), expected),))


def _rows(batch: pa.RecordBatch) -> Iterator[RawRow]:
    try:
        values = batch.to_pylist()
    except (ValueError, OverflowError):
        # One bad value spoils the batch: find it by reading each by itself.
        for at in range(batch.num_rows):
            yield _row(batch.slice(at, 1))
    else:
        for value in values:
            yield RawRow(None, value)


def _row(batch: pa.RecordBatch) -> RawRow:
    row: dict[str, Any] = {}
    flaws = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            row[name] = column.to_pylist()[0]
        except (ValueError, OverflowError) as error:
            flaws.append(Flaw(name, clip(str(error)), "a value that can be read"))
    return RawRow(None, UNREAD if flaws else row, tuple(flaws))


def _column_flaws(found: pa.Schema, record: type[Record]) -> Iterator[Flaw]:
    """Flaws of the columns; a field with a default, which older files lack, may be absent."""
    expected = arrow_schema(record)
    optional = {name for name, one in record.model_fields.items() if not one.is_required()}
    counts = Counter(found.names)
    for field in expected:
        if field.name not in counts and field.name in optional:
            continue
        if field.name not in counts:
            yield Flaw(field.name, "no such column", f"a column of {clip(str(field.type))}")
        elif counts[field.name] > 1:
            yield Flaw(field.name, f"{counts[field.name]} columns of this name", "one")
        elif not _fits(kind := found.field(field.name).type, field.type):
            yield Flaw(field.name, f"a column of {clip(str(kind))}", clip(str(field.type)))
    for name in counts.keys() - set(expected.names):
        wanted = f"no such column; there are: {', '.join(expected.names)}"
        yield Flaw(name, f"a column of {clip(str(found.field(name).type))}", wanted)


def _fits(found: pa.DataType, expected: pa.DataType) -> bool:
    from pyarrow import types

    if types.is_null(found):
        return True
    if types.is_dictionary(found):
        return _fits(found.value_type, expected)
    if types.is_list(expected):
        return _is_list(found) and _fits(found.value_type, expected.value_type)
    if types.is_struct(expected):
        if not types.is_struct(found):
            return False
        names = {field.name for field in found}
        return names == {field.name for field in expected} and all(
            _fits(found.field(field.name).type, field.type) for field in expected
        )
    if types.is_string(expected):
        return bool(
            types.is_string(found) or types.is_large_string(found) or types.is_string_view(found)
        )
    for same in (types.is_integer, types.is_floating, types.is_boolean):
        if same(expected):
            return bool(same(found))
    return False


def _is_list(kind: pa.DataType) -> bool:
    from pyarrow import types

    forms = (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view)
    return any(form(kind) for form in forms)
