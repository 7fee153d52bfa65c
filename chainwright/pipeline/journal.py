"""Journal: which blocks of a stage are finished, and from what they were made.

A stage's journal is a file of JSON lines. A line is added only after the files it names are in
place, so a process killed at any moment loses the block in flight and nothing else. For a block
with several lines the last one counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

from chainwright.pipeline.files import file_hash, write_atomically
from chainwright.schemas.identity import content_hash


class WrittenFile(BaseModel):
    """A file of a block: what it held when it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    rows: int | None = None
    """None where it is no table."""


class Causes(BaseModel):
    """What a block was made from, each as a hash, so that a change can be named."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: str
    code: str
    input: str

    def fingerprint(self, stage: str) -> str:
        """The hash that decides whether a block of the stage is still what it should be."""
        return content_hash(stage, self.settings, self.code, self.input)

    def changed(self, other: Causes) -> list[str]:
        """Names of the causes that differ."""
        return [
            name
            for name in ("settings", "code", "input")
            if getattr(self, name) != getattr(other, name)
        ]


class Entry(BaseModel):
    """One finished block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    block: int
    fingerprint: str
    causes: Causes
    files: dict[str, WrittenFile]
    """By path relative to the run folder."""
    taken: dict[str, int]
    """Items that entered, by the table they were to end in."""
    made: dict[str, int]
    rejected: dict[str, dict[str, int]]
    """By table, then by reason."""
    seconds: float
    unanswered: int = 0
    """Requests that got no answer and may get one another time: the block is made again then."""


class Journal:
    """The journal of one stage, read once and added to.

    Lines that cannot be read (a write cut short by a crash) are passed over: the worst that
    follows is that their blocks are made again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[int, Entry] = {}
        self._lines = 0
        for line in _lines(path):
            self._lines += 1
            try:
                entry = Entry.model_validate_json(line)
            except ValidationError:
                continue
            self.entries[entry.block] = entry

    def add(self, entry: Entry) -> None:
        """Appends a finished block and makes sure that the line reaches the disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = entry.model_dump_json().encode() + b"\n"
        with self.path.open("ab+") as file:
            if _is_torn(file):
                line = b"\n" + line
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._lines += 1
        self.entries[entry.block] = entry

    def keep_only(self, blocks: int) -> None:
        """Forgets the blocks from number `blocks` on, and lines that later ones replaced."""
        self.entries = {n: self.entries[n] for n in sorted(self.entries) if n < blocks}
        if self._lines == len(self.entries):
            return
        text = "".join(f"{entry.model_dump_json()}\n" for entry in self.entries.values())
        write_atomically(self.path, text)
        self._lines = len(self.entries)


def is_in_place(run: Path, files: Mapping[str, WrittenFile]) -> bool:
    """Whether every file is there with the very content it was written with."""
    return all(
        (run / name).is_file() and file_hash(run / name) == written.sha256
        for name, written in files.items()
    )


def _lines(path: Path) -> Iterable[bytes]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    return content.splitlines()


def _is_torn(file: BinaryIO) -> bool:
    """Whether the file ends in the middle of a line."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"
