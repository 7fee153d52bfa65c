"""Format reading: a file of labelled chains in a format of its own, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chainwright.formats.catalogue import FORMATS, READABLE, format_of
from chainwright.formats.trace import Trace, Unfit
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import parquet_file
from chainwright.pipeline.validation.json_rows import json_rows
from chainwright.pipeline.validation.raw_row import UNREAD
from chainwright.release.format_file import Refusal
from chainwright.spelling import nearest

SUFFIXES = (".parquet", ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
LOOKED_AT = 20
"""Rows by which a format is told."""

_BATCH = 500


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


def detect_format(path: Path) -> str:
    """The format of a file, by the keys of its first rows.

    Raises:
        InputMistake: where they are in none, or in several; the message says what was found.
    """
    found: Counter[str] = Counter()
    keys: list[str] = []
    for number, (_, row, _) in enumerate(_objects(path)):
        if number == LOOKED_AT:
            break
        if isinstance(row, dict):
            keys = keys or sorted(map(str, row))
            found[format_of(row) or ""] += 1
    if len(found) == 1 and (name := next(iter(found))):
        return name
    there = f"rows with the keys {', '.join(keys)[:300]}" if keys else "no objects"
    if len(found) > 1:
        several = ", ".join(f"{name or 'unknown'} ({count})" for name, count in found.items())
        there = f"several formats: {several}"
    raise InputMistake(
        f"{path}: its format is not to be told; found {there}. Say it with --from: "
        f"{', '.join(READABLE)}"
    )


def read_traces(path: Path, name: str) -> Iterator[Trace | Refusal]:
    """The traces of a file; in place of a row that holds none, why.

    Raises:
        InputMistake: where the file cannot be read.
    """
    read = FORMATS[name].read
    if read is None:
        raise ValueError(f"rows of {name} hold no trace")
    source = source_name(path)
    for place, row, fault in _objects(path):
        if fault is not None:
            yield fault
            continue
        try:
            yield read(row, source)
        except Unfit as unfit:
            yield Refusal(place, unfit.reason, unfit.detail)


def source_name(path: Path) -> str:
    """A file's name without what says how it is stored."""
    name = path.name
    for suffix in (".gz", ".jsonl", ".ndjson", ".json", ".parquet"):
        name = name.removesuffix(suffix)
    return name or "file"


def _objects(path: Path) -> Iterator[tuple[str, Any, Refusal | None]]:
    if not path.is_file():
        raise InputMistake(f"{path} is no file")
    if not path.name.lower().endswith(SUFFIXES):
        raise InputMistake(f"{path}: expected a name that ends in {', '.join(SUFFIXES)}")
    rows = _parquet(path) if path.name.lower().endswith(".parquet") else _json(path)
    for number, row, flaw in rows:
        place = f"{path.name}:{number}"
        if flaw:
            yield place, None, Refusal(place, "bad_json", flaw)
        elif not isinstance(row, dict):
            detail = f"the row is {type(row).__name__}, expected an object"
            yield place, None, Refusal(place, "not_an_object", detail)
        else:
            yield place, row, None


def _json(path: Path) -> Iterator[tuple[int, Any, str | None]]:
    last = 0
    for raw in json_rows(path):
        last = last + 1 if raw.number is None else raw.number
        flaw = raw.flaws[0] if raw.flaws else None
        told = f"{flaw.field} {flaw.found}; expected {flaw.expected}".strip() if flaw else None
        yield last, raw.value, told if raw.value is UNREAD or flaw else None


def _parquet(path: Path) -> Iterator[tuple[int, Any, str | None]]:
    import pyarrow as pa

    number = 0
    try:
        with parquet_file(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row, None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputMistake(f"{path}: unreadable behind row {number}: {error}") from error
