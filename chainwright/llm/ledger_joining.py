"""Ledger joining: the rows of one ledger added to another, so that neither's are paid for again."""

import sqlite3


def add_rows(connection: sqlite3.Connection) -> None:
    """Adds to a ledger the rows of the one that is attached as `part`, within a transaction.

    Where both have an answer, the ledger's own stays. Doing it twice changes nothing, and of
    several ledgers the order does not matter: what is known of a batch only grows. It gets an id,
    it ends, which settles what requests wait on, and it is given up, with no requests left.
    """
    for statement in _STEPS:
        connection.execute(statement)
    add_batches(connection, "batches")


def add_batches(connection: sqlite3.Connection, table: str) -> None:
    """Adds what the part knows of batches to a table of them."""
    connection.execute(_BATCHES.format(table=table))


_FAILURE = "key, provider, base_url, model, error, attempts, created"

_DUE = """
SELECT p.intent FROM part.batches AS p LEFT JOIN main.batches AS b USING (intent)
WHERE COALESCE(p.ended, '') >= COALESCE(b.ended, '')
"""

_STEPS = (
    "INSERT OR IGNORE INTO main.answers SELECT * FROM part.answers ORDER BY rowid",
    "DELETE FROM main.batch_items WHERE key IN (SELECT key FROM part.answers)",
    f"""
INSERT INTO main.failures ({_FAILURE}) SELECT * FROM (
    SELECT {_FAILURE} FROM part.failures EXCEPT SELECT {_FAILURE} FROM main.failures
) WHERE EXISTS (SELECT 1 FROM part.failures) ORDER BY created
""",  # noqa: S608
    "INSERT INTO main.pruned SELECT * FROM part.pruned EXCEPT SELECT * FROM main.pruned",
    f"""
DELETE FROM main.batch_items WHERE intent IN (
    SELECT intent FROM part.batches WHERE ended IS NOT NULL AND intent IN ({_DUE})
)
""",  # noqa: S608
    f"""
INSERT OR IGNORE INTO main.batch_items SELECT * FROM part.batch_items
WHERE intent IN ({_DUE}) AND key NOT IN (SELECT key FROM main.answers)
""",  # noqa: S608
)

_BATCHES = """
INSERT INTO main.{table} SELECT * FROM part.batches WHERE 1 ON CONFLICT (intent) DO UPDATE SET
    id = COALESCE(id, excluded.id), requests = MIN(requests, excluded.requests),
    ended = NULLIF(MAX(COALESCE(ended, ''), COALESCE(excluded.ended, '')), '')
"""
