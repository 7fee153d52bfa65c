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
"""What leads from layout 1 to layout 2, and so on; a new file goes the same way.

`intent` is this side's name of a batch, written before it is submitted; `id` is the provider's,
written after. An item is there as long as its answer is not.
"""

LAYOUT = 1 + len(UPGRADES)
"""SQLite's user version of a ledger: which tables and columns it has."""


class LedgerError(RuntimeError):
    """The ledger cannot be read or written; the message names the file and says what to do."""


def open_ledger_file(path: Path) -> sqlite3.Connection:
    """A connection to a ledger, which is made when it does not exist yet.

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
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        _check_or_create(connection, path)
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


def _check_or_create(connection: sqlite3.Connection, path: Path) -> None:
    if _is_behind(*_read_marks(connection)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            _bring_up_to_date(connection)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    application, layout = _read_marks(connection)
    if application != APPLICATION:
        raise LedgerError(f"{path} is a SQLite file of something else, expected a ledger")
    if layout != LAYOUT:
        raise LedgerError(f"the ledger {path} has layout {layout}, expected {LAYOUT}")


def _is_behind(application: int, layout: int) -> bool:
    """Whether a file is new or of a former layout; one of a later layout is left alone."""
    return (application, layout) == (0, 0) or (application == APPLICATION and layout < LAYOUT)


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    # Another process may have been faster; a foreign database has tables already.
    application, layout = _read_marks(connection)
    if (application, layout) == (0, 0) and not _has_tables(connection):
        _execute_all(connection, TABLES)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        application, layout = APPLICATION, 1
    if application == APPLICATION and 1 <= layout < LAYOUT:
        for statements in UPGRADES[layout - 1 :]:
            _execute_all(connection, statements)
        connection.execute(f"PRAGMA user_version = {LAYOUT}")


def _execute_all(connection: sqlite3.Connection, statements: str) -> None:
    """One by one, since `executescript` would commit what is under way."""
    for statement in statements.split(";\n"):
        connection.execute(statement)


def _read_marks(connection: sqlite3.Connection) -> tuple[int, int]:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return int(application), int(connection.execute("PRAGMA user_version").fetchone()[0])


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
