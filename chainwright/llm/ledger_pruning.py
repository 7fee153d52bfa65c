"""Pruning: entries of a ledger removed for good, and their cost remembered."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from chainwright.llm.ledger_file import LedgerError, ledger_error, open_ledger_file
from chainwright.llm.ledger_queries import LedgerTotal, Selection, totals


def prune(path: Path, selection: Selection) -> list[LedgerTotal]:
    """Remove the selected entries in one transaction, then give their space back.

    What was spent on them goes into a table of its own, since a budget counts all that was ever
    spent.

    Returns:
        What was removed, by model and place.

    Raises:
        LedgerError: when the ledger cannot be written to and nothing was removed, or all was and
            its space is still taken: the message says which.
    """
    with closing(open_ledger_file(path)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            removed = totals(connection, selection)
            _remember(connection, selection)
            where, values = selection.where()
            if selection.status != "failed":
                connection.execute(f"DELETE FROM answers WHERE {where}", values)  # noqa: S608
            if selection.status in (None, "failed"):
                where, values = Selection(selection.model, None, selection.before).where()
                connection.execute(f"DELETE FROM failures WHERE {where}", values)  # noqa: S608
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise ledger_error(path, error) from error
        try:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise LedgerError(
                f"the entries are removed from {path}, but the file could not be made smaller "
                f"({error})"
            ) from error
    return removed


def _remember(connection: sqlite3.Connection, selection: Selection) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    where, values = selection.where()
    connection.execute(_REMEMBER.format(where=where), [now, *values])


_REMEMBER = """
INSERT INTO pruned
SELECT provider, base_url, model, SUM(sent), SUM(input_tokens), SUM(output_tokens), TOTAL(cost),
       SUM(cost IS NULL), ?
FROM (
    SELECT provider, base_url, model, status, created, 1 AS sent, input_tokens, output_tokens, cost
    FROM answers
    UNION ALL
    SELECT provider, base_url, model, 'failed', created, attempts > 0, 0, 0, 0.0
    FROM failures
)
WHERE {where} GROUP BY provider, base_url, model
"""
