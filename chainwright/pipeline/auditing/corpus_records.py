"""Corpus records: a file's rows as records of the audit, or as findings where they are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chainwright.audit.finding import Finding, unreadable
from chainwright.audit.record import AuditRecord, Place
from chainwright.audit.shapes.mapped_shape import ColumnMap, mapped_record
from chainwright.audit.shapes.own_shapes import is_released, released_record, run_record
from chainwright.audit.shapes.perl_shape import is_perl, perl_audit_record
from chainwright.audit.shapes.processbench_shape import is_processbench, processbench_record
from chainwright.audit.shapes.values import ShapeError
from chainwright.pipeline.auditing.corpus_files import CorpusFile
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import block_of, read_table, table_files
from chainwright.pipeline.validation.json_rows import json_rows
from chainwright.pipeline.validation.parquet_rows import parquet_rows
from chainwright.pipeline.validation.raw_row import UNREAD
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.release import ReleasedChain

Read = AuditRecord | Finding


def corpus_records(file: CorpusFile, columns: ColumnMap | None) -> Iterator[Read]:
    """The records of a file in order; for a row that is none, the finding that says so.

    Args:
        columns: The map for JSON files; None to tell their format by the keys of each row.

    Raises:
        InputMistake: The first row of a JSON file is of no known format and there is no map, or a
            table of a run can't be read.
    """
    if file.kind == "run":
        return _run(file)
    return _parquet(file) if file.kind == "parquet" else _json(file, columns)


def _json(file: CorpusFile, columns: ColumnMap | None) -> Iterator[Read]:
    known = False
    for index, raw in enumerate(json_rows(file.path)):
        place = Place(file.label, raw.number or 0, index, _name(raw.value))
        if raw.value is UNREAD:
            yield unreadable(
                place, "; ".join(f"{f.found}, expected {f.expected}" for f in raw.flaws)
            )
        elif not isinstance(raw.value, dict):
            yield unreadable(place, "the row is no object")
        else:
            try:
                read = _shaped(raw.value, place, file, columns)
            except ShapeError as error:
                yield unreadable(place, str(error))
                continue
            if read is None and not known:
                raise InputMistake(_no_format(raw.value, place))
            known = True
            yield read or unreadable(place, "the keys of no known format")


def _shaped(
    row: Mapping[str, Any], place: Place, file: CorpusFile, columns: ColumnMap | None
) -> AuditRecord | None:
    if columns is not None:
        return mapped_record(row, place, columns)
    if is_perl(row):
        return perl_audit_record(row, place, twin=file.twin)
    if is_processbench(row):
        return processbench_record(row, place)
    if is_released(row):
        return released_record(row, place, file.split, twin=file.twin)
    return None


def _name(row: Any) -> str | None:
    """The record's own id, where it has one."""
    if not isinstance(row, dict):
        return None
    name = row.get("chain_id", row.get("id"))
    return str(name) if isinstance(name, str | int) else None


def _no_format(row: Mapping[str, Any], place: Place) -> str:
    keys = ", ".join(list(map(str, row))[:12]) or "none"
    return (
        f"{place.file}, record {place.row}: its keys ({keys}) are of no known format: PERL, "
        "ProcessBench, released chains. Name its columns: --map question=COLUMN,steps=COLUMN,"
        "labels=COLUMN"
    )


def _parquet(file: CorpusFile) -> Iterator[Read]:
    for index, raw in enumerate(parquet_rows(file.path, ReleasedChain)):
        if raw.number is None:
            found = "; ".join(f"{f.field} {f.found}, expected {f.expected}" for f in raw.flaws)
            yield unreadable(Place(file.label, 0, index), found)
            continue
        place = Place(file.label, raw.number, raw.number - 1, _name(raw.value))
        try:
            yield released_record(raw.value, place, file.split, twin=file.twin)
        except ShapeError as error:
            yield unreadable(place, str(error))


def _run(file: CorpusFile) -> Iterator[Read]:
    """Chain by chain, a block of the tables in memory at a time."""
    blocks = sorted({block_of(path) or 0 for path in table_files(file.path, "chains")})
    for block in blocks:
        problems = {row.problem_id: row for row in _block(file, "problems", Problem, block)}
        labels: dict[str, list[Label]] = {}
        for row in _block(file, "labels", Label, block):
            labels.setdefault(row.chain_id, []).append(row)
        for path in table_files(file.path, "chains"):
            if block_of(path) != block:
                continue
            for number, chain in enumerate(read_table(path, Chain), start=1):
                name = f"{file.label}/{path.relative_to(file.path).as_posix()}"
                place = Place(name, number, number - 1, chain.chain_id)
                problem = problems.get(chain.problem_id)
                yield run_record(chain, problem, labels.get(chain.chain_id, ()), place)


def _block(file: CorpusFile, table: str, record: type[Any], block: int) -> list[Any]:
    paths = [path for path in table_files(file.path, table) if block_of(path) == block]
    return [row for path in paths for row in read_table(path, record)]
