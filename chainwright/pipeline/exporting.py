"""Exporting: a release, or a file of labelled chains, written in another format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainwright.formats.catalogue import FORMATS, READABLE, source_name
from chainwright.formats.mapped import ColumnMap
from chainwright.formats.record_trace import trace_of
from chainwright.formats.trace import Trace, Unfit
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.named_run import find_run, local_path
from chainwright.pipeline.reading.corpus_files import (
    CorpusFile,
    corpus_file,
    is_release,
)
from chainwright.pipeline.reading.corpus_records import (
    Read,
    columns_named,
    corpus_records,
    detect_format,
    format_named,
)
from chainwright.release.format_file import Account, Refusal, write_traces
from chainwright.release.released_traces import UnreadableRelease, released_traces, splits_of


@dataclass(frozen=True)
class Exported:
    """A file that was written, and what became of the chains.

    Attributes:
        source: What was read.
        source_format: The format it was in; `release` for a release.
        detected: Whether that was told from the rows.
    """

    source: str
    source_format: str
    detected: bool
    format: str
    out: str
    account: Account

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        return {
            "source": self.source,
            "from": self.source_format,
            "detected": self.detected,
            "to": self.format,
            "out": self.out,
            "in": self.account.taken,
            "made": self.account.made,
            "rows": self.account.rows,
            "shortened": self.account.shortened,
            "rejects": dict(self.account.rejects.most_common()),
        }


def export(target: str, runs: Path, name: str, out: Path | None, split: str | None) -> Exported:
    """Writes the chains of a release, or of a run's release, in a format.

    Args:
        target: A release folder, a run folder, or the name of a run in `runs`.
        name: The format.
        out: The file; null = named after run and format, in the working folder.
        split: Null = all splits.

    Raises:
        InputMistake: for an unknown run, format or split, or a release that cannot be read.
    """
    name = format_named(name, tuple(FORMATS))
    release, stem = _release(target, runs)
    try:
        splits = splits_of(release)
        if split is not None and split not in splits:
            raise InputMistake(f"{release} has no split {split!r}; there are: {', '.join(splits)}")
        out = out or _beside(f"{stem}.{split}" if split else stem, name)
        traces = released_traces(
            release, [split] if split else splits, with_parents=FORMATS[name].wants_parent
        )
        account = _written(traces, name, out)
    except UnreadableRelease as error:
        raise InputMistake(str(error)) from error
    return Exported(str(release), "release", False, name, str(out), account)


def convert(
    path: Path,
    source_format: str | None,
    name: str,
    out: Path | None,
    columns: str | None = None,
) -> Exported:
    """Writes the chains of a file in another format.

    Args:
        path: JSON, JSON lines (both also with `.gz`) or Parquet.
        source_format: The format of the file; null = told from its first rows.
        name: The format to write.
        out: The file; null = named after file and format, in the working folder.
        columns: A map of columns for rows of no format of their own; see `column_map`.

    Raises:
        InputMistake: for an unknown format, and a file that cannot be read or told.
    """
    name = format_named(name, tuple(FORMATS))
    wanted = columns_named(columns)
    if wanted and source_format:
        raise InputMistake("--map is for rows of no format, --from names one: give one of them")
    detected = not (wanted or source_format)
    path = local_path(path)
    file = corpus_file(path)
    known = "map" if wanted else format_named(source_format or detect_format(file), READABLE)
    out = out or _beside(source_name(path.name), name)
    if out.exists() and out.samefile(path):
        raise InputMistake(f"{out} is the file that is read; give another one with --out")
    account = _written(_traces(file, known, wanted), name, out)
    return Exported(str(path), known, detected, name, str(out), account)


def _traces(file: CorpusFile, name: str, columns: ColumnMap | None) -> Iterator[Trace | Refusal]:
    """The traces of a file; in place of a row that holds none, why."""
    last = 0
    for read in corpus_records(file, columns=columns, name=name):
        last = last + 1 if read.number is None else read.number
        place = f"{file.path.name}:{last}"
        if not isinstance(read, Read):
            yield Refusal(place, read.reason, read.detail)
            continue
        try:
            yield trace_of(read.record, source_name(file.path.name))
        except Unfit as unfit:
            yield Refusal(place, unfit.reason, unfit.detail)


def _written(traces: Iterable[Trace | Refusal], name: str, out: Path) -> Account:
    if out.is_dir():
        raise InputMistake(f"{out} is a folder; give a file with --out")
    is_array = FORMATS[name].is_array
    if Path(out.name.removesuffix(".gz")).suffix == (".jsonl" if is_array else ".json"):
        what = "one JSON array: name it .json" if is_array else "a row a line: name it .jsonl"
        raise InputMistake(f"{out} would not be read again: {name} is {what}")
    return write_traces(traces, name, out)


def _release(target: str, runs: Path) -> tuple[Path, str]:
    """The release folder that is meant, and what its file is called after."""
    given = local_path(Path(target))
    if is_release(given):
        name = given.absolute().name
        return given, given.absolute().parent.name if name == "release" else name
    run = find_run(str(given), runs)
    return run.release, run.name


def _beside(stem: str, name: str) -> Path:
    return Path(f"{stem}.{name}.{'json' if FORMATS[name].is_array else 'jsonl'}")
