"""Budget: what a run may spend on models, and the stop before a request that would pass it.

Before a request is sent, the most that it may take is reserved; when its answer is there, what it
took counts instead. So what is under way together cannot pass the limits, but for what a server
takes beyond the reserved: more input than estimated with `MARGIN`, or an answer longer than the
request allows. A request that does not fit waits for those under way, which may take less than was
reserved; the stop comes when nothing is under way any more, so that no paid answer is lost by it.
"""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, fields
from typing import Protocol

from chainwright.llm.capabilities import capabilities
from chainwright.llm.estimate import estimate_text, estimate_tokens
from chainwright.llm.prices import cost
from chainwright.llm.request import Request, Usage
from chainwright.llm.uri import ModelUri

MARGIN = 1.25
"""What is reserved for the input, as a multiple of its estimate: tokenizers differ."""

LONGEST_ANSWER = 4096
"""Output tokens reserved at least for a request that does not limit its answer."""


class BudgetReached(RuntimeError):
    """A further request might pass the budget; the message says what was spent of what."""


@dataclass(frozen=True)
class Amount:
    """Money in US dollars, tokens (input and output together) and requests."""

    usd: float = 0.0
    tokens: int = 0
    requests: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            self.usd + other.usd, self.tokens + other.tokens, self.requests + other.requests
        )


@dataclass(frozen=True)
class Limits:
    """The most that may be spent; None = as much as it takes."""

    usd: float | None = None
    tokens: int | None = None
    requests: int | None = None

    def passed_by(self, amount: Amount) -> str | None:
        """The limit that an amount passes, by its name; None when it keeps them all.

        >>> Limits(tokens=100).passed_by(Amount(tokens=101))
        'tokens'
        """
        for one in fields(self):
            limit = getattr(self, one.name)
            if limit is not None and getattr(amount, one.name) > limit:
                return one.name
        return None

    def in_words(self, spent: Amount) -> str:
        """`1.2000 of 2.00 USD, 120,000 of 500,000 tokens`; only what is limited.

        >>> Limits(usd=2, requests=10).in_words(Amount(1.2, 5000, 7))
        '1.2000 of 2.00 USD, 7 of 10 requests'
        """
        parts = []
        if self.usd is not None:
            parts.append(f"{spent.usd:.4f} of {self.usd:.2f} USD")
        if self.tokens is not None:
            parts.append(f"{spent.tokens:,} of {self.tokens:,} tokens")
        if self.requests is not None:
            parts.append(f"{spent.requests:,} of {self.requests:,} requests")
        return ", ".join(parts)


class Reservation:
    """What is reserved for one request, until its answer is counted."""

    def __init__(self, model: ModelUri, reserved: Amount) -> None:
        self.model = model
        self.reserved = reserved
        self.taken = Amount()
        self.written = 0
        """Tokens of the answer."""

    def count(self, usage: Usage, attempts: int, *, batch: bool = False) -> None:
        """What the request took. One that was not sent at all took nothing."""
        self.taken = Amount(
            cost(self.model, usage, batch=batch) or 0.0,
            usage.input_tokens + usage.output_tokens,
            1 if attempts else 0,
        )
        self.written = usage.output_tokens


class Spending(Protocol):
    """Says what may be spent: the budget of a run, or a way to one that is elsewhere."""

    def holding(
        self, request: Request, *, batch: bool = False
    ) -> AbstractAsyncContextManager[Reservation]:
        """Room for a request as long as it is under way (see `Budget.holding`)."""
        ...


class Budget:
    """The money of a run, for one event loop.

    Args:
        limits: The most that may be spent; nothing is limited by default.
        spent: What was spent before, which counts.
    """

    def __init__(self, limits: Limits | None = None, spent: Amount | None = None) -> None:
        self.limits = limits or Limits()
        self.spent = spent or Amount()
        self._holds: dict[int, Reservation] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self._longest: dict[ModelUri, int] = {}
        self._stop: str | None = None

    @asynccontextmanager
    async def holding(self, request: Request, *, batch: bool = False) -> AsyncIterator[Reservation]:
        """Room for a request as long as it is under way; waits for others where there is none.

        Raises:
            BudgetReached: when there is no room and nothing under way could leave any; then for
                every further request.
        """
        hold = await self.hold(request.model, lambda: self.most(request, batch=batch))
        try:
            yield hold
        finally:
            self.release(hold)

    async def hold(self, model: ModelUri, most: Callable[[], Amount]) -> Reservation:
        """Room for a request, until `release`; waits for others where there is none.

        Args:
            most: What the request takes at most; asked again after every wait.

        Raises:
            BudgetReached: as `holding` does.
        """
        while (hold := self._try_hold(model, most)) is None:
            if self._stop is None and not self._holds:
                self._stop = self._reached(most())
            if self._stop is not None:
                raise BudgetReached(self._stop)
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        return hold

    def try_hold(self, request: Request, *, batch: bool = False) -> Reservation | None:
        """Room for a request, until `release`; None when there is none now."""
        return self._try_hold(request.model, lambda: self.most(request, batch=batch))

    def _try_hold(self, model: ModelUri, most: Callable[[], Amount]) -> Reservation | None:
        if self._stop is not None:
            return None
        need = Amount()
        if self.limits != Limits():
            need = most()
            under_way = sum((hold.reserved for hold in self._holds.values()), self.spent)
            if self.limits.passed_by(under_way + need) is not None:
                return None
        hold = Reservation(model, need)
        self._holds[id(hold)] = hold
        return hold

    def release(self, hold: Reservation) -> None:
        """End a reservation; what was counted is spent, and who waits may try again."""
        del self._holds[id(hold)]
        self.spent += hold.taken
        self.learn(hold)
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

    def learn(self, hold: Reservation) -> None:
        """How long an answer was: the next one may be as long."""
        self._longest[hold.model] = max(hold.written, self._longest.get(hold.model, 0))

    def most(self, request: Request, *, batch: bool = False) -> Amount:
        """The most that a request may take, roughly for the input and by its limit for the answer.

        A request without a limit may take as much as its model wrote at most so far.
        """
        text = estimate_tokens(request.messages)
        if request.schema is not None:
            # Some servers write it into the prompt.
            text += estimate_text(json.dumps(request.schema.schema))
        tokens = math.ceil(MARGIN * text)
        limit = request.max_tokens or capabilities(request.model).default_max_tokens
        answer = limit or max(LONGEST_ANSWER, self._longest.get(request.model, 0))
        # Writing to a cache is the dearest that input can be.
        usage = Usage(tokens, 0, answer, tokens)
        usd = 0.0 if self.limits.usd is None else cost(request.model, usage, batch=batch) or 0.0
        return Amount(usd, tokens + answer, 1)

    def _reached(self, need: Amount) -> str:
        name = self.limits.passed_by(self.spent + need)
        more = {
            "usd": f"up to {need.usd:.4f} USD",
            "tokens": f"up to {need.tokens:,} tokens",
            "requests": "one more",
        }[name or "requests"]
        words = self.limits.in_words(self.spent)
        return f"{words} spent, and the next request would take {more}"
