"""Source formats: the rows of one file, with a fault for each place where there is none."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any

from chainwright.builders.fields import type_in_words
from chainwright.builders.raw_rows import RawRow, RowFault, shortened
from chainwright.pipeline.reading.line_blocks import line_blocks
from chainwright.pipeline.reading.source_files import SourceError

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

    import pyarrow as pa

    from chainwright.pipeline.reading.source_files import SourceFile

Rows = Iterator[RawRow | RowFault]

MAX_CSV_FIELD = 1 << 24
"""Characters of a CSV field; Python's own limit is 131,072, which a long context exceeds."""

_BATCH = 1000
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SURROGATE = re.compile("[\ud800-\udfff]")


def rows_of(file: SourceFile) -> Rows:
    """The rows of a file in order; of a compressed file that is damaged, those before the damage.

    A row's place is its line (JSONL, CSV: the line it starts on) or its number, from 1.

    Raises:
        SourceError: where the file as a whole is not what its name says.
    """
    with file.open() as stream:
        try:
            if file.suffix != ".parquet" and stream.read(2) in _UTF16:
                raise SourceError(f"{file.label} is UTF-16: save it as UTF-8")
            stream.seek(0)
            seekable = _unpacked(stream, file) if file.suffix == ".parquet" else stream
            yield from _READERS[file.suffix](seekable, file.label)
        except EOFError:
            detail = "the compressed data breaks off; the rows before are kept"
            yield RowFault(file.label, "truncated_file", detail, None)
        except (zlib.error, gzip.BadGzipFile) as error:
            detail = f"the compressed data is damaged ({error}); the rows before are kept"
            yield RowFault(file.label, "corrupt_file", detail, None)
        except OSError as error:
            raise SourceError(f"{file.label} can't be read: {error}") from error


def _jsonl(stream: IO[bytes], label: str) -> Rows:
    for number, line in enumerate(stream, start=1):
        where = f"{label}:{number}"
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            detail = f"the byte 0x{line[error.start]:02x} at {error.start + 1} is not UTF-8"
            payload = shortened(line.decode(errors="backslashreplace"))
            yield RowFault(where, "bad_encoding", detail, payload)
            continue
        if not text.strip():
            yield RowFault(where, "empty_row", "a blank line", None)
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield RowFault(where, "bad_json", f"not JSON: {error}", shortened(text))
            continue
        yield _object(row, where)


def _json(stream: IO[bytes], label: str) -> Rows:
    """A list of objects, or an object with one list among its values."""
    content = _whole(stream, label)
    # Undecodable bytes become lone surrogates, so that they cost their own rows alone.
    text = content.decode("utf-8-sig", errors="surrogateescape")
    damaged = _SURROGATE.search(text) is not None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "; JSON lines? name it .jsonl" if "Extra data" in str(error) else ""
        raise SourceError(f"{label} is not JSON: {error}{hint}") from error
    for number, row in enumerate(_only_list(document, label), start=1):
        where = f"{label}:{number}"
        shown = json.dumps(row, ensure_ascii=False) if damaged else ""
        if _SURROGATE.search(shown):
            detail = "the row holds bytes that are not UTF-8"
            yield RowFault(where, "bad_encoding", detail, shortened(shown))
        else:
            yield _object(row, where)


def _unpacked(stream: IO[bytes], file: SourceFile) -> IO[bytes]:
    """Parquet is read from its end, which in a gzip stream would unpack it for every jump."""
    return io.BytesIO(_whole(stream, file.label)) if file.packed else stream


def _whole(stream: IO[bytes], label: str) -> bytes:
    try:
        return stream.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(f"{label}: the compressed data is damaged ({error})") from error


def _only_list(document: Any, label: str) -> list[Any]:
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        found = type_in_words(document)
        raise SourceError(f"{label} holds {found}; expected a list of objects")
    lists = {key: value for key, value in document.items() if isinstance(value, list)}
    if len(lists) == 1:
        return next(iter(lists.values()))
    keys = ", ".join(lists) or "none"
    raise SourceError(
        f"{label} holds an object; expected a list of objects, or an object with exactly one "
        f"list among its values (lists found: {keys})"
    )


def _object(row: Any, where: str) -> RawRow | RowFault:
    if isinstance(row, dict):
        return RawRow(where, row)
    payload = shortened(json.dumps(row, ensure_ascii=False))
    detail = f"the row is {type_in_words(row)}, expected an object"
    return RowFault(where, "not_an_object", detail, payload)


def _csv(stream: IO[bytes], label: str) -> Rows:
    """Fields parted by commas, with a header; an empty field is null, as CSV has no other."""
    csv.field_size_limit(MAX_CSV_FIELD)
    with io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="") as text:
        yield from _csv_rows(csv.reader(text, strict=True), label)


def _csv_rows(reader: CsvReader, label: str) -> Rows:
    header = _header(reader, label)
    while True:
        where = f"{label}:{reader.line_num + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield RowFault(where, "bad_csv_row", f"not CSV: {error}", None)
            continue
        if not cells:
            yield RowFault(where, "empty_row", "a blank line", None)
            continue
        payload = shortened(json.dumps(cells, ensure_ascii=False))
        if len(cells) != len(header):
            detail = f"{len(cells)} fields, expected {len(header)}"
            yield RowFault(where, "bad_csv_row", detail, payload)
        elif any(_SURROGATE.search(cell) for cell in cells):
            detail = "the row holds bytes that are not UTF-8"
            yield RowFault(where, "bad_encoding", detail, payload)
        else:
            cells_or_null = [cell or None for cell in cells]
            yield RawRow(where, dict(zip(header, cells_or_null, strict=True)))


def _header(reader: CsvReader, label: str) -> list[str]:
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise SourceError(f"{label}: the header is not CSV: {error}") from error
    _check_names(header, label)
    return header


def _check_names(names: list[str], label: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SourceError(f"{label} has several columns of the name `{twice[0]}`; rename them")


def _parquet(stream: IO[bytes], label: str) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(stream)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{label} is not Parquet, or is damaged: {error}") from error
    _check_names(file.schema_arrow.names, label)
    done = 0
    try:
        for batch in file.iter_batches(batch_size=_BATCH):
            yield from _batch_rows(batch, label, done)
            done += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        detail = f"the data behind row {done} is damaged: {error}"
        yield RowFault(label, "corrupt_file", detail, None)


def _batch_rows(batch: pa.RecordBatch, label: str, done: int) -> Rows:
    try:
        rows = batch.to_pylist()
    except UnicodeDecodeError:
        rows = [None] * batch.num_rows  # one bad value spoils the batch: read each by itself
    for at, row in enumerate(rows):
        where = f"{label}:{done + at + 1}"
        try:
            yield RawRow(where, batch.slice(at, 1).to_pylist()[0] if row is None else row)
        except UnicodeDecodeError as error:
            yield RowFault(where, "bad_encoding", f"the row is not UTF-8: {error.reason}", None)


_READERS: dict[str, Callable[[IO[bytes], str], Rows]] = {
    ".jsonl": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".parquet": _parquet,
    ".blocks": line_blocks,
}
