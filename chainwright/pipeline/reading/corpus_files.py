"""Corpus files: which files below a path hold labelled chains, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import table_files

Kind = Literal["json", "parquet", "run"]
SUFFIXES = (".parquet", ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")


@dataclass(frozen=True)
class CorpusFile:
    """One thing to read.

    Attributes:
        path: The file; of a run its folder.
        label: Its name for readers.
        kind: Rows of JSON or of Parquet, or the tables of a run.
        split: The split that a release's file belongs to.
        twin: Whether it renders records once more that another file holds.
    """

    path: Path
    label: str
    kind: Kind
    split: str | None = None
    twin: bool = False


def corpus_files(paths: list[Path]) -> list[CorpusFile]:
    """The files of some corpora: runs, releases, folders of files, or single files.

    A run brings its tables, and its release as a twin. A release brings its chains, and its PERL
    files as twins. Any other folder brings the JSON, JSONL and Parquet files in it and below.

    Raises:
        InputMistake: A path does not exist, or holds nothing that can be read.
    """
    found: dict[Path, CorpusFile] = {}
    for path in paths:
        listed = list(_below(path))
        if not listed:
            raise InputMistake(
                f"{path} holds no labelled chains: it is no run, no release, and no file in it has "
                f"a name that ends in {', '.join(SUFFIXES)}"
            )
        for file in listed:
            found.setdefault(file.path.resolve(), file)
    return list(found.values())


def corpus_file(path: Path) -> CorpusFile:
    """A single file, read as its name says.

    Raises:
        InputMistake: it is no file, or its name says nothing of what is in it.
    """
    if not path.is_file():
        raise InputMistake(f"{path} is no file")
    name = path.name.lower()
    if not name.endswith(SUFFIXES):
        raise InputMistake(f"{path}: expected a name that ends in {', '.join(SUFFIXES)}")
    if name.endswith(".parquet"):
        return CorpusFile(path, str(path), "parquet", _split(path))
    return CorpusFile(path, str(path), "json")


def _below(path: Path) -> Iterator[CorpusFile]:
    if path.is_file():
        yield corpus_file(path)
    elif path.is_dir():
        if table_files(path, "chains"):
            yield CorpusFile(path, str(path), "run")
            yield from _release(path / "release", of_run=True)
        elif is_release(path):
            yield from _release(path)
        else:
            for file in sorted(path.rglob("*")):
                if file.name.lower().endswith(SUFFIXES) and file.is_file():
                    yield corpus_file(file)
    else:
        raise InputMistake(f"{path}: no such file or folder")


def is_release(folder: Path) -> bool:
    """Whether a folder is a release, ours or downloaded from the Hub."""
    return (folder / "data" / "chains").is_dir()


def _release(folder: Path, *, of_run: bool = False) -> Iterator[CorpusFile]:
    for file in sorted((folder / "data" / "chains").glob("*.parquet")):
        yield CorpusFile(file, str(file), "parquet", _split(file), twin=of_run)
    for file in sorted((folder / "perl").glob("*.json")):
        yield CorpusFile(file, str(file), "json", twin=True)


def _split(path: Path) -> str:
    return re.sub(r"-\d+(-of-\d+)?$", "", path.name.partition(".")[0])
