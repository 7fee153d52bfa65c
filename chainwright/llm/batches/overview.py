"""Overview: the batches of a run from outside a build: seen, cancelled, brought in, forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from chainwright.llm.batches.connect import batch_service
from chainwright.llm.batches.pace import Pace
from chainwright.llm.batches.records import BatchRecord, BatchRecords
from chainwright.llm.batches.service import BatchService, BatchState
from chainwright.llm.batches.submission import Submitter
from chainwright.llm.batches.taking import Taking
from chainwright.llm.endpoint import endpoint
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.failure import failed
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri, Provider

SOON = Pace(quiet=0.0, first=1.0, tries=3, doubt=0.0)
"""Nobody waits here for what takes long."""


@dataclass(frozen=True)
class BatchReport:
    """A batch, as the ledger and as the provider knows it.

    Attributes:
        state: Null where the provider was not asked: nothing is left to get, or `note` says why.
        note: What could not be done, or what was.
    """

    record: BatchRecord
    state: BatchState | None = None
    note: str | None = None


async def look(ledger: Ledger, patience: Patience) -> list[BatchReport]:
    """All batches of a ledger; those with unanswered requests as they are at the provider."""
    return [await _with(ledger, record, patience, _nothing) for record in _all(ledger)]


async def cancel(ledger: Ledger, patience: Patience) -> list[BatchReport]:
    """Cancel what is open; what was answered before is paid for, and is brought in later."""
    return [await _with(ledger, record, patience, _cancel) for record in _all(ledger)]


async def collect(ledger: Ledger, patience: Patience) -> list[BatchReport]:
    """Bring the answers of ended batches into the ledger; what they left unanswered is open."""
    return [await _with(ledger, record, patience, _collect) for record in _all(ledger)]


async def forget(ledger: Ledger) -> list[BatchReport]:
    """Forget what is open, at the provider or not: a further build sends all of it anew."""
    reports = []
    for record in _all(ledger):
        note = None
        if record.is_open:
            await asyncio.wrap_future(BatchRecords(ledger).drop(record.intent))
            note = "forgotten"
        reports.append(BatchReport(record, note=note))
    return reports


@dataclass(frozen=True)
class _Open:
    """An open batch with all that is needed to do something about it."""

    model: ModelUri
    service: BatchService
    records: BatchRecords
    record: BatchRecord
    id: str
    state: BatchState


Doing = Callable[[_Open], Awaitable[str | None]]


async def _with(ledger: Ledger, record: BatchRecord, patience: Patience, do: Doing) -> BatchReport:
    """A report of a batch after something was done about it, where it is open."""
    if not record.is_open:
        return BatchReport(record)
    model = _model(record)
    try:
        if endpoint(model) != record.base_url:
            return BatchReport(
                record, note=f"it is at {record.base_url}, and {model} is not there now"
            )
        service = batch_service(model, patience)
    except ModelUnavailable as stop:
        return BatchReport(record, note=str(stop))
    records = BatchRecords(ledger)
    try:
        id_ = record.id or await Submitter(model, service, records, SOON).find(record)
        if id_ is None:
            return BatchReport(record, note="the provider has none of it yet")
        state = await service.state(id_)
        note = await do(_Open(model, service, records, record, id_, state))
        return BatchReport(records.batch(record.intent) or record, state, note)
    except ModelUnavailable as stop:
        return BatchReport(record, note=str(stop))
    except service.errors as error:
        return BatchReport(record, note=_words(model, service, error))
    finally:
        await service.close()


async def _nothing(batch: _Open) -> str | None:
    return None


async def _cancel(batch: _Open) -> str | None:
    if batch.state.ended:
        return "it had ended before"
    await batch.service.cancel(batch.id)
    return "cancelled"


async def _collect(batch: _Open) -> str | None:
    if not batch.state.ended:
        return "it goes on"
    if batch.state.refused is not None:
        await asyncio.wrap_future(batch.records.drop(batch.record.intent))
        return f"it was taken back: {batch.state.refused}"
    taking = Taking(batch.model, batch.service, batch.records, SOON, lambda key, reply: False)
    unanswered = await taking.take(batch.record.intent, batch.id, batch.state)
    got = batch.record.waiting - len(unanswered)
    return f"{got} answers brought in" + (f", {len(unanswered)} had none" if unanswered else "")


def _all(ledger: Ledger) -> list[BatchRecord]:
    return BatchRecords(ledger).all()


def _model(record: BatchRecord) -> ModelUri:
    """The model of a batch, as a recipe names it.

    A ledger may come from anywhere, and a key goes to the place it says: so only to a place that
    the environment names as well, or that can be nobody's but the provider's.
    """
    host = urlsplit(record.base_url or "").hostname or ""
    own = record.base_url if record.provider == "azure" and host.endswith(".azure.com") else None
    return ModelUri(cast("Provider", record.provider), record.model, own)


def _words(model: ModelUri, service: BatchService, error: Exception) -> str:
    try:
        return failed(model, service.place, error).error or type(error).__name__
    except ModelUnavailable as stop:
        return str(stop)
