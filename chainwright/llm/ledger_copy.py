"""Ledger copies: a whole one of a ledger that is in use, and what two of them hold made one."""

import sqlite3
from contextlib import closing
from pathlib import Path

from chainwright.llm.ledger_file import ledger_error, open_ledger_file


def copy_ledger(path: Path, copy: Path) -> None:
    """Writes all that is committed in a ledger into one file, without a log beside it.

    Whoever uses the ledger may go on meanwhile.

    Raises:
        LedgerError: when it cannot be read.
    """
    try:
        with closing(open_ledger_file(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise ledger_error(path, error) from error


def fold_ledger(source: Path, into: Path) -> int:
    """Adds the answers of one ledger that another has not, so that neither's are paid for again.

    Batches that the other does not know come along. Where both have an answer, its own stays.

    Returns:
        How many answers were added.

    Raises:
        LedgerError: when one of them cannot be used.
    """
    open_ledger_file(source).close()  # brings it to the layout of today
    try:
        with closing(open_ledger_file(into)) as connection:
            connection.execute("ATTACH ? AS source", (str(source),))
            connection.execute("BEGIN IMMEDIATE")
            added = connection.execute(
                "INSERT OR IGNORE INTO answers SELECT * FROM source.answers"
            ).rowcount
            connection.execute("INSERT OR IGNORE INTO batches SELECT * FROM source.batches")
            connection.execute(
                "INSERT OR IGNORE INTO batch_items SELECT * FROM source.batch_items"
                " WHERE key NOT IN (SELECT key FROM answers)"
            )
            connection.execute("COMMIT")
            return added
    except sqlite3.Error as error:
        raise ledger_error(into, error) from error
