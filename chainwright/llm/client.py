"""Client: asks models, through the ledger, so many at a time."""

import asyncio
import logging
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self

from chainwright.llm.capabilities import note, unsent
from chainwright.llm.endpoint import endpoint
from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.meter import Meter
from chainwright.llm.prices import cost
from chainwright.llm.providers.connect import connect, place
from chainwright.llm.providers.failure import one_line
from chainwright.llm.providers.reply import Connection, Patience, Reply
from chainwright.llm.request import Answer, ModelUnavailable, Request
from chainwright.llm.request_key import KeyedRequest, key_request
from chainwright.llm.uri import ModelUri

log = logging.getLogger(__name__)


class Client:
    """The asker of a build. Use it as an async context manager, inside one event loop.

    A request whose answer is in the ledger is answered from there; of equal requests under way one
    is sent; the rest wait for one of `concurrency` turns. An answer is handed on when it is
    committed, so a kill loses only what was in flight. The SDKs retry; this class never does.

    After a `ModelUnavailable` no further request to that model is sent, and after a `LedgerError`
    none at all, since its answer could not be kept.

    Args:
        concurrency: Requests in flight at once, over all models; a local model takes fewer.
        patience: Time-outs and retries of the SDKs.
        deadline: Seconds for one request with all its retries, however slowly it drips.
        meter: Counts; its own when null.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        concurrency: int = 16,
        patience: Patience | None = None,
        deadline: float = 1800.0,
        meter: Meter | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"found concurrency {concurrency}, expected 1 or more")
        self.ledger = ledger
        self.meter = meter or Meter()
        self._patience = patience or Patience()
        self._deadline = deadline
        self._concurrency = concurrency
        self._turns = asyncio.Semaphore(concurrency)
        self._local_turns = asyncio.Semaphore(min(concurrency, _local_concurrency()))
        self._connections: dict[tuple[str, str | None], Connection] = {}
        self._opening: defaultdict[tuple[str, str | None], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._unavailable: dict[ModelUri, ModelUnavailable] = {}
        self._broken: LedgerError | None = None
        self._noted: set[tuple[ModelUri, tuple[str, ...]]] = set()
        self._closed = False

    async def ask(self, request: Request) -> Answer:
        """The answer to a request, from the ledger or from the model (see `Asker`).

        Raises:
            ModelUnavailable: when no request to this model can succeed.
            LedgerError: when the ledger cannot be read or written.
        """
        keyed = key_request(request, endpoint(request.model))
        flights = self.ledger.flights
        while True:
            flight, leads = flights.enter(keyed.key)
            if leads:
                break
            answer = await asyncio.shield(asyncio.wrap_future(flight))
            if answer is not None:
                shared = replace(answer, from_ledger=answer.status != "failed")
                self.meter.count_found(shared)
                return shared
        try:
            answer = await self._answer(request, keyed)
        except Exception as error:
            flights.crash(keyed.key, error)
            raise
        except BaseException:
            flights.abandon(keyed.key)
            raise
        flights.land(keyed.key, answer)
        return answer

    async def close(self) -> None:
        """Close the SDK clients; the ledger stays open."""
        self._closed = True
        async with AsyncExitStack() as stack:
            for connection in self._connections.values():
                stack.push_async_callback(connection.close)
            self._connections.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _answer(self, request: Request, keyed: KeyedRequest) -> Answer:
        found = self.ledger.get(keyed.key)
        if found is not None:
            self.meter.count_found(found)
            return found
        turns = self._local_turns if request.model.provider == "local" else self._turns
        self.meter.waiting += 1
        try:
            await turns.acquire()
        finally:
            self.meter.waiting -= 1
        try:
            reply = await self._send(request)
            # Still in its turn: so never more answers than turns are paid for and not yet kept.
            return await self._keep(request, keyed, reply)
        finally:
            turns.release()

    async def _send(self, request: Request) -> Reply:
        model = request.model
        self._check(model)
        self._note(request)
        self.meter.in_flight += 1
        try:
            connection = await self._connection(model)
            try:
                async with asyncio.timeout(self._deadline):
                    return await connection.send(request)
            except TimeoutError:
                return Reply("failed", error=f"time-out: {model} took over {self._deadline:g} s")
            except ValueError as error:
                # Something in the request that cannot be written as JSON, or as a schema.
                return Reply("failed", attempts=0, error=f"not sendable: {one_line(str(error))}")
        except ModelUnavailable as error:
            self._unavailable.setdefault(model, error)
            raise
        finally:
            self.meter.in_flight -= 1

    async def _keep(self, request: Request, keyed: KeyedRequest, reply: Reply) -> Answer:
        """Commit what came, then make the answer of it."""
        answer = Answer(
            key=keyed.key,
            status=reply.status,
            # Half a surrogate pair can come in JSON, and be stored nowhere.
            text=reply.text.encode(errors="replace").decode(),
            finish_reason=reply.finish_reason,
            usage=reply.usage,
            cost=cost(request.model, reply.usage) if reply.status != "failed" else None,
            error=reply.error,
        )
        self.meter.count_sent(answer, reply.attempts)
        try:
            if answer.status != "failed":
                kept = self.ledger.put(keyed, answer, reply.attempts)
                return await asyncio.wrap_future(kept)
            failure = self.ledger.count_failure(keyed, answer.error or "", reply.attempts)
            await asyncio.wrap_future(failure)
        except LedgerError as error:
            self._broken = error
            raise
        return answer

    def _check(self, model: ModelUri) -> None:
        """Nothing is sent in vain: to a model that is away, or without a ledger to keep it."""
        if self._closed:
            raise RuntimeError("the client is closed")
        if self._broken is not None:
            raise LedgerError(str(self._broken))
        if model in self._unavailable:
            raise ModelUnavailable(str(self._unavailable[model]))

    def _note(self, request: Request) -> None:
        about = (request.model, unsent(request))
        if about not in self._noted:
            self._noted.add(about)
            if text := note(*about):
                log.warning("%s", text)

    async def _connection(self, model: ModelUri) -> Connection:
        where = place(model)
        if where in self._connections:
            return self._connections[where]
        async with self._opening[where]:
            if where not in self._connections:
                self._connections[where] = await connect(model, self._patience, self._concurrency)
            return self._connections[where]


def _local_concurrency() -> int:
    from chainwright.llm.providers.local import CONCURRENCY

    return CONCURRENCY
