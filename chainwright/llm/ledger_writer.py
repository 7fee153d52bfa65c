"""The ledger's single writer: a thread that commits in batches what others hand it."""

import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainwright.llm.ledger_file import LedgerError, ledger_error, open_ledger_file

LARGEST_BATCH = 500
"""Writes in one commit at most."""

Write = Callable[[sqlite3.Connection], Any]
"""Something to do inside a transaction; what it returns becomes the result of its future."""


@dataclass(frozen=True)
class _Job:
    write: Write
    done: Future[Any]


class LedgerWriter:
    """A thread with its own connection, since commits are cheap only together.

    Args:
        flush_interval: Seconds to gather further writes after the first of a batch.
    """

    def __init__(self, path: Path, *, flush_interval: float) -> None:
        self._path = path
        self._interval = flush_interval
        self._connection = open_ledger_file(path)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = False
        self._door = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        self._thread.start()

    def submit(self, write: Write) -> Future[Any]:
        """Hand a write over; the future is done when it is committed, and not before.

        A batch that cannot be committed is rolled back, and all its futures get the LedgerError.
        A write that was handed over is done even when its future is cancelled.

        Raises:
            LedgerError: when the ledger is closed.
        """
        job = _Job(write, Future())
        with self._door:
            if self._closed:
                raise LedgerError(f"the ledger {self._path} is closed")
            self._jobs.put(job)
        return job.done

    def close(self) -> None:
        """Commit what was handed over, and stop; a second time does nothing."""
        with self._door:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            job = self._jobs.get()
            if job is None:
                break
            batch, going = self._gather(job)
            self._commit(batch)
        with suppress(sqlite3.Error):
            self._connection.close()

    def _gather(self, first: _Job) -> tuple[list[_Job], bool]:
        batch = [first]
        deadline = time.monotonic() + self._interval
        while len(batch) < LARGEST_BATCH:
            try:
                job = self._jobs.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if job is None:
                return batch, False
            batch.append(job)
        return batch, True

    def _commit(self, batch: list[_Job]) -> None:
        for job in batch:
            job.done.set_running_or_notify_cancel()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            results = [job.write(self._connection) for job in batch]
            self._connection.execute("COMMIT")
        except Exception as error:  # whoever waits for the future gets it
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
            fault = ledger_error(self._path, error)
            fault.__cause__ = error
            for job in batch:
                if not job.done.cancelled():
                    job.done.set_exception(fault)
        else:
            for job, result in zip(batch, results, strict=True):
                if not job.done.cancelled():
                    job.done.set_result(result)
