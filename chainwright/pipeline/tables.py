"""Tables: records to Parquet files and back."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.run_folder import STAGES
from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.record import Record
from chainwright.schemas.tables import TABLES

if TYPE_CHECKING:
    import pyarrow.parquet as pq

AnyRecord = TypeVar("AnyRecord", bound=Record)

BATCH = 2048
"""Rows in memory at a time when a table is streamed."""


def write_table(path: Path, rows: Sequence[Record], record: type[Record]) -> None:
    """Writes rows as a Parquet file that other processes see whole or not at all.

    The same rows give the same bytes (with the same version of pyarrow). Without rows the file
    still has the columns.

    Raises:
        ValueError: when a value passes the record but not Parquet: an integer beyond 64 bits, a
            text with a lone surrogate.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = [row.model_dump() for row in rows]
    try:
        table = pa.Table.from_pylist(values, schema=arrow_schema(record))
    except (pa.ArrowException, OverflowError, UnicodeEncodeError) as error:
        raise ValueError(
            f"{path}: a row of {record.__name__} does not fit Parquet: {error}"
        ) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.tmp")
    try:
        with draft.open("wb") as file:
            pq.write_table(table, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def read_table(path: Path, record: type[AnyRecord]) -> list[AnyRecord]:
    """All rows of one file, each checked against the record.

    Raises:
        InputMistake: when the file is missing, is no Parquet file, or holds a row that the record
            refuses; the message names the file and the first such row.
    """
    return [row for batch in _batches(path, record) for row in batch]


def iter_table(folder: Path, table: str, record: type[AnyRecord]) -> Iterator[AnyRecord]:
    """The rows of a table over all stages of a run, block by block, in the order of the line.

    Holds 2048 rows at a time. A table that no stage wrote has no rows.

    Raises:
        InputMistake: as `read_table` does.
    """
    for path in table_files(folder, table):
        for batch in _batches(path, record):
            yield from batch


def iter_blocks(folder: Path, tables: Iterable[str]) -> Iterator[dict[str, list[Any]]]:
    """Some tables of a run, one block after the other, for as far as they are written.

    Raises:
        InputMistake: as `read_table` does.
    """
    for files in block_files(folder, tables):
        yield {
            table: [row for path in paths for row in read_table(path, TABLES[table])]
            for table, paths in files.items()
        }


def block_files(folder: Path, tables: Iterable[str]) -> list[dict[str, list[Path]]]:
    """The files of some tables of a run, one block after the other."""
    names = tuple(tables)
    found: dict[int, dict[str, list[Path]]] = defaultdict(lambda: {name: [] for name in names})
    for table in names:
        for path in table_files(folder, table):
            number = block_of(path)
            if number is not None:
                found[number][table].append(path)
    return [found[number] for number in sorted(found)]


def table_files(folder: Path, table: str) -> list[Path]:
    """A table's files over all stages of a run: by block, and within it in the order of the line.

    Stages that the line does not know come last, by name.
    """
    found = []
    for path in folder.glob(f"*/{table}-*.parquet"):
        block = block_of(path)
        if block is not None and path.name == f"{table}-{path.stem.rpartition('-')[2]}.parquet":
            stage = path.parent.name
            place = STAGES.index(stage) if stage in STAGES else len(STAGES)
            found.append(((block, place, stage), path))
    return [path for _, path in sorted(found)]


def block_of(path: Path) -> int | None:
    """The number of the block that a table's file belongs to; None where its name has none."""
    number = re.search(r"-(\d+)$", path.stem)
    return int(number[1]) if number else None


def parquet_file(path: Path) -> pq.ParquetFile:
    """Opens a Parquet file so that reading it in batches holds a part of each column only."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)


def _batches(path: Path, record: type[AnyRecord]) -> Iterator[list[AnyRecord]]:
    import pyarrow as pa

    start = 0
    try:
        with parquet_file(path) as file:
            for batch in file.iter_batches(batch_size=BATCH):
                # One call for many rows: half the time of one `model_validate` a row.
                yield _rows_of(record).validate_python(batch.to_pylist())
                start += batch.num_rows
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        row, *field = first["loc"]
        raise InputMistake(
            f"{path}, row {start + int(row) + 1}, {'.'.join(map(str, field))}: {first['msg']}, "
            f"found {str(first['input'])[:80]!r} (`chainwright validate` lists all faults)"
        ) from error
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputMistake(f"{path}: unreadable as a table: {error}") from error


@cache
def _rows_of(record: type[Record]) -> TypeAdapter[Any]:
    return TypeAdapter(list[record])  # type: ignore[valid-type]
