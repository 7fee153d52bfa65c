"""Ledger parts: what a ledger has gained, cut out as a file of its own, and joined with others.

A part is a ledger itself, of what its writer's ledger had gained since the part before. It never
changes. Whoever joins all parts, in any order and any of them twice, has the whole ledger.

Rows are found by their number, so that a part costs what is in it. Pruning renumbers rows and
takes some away for good: then a new *edition* of the ledger begins with one part that holds all,
and parts of older editions are void.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from chainwright.llm.ledger_books import (
    PARTS_TABLE,
    attached,
    ends_of,
    keep_name,
    opened,
    sent_marks,
    set_sent_marks,
    transaction,
)
from chainwright.llm.ledger_file import (
    APPLICATION,
    LAYOUT,
    ledger_error,
    open_ledger_file,
    read_marks,
    upgrade,
)
from chainwright.llm.ledger_joining import add_batches, add_rows


@dataclass(frozen=True)
class Cut:
    """A part that was cut out of a ledger and is not known to have arrived anywhere yet.

    Attributes:
        edition: The edition that it belongs to.
        is_new: Whether it begins this edition, and so holds the whole ledger.
        ends: The last answer and failure by number, and how many prunings, when it was cut.
    """

    path: Path
    edition: int
    is_new: bool
    ends: tuple[int, int, int]


def cut_part(ledger: Path, path: Path) -> Cut | None:
    """Writes what a ledger has gained since its last part that was sent; None where it has nothing.

    Whoever uses the ledger may go on meanwhile.

    Raises:
        LedgerError: when it cannot be read.
    """
    if not ledger.is_file():
        return None
    _make_part(path)
    with (
        opened(ledger) as connection,
        attached(connection, path),
        transaction(connection, "DEFERRED"),
    ):
        edition, *sent = sent_marks(connection)
        ends = ends_of(connection)
        anew = not edition or ends[2] != sent[2]
        answers, failures = (0, 0) if anew else sent[:2]
        given = {"anew": anew, "answers": answers, "failures": failures}
        before = connection.total_changes
        for statement in _CUT:
            connection.execute(statement, given)
        if connection.total_changes == before:
            return None
    return Cut(path, edition + anew, anew, ends)


def note_sent(ledger: Path, cut: Cut, name: str) -> None:
    """A part has arrived where parts are kept, under a name.

    Raises:
        LedgerError: when that cannot be written down.
    """
    with opened(ledger) as connection, attached(connection, cut.path), transaction(connection):
        if cut.is_new:
            connection.execute("DELETE FROM parts WHERE place IS NOT NULL")
            connection.execute("DELETE FROM sent_batches")
        keep_name(connection, name, cut.path)
        connection.execute("DELETE FROM received")
        set_sent_marks(connection, (cut.edition, *cut.ends))
        add_batches(connection, "sent_batches")


def join_parts(ledger: Path, parts: Iterable[tuple[str, Path]], edition: int) -> None:
    """Adds what parts hold to a ledger; where both have an answer, the ledger's own stays.

    Rows that the ledger got from the parts which one was merged from are not looked at again, so
    that what was pruned here since stays away. Each part is there as a whole or not at all.

    Args:
        parts: Each with its name.

    Raises:
        LedgerError: when one of them cannot be used.
    """
    with opened(ledger) as connection:
        connection.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes is still there
        for name, part in parts:
            with attached(connection, part), transaction(connection):
                _join(connection, name, part, edition)


def fold_ledger(ledger: Path, other: Path, name: str = "") -> None:
    """Adds to a ledger what another one holds, as something that was not sent yet.

    Args:
        name: What the other is known by, so that it is added once; empty for none.

    Raises:
        LedgerError: when one of them cannot be used.
    """
    with opened(ledger) as connection, attached(connection, other), transaction(connection):
        if name and connection.execute("SELECT 1 FROM parts WHERE name = ?", (name,)).fetchone():
            return
        add_rows(connection)
        if name:
            connection.execute("INSERT INTO parts VALUES (?, NULL, 0)", (name,))


def bring_up_to_date(other: Path) -> None:
    """Makes sure that a file is a ledger, and gives it the layout of today before it is joined.

    Raises:
        LedgerError: when it is something else, or newer than this program.
    """
    try:
        with closing(_connected(other)) as connection:
            is_so = read_marks(connection) == (APPLICATION, LAYOUT)
    except sqlite3.Error as error:
        raise ledger_error(other, error) from error
    if not is_so:
        open_ledger_file(other).close()


def merge_parts(parts: Iterable[tuple[str, Path]], path: Path) -> None:
    """Writes one part that holds what several do, each given with its name.

    Raises:
        LedgerError: when one of them cannot be used.
    """
    _make_part(path)
    for name, part in parts:
        try:
            with (
                closing(_connected(path)) as connection,
                attached(connection, part),
                transaction(connection),
            ):
                add_rows(connection)
                keep_name(connection, name, part)
                connection.execute("INSERT OR IGNORE INTO parts SELECT * FROM part.parts")
        except sqlite3.Error as error:
            raise ledger_error(part, error) from error


def note_merged(ledger: Path, names: Iterable[str], name: str, part: Path) -> None:
    """What is in several parts is now in one.

    Raises:
        LedgerError: when that cannot be written down.
    """
    with opened(ledger) as connection, transaction(connection):
        connection.executemany(
            "UPDATE parts SET place = ? WHERE place = ?", [(name, old) for old in names]
        )
        keep_name(connection, name, part)


_CUT = (
    """
INSERT INTO part.answers SELECT * FROM main.answers AS a
WHERE a.rowid > :answers AND NOT EXISTS (
    SELECT 1 FROM received
    WHERE NOT :anew AND name = 'answers' AND a.rowid BETWEEN first AND last
) ORDER BY a.rowid
""",
    """
INSERT INTO part.failures SELECT * FROM main.failures AS f
WHERE f.id > :failures AND NOT EXISTS (
    SELECT 1 FROM received
    WHERE NOT :anew AND name = 'failures' AND f.id BETWEEN first AND last
) ORDER BY f.id
""",
    "INSERT INTO part.pruned SELECT * FROM main.pruned WHERE :anew",
    """
INSERT INTO part.batches
SELECT * FROM main.batches EXCEPT SELECT * FROM sent_batches WHERE NOT :anew
""",
    """
INSERT INTO part.batch_items SELECT * FROM main.batch_items WHERE intent IN (
    SELECT intent FROM part.batches
    WHERE :anew OR ended IS NOT NULL OR intent NOT IN (SELECT intent FROM sent_batches)
)
""",
)
"""Requests go with their batch once; with its end goes which of them still wait."""


def _join(connection: sqlite3.Connection, name: str, part: Path, edition: int) -> None:
    _, *sent = sent_marks(connection)
    before = ends_of(connection)
    if not _are_known(connection):
        add_rows(connection)
    add_batches(connection, "sent_batches")
    after = ends_of(connection)
    for place, table in enumerate(("answers", "failures")):
        if sent[place] == before[place]:
            sent[place] = after[place]
        elif before[place] != after[place]:
            _keep_received(connection, table, before[place], after[place])
    sent[2] += after[2] - before[2]
    set_sent_marks(connection, (edition, *sent))
    keep_name(connection, name, part)
    connection.execute(
        "INSERT OR REPLACE INTO parts SELECT name, ?, bytes FROM part.parts", (name,)
    )


def _make_part(path: Path) -> None:
    try:
        with closing(_connected(path)) as connection:
            upgrade(connection)
            connection.execute(PARTS_TABLE)
    except sqlite3.Error as error:
        raise ledger_error(path, error) from error


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _are_known(connection: sqlite3.Connection) -> bool:
    """Whether a part was merged from parts that the ledger has, and from nothing else."""
    count, unknown = connection.execute(
        "SELECT COUNT(*), TOTAL(name NOT IN (SELECT name FROM main.parts)) FROM part.parts"
    ).fetchone()
    return bool(count and not unknown)


def _keep_received(connection: sqlite3.Connection, table: str, before: int, last: int) -> None:
    """Rows that came from a part while others were still to be sent."""
    longer = "UPDATE received SET last = ? WHERE name = ? AND last = ?"
    if not connection.execute(longer, (last, table, before)).rowcount:
        connection.execute("INSERT INTO received VALUES (?, ?, ?)", (table, before + 1, last))
