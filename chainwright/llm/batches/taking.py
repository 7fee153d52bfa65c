"""Taking: the results of a batch that has ended, to whoever waits for them or into the ledger."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from chainwright.llm.batches.pace import Pace
from chainwright.llm.batches.records import BatchRecords
from chainwright.llm.batches.service import BatchService, BatchState, Unanswered
from chainwright.llm.priced import priced
from chainwright.llm.providers.failure import failed, http_fault
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri

AT_ONCE = 500
"""Answers that nobody waits for, kept together."""

Hand = Callable[[str, Reply], bool]
"""Gives a reply to whoever waits for it; False where nobody does."""


class Taking:
    """Takes the results of one batch, each as it comes.

    Args:
        hand: Where replies go; those that it takes are its to keep.
    """

    def __init__(
        self, model: ModelUri, service: BatchService, records: BatchRecords, pace: Pace, hand: Hand
    ) -> None:
        self._model = model
        self._service = service
        self._records = records
        self._pace = pace
        self._hand = hand
        self._seen: set[str] = set()
        self._unanswered: dict[str, Exception] = {}
        self._strays: list[tuple[str, Reply, Future[Any]]] = []

    async def take(self, intent: str, batch: str, state: BatchState) -> dict[str, Exception]:
        """Read all results; by key why a request has no answer.

        Answers that nobody waits for are kept in the ledger too, as they are paid for. A
        connection that is lost on the way is made again.

        Raises:
            ModelUnavailable: when the results cannot be read.
            LedgerError: when they cannot be kept.
        """
        wait = self._pace.first
        for reading in range(1, self._pace.tries + 1):
            caught = await self._read(batch, state)
            fault = None if caught is None else http_fault(caught)
            missing = set(self._records.keys(intent)) - self._seen
            gone = fault is not None and fault.status in (404, 410)
            if gone or (caught is None and (not missing or reading > 1)):
                break
            if caught is not None and reading == self._pace.tries:
                raise self._stop(batch, caught)
            await asyncio.sleep(wait if caught is not None else 0)
            wait = self._pace.after(wait)
        for key in missing:
            self._unanswered[key] = Unanswered("its batch ended without a word on it")
        await asyncio.wrap_future(self._records.end(intent, self._unanswered))
        return self._unanswered

    async def _read(self, batch: str, state: BatchState) -> Exception | None:
        """Read until the end, or until the connection is lost."""
        lost: tuple[type[Exception], ...] = (*self._service.errors, EOFError)
        try:
            async for key, result in self._service.results(self._model, batch, state):
                if key not in self._seen:
                    self._seen.add(key)
                    await self._sort(batch, key, result)
        except lost as error:
            return error
        finally:
            await self._keep_strays()
        return None

    async def _sort(self, batch: str, key: str, result: Reply | Exception) -> None:
        if isinstance(result, Exception):
            self._unanswered[key] = result
        elif result.status == "failed":
            self._unanswered[key] = Unanswered(result.error or "the answer cannot be read")
        else:
            reply = replace(result, batch=batch)
            if not self._hand(key, reply):
                await self._keep(key, reply)

    async def _keep(self, key: str, reply: Reply) -> None:
        keyed = self._records.request(key)
        if keyed is None:  # answered before, or none of this run's
            return
        kept = self._records.ledger.put(keyed, priced(self._model, key, reply), reply.attempts)
        self._strays.append((key, reply, kept))
        if len(self._strays) >= AT_ONCE:
            await self._keep_strays()

    async def _keep_strays(self) -> None:
        strays, self._strays = self._strays, []
        for key, reply, kept in strays:
            await asyncio.wrap_future(kept)
            self._hand(key, reply)  # whoever came for it while it was being kept

    def _stop(self, batch: str, error: Exception) -> ModelUnavailable:
        try:
            said = failed(self._model, self._service.place, error).error
        except ModelUnavailable as stop:
            said = str(stop)
        return ModelUnavailable(
            f"the results of batch {batch} cannot be read ({said}); they stay at the provider"
        )
