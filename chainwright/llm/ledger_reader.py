"""Ledger reader: a ledger that is only looked at, wherever it lies, even on a read-only disk."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copyfile
from urllib.parse import quote

from chainwright.llm.ledger_file import (
    APPLICATION,
    BUSY_SECONDS,
    LAYOUT,
    LedgerError,
    check_marks,
    ledger_error,
    read_marks,
    upgrade,
)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that changes nothing and leaves no file behind.

    SQLite makes files beside a ledger in order to read it, unless it is told that nobody writes.
    So a ledger that nobody has open is read as it lies, and one under way by the files that are
    there. What a killed build left in a log without its index is read from a copy, and a ledger of
    an older layout is brought up to date in memory.

    Raises:
        LedgerError: when there is none, or it is damaged, or was written to while it was read.
    """
    log = path.with_name(f"{path.name}-wal")
    index = path.with_name(f"{path.name}-shm")
    try:
        if not path.is_file():
            raise LedgerError(f"there is no ledger {path}: no model was asked yet")
        with ExitStack() as stack:
            quiet = not (log.is_file() and log.stat().st_size)
            if not quiet and not index.is_file():
                source = _copied(
                    path, log, Path(stack.enter_context(tempfile.TemporaryDirectory()))
                )
                address = _address(source, "rw")
            else:
                address = _address(path, "ro") + ("&immutable=1" if quiet else "")
            before = path.stat()
            connection = stack.enter_context(closing(_opened(address)))
            application, layout = read_marks(connection)
            if application == APPLICATION and 0 < layout < LAYOUT:
                connection = stack.enter_context(closing(_upgraded(connection)))
            check_marks(connection, path)
            yield connection
            after = path.stat()
            if quiet and (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
                raise LedgerError(
                    f"the ledger {path} was written to while it was read: run the command again"
                )
    except (sqlite3.Error, OSError) as error:
        raise ledger_error(path, error) from error


def _address(path: Path, mode: str) -> str:
    return f"file:{quote(str(path.absolute()))}?mode={mode}"


def _opened(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _copied(path: Path, log: Path, folder: Path) -> Path:
    copy = folder / path.name
    copyfile(path, copy)
    copyfile(log, folder / log.name)
    return copy


def _upgraded(old: sqlite3.Connection) -> sqlite3.Connection:
    new = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    old.backup(new)
    upgrade(new)
    return new
