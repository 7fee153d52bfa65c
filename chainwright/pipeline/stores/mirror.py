"""Mirror: a run in a store and its working copy here, kept in step while a build goes on.

A build works in the copy, since SQLite and file locks need a disk. Before it starts, what is newer
in the store is brought in; after each stage, and when it ends, whatever has changed is sent: first
what the ledger has gained, then tables, then journals, then the manifest, and last the marker,
which counts generations. So whatever a kill leaves there is a run that can be gone on with, and no
row is there whose answers are not. What the ledger gains is sent every minute besides (`Parts`).

The marker is what keeps two machines from writing over each other: a build takes the next
generation when it starts, and stops when somebody else has taken another one since.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chainwright.llm.ledger_file import LedgerError
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.run_folder import RunFolder, held, is_held
from chainwright.pipeline.stores.parts import FEW, MANY, Parts
from chainwright.pipeline.stores.store import Store, StoreError
from chainwright.pipeline.stores.working_copy import (
    MARKER,
    Marker,
    WorkingCopy,
    folder_here,
    marker_of,
)

LEDGER_EVERY = 60.0
"""Seconds between two times that the ledger is sent while a stage goes on."""


class Mirror:
    """The run of a name under a URL, and the folder here that holds its working copy.

    Raises:
        InputMistake: when the URL has a key in it, or is of a kind that is not installed.
    """

    def __init__(self, runs: str, name: str) -> None:
        self.url = f"{runs.rstrip('/')}/{name}"
        self.folder = RunFolder(folder_here(runs) / name)
        self._store = Store(self.url)
        self._copy = WorkingCopy(self.folder, self._store)
        self._generation = 0
        self._parts = Parts(self.folder, self._store)
        self._sending = threading.Lock()
        self._fault: Exception | None = None

    def bring(self) -> None:
        """Brings in what is newer in the store, and takes the next generation.

        Raises:
            InputMistake: when there is no such bucket, or no right to use it.
            RunStopped: when the store cannot be used, or holds an older state than this copy.
        """
        with held(self.folder), self._reported("reached", starting=True):
            self._generation = self._bring_newer(building=True).generation
            self._send()

    def look(self) -> bool:
        """Brings in what is newer in the store, and changes nothing there.

        Where a build holds the copy at this moment, that is as new as can be.

        Returns:
            Whether there is such a run.

        Raises:
            InputMistake: when there is no such bucket, or no right to read it.
            RunStopped: when the store cannot be read, or holds an older state than this copy.
        """
        with self._reported("read", starting=True):
            is_there = marker_of(self._store).generation > 0
            if is_there and not is_held(self.folder):
                with held(self.folder):
                    self._bring_newer(building=False)
            return is_there

    def siblings(self) -> list[str]:
        """The runs that are in the store beside this one.

        Raises:
            InputMistake: when there is no right to list them.
            RunStopped: when the store cannot be read.
        """
        with self._reported("read", starting=True):
            runs = Store(self.url.rpartition("/")[0])
            return [name for name in runs.names() if runs.read(f"{name}/{MARKER}") is not None]

    @contextmanager
    def kept_up(self) -> Iterator[None]:
        """Sends the ledger every now and then, and in the end whatever has changed.

        Raises:
            RunStopped: when something could not be sent and nothing else stops the run.
        """
        over = threading.Event()
        sending = threading.Thread(target=self._keep_sending, args=(over,), daemon=True)
        sending.start()
        try:
            yield
        except BaseException as error:
            over.set()
            sending.join()
            try:
                self.send()
            except RunStopped as fault:
                error.add_note(str(fault))
            raise
        else:
            over.set()
            sending.join()
            self.send(FEW)

    def send(self, parts: int = MANY) -> None:
        """Sends what has changed, in an order in which it may be broken off anywhere.

        Args:
            parts: How many small parts the ledger may be in there.

        Raises:
            RunStopped: when somebody else has written there since, or it cannot be written.
        """
        with self._reported("written"):
            self._send(parts)

    def _bring_newer(self, *, building: bool) -> Marker:
        there, here = marker_of(self._store), self._copy.kept()
        if there.generation < here.generation and there.generation:
            raise RunStopped(
                f"{self.url} holds generation {there.generation} of the run, and "
                f"{self.folder.path} the later {here.generation}: remove one of the two"
            )
        newer = there.generation > here.generation
        self._parts.bring(there, newer=newer, building=building)
        if newer:
            self._copy.bring(there)
        return there

    def _send(self, parts: int = MANY) -> None:
        with self._sending:
            if self._fault is not None:
                fault, self._fault = self._fault, None
                raise fault
            there = self._unchanged()
            self._parts.send(self._generation)
            self._parts.merge(self._generation, parts)
            files = self._copy.files()
            for name in sorted(files, key=_turn):
                if there.files.get(name) != files[name]:
                    self._store.put(self.folder.path / name, name)
            for name in there.files.keys() - files.keys():
                self._store.remove(name)
            self._generation += 1
            self._mark(files)

    def _mark(self, files: dict[str, str]) -> None:
        """Puts the marker there; only then goes what it no longer names of the ledger."""
        marker = Marker.of_now(self._generation, files, self._parts.names())
        with self._scratch(MARKER) as sent:
            write_atomically(sent, marker.model_dump_json())
            self._store.put(sent, MARKER)
        self._copy.keep(marker)
        self._parts.tidy()

    def _unchanged(self) -> Marker:
        """What is in the store, after making sure that it is what this build has left there."""
        there = marker_of(self._store)
        if there.generation != self._generation:
            raise RunStopped(
                f"{self.url} was written by {there.writer} at {there.written}, while this build "
                f"went on (generation {there.generation}, here {self._generation}); nothing there "
                f"was changed. What this build made is kept in {self.folder.path}: the same "
                "command brings the two together"
            )
        return there

    def _keep_sending(self, over: threading.Event) -> None:
        while not over.wait(LEDGER_EVERY):
            try:
                with self._reported("written"), self._sending:
                    self._send_ledger()
            except RunStopped as fault:
                self._fault = fault
                return

    def _send_ledger(self) -> None:
        self._unchanged()
        self._parts.send(self._generation)
        if self._parts.merge(self._generation, MANY):
            self._mark(self._unchanged().files)

    @contextmanager
    def _scratch(self, name: str) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix=".", dir=self.folder.path) as scratch:
            yield Path(scratch) / name

    @contextmanager
    def _reported(self, done: str, *, starting: bool = False) -> Iterator[None]:
        """Says of a fault what it means for a run.

        Args:
            done: What could not be done.
            starting: Whether nothing has been done yet, so that a mistake is one of the command.
        """
        try:
            yield
        except (StoreError, OSError, LedgerError) as error:
            fault = f"{self.url} could not be {done}: {str(error)[:500]}"
            if starting:
                is_mistake = isinstance(error, StoreError) and error.is_mistake
                raise (InputMistake if is_mistake else RunStopped)(fault) from error
            raise RunStopped(
                f"{fault}. All there is so far is kept in {self.folder.path}, and the same command "
                "goes on from there"
            ) from error


def _turn(name: str) -> tuple[int, str]:
    """Tables first, then the journals that name them, then the manifest."""
    return ((".jsonl" in name) + 2 * (name == "manifest.json"), name)
