"""Records: the batches of a run in its ledger, and which requests wait in them."""

import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime

from chainwright.llm.ledger import Ledger, now
from chainwright.llm.request_key import KeyedRequest

_BATCH = (
    "SELECT b.intent, b.provider, b.base_url, b.model, b.id, b.requests, b.created, b.ended,"
    " (SELECT COUNT(*) FROM batch_items i WHERE i.intent = b.intent) FROM batches b"
    " WHERE b.requests > 0"
)


@dataclass(frozen=True)
class BatchRecord:
    """A batch as the ledger knows it.

    Attributes:
        intent: This side's name for it, given before it was submitted.
        id: The provider's; null until it is known that the provider has it.
        requests: How many it was submitted with.
        ended: When its results were read, in ISO form; null before.
        waiting: Requests whose answers are not in the ledger yet.
    """

    intent: str
    provider: str
    base_url: str | None
    model: str
    id: str | None
    requests: int
    created: str
    ended: str | None
    waiting: int

    @property
    def is_open(self) -> bool:
        """Whether there may be something to get from it."""
        return self.waiting > 0

    @property
    def made(self) -> datetime:
        """When it was submitted, by the clock of this side."""
        return datetime.fromisoformat(self.created)


@dataclass(frozen=True)
class BatchRecords:
    """The tables `batches` and `batch_items` of a ledger."""

    ledger: Ledger

    def reserve(self, intent: str, requests: Sequence[KeyedRequest]) -> "Future[list[str]]":
        """Write down that these requests are about to be submitted together.

        The future gives the keys that stand in another batch already, and are left out. Where
        that are all, there is no batch.
        """
        first = requests[0]

        def write(connection: sqlite3.Connection) -> list[str]:
            held = [
                one.key
                for one in requests
                if not connection.execute(
                    "INSERT INTO batch_items (key, intent, request) VALUES (?, ?, ?)"
                    " ON CONFLICT DO NOTHING",
                    (one.key, intent, one.canonical),
                ).rowcount
            ]
            if count := len(requests) - len(held):
                connection.execute(
                    "INSERT INTO batches (intent, provider, base_url, model, requests, created)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (intent, first.provider, first.base_url, first.model, count, now()),
                )
            return held

        return self.ledger.submit(write)

    def name(self, intent: str, batch: str) -> "Future[None]":
        """The provider has it, under this id."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE batches SET id = ? WHERE intent = ?", (batch, intent))

        return self.ledger.submit(write)

    def end(self, intent: str, unanswered: Iterable[str]) -> "Future[None]":
        """Its results are read; those without an answer no longer wait in it."""
        keys = [(key, intent) for key in unanswered]

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany("DELETE FROM batch_items WHERE key = ? AND intent = ?", keys)
            connection.execute("UPDATE batches SET ended = ? WHERE intent = ?", (now(), intent))

        return self.ledger.submit(write)

    def drop(self, intent: str) -> "Future[None]":
        """Forget a batch that the provider does not have, or shall not be asked for again.

        Its row stays, with no requests, so that copies of the ledger hear of it.
        """

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM batch_items WHERE intent = ?", (intent,))
            connection.execute(
                "UPDATE batches SET requests = 0, ended = ? WHERE intent = ?", (now(), intent)
            )

        return self.ledger.submit(write)

    def intent_of(self, key: str) -> str | None:
        """The batch that a request waits in."""
        rows = self.ledger.rows("SELECT intent FROM batch_items WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def keys(self, intent: str) -> list[str]:
        """The requests that wait in a batch."""
        query = "SELECT key FROM batch_items WHERE intent = ?"
        return [key for (key,) in self.ledger.rows(query, (intent,))]

    def request(self, key: str) -> KeyedRequest | None:
        """A request that waits in a batch."""
        rows = self.ledger.rows(
            "SELECT i.key, i.request, b.provider, b.base_url, b.model"
            " FROM batch_items i JOIN batches b USING (intent) WHERE i.key = ?",
            (key,),
        )
        return KeyedRequest(*rows[0]) if rows else None

    def batch(self, intent: str) -> BatchRecord | None:
        """One batch."""
        rows = self.ledger.rows(f"{_BATCH} AND b.intent = ?", (intent,))
        return BatchRecord(*rows[0]) if rows else None

    def all(self) -> list[BatchRecord]:
        """Every batch of the run, the oldest first."""
        return [BatchRecord(*row) for row in self.ledger.rows(f"{_BATCH} ORDER BY b.created")]

    def still_open(self, provider: str, base_url: str | None, model: str) -> list[BatchRecord]:
        """The batches of one model from which something may be got."""
        place = (provider, base_url, model)
        return [
            one
            for one in self.all()
            if one.is_open and place == (one.provider, one.base_url, one.model)
        ]
