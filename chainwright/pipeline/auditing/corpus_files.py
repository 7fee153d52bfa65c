"""Corpus files: which files of a path are audited, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import table_files

Kind = Literal["json", "parquet", "run"]
_JSON = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")


@dataclass(frozen=True)
class CorpusFile:
    """One thing to audit.

    Attributes:
        path: The file; of a run its folder.
        label: Its name for readers.
        kind: JSON records, released chains in Parquet, or the tables of a run.
        split: The split that a release's file belongs to.
        twin: Whether it renders records once more that another file holds.
    """

    path: Path
    label: str
    kind: Kind
    split: str | None = None
    twin: bool = False


def corpus_files(paths: list[Path]) -> list[CorpusFile]:
    """The files to audit below some paths: runs, releases, folders of JSON, or single files.

    A run brings its tables, and its release as a twin. A release brings its chains, and its PERL
    files as twins. Any other folder brings the JSON and JSONL files in it and below.

    Raises:
        InputMistake: A path does not exist, or holds nothing to audit.
    """
    found: dict[Path, CorpusFile] = {}
    for path in paths:
        listed = list(_below(path))
        if not listed:
            raise InputMistake(
                f"{path} holds nothing to audit: give a run, a release, a folder with JSON or JSONL"
                " files, or such a file"
            )
        for file in listed:
            found.setdefault(file.path.resolve(), file)
    return list(found.values())


def _below(path: Path) -> Iterator[CorpusFile]:
    if path.is_file():
        name = path.name.lower()
        if name.endswith(".parquet"):
            yield CorpusFile(path, str(path), "parquet", _split(path))
        elif name.endswith(_JSON):
            yield CorpusFile(path, str(path), "json")
        else:
            raise InputMistake(f"{path}: expected a name ending in .parquet, {', '.join(_JSON)}")
    elif path.is_dir():
        if table_files(path, "chains"):
            yield CorpusFile(path, str(path), "run")
            yield from _release(path / "release", of_run=True)
        elif (path / "data" / "chains").is_dir():
            yield from _release(path)
        else:
            for file in sorted(path.rglob("*")):
                if file.name.lower().endswith(_JSON) and file.is_file():
                    yield CorpusFile(file, str(file), "json")
    else:
        raise InputMistake(f"{path}: no such file or folder")


def _release(folder: Path, *, of_run: bool = False) -> Iterator[CorpusFile]:
    for file in sorted((folder / "data" / "chains").glob("*.parquet")):
        yield CorpusFile(file, str(file), "parquet", _split(file), twin=of_run)
    for file in sorted((folder / "perl").glob("*.json")):
        yield CorpusFile(file, str(file), "json", twin=True)


def _split(path: Path) -> str:
    return re.sub(r"-\d+(-of-\d+)?$", "", path.name.partition(".")[0])
