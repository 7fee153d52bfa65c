"""Ledger: every answer that was paid for, in one SQLite file, so that none is paid for twice.

Final answers are kept (`ok`, `refused`, and unusable ones, which are `ok` here); failures of the
transport are only counted, and a second run asks again. What two processes ask at the same time
may be sent twice; then the first answer stands for both.
"""

import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from chainwright.llm.budget import Amount
from chainwright.llm.ledger_file import LedgerError, ledger_error, open_ledger_file
from chainwright.llm.ledger_queries import LedgerTotal, select_answer, spent, totals
from chainwright.llm.ledger_writer import LedgerWriter, Write
from chainwright.llm.request import Answer, AnswerStatus
from chainwright.llm.request_key import KeyedRequest
from chainwright.llm.single_flight import Flights

__all__ = ["Ledger", "LedgerError", "LedgerTotal"]

FINAL: tuple[AnswerStatus, ...] = ("ok", "refused")
"""Statuses of answers that are kept."""


class Ledger:
    """The ledger in one file; any number of processes may use it at once.

    Close it, or use it as a context manager: that commits what is under way.

    Args:
        flush_interval: Seconds that a commit waits for company.

    Raises:
        LedgerError: when the file is damaged, no ledger, read-only or full. Whatever was committed
            before stays.
    """

    def __init__(self, path: Path, *, flush_interval: float = 0.005) -> None:
        self.path = path
        self.flights: Flights[Answer] = Flights()
        """Requests under way in this process, so that duplicates share one."""
        self._writer = LedgerWriter(path, flush_interval=flush_interval)
        self._lock = threading.Lock()
        try:
            self._reader = open_ledger_file(path)
        except LedgerError:
            self._writer.close()
            raise

    def get(self, key: str) -> Answer | None:
        """The answer kept under a key, with `from_ledger` set; None when there is none."""
        try:
            with self._lock:
                return select_answer(self._reader, key)
        except sqlite3.Error as error:
            raise ledger_error(self.path, error) from error

    async def find(self, key: str) -> Answer | None:
        """The same, for those who can wait for it (see `Answers`)."""
        return self.get(key)

    def put(self, request: KeyedRequest, answer: Answer, attempts: int = 1) -> Future[Answer]:
        """Keep a final answer; the future is done once it is committed.

        If the request stands in a batch, it does so no longer.

        It gives the answer that the ledger holds: this one, or that of a process which was faster.

        Raises:
            ValueError: for an answer that is not final.
            LedgerError: when the ledger is closed; other faults come out of the future.
        """
        if answer.status not in FINAL:
            raise ValueError(f"found status `{answer.status}`, expected one of {', '.join(FINAL)}")
        usage = answer.usage
        row = (
            *(request.key, request.provider, request.base_url, request.model, request.canonical),
            *(answer.status, answer.text, answer.finish_reason),
            *(usage.input_tokens, usage.cached_tokens, usage.output_tokens),
            *(answer.cost, attempts, now(), usage.cache_write_tokens, answer.batch),
        )

        def write(connection: sqlite3.Connection) -> Answer:
            marks = ", ".join("?" * len(row))
            sql = f"INSERT INTO answers VALUES ({marks}) ON CONFLICT DO NOTHING"  # noqa: S608
            connection.execute("DELETE FROM batch_items WHERE key = ?", (request.key,))
            if connection.execute(sql, row).rowcount:
                return answer
            kept = select_answer(connection, request.key)
            return answer if kept is None else replace(kept, from_ledger=False)

        return self._writer.submit(write)

    def count_failure(self, request: KeyedRequest, error: str, attempts: int = 1) -> Future[None]:
        """Count a request that got no answer; it will be asked again."""
        row = (request.key, request.provider, request.base_url, request.model, error, attempts)

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO failures (key, provider, base_url, model, error, attempts, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*row, now()),
            )

        return self._writer.submit(write)

    def submit(self, write: Write) -> Future[Any]:
        """Do something inside a transaction of the ledger's one writer (see `LedgerWriter`)."""
        return self._writer.submit(write)

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that a query finds.

        Raises:
            LedgerError: when the file cannot be read.
        """
        try:
            with self._lock:
                return self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise ledger_error(self.path, error) from error

    def totals(self) -> list[LedgerTotal]:
        """One entry for each model and place, sorted."""
        try:
            with self._lock:
                return totals(self._reader)
        except sqlite3.Error as error:
            raise ledger_error(self.path, error) from error

    def spent(self) -> Amount:
        """What was spent since the ledger was begun, as far as prices are known."""
        try:
            with self._lock:
                return spent(self._reader)
        except sqlite3.Error as error:
            raise ledger_error(self.path, error) from error

    def close(self) -> None:
        """Commit what is under way and close the file; a second time does nothing."""
        self._writer.close()
        with self._lock:
            self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def now() -> str:
    """This moment, as the ledger writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
