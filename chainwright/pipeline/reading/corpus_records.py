"""Corpus records: the labelled chains of a file as it has them, and why other rows are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chainwright.formats.catalogue import FORMATS, READABLE, format_of, source_name
from chainwright.formats.columns import ABSENT, pick
from chainwright.formats.mapped import ColumnMap, column_map, read_mapped
from chainwright.formats.own_rows import RELEASED, read_released
from chainwright.formats.record import LabelledRecord
from chainwright.formats.trace import Unfit
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.reading.corpus_files import CorpusFile
from chainwright.pipeline.validation.json_rows import json_rows
from chainwright.pipeline.validation.parquet_rows import parquet_rows
from chainwright.pipeline.validation.raw_row import UNREAD, RawRow
from chainwright.spelling import nearest

LOOKED_AT = 20
"""Rows by which the one format of a file is told."""

NO_FORMAT = "unknown_format"
"""The reason of a row whose keys are those of no format."""


@dataclass(frozen=True, slots=True)
class Unread:
    """What stands in a file and is no record.

    `number` is the row's, from 1 (the line of a JSONL file), and None for a flaw of the file;
    `index` its place from 0. `name` is the id that it has all the same.
    """

    number: int | None
    index: int
    name: str | None
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Read:
    """A record and its place; see `Unread`."""

    number: int
    index: int
    record: LabelledRecord


@dataclass(frozen=True, slots=True)
class RowObject:
    """A row of a file; see `Unread`."""

    number: int
    index: int
    value: Mapping[str, Any]


def corpus_records(
    file: CorpusFile, *, columns: ColumnMap | None = None, name: str | None = None
) -> Iterator[Read | Unread]:
    """The records of a JSON or Parquet file in order; a row that is none costs itself alone.

    Args:
        columns: The map for rows of no format of their own.
        name: The format of all rows; None to tell it by the keys of each.

    Raises:
        InputMistake: no row of the file has a column of the map.
    """
    source = source_name(file.path.name)
    met: Counter[str] = Counter()
    keys: dict[str, None] = {}
    for found in objects_of(file):
        if isinstance(found, Unread):
            yield found
            continue
        number, index, row = found.number, found.index, found.value
        if columns is not None:
            met.update(key for key, one in columns.columns.items() if pick(row, one) is not ABSENT)
            keys |= dict.fromkeys(list(map(str, row))[:20])
        try:
            record = _record(row, source, columns, name)
        except Unfit as unfit:
            yield Unread(number, index, _name(row), unfit.reason, unfit.detail)
        else:
            yield Read(number, index, record)
    for key, column in columns.columns.items() if columns and keys else ():
        if not met[key]:
            raise InputMistake(
                f"{file.label}: no row has the column `{column}`, which --map names for {key}; "
                f"there are: {', '.join(list(keys)[:20])}"
            )


def objects_of(file: CorpusFile) -> Iterator[RowObject | Unread]:
    """The objects of a JSON or Parquet file as they stand there."""
    rows = parquet_rows(file.path, None) if file.kind == "parquet" else json_rows(file.path)
    for index, raw in enumerate(rows):
        if raw.number is None or raw.value is UNREAD or raw.flaws:
            yield Unread(raw.number, index, _name(raw.value), "bad_json", _told(raw))
        elif not isinstance(raw.value, dict):
            detail = f"the row is {type(raw.value).__name__}, expected an object"
            yield Unread(raw.number, index, None, "not_an_object", detail)
        else:
            yield RowObject(raw.number, index, raw.value)


def columns_named(written: str | None) -> ColumnMap | None:
    """The map of columns that `--map` names; None where it is not given.

    Raises:
        InputMistake: as `column_map` says.
    """
    try:
        return None if written is None else column_map(written)
    except ValueError as error:
        raise InputMistake(str(error)) from error


def detect_format(file: CorpusFile) -> str:
    """The format of a file, by the keys of its first rows.

    Raises:
        InputMistake: where they are in none, or in several; the message says what was found.
    """
    found: Counter[str] = Counter()
    keys: list[str] = []
    why = "no objects"
    for place, one in enumerate(objects_of(file)):
        if place == LOOKED_AT:
            break
        if isinstance(one, Unread):
            why = f"no objects ({one.detail})"
        else:
            keys = keys or sorted(map(str, one.value))
            found[format_of(one.value) or ""] += 1
    if len(found) == 1 and (name := next(iter(found))):
        return name
    there = f"rows with the keys {', '.join(keys)[:300]}" if keys else why
    if len(found) > 1:
        several = ", ".join(f"{name or 'unknown'} ({count})" for name, count in found.items())
        there = f"several formats: {several}"
    raise InputMistake(
        f"{file.label}: its format is not to be told; found {there}. Say it with --from: "
        f"{', '.join(READABLE)}"
    )


def format_named(name: str, allowed: tuple[str, ...]) -> str:
    """The format of that name; dashes count as underscores.

    Raises:
        InputMistake: for none of those allowed, with what they are.
    """
    given = name.lower().replace("-", "_")
    if given in allowed:
        return given
    close = nearest(given, allowed)
    hint = f"; did you mean {close}?" if close else ""
    note = " (it can be written only)" if given in FORMATS else ""
    raise InputMistake(f"no format {name!r}{note}; there are: {', '.join(allowed)}{hint}")


def _record(
    row: Mapping[str, Any], source: str, columns: ColumnMap | None, name: str | None
) -> LabelledRecord:
    if columns is not None:
        return read_mapped(row, columns)
    if name is None and row.keys() >= RELEASED:
        return read_released(row, source)
    read = FORMATS[known].record if (known := name or format_of(row)) else None
    if read is None:
        keys = ", ".join(list(map(str, row))[:12]) or "none"
        raise Unfit(
            NO_FORMAT,
            f"its keys ({keys}) are of no known format: {', '.join(READABLE)}, released chains. "
            "Name its columns: --map question=COLUMN,steps=COLUMN,labels=COLUMN",
        )
    return read(row, source)


def _told(raw: RawRow) -> str:
    return "; ".join(f"{f.field} {f.found}, expected {f.expected}".strip() for f in raw.flaws)


def _name(row: Any) -> str | None:
    """The row's own id, where it has one."""
    if not isinstance(row, dict):
        return None
    name = row.get("chain_id", row.get("id"))
    return str(name) if isinstance(name, str | int) else None
