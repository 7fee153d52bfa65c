"""Faults: what validation finds, where, and what stood to be expected there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

WIDTH = 80
"""Characters of a found value that a fault quotes."""


class Flaw(NamedTuple):
    """What is wrong with a row, or with a file as a whole."""

    field: str
    """Path such as `steps[2].label`, positions from 0 as in JSON; empty = the whole row or file."""
    found: str
    expected: str


@dataclass(frozen=True)
class Fault:
    """A flaw and its place.

    `row` counts from 1: the row of a Parquet file, the element of a JSON array, the line of a
    JSONL file. It is None where the fault is the file's own.
    """

    file: str
    row: int | None
    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        row = "" if self.row is None else f", row {self.row}"
        name = f", {self.field}" if self.field else ""
        return f"{self.file}{row}{name}: found {self.found}, expected {self.expected}"


@dataclass
class FileCount:
    """How much of one file was checked, against which schema."""

    schema: str | None
    rows: int = 0
    faults: int = 0


@dataclass
class Report:
    """The outcome of a validation.

    `faults` lists at most `cap` faults of each file; `fault_count` counts them all. `unchecked`
    names the data files that no schema covers.
    """

    path: str
    cap: int = 1000
    files: dict[str, FileCount] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Rows read over all files."""
        return sum(count.rows for count in self.files.values())

    @property
    def fault_count(self) -> int:
        """Faults found over all files, listed or not."""
        return sum(count.faults for count in self.files.values())

    @property
    def ok(self) -> bool:
        """Whether something was checked and nothing is wrong with it."""
        return bool(self.files) and self.fault_count == 0

    def begin(self, file: str, schema: str | None) -> FileCount:
        """Opens the count of a file."""
        return self.files.setdefault(file, FileCount(schema))

    def add(self, file: str, row: int | None, flaws: Iterable[Flaw]) -> None:
        """Counts flaws of a file that was begun, and lists them up to the cap."""
        count = self.files[file]
        for flaw in flaws:
            count.faults += 1
            if count.faults <= self.cap:
                self.faults.append(Fault(file, row, *flaw))

    def is_full(self, file: str) -> bool:
        """Whether further faults of the file are only counted."""
        return self.files[file].faults >= self.cap

    def to_json(self) -> str:
        """The whole report as indented JSON."""
        value = {
            "path": self.path,
            "ok": self.ok,
            "files": len(self.files),
            "rows": self.rows,
            "faults": self.fault_count,
            "listed": len(self.faults),
            "cap_per_file": self.cap,
            "by_file": {name: asdict(count) for name, count in self.files.items()},
            "fault_list": [asdict(fault) for fault in self.faults],
            "unchecked": self.unchecked,
        }
        return printable(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def shorten(value: Any) -> str:
    """A found value as text of bounded length, however large or deep it is."""
    if isinstance(value, dict):
        keys = [str(key) for _, key in zip(range(6), value, strict=False)]
        more = ", …" if len(value) > len(keys) else ""
        return clip(
            f"an object with the keys {', '.join(keys)}{more}" if value else "an empty object"
        )
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return clip(json.dumps(value[: WIDTH + 1], ensure_ascii=False))
    if value is None or isinstance(value, bool | float):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**WIDTH else f"an integer of {value.bit_length()} bits"
    return clip(repr(value))


def clip(text: str) -> str:
    """Text cut to the width that faults quote, on one line and fit to be printed."""
    line = " ".join(printable(text).split())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def printable(text: str) -> str:
    """Text with lone surrogates, which no encoding takes, written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
