"""Ledger books: what a ledger keeps of its own parts, so that a kill leaves both or neither.

They say up to which row it was sent, which parts its rows are in, and what was brought in since. A
ledger that has no parts has none of these tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from chainwright.llm.ledger_file import ledger_error, open_ledger_file


@dataclass(frozen=True)
class Sent:
    """What a ledger knows of its parts.

    Attributes:
        edition: 0 where none was ever sent or brought in.
        names: Every part whose rows are in the ledger, those that were merged since among them.
        sizes: Bytes of each part that holds such rows now.
        pruned: Whether entries were removed since the last part, so that a new edition is due.
    """

    edition: int
    names: frozenset[str]
    sizes: dict[str, int]
    pruned: bool


def sent_parts(ledger: Path) -> Sent:
    """What a ledger knows of its parts.

    Raises:
        LedgerError: when it cannot be read.
    """
    if not ledger.is_file():
        return Sent(0, frozenset(), {}, pruned=False)
    with opened(ledger) as connection:
        edition, _, _, pruned = sent_marks(connection)
        names = frozenset(name for (name,) in connection.execute("SELECT name FROM parts"))
        sizes = dict(connection.execute("SELECT name, bytes FROM parts WHERE name = place"))
        return Sent(edition, names, sizes, pruned=ends_of(connection)[2] != pruned)


def begin_edition(ledger: Path) -> None:
    """Has the next part that is cut hold the whole ledger, since some that were sent are lost.

    Raises:
        LedgerError: when that cannot be written down.
    """
    with opened(ledger) as connection:
        connection.execute("UPDATE sent SET pruned = -1")


@contextmanager
def opened(ledger: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a ledger that keeps books.

    Raises:
        LedgerError: when it cannot be used, also by who has the connection.
    """
    try:
        with closing(open_ledger_file(ledger)) as connection:
            connection.executescript(f"{PARTS_TABLE}{_BOOKS}")
            connection.execute("PRAGMA cache_size = -100000")  # kB; keys come in no order
            yield connection
    except sqlite3.Error as error:
        raise ledger_error(ledger, error) from error


@contextmanager
def attached(connection: sqlite3.Connection, part: Path) -> Iterator[None]:
    """A part as the connection's schema `part`."""
    connection.execute("ATTACH ? AS part", (str(part),))
    connection.execute("PRAGMA part.synchronous = OFF")  # it can be made again
    try:
        yield
    finally:
        connection.execute("DETACH part")


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing; `DEFERRED` for one that only reads the ledger."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def sent_marks(connection: sqlite3.Connection) -> tuple[int, int, int, int]:
    """The edition, the last answer and failure by number, and how many prunings parts hold."""
    row = connection.execute("SELECT edition, answers, failures, pruned FROM sent").fetchone()
    return row or (0, 0, 0, 0)


def set_sent_marks(connection: sqlite3.Connection, sent: tuple[int, ...]) -> None:
    """Writes down the same four."""
    connection.execute("DELETE FROM sent")
    connection.execute("INSERT INTO sent VALUES (?, ?, ?, ?)", sent)


def ends_of(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """The last answer and failure by number, and how many prunings the ledger holds."""
    row = connection.execute(
        "SELECT (SELECT COALESCE(MAX(rowid), 0) FROM main.answers),"
        " (SELECT COALESCE(MAX(id), 0) FROM main.failures), (SELECT COUNT(*) FROM main.pruned)"
    ).fetchone()
    return int(row[0]), int(row[1]), int(row[2])


def keep_name(connection: sqlite3.Connection, name: str, part: Path) -> None:
    """The ledger has what is in a part; where that was merged since, it stays so."""
    row = (name, name, part.stat().st_size)
    connection.execute("INSERT OR IGNORE INTO main.parts VALUES (?, ?, ?)", row)


PARTS_TABLE = """
CREATE TABLE IF NOT EXISTS parts (name TEXT PRIMARY KEY, place TEXT, bytes INTEGER NOT NULL);
"""
_BOOKS = """
CREATE TABLE IF NOT EXISTS sent (
    edition INTEGER, answers INTEGER, failures INTEGER, pruned INTEGER
);
CREATE TABLE IF NOT EXISTS sent_batches AS SELECT * FROM batches WHERE 0;
CREATE UNIQUE INDEX IF NOT EXISTS sent_batches_by_intent ON sent_batches (intent);
CREATE TABLE IF NOT EXISTS received (name TEXT, first INTEGER, last INTEGER);
"""
"""`parts` stands in parts as well, for those that they were merged from. `place` is the part that
holds what was in the part `name`: itself, until it was merged; null for what came from elsewhere
and is yet to be sent. `sent` has one row (`sent_marks`), `sent_batches` the batches as they are
there, `received` rows beyond the marks that came from parts.
"""
