"""The ledger's file: one SQLite database in WAL mode, opened the same way by all who use it."""

import sqlite3
import time
from pathlib import Path

APPLICATION = 0x43574C47
"""SQLite's application id of a ledger: the letters CWLG."""

BUSY_SECONDS = 60.0
"""How long to wait for another process that is writing to the same file."""

TABLES = """
CREATE TABLE answers (
    key TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    base_url TEXT,
    model TEXT NOT NULL,
    request TEXT NOT NULL,
    status TEXT NOT NULL,
    text TEXT NOT NULL,
    finish_reason TEXT,
    input_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL,
    attempts INTEGER NOT NULL,
    created TEXT NOT NULL
);
CREATE TABLE failures (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    provider TEXT NOT NULL,
    base_url TEXT,
    model TEXT NOT NULL,
    error TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    created TEXT NOT NULL
);
"""

UPGRADES = (
    """
ALTER TABLE answers ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
CREATE TABLE pruned (
    provider TEXT NOT NULL,
    base_url TEXT,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    created TEXT NOT NULL
);
""",
    """
ALTER TABLE answers ADD COLUMN batch TEXT;
CREATE TABLE batches (
    intent TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    base_url TEXT,
    model TEXT NOT NULL,
    id TEXT,
    requests INTEGER NOT NULL,
    created TEXT NOT NULL,
    ended TEXT
);
CREATE TABLE batch_items (
    key TEXT PRIMARY KEY,
    intent TEXT NOT NULL,
    request TEXT NOT NULL
);
CREATE INDEX batch_items_by_intent ON batch_items (intent);
""",
)
"""What makes of each layout the next one, in order; a new file goes through all of them.

`intent` is this side's name of a batch, written before it is submitted; `id` is the provider's,
written after. An item is there as long as its answer is not.
"""

LAYOUT = 1 + len(UPGRADES)
"""SQLite's user version of a ledger: which tables and columns it has."""


class LedgerError(RuntimeError):
    """The ledger cannot be read or written; the message names the file and says what to do."""


def open_ledger_file(path: Path) -> sqlite3.Connection:
    """A connection to a ledger, which is made when it does not exist yet, or brought up to date.

    Commits are written through to the disk (synchronous FULL): an answer that was paid for
    survives a power cut as well as a kill.

    Raises:
        LedgerError: for a file that is damaged, no ledger, of another version, not writable, or
            locked for longer than `BUSY_SECONDS`.
    """
    connection: sqlite3.Connection | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        if _has_tables(connection):
            _check_kind(connection, path)  # before anything is changed in it
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        if read_marks(connection) != (APPLICATION, LAYOUT):
            upgrade(connection)
        check_marks(connection, path)
    except (sqlite3.Error, OSError) as error:
        if connection is not None:
            connection.close()
        raise ledger_error(path, error) from error
    except LedgerError:
        if connection is not None:
            connection.close()
        raise
    return connection


def ledger_error(path: Path, error: Exception) -> LedgerError:
    """What went wrong with a ledger and what to do about it, in one line."""
    fault = str(error)
    for sign, advice in _ADVICE:
        if sign in fault:
            return LedgerError(f"the ledger {path} {advice} ({fault})")
    return LedgerError(f"the ledger {path} cannot be used ({fault})")


_KEPT = "what it held before is kept: run the same command again and it goes on from there"
_DAMAGED = (
    "is damaged or no SQLite file. Nothing was changed in it. Restore a copy, or rescue what is "
    "left with `sqlite3 FILE .recover`, or move it away to start a new one, which pays again"
)
_ADVICE = (
    ("not a database", _DAMAGED),
    ("malformed", _DAMAGED),
    ("full", f"has no room left on its disk. Free some; {_KEPT}"),
    ("disk I/O error", f"could not be written: its disk failed or is full; {_KEPT}"),
    ("readonly", f"is read-only. Allow writing to the file and its folder; {_KEPT}"),
    ("unable to open", "could not be opened. Check that its folder exists and may be written to"),
    ("Permission denied", "could not be opened. Check that its folder may be written to"),
    ("locked", f"has been locked by another process for {BUSY_SECONDS:.0f} s; {_KEPT}"),
)


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite's own waiting does not cover two processes that do so at once."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring an empty database or a ledger of an older layout to this one, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster; a foreign database has tables already.
        application, layout = read_marks(connection)
        steps: tuple[str, ...] = ()
        if (application, layout) == (0, 0) and not _has_tables(connection):
            steps = (TABLES, *UPGRADES)
        elif application == APPLICATION and 0 < layout < LAYOUT:
            steps = UPGRADES[layout - 1 :]
        for statement in ";\n".join(steps).split(";\n"):
            connection.execute(statement)
        if steps:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {LAYOUT}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def check_marks(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that a database is a ledger of this layout.

    Raises:
        LedgerError: when it is something else, or newer than this program.
    """
    _check_kind(connection, path)
    _, layout = read_marks(connection)
    if layout != LAYOUT:
        raise LedgerError(
            f"the ledger {path} has layout {layout}, expected 1 to {LAYOUT}: a newer version of "
            "chainwright wrote it, use that one"
        )


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    if read_marks(connection)[0] != APPLICATION:
        raise LedgerError(f"{path} is a SQLite file of something else, expected a ledger")


def read_marks(connection: sqlite3.Connection) -> tuple[int, int]:
    """Application id and layout of a database; (0, 0) for a new one."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return int(application), int(connection.execute("PRAGMA user_version").fetchone()[0])


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
