"""Parts: the ledger of a run in a store, in files that are each written once and never changed.

They lie in the folder `ledger` beside the tables. Their listing is all there is to know of them, so
that two machines which write at once add to each other's and take nothing away:
`part-EDITION-GENERATION-NUMBER-HASH.sqlite` names the edition (see `ledger_parts`), the
generation of the run under which it was sent, and the start of its content's SHA-256.

Small parts are merged when there are many, so that an answer is sent a few times, however long a
build goes on. The merged part is there, and the marker names it, before its parts are removed;
whoever meets both joins both.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chainwright.llm.ledger_books import begin_edition, sent_parts
from chainwright.llm.ledger_parts import (
    bring_up_to_date,
    cut_part,
    fold_ledger,
    join_parts,
    merge_parts,
    note_merged,
    note_sent,
)
from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.files import file_hash
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.stores.store import Store, StoreError
from chainwright.pipeline.stores.working_copy import LEDGER, Marker

PARTS = "ledger"
"""Folder of the parts."""

LARGE = 8_000_000
"""Bytes from which a part is left as it is."""

MANY = 64
"""Small parts that a build leaves until it merges them."""

FEW = 8
"""Small parts that it leaves in the end."""

_NAME = re.compile(r"part-(\d+)-(\d+)-(\d+)-([0-9a-f]{16})\.sqlite")
_LOOKS = 5
"""How often parts are listed while somebody else merges them."""


class _Gone(Exception):
    """A part that was listed is there no more: somebody has merged it."""


class Parts:
    """The parts of a run's ledger in a store, and the ledger here that has them all.

    Its methods raise StoreError, LedgerError and OSError as what they use does.
    """

    def __init__(self, folder: RunFolder, store: Store) -> None:
        self._folder = folder
        self._ledger = folder.ledger
        self._store = store
        self._number = 0
        self._is_tidy = False

    def bring(self, there: Marker, *, newer: bool, building: bool) -> None:
        """Joins what the store holds, and keeps the answers here that were never sent.

        Args:
            there: The store's marker.
            newer: Whether it is of a newer state of the run.
            building: Whether this ledger is the one that is sent from now on.

        Raises:
            RunStopped: when a part is damaged.
        """
        if not there.parts and (
            newer
            or not self._ledger.is_file()
            or (building and not sent_parts(self._ledger).pruned)
        ):
            self._bring_whole()
        for _ in range(_LOOKS):
            names = self._listed(None if building else there.parts)
            if self._bring_parts(names):
                break
        else:
            raise RunStopped(
                f"the parts in {self._store.url}/{PARTS} change while they are read: run the "
                "command again"
            )
        if building and not set(self.names()) <= set(names):
            begin_edition(self._ledger)

    def names(self) -> list[str]:
        """The parts that make the ledger."""
        return sorted(sent_parts(self._ledger).sizes, key=_turn)

    def send(self, generation: int) -> None:
        """Sends what the ledger has gained, as one part more."""
        with self._scratch() as scratch:
            cut = cut_part(self._ledger, scratch / "part")
            if cut is not None:
                name = self._put(cut.path, cut.edition, generation)
                note_sent(self._ledger, cut, name)

    def merge(self, generation: int, most: int) -> bool:
        """Makes the small parts one, if there are more than `most`; they stay until `tidy`."""
        sent = sent_parts(self._ledger)
        small = sorted((name for name, size in sent.sizes.items() if size < LARGE), key=_turn)
        # On the Hub each removal is a commit, and these are what it allows few of.
        if len(small) <= most or self._store.url.startswith("hf://"):
            return False
        with self._scratch() as scratch:
            merged = scratch / "merged"
            try:
                merge_parts(self._fetched(small, scratch), merged)
            except _Gone:  # the next build sees to that
                return False
            name = self._put(merged, sent.edition, generation)
            note_merged(self._ledger, small, name, merged)
        return True

    def tidy(self) -> None:
        """Removes what was merged, parts of older editions, and what an older version has left."""
        if not self._is_tidy:
            self._store.remove(LEDGER)
            self._is_tidy = True
        sent, there = sent_parts(self._ledger), self._listed(None)
        merged = sent.names - sent.sizes.keys()
        if sent.sizes.keys() <= set(there):
            for name in there:
                if _edition(name) < sent.edition or name in merged:
                    self._store.remove(f"{PARTS}/{name}")

    def _bring_parts(self, there: list[str]) -> bool:
        """Whether all parts of the newest edition could be joined."""
        edition = max(map(_edition, there), default=0)
        sent = sent_parts(self._ledger)
        is_old = 0 < sent.edition < edition
        known = frozenset[str]() if is_old else sent.names
        names = [name for name in there if _edition(name) == edition and name not in known]
        if not names:
            return True
        with self._scratch() as scratch:
            ledger = scratch / LEDGER if is_old else self._ledger
            try:
                join_parts(ledger, self._fetched(names, scratch), max(edition, sent.edition))
            except _Gone:
                return False
            if is_old:
                self._replace(ledger, scratch)
        return True

    def _replace(self, newer: Path, scratch: Path) -> None:
        """Puts the ledger of a newer edition in place; what was never sent from here goes along."""
        unsent = cut_part(self._ledger, scratch / "unsent")
        if unsent is not None:
            fold_ledger(newer, unsent.path)
        for log in ("-wal", "-shm"):
            self._ledger.with_name(f"{LEDGER}{log}").unlink(missing_ok=True)
        newer.replace(self._ledger)

    def _bring_whole(self) -> None:
        """The whole ledger, as older versions kept it there."""
        with self._scratch() as scratch:
            whole = scratch / LEDGER
            if self._store.get(LEDGER, whole):
                name = f"{LEDGER}-{file_hash(whole)}"
                bring_up_to_date(whole)
                if self._ledger.is_file():
                    fold_ledger(self._ledger, whole, name)
                else:
                    whole.replace(self._ledger)

    def _fetched(self, names: list[str], scratch: Path) -> Iterator[tuple[str, Path]]:
        """Parts in a folder here, each as long as it is looked at."""
        for name in names:
            path = scratch / name
            self._fetch(name, path)
            yield name, path
            path.unlink()

    def _fetch(self, name: str, path: Path) -> None:
        if not self._store.get(f"{PARTS}/{name}", path):
            raise _Gone
        if not name.endswith(f"-{file_hash(path)[:16]}.sqlite"):
            raise RunStopped(
                f"{self._store.url}/{PARTS}/{name} is damaged: its content is not what was sent. "
                "Remove it there. A build from a machine that has joined it before sends what was "
                "in it again; without one, those answers are paid for again"
            )
        bring_up_to_date(path)

    def _put(self, part: Path, edition: int, generation: int) -> str:
        self._number += 1
        digest = file_hash(part)[:16]
        name = f"part-{edition}-{generation:06d}-{self._number:04d}-{digest}.sqlite"
        self._store.put(part, f"{PARTS}/{name}")
        return name

    def _listed(self, marked: list[str] | None) -> list[str]:
        """The parts there, in order.

        Args:
            marked: Those of the marker, for who has no right to list them; None to insist on it.
        """
        try:
            names = self._store.names(PARTS)
        except StoreError as error:
            if marked is None or not error.is_mistake:
                raise
            names = marked
        return sorted(filter(_NAME.fullmatch, names), key=_turn)

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix=".", dir=self._folder.path) as scratch:
            yield Path(scratch)


def _turn(name: str) -> tuple[int, ...]:
    found = _NAME.fullmatch(name)
    return tuple(map(int, found.groups()[:3])) if found else ()


def _edition(name: str) -> int:
    return _turn(name)[0]
