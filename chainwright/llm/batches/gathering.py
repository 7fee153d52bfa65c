"""Gathering: requests that come one by one, cut into batches."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from chainwright.llm.batches.hold import Hold
from chainwright.llm.batches.service import Item, Limits
from chainwright.llm.request_key import KeyedRequest

ROUNDS = 50
"""Rounds of the event loop in which whoever is about to ask gets to ask."""


@dataclass(frozen=True)
class Gathered:
    """A request that waits for its batch to be made."""

    keyed: KeyedRequest
    item: Item


@dataclass
class Gathering:
    """Gathers requests until they fill a batch, or no further one has come for a while.

    Args:
        limits: What fits; `most` may lower the number of requests.
        quiet: Seconds without a new one.
        cut: Given the requests of a batch.
        hold: While it holds, it is not quiet.
    """

    limits: Limits
    quiet: float
    cut: Callable[[list[Gathered]], None]
    hold: Hold
    most: int = 0
    _gathered: dict[str, Gathered] = field(default_factory=dict)
    _bytes: int = 0
    _last: float = 0.0
    _clock: asyncio.Task[None] | None = None
    _closed: bool = False

    def __post_init__(self) -> None:
        self.most = self.most or self.limits.requests

    def __len__(self) -> int:
        return len(self._gathered)

    def add(self, one: Gathered) -> None:
        """A further request; may cut a batch of it and those before, or of those before."""
        if self._bytes + one.item.size > self.limits.bytes:
            self.cut_now()
        self._gathered[one.item.key] = one
        self._bytes += one.item.size
        self.stir()
        if len(self._gathered) >= self.most:
            self.cut_now()
        elif self._clock is None:
            self._clock = asyncio.create_task(self._when_quiet())

    def stir(self) -> None:
        """It is not quiet right now."""
        self._last = asyncio.get_running_loop().time()

    def take_back(self, key: str) -> None:
        """Nobody waits for a request any more."""
        if one := self._gathered.pop(key, None):
            self._bytes -= one.item.size

    def cut_now(self) -> None:
        """Make a batch of what is there."""
        gathered, self._gathered, self._bytes = list(self._gathered.values()), {}, 0
        if gathered and not self._closed:
            self.cut(gathered)

    async def until_quiet(self) -> None:
        """Come back when no request has come for a while."""
        loop = asyncio.get_running_loop()
        while True:
            if self.hold:
                self.stir()
            if (left := self._last + self.quiet - loop.time()) > 0:
                await asyncio.sleep(left)
                continue
            last = self._last
            # Where all is slow, time passes without a request although many are being made.
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
            if last == self._last and not self.hold:
                return

    def close(self) -> None:
        """Cut nothing any more."""
        self._closed = True
        if self._clock is not None:
            self._clock.cancel()
        self._gathered.clear()

    async def _when_quiet(self) -> None:
        await self.until_quiet()
        self._clock = None
        self.cut_now()
