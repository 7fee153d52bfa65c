"""Submission: a batch handed over once, and found again where nobody knows whether it was."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from chainwright.llm.batches.gathering import Gathered
from chainwright.llm.batches.pace import Pace
from chainwright.llm.batches.records import BatchRecord, BatchRecords
from chainwright.llm.batches.service import BatchService, Item, Sought
from chainwright.llm.providers.failure import failed, http_fault
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri

_PASSING = (408, 409, 429)


class Submitter:
    """Hands over the batches of one model."""

    def __init__(
        self, model: ModelUri, service: BatchService, records: BatchRecords, pace: Pace
    ) -> None:
        self._model = model
        self._service = service
        self._records = records
        self._pace = pace

    async def reserve(self, intent: str, gathered: Sequence[Gathered]) -> set[str]:
        """Write down what is about to be submitted; the keys that wait in another batch."""
        requests = [one.keyed for one in gathered]
        held = await asyncio.wrap_future(self._records.reserve(intent, requests))
        return set(held)

    async def submit(self, intent: str, items: Sequence[Item]) -> str:
        """The provider's id of a batch, which is written down.

        An answer that is lost leaves open whether there is a batch now: it is looked for before
        another one is made.

        Raises:
            ModelUnavailable: when the batch cannot be submitted.
        """
        for lost in range(1, self._pace.tries + 1):
            try:
                batch = await self._service.submit(self._model, intent, items)
            except self._service.errors as error:
                caught = error
            else:
                await asyncio.wrap_future(self._records.name(intent, batch))
                return batch
            if not _may_be_there(caught):
                await asyncio.wrap_future(self._records.drop(intent))
                raise self._stop(caught, "no batch was submitted")
            if lost == self._pace.tries:
                break
            record = self._records.batch(intent)
            if record is not None and (found := await self.find(record)):
                return found
        raise self._stop(caught, "the next build looks whether a batch was submitted")

    async def find(self, record: BatchRecord) -> str | None:
        """The id of a batch that was to be submitted, which is written down; null if none was.

        As a list may lag behind, a young submission is looked for until it is `doubt` old.
        """
        others = {one.id for one in self._records.all() if one.id is not None}
        keys = set(self._records.keys(record.intent))
        sought = Sought(record.intent, record.made, record.requests, keys, others)
        wait, lost = self._pace.first, 0
        while True:
            old = (datetime.now(UTC) - record.made).total_seconds() >= self._pace.doubt
            caught = None
            try:
                found = await self._service.find(sought)
            except self._service.errors as error:
                caught = error
            if caught is not None:
                lost += 1
                self.stop_if_lasting(caught, lost, "that may have been submitted")
            elif found is not None:
                await asyncio.wrap_future(self._records.name(record.intent, found))
                return found
            elif old:
                return None
            await asyncio.sleep(wait)
            wait = self._pace.after(wait)

    def stop_if_lasting(self, error: Exception, lost: int, batch: str) -> None:
        """Raise for an error that a further look will meet again; after so many, for any.

        Raises:
            ModelUnavailable: which says that the batch goes on.
        """
        fault = http_fault(error)
        status = fault.status if fault else 0
        if status == 404:
            raise ModelUnavailable(
                f"{self._service.place} knows no batch {batch}: was it submitted with another "
                "key? If it is gone, `chainwright batches RUN --forget` sends its requests anew"
            )
        if lost >= self._pace.tries or (400 <= status < 500 and status not in _PASSING):
            raise self._stop(error, f"batch {batch} goes on at the provider")

    def _stop(self, error: Exception, but: str) -> ModelUnavailable:
        try:
            said = failed(self._model, self._service.place, error).error
        except ModelUnavailable as stop:
            said = str(stop)
        return ModelUnavailable(f"{said}; {but}")


def _may_be_there(error: Exception) -> bool:
    """Whether a batch may have been made although the submission failed."""
    fault = http_fault(error)
    if fault is not None:
        return fault.status >= 500 or fault.status in _PASSING
    seen: BaseException | None = error
    while seen is not None:
        if type(seen).__name__ in ("ConnectError", "ConnectTimeout"):
            return False
        seen = seen.__cause__
    return True
