"""What is asked of a ledger's tables, over any connection to one."""

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from chainwright.llm.budget import Amount
from chainwright.llm.request import Answer, Usage
from chainwright.llm.uri import PROVIDERS

EntryStatus = Literal["ok", "refused", "failed"]


@dataclass(frozen=True)
class Selection:
    """Which entries of a ledger are meant; None = whatever it is.

    Attributes:
        model: A model's name, with or without its provider and its address: `gpt-4o`,
            `openai:gpt-4o`, `compat:m@http://localhost:8000/v1`.
        status: What came of the request.
        before: A date or time in ISO 8601 (UTC); entries from then on are not meant.
    """

    model: str | None = None
    status: EntryStatus | None = None
    before: str | None = None

    def where(self) -> tuple[str, list[str]]:
        """The condition in SQL, and its values."""
        conditions, values = ["1"], list[str]()
        if self.model is not None:
            provider, name, place = _parts(self.model)
            for column, value in (("provider", provider), ("model", name), ("base_url", place)):
                if value is not None:
                    conditions.append(f"{column} = ?")
                    values.append(value)
        if self.status is not None:
            conditions.append("status = ?")
            values.append(self.status)
        if self.before is not None:
            conditions.append("created < ?")
            values.append(self.before)
        return " AND ".join(conditions), values


EVERYTHING = Selection()


@dataclass(frozen=True)
class LedgerTotal:
    """What the ledger holds of one model at one place.

    `cost` is in US dollars and leaves out the `unpriced` answers, whose price is unknown. `cut` are
    those of the `ok` ones that ran out of room. `failures` counts each time a request got no
    answer, whether or not it got one later.
    """

    provider: str
    base_url: str | None
    model: str
    ok: int
    refused: int
    cut: int
    failures: int
    usage: Usage
    cost: float
    unpriced: int


@dataclass
class Failure:
    """Requests to one model that got no answer for one reason.

    Attributes:
        count: How often it happened.
        unanswered: How often to requests that have no answer to this day.
        first: When it happened first; `last`, when last.
        example: The last message, and `key` the request it was about.
    """

    model: str
    reason: str
    count: int = 0
    unanswered: int = 0
    first: str = ""
    last: str = ""
    example: str = ""
    key: str = ""


@dataclass(frozen=True)
class Entry:
    """One request of the ledger with what came of it.

    A failed one has no `request`: only its key is kept.
    """

    key: str
    provider: str
    base_url: str | None
    model: str
    request: dict[str, Any] | None
    status: EntryStatus
    text: str
    finish_reason: str | None
    usage: Usage
    cost: float | None
    attempts: int
    created: str
    error: str | None


def select_answer(connection: sqlite3.Connection, key: str) -> Answer | None:
    """The answer kept under a key, with `from_ledger` set; None when there is none."""
    row = connection.execute(
        f"SELECT status, text, finish_reason, {_USAGE}, cost, batch FROM answers WHERE key = ?",  # noqa: S608
        (key,),
    ).fetchone()
    if row is None:
        return None
    status, text, finish_reason, *tokens, cost, batch = row
    usage = Usage(*tokens)
    return Answer(key, status, text, finish_reason, usage, cost, from_ledger=True, batch=batch)


def totals(connection: sqlite3.Connection, selection: Selection = EVERYTHING) -> list[LedgerTotal]:
    """One entry for each model and place that has any, sorted."""
    where, values = selection.where()
    rows = connection.execute(_TOTALS.format(where=where), values).fetchall()
    return [_total(*row) for row in rows]


def spent(connection: sqlite3.Connection) -> Amount:
    """All that was ever spent: by the answers there are, and by those that were pruned.

    What has no known price costs 0 here.
    """
    usd, tokens, requests = connection.execute(_SPENT).fetchone()
    return Amount(usd, int(tokens), int(requests))


def unpriced(connection: sqlite3.Connection) -> int:
    """How many answers, pruned ones among them, have no known price."""
    return int(connection.execute(_UNPRICED).fetchone()[0])


def periods(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[str, str]]:
    """When each model, by provider and name, gave its first answer and its last; UTC, ISO 8601."""
    rows = connection.execute(
        "SELECT provider, model, MIN(created), MAX(created) FROM answers GROUP BY provider, model"
    )
    return {(provider, model): (first, last) for provider, model, first, last in rows}


def answer_lengths(connection: sqlite3.Connection) -> dict[tuple[str, str, str], float]:
    """Output tokens of an answer on average, by provider, model and the schema's name.

    The schema's name stands for the kind of question, and is empty for free text. Only the latest
    `LEARNT_FROM` answers are looked at.
    """
    rows = connection.execute(_LENGTHS, (LEARNT_FROM,))
    return {(provider, model, schema): mean for provider, model, schema, mean in rows}


def failures(connection: sqlite3.Connection) -> list[Failure]:
    """The failures by model and reason, the most frequent first."""
    found: dict[tuple[str, str], Failure] = {}
    for model, error, key, created, answered in connection.execute(_FAILURES):
        reason = reason_of(error)
        one = found.setdefault((model, reason), Failure(model, reason, first=created))
        one.count += 1
        one.unanswered += not answered
        one.last, one.example, one.key = created, error, key
    return sorted(found.values(), key=lambda one: -one.count)


def reason_of(error: str) -> str:
    """What kind of failure a message speaks of, without addresses and details.

    >>> reason_of("http://localhost:8000/v1 answered 429: slow down")
    'answered 429'
    """
    answered = re.search(r"\banswered \d{3}\b", error)
    if answered:
        return answered[0]
    for sign in ("time-out", "no answer", "not sendable"):
        if error.startswith(sign):
            return sign
    return error[:60]


def entries(
    connection: sqlite3.Connection, selection: Selection = EVERYTHING, key: str = ""
) -> Iterator[Entry]:
    """The entries, one at a time, in the order in which they came; answers first.

    Args:
        key: How their keys begin.
    """
    where, values = selection.where()
    for table in (ANSWERS, FAILURES):
        sql = (
            f"SELECT {_ENTRY} FROM {table} WHERE {where} AND key >= ? AND key < ? "  # noqa: S608
            "ORDER BY place"
        )
        for row in connection.execute(sql, [*values, key, f"{key}g"]):
            yield _entry(*row)


LEARNT_FROM = 5000
"""Answers from which their usual length is learnt."""

_USAGE = "input_tokens, cached_tokens, output_tokens, cache_write_tokens"

_ENTRY = f"""key, provider, base_url, model, request, status, text, finish_reason, {_USAGE}, cost,
attempts, created, error"""

ANSWERS = "(SELECT rowid AS place, *, NULL AS error FROM answers)"
FAILURES = """(
    SELECT id AS place, key, provider, base_url, model, NULL AS request, 'failed' AS status,
           '' AS text, NULL AS finish_reason, 0 AS input_tokens, 0 AS cached_tokens,
           0 AS output_tokens, 0.0 AS cost, attempts, created, 0 AS cache_write_tokens, error
    FROM failures
)"""
"""Both tables with the same columns."""

_TOTALS = f"""
SELECT provider, base_url, model, SUM(status = 'ok'), SUM(status = 'refused'),
       SUM(status = 'ok' AND COALESCE(finish_reason IN
           ('length', 'max_tokens', 'model_context_window_exceeded'), 0)),
       SUM(status = 'failed'), SUM(input_tokens), SUM(cached_tokens), SUM(output_tokens),
       SUM(cache_write_tokens), TOTAL(cost), SUM(cost IS NULL)
FROM (SELECT {_ENTRY} FROM {ANSWERS} UNION ALL SELECT {_ENTRY} FROM {FAILURES})
WHERE {{where}} GROUP BY provider, base_url, model ORDER BY provider, model, base_url
"""  # noqa: S608

_SPENT = """
SELECT TOTAL(cost), TOTAL(tokens), TOTAL(requests) FROM (
    SELECT cost, input_tokens + output_tokens AS tokens, 1 AS requests FROM answers
    UNION ALL SELECT 0, 0, attempts > 0 FROM failures
    UNION ALL SELECT cost, input_tokens + output_tokens, requests FROM pruned
)
"""

_UNPRICED = """
SELECT (SELECT COUNT(*) FROM answers WHERE cost IS NULL)
       + (SELECT COALESCE(SUM(unpriced), 0) FROM pruned)
"""

_LENGTHS = """
SELECT provider, model, COALESCE(json_extract(request, '$.schema.name'), '') AS schema,
       AVG(output_tokens)
FROM (SELECT * FROM answers ORDER BY rowid DESC LIMIT ?) GROUP BY provider, model, schema
"""

_FAILURES = """
SELECT provider || ':' || model, error, key, created,
       EXISTS (SELECT 1 FROM answers WHERE answers.key = failures.key)
FROM failures ORDER BY id
"""


def _parts(model: str) -> tuple[str | None, str, str | None]:
    """Provider, name and place of a model, as far as they are named."""
    provider, colon, rest = model.partition(":")
    if not colon or provider not in PROVIDERS:
        provider, rest = "", model
    name, at, place = rest.partition("@http")
    return provider or None, name, f"http{place}".rstrip("/") if at else None


def _total(*row: Any) -> LedgerTotal:
    provider, base_url, model, ok, refused, cut, failed, *tokens, cost, unknown = row
    usage = Usage(*tokens)
    return LedgerTotal(provider, base_url, model, ok, refused, cut, failed, usage, cost, unknown)


def _entry(*row: Any) -> Entry:
    key, provider, base_url, model, request, status, text, finish, *numbers = row
    *tokens, cost, attempts, created, error = numbers
    return Entry(
        key=key,
        provider=provider,
        base_url=base_url,
        model=model,
        request=None if request is None else json.loads(request),
        status=status,
        text=text,
        finish_reason=finish,
        usage=Usage(*tokens),
        cost=cost,
        attempts=attempts,
        created=created,
        error=error,
    )
