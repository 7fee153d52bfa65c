"""Client: asks models, through the ledger, so many at a time."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from chainwright.llm.answers import Answers
from chainwright.llm.batches.batches import Batches
from chainwright.llm.batches.hold import Hold
from chainwright.llm.batches.pace import Pace
from chainwright.llm.budget import Budget, Reservation, Spending
from chainwright.llm.capabilities import capabilities, note, unsent
from chainwright.llm.effort import Effort
from chainwright.llm.endpoint import endpoint
from chainwright.llm.estimate import estimate_tokens
from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.limits import Limit
from chainwright.llm.meter import Meter
from chainwright.llm.priced import priced
from chainwright.llm.providers.connect import connect, place
from chainwright.llm.providers.failure import one_line
from chainwright.llm.providers.reply import Connection, Patience, Reply
from chainwright.llm.request import Answer, ModelUnavailable, Request
from chainwright.llm.request_key import KeyedRequest, key_request
from chainwright.llm.room import Rooms
from chainwright.llm.turns import Lanes, Place, Turns
from chainwright.llm.uri import ModelUri

log = logging.getLogger(__name__)


class Client:
    """The asker of a build. Use it as an async context manager, inside one event loop.

    A request whose answer is in the ledger is answered from there; of equal requests under way one
    is sent; the rest wait for the limits of their model and then for one of `concurrency` turns.
    An answer is handed on when it is committed, so a kill loses only what was in flight. What
    fails in a way that may pass is sent again by this class, and by nobody below it. When a server
    asks to wait, or fails again and again, all requests to it wait.

    After a `ModelUnavailable` no further request to that model is sent, and after a `LedgerError`
    none at all, since its answer could not be kept.

    Args:
        ledger: Where answers are kept; batches need a `Ledger`.
        concurrency: Requests in flight at once, over all models; a local model takes fewer.
        limits: What may be sent to which model each minute.
        patience: Time-outs, further attempts and pauses.
        deadline: Seconds under way for one request with all its attempts, however slowly it drips.
        meter: Counts; its own when null.
        pace: Given, models whose providers have batches are asked in batches, without turns and
            deadline, since all that is asked should land in one batch; the others as ever.
        hold: Keeps batches from being cut, while whoever holds it makes further requests.
        budget: What may be spent; no limit when null.
        turns: Where turns are granted, in place of `concurrency` and `limits`; its own when null.
    """

    def __init__(
        self,
        ledger: Answers,
        *,
        concurrency: int = 16,
        limits: Iterable[Limit] = (),
        patience: Patience | None = None,
        deadline: float = 1800.0,
        meter: Meter | None = None,
        pace: Pace | None = None,
        hold: Hold | None = None,
        budget: Spending | None = None,
        turns: Turns | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"found concurrency {concurrency}, expected 1 or more")
        self.ledger = ledger
        self.meter = meter or Meter()
        self.budget: Spending = budget or Budget()
        self._patience = patience or Patience()
        self._deadline = deadline
        self.batches = None
        if pace is not None:
            if not isinstance(ledger, Ledger):
                raise ValueError("found a way to a ledger elsewhere, expected one for batches")
            self.batches = Batches(ledger, pace, self._patience, hold or Hold())
        self._concurrency = concurrency
        self._turns: Turns = turns or Lanes(concurrency, limits, self._patience)
        self._connections: dict[Place, Connection] = {}
        self._dead: list[Connection] = []
        self._opening: defaultdict[Place, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._reached: set[Place] = set()
        self._rooms = Rooms()
        self._unavailable: dict[ModelUri, ModelUnavailable] = {}
        self._broken: LedgerError | None = None
        self._noted: set[tuple[ModelUri, tuple[str, ...]]] = set()
        self._closed = False

    @property
    def holdups(self) -> list[str]:
        """What requests wait for other than a turn: limits and pauses, one line each."""
        return self._turns.holdups

    async def ask(self, request: Request) -> Answer:
        """The answer to a request, from the ledger or from the model (see `Asker`).

        Raises:
            ModelUnavailable: when no request to this model can succeed.
            LedgerError: when the ledger cannot be read or written.
            BudgetReached: when a further request might pass the budget.
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
                self.meter.count_found(request.model, shared)
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
            if self.batches is not None:
                stack.push_async_callback(self.batches.close)
            for connection in (*self._connections.values(), *self._dead):
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
        found = await self.ledger.find(keyed.key)
        if found is not None:
            self.meter.count_found(request.model, found)
            return found
        if self.batches is not None and self.batches.takes(request.model):
            return await self._answer_in_batch(self.batches, request, keyed)
        effort = Effort(self._patience)
        try:
            self._check(request.model)
            refusal = await self._rooms.refusal(request)
            if refusal is not None:
                return await self._keep(request, keyed, refusal)
            async with self.budget.holding(request) as reserved:
                return await self._answer_in_turn(request, keyed, effort, reserved)
        except ModelUnavailable as error:
            self._unavailable.setdefault(request.model, error)
            raise

    async def _answer_in_turn(
        self, request: Request, keyed: KeyedRequest, effort: Effort, reserved: Reservation
    ) -> Answer:
        while True:
            turn = await self._enter(request)
            try:
                reply = await self._send(request, effort)
                if reply.fault != "away" or place(request.model) in self._reached:
                    await self._turns.note(turn, reply)
                if not effort.goes_on(reply):
                    reserved.count(reply.usage, reply.attempts)
                    # Still in its turn: so never more answers than turns are paid for and not
                    # yet kept.
                    return await self._keep(request, keyed, reply)
            finally:
                self._turns.leave(turn)
            await self._pause(effort.backoff(reply))

    async def _enter(self, request: Request) -> Any:
        tokens = 0
        if self._turns.counts_tokens(request.model):
            room = request.max_tokens or capabilities(request.model).default_max_tokens
            tokens = estimate_tokens(request.messages) + (room or 0)
        self.meter.waiting += 1
        try:
            return await self._turns.enter(request.model, tokens)
        finally:
            self.meter.waiting -= 1

    async def _pause(self, seconds: float) -> None:
        self.meter.waiting += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self.meter.waiting -= 1

    async def _answer_in_batch(
        self, batches: Batches, request: Request, keyed: KeyedRequest
    ) -> Answer:
        self._check(request.model)
        self._note(request)
        async with self.budget.holding(request, batch=True) as reserved:
            self.meter.in_flight += 1
            try:
                batches.open(request.model)
                reply = await batches.send(request, keyed)
            except ValueError as error:
                reply = _not_sendable(error)
            except ModelUnavailable as error:
                self._unavailable.setdefault(request.model, error)
                raise
            finally:
                self.meter.in_flight -= 1
            reserved.count(reply.usage, reply.attempts, batch=True)
            with batches.hold:  # one that waits for the answer may ask again
                return await self._keep(request, keyed, reply)

    async def _send(self, request: Request, effort: Effort) -> Reply:
        """One attempt, in a turn."""
        self._check(request.model)
        self._note(request)
        self.meter.in_flight += 1
        try:
            connection = await self._connection(request.model)
            start = time.monotonic()
            try:
                async with asyncio.timeout(max(0.0, self._deadline - effort.spent)):
                    reply = await connection.send(request)
            except TimeoutError:
                error = f"time-out: {request.model} took over {self._deadline:g} s"
                reply = Reply("failed", error=error, fault="deadline")
            except ValueError as error:
                reply = _not_sendable(error)
        finally:
            self.meter.in_flight -= 1
        reply = effort.add(reply, time.monotonic() - start)
        if reply.fault == "away":
            self._lose(request.model, effort, reply)
        elif reply.fault != "deadline":
            self._reached.add(place(request.model))
        return reply

    def _lose(self, model: ModelUri, effort: Effort, reply: Reply) -> None:
        """There is no connection. A place that was reached before may come back.

        Raises:
            ModelUnavailable: for one that never was, after the usual number of attempts.
        """
        where = place(model)
        if where in self._reached:
            effort.tries -= 1  # it has nothing to do with this request
            if model.provider == "local":
                # Its server has died; the next attempt starts another one, at another address.
                self._dead += [self._connections.pop(where)] if where in self._connections else []
        elif not effort.goes_on(reply, reached=False):
            raise ModelUnavailable(
                f"{reply.error} (tried {effort.attempts} times): "
                "is the server running, and is the address right?"
            )

    async def _keep(self, request: Request, keyed: KeyedRequest, reply: Reply) -> Answer:
        """Commit what came, then make the answer of it."""
        answer = priced(request.model, keyed.key, reply)
        self.meter.count_sent(request.model, answer, reply.attempts)
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
            error = self._unavailable[model]
            raise type(error)(str(error))

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
                # None of the SDK's own attempts, which would multiply with the client's.
                once = replace(self._patience, max_retries=0)
                self._connections[where] = await connect(model, once, self._concurrency)
            return self._connections[where]


def _not_sendable(error: ValueError) -> Reply:
    """Something in the request cannot be written as JSON, or as a schema."""
    return Reply("failed", attempts=0, error=f"not sendable: {one_line(str(error))}")
