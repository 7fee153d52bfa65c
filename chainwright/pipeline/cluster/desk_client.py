"""Desk client: how a worker's asker reaches the desk, in place of a ledger, turns and a budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from chainwright.llm.budget import Budget, BudgetReached, Limits, Reservation
from chainwright.llm.ledger import LedgerError
from chainwright.llm.limits import Limit, limit_of
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import Answer, ModelAway, Request
from chainwright.llm.request_key import KeyedRequest
from chainwright.llm.single_flight import Flights
from chainwright.llm.uri import ModelUri
from chainwright.pipeline.cluster.desk_messages import Denial, Elsewhere, Kept

GATHER_SECONDS = 0.002
"""How long an answer waits for others that are to be kept along with it."""


class Post(Protocol):
    """Carries calls of the methods of a `Desk` there."""

    def ask(self, method: str, *values: Any) -> Awaitable[Any]:
        """Call it, and wait for what it gives.

        Raises:
            LedgerError: when there is no way to the desk any more.
        """
        ...

    def tell(self, method: str, *values: Any) -> None:
        """Call it, whatever comes of it."""
        ...


def granted(given: Any) -> Any:
    """What the desk gave.

    Raises:
        ModelAway: when it refused, since the model or its place was given up.
        BudgetReached: when it refused, since the budget is spent.
        LedgerError: when it refused for another reason.
    """
    if isinstance(given, Denial):
        kinds = {"away": ModelAway, "budget": BudgetReached, "ledger": LedgerError}
        raise kinds[given.reason](given.text)
    return given


class DeskAnswers:
    """The answers that the desk keeps (see `Answers`); what comes together goes there together."""

    def __init__(self, post: Post, who: str) -> None:
        self.flights: Flights[Answer] = Flights()
        self._post = post
        self._who = who
        self._wanted: dict[str, asyncio.Future[Any]] = {}
        self._kept: list[tuple[Kept, Future[Answer]]] = []
        self._errands: set[asyncio.Task[None]] = set()

    async def find(self, key: str) -> Answer | None:
        """See `Answers`; where another worker asks the same, it waits for that one's answer."""
        loop = asyncio.get_running_loop()
        if not self._wanted:
            loop.call_soon(self._send, self._fetch)
        future = self._wanted.setdefault(key, loop.create_future())
        found = granted(await future)
        while isinstance(found, Elsewhere):
            found = granted(await self._post.ask("wait", self._who, key))
        return found if isinstance(found, Answer) else None

    def put(self, request: KeyedRequest, answer: Answer, attempts: int = 1) -> Future[Answer]:
        """See `Answers`."""
        if not self._kept:
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._send, self._keep)
        future: Future[Answer] = Future()
        self._kept.append((Kept(request, answer, attempts), future))
        return future

    def count_failure(self, request: KeyedRequest, error: str, attempts: int = 1) -> Future[None]:
        """See `Answers`."""
        future: Future[None] = Future()

        async def count() -> None:
            try:
                granted(await self._post.ask("fail", self._who, request, error, attempts))
            except LedgerError as fault:
                future.set_exception(fault)
            else:
                future.set_result(None)

        self._send(count)
        return future

    def _send(self, errand: Any) -> None:
        task = asyncio.get_running_loop().create_task(errand())
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _fetch(self) -> None:
        wanted, self._wanted = self._wanted, {}
        try:
            found = await self._post.ask("find", self._who, list(wanted))
        except LedgerError as error:
            found = [Denial("ledger", str(error))] * len(wanted)
        for future, one in zip(wanted.values(), found, strict=True):
            if not future.done():
                future.set_result(one)

    async def _keep(self) -> None:
        kept, self._kept = self._kept, []
        try:
            answers = granted(await self._post.ask("keep", self._who, [one for one, _ in kept]))
        except LedgerError as error:
            for _, future in kept:
                if future.set_running_or_notify_cancel():
                    future.set_exception(error)
        else:
            for (_, future), answer in zip(kept, answers, strict=True):
                if future.set_running_or_notify_cancel():
                    future.set_result(answer)


@dataclass
class _Turn:
    number: int
    reply: Reply | None = None
    """What is to be noted when the turn is given back."""


class DeskTurns:
    """The turns that the desk grants (see `Turns`).

    Args:
        limits: As the desk has them: to know which models' tokens count.
    """

    def __init__(self, post: Post, who: str, limits: tuple[Limit, ...]) -> None:
        self._post = post
        self._who = who
        self._limits = limits

    @property
    def holdups(self) -> list[str]:
        """None: the desk knows them."""
        return []

    def counts_tokens(self, model: ModelUri) -> bool:
        """See `Turns`."""
        return bool(limit_of(model, self._limits).tokens_per_minute)

    async def enter(self, model: ModelUri, tokens: int) -> _Turn:
        """See `Turns`."""
        return _Turn(granted(await self._post.ask("enter", self._who, model, tokens)))

    async def note(self, turn: _Turn, reply: Reply) -> None:
        """See `Turns`; good news need no answer, and go along with the turn."""
        short = replace(reply, text="")
        if reply.status == "failed":
            granted(await self._post.ask("note", self._who, turn.number, short))
        else:
            turn.reply = short

    def leave(self, turn: _Turn) -> None:
        """See `Turns`."""
        self._post.tell("leave", self._who, turn.number, turn.reply)


class DeskBudget:
    """The budget at the desk (see `Spending`).

    Args:
        limits: As the desk has them; without any, nothing needs to be asked.
    """

    def __init__(self, post: Post, who: str, limits: Limits | None) -> None:
        self._post = post
        self._who = who
        self._own = Budget(limits)
        """Only reckons what a request may take."""

    @asynccontextmanager
    async def holding(self, request: Request, *, batch: bool = False) -> AsyncIterator[Reservation]:
        """See `Spending`."""
        need = self._own.most(request, batch=batch)
        hold = Reservation(request.model, need)
        if self._own.limits == Limits():
            yield hold
            return
        number = granted(await self._post.ask("hold", self._who, request.model, need))
        try:
            yield hold
        finally:
            self._own.learn(hold)
            self._post.tell("release", self._who, number, hold.taken, hold.written)
