"""Cross-table checks: what the rows of one table demand of the rows before and of other tables."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chainwright.pipeline.validation.faults import Flaw, clip, shorten

SELECTED = "selected"
"""Chains of a release that are a selection from its chains."""

KEYS: dict[str, tuple[str, ...]] = {
    "problems": ("problem_id",),
    "candidates": ("problem_id",),
    "problem_votes": ("problem_id", "task", "judge", "prompt_version"),
    "brought": ("chain_id",),
    "chains": ("chain_id",),
    "generated": ("chain_id",),
    "parents": ("chain_id",),
    "exact": ("chain_id", "step"),
    "votes": ("chain_id", "step", "task", "judge", "prompt_version"),
    "posteriors": ("chain_id", "step"),
    "labels": ("chain_id", "step"),
    "human_labels": ("chain_id", "step"),
    "critiques": ("chain_id", "step", "critic"),
    SELECTED: ("chain_id",),
}
"""What may occur once in a table. Taxonomies and rejects have no key."""

OF_PROBLEMS = ("chains", "generated", "parents")
OF_CANDIDATES = ("problem_votes", "brought")
"""Tables whose rows belong to a problem, or to one before any filter; the others to a chain."""


class Place(NamedTuple):
    """Where a row was met, and the group that the file's name puts it in."""

    file: str
    row: int
    group: str


class CrossCheck:
    """Checks the rows of a run or a release, table by table: problems, chains, then the others.

    All that hangs on a problem lies in the same group: a block of the run, a split of the release.
    Keys are kept as 64-bit hashes in a temporary database, so that memory stays flat; among ten
    million keys two different ones meet with odds of 3 in a million.

    Args:
        noun: What a group is called in the faults.
        absent: Tables that are not there, so that nothing can be said of what they would hold.
    """

    def __init__(self, noun: str, absent: set[str] | None = None) -> None:
        self._noun = noun
        self.absent = absent or set()
        """To be extended by tables of which a part could not be read."""
        self._seen = _Seen()

    def flaws(self, table: str, row: Mapping[str, Any], place: Place) -> Iterator[Flaw]:
        """What is wrong with a row in the light of all rows before it."""
        if table not in KEYS:
            return
        values = [row.get(name) for name in KEYS[table]]
        steps = row.get("steps")
        length = len(steps) if table == "chains" and isinstance(steps, list) else 0
        if all(isinstance(value, str | int) for value in values):
            first = self._seen.enter((table, *values), place, length)
            if first is not None:
                found = clip(", ".join(str(value) for value in values))
                wanted = f"a key of its own; row {first.row} of {first.file} has it"
                yield Flaw(", ".join(KEYS[table]), found, wanted)
        if table in OF_PROBLEMS:
            yield from self._owner("problem", row.get("problem_id"), place)
        elif table in OF_CANDIDATES:
            yield from self._owner("candidate", row.get("problem_id"), place, name="problem")
        elif table not in ("problems", "candidates"):
            yield from self._owner("chain", row.get("chain_id"), place, row.get("step"))

    def _owner(
        self, kind: str, key: Any, place: Place, step: Any = None, name: str | None = None
    ) -> Iterator[Flaw]:
        """What a row says of the problem or chain it belongs to, against that row itself."""
        if not isinstance(key, str):
            return
        table, field = f"{kind}s", f"{name or kind}_id"
        owner = self._seen.find((table, key))
        if owner is None:
            if table not in self.absent:
                yield Flaw(field, shorten(key), f"the id of one of the {table}")
            else:
                # The first row of an unknown owner stands in for it: the rest must join its group.
                self._seen.enter((table, key), place, 0)
            return
        group, length = owner
        if group != place.group:
            found = f"{shorten(key)} of {self._noun} {group}"
            yield Flaw(field, found, f"a {kind} of {self._noun} {place.group}, as the row")
        if isinstance(step, int) and step > length > 0:
            yield Flaw("step", str(step), f"at most {length}, the steps of its chain")


class _Seen:
    """Keys with the place where each was first met, in a temporary database on disk."""

    def __init__(self) -> None:
        # The empty name means a private file that takes what exceeds the cache and vanishes with
        # the connection.
        self._base = sqlite3.connect("", isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -32768"):
            self._base.execute(f"PRAGMA {setting}")
        columns = "key INTEGER PRIMARY KEY, file INTEGER, row INTEGER, grp INTEGER, length INTEGER"
        self._base.execute(f"CREATE TABLE seen ({columns})")
        self._base.execute("BEGIN")
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}

    def enter(self, key: tuple[Any, ...], place: Place, length: int) -> Place | None:
        """Notes a key; returns its first place when it was met before."""
        file, group = self._number(place.file), self._number(place.group)
        values = (_digest(key), file, place.row, group, length)
        added = self._base.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?)", values)
        if added.rowcount:
            return None
        query = "SELECT file, row, grp FROM seen WHERE key = ?"
        file, row, group = self._base.execute(query, values[:1]).fetchone()
        return Place(self._names[file], row, self._names[group])

    def find(self, key: tuple[Any, ...]) -> tuple[str, int] | None:
        """A key's group and length; None where it was not met."""
        query = "SELECT grp, length FROM seen WHERE key = ?"
        found = self._base.execute(query, (_digest(key),)).fetchone()
        return None if found is None else (self._names[found[0]], found[1])

    def _number(self, name: str) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self._names)
            self._names.append(name)
        return self._numbers[name]


def _digest(key: tuple[Any, ...]) -> int:
    text = repr(key).encode("utf-8", "backslashreplace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
