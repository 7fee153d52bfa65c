"""Asking: the one event loop and the one client by which a build asks models."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chainwright.llm.meter import Meter, ModelTally
from chainwright.pipeline.errors import InputMistake, RunStopped

if TYPE_CHECKING:
    from chainwright.llm.client import Client
    from chainwright.llm.ledger import Ledger
    from chainwright.llm.limits import Limit
    from chainwright.llm.request import Answer, Asker, Request

T = TypeVar("T")

TICK = 0.5
"""Seconds between two looks at the counts."""

_KEPT = "what was answered is kept; the same command goes on from there"


class Asking:
    """What a build asks models with.

    Nothing is opened until a first request is made: a build without models leaves no ledger.

    Args:
        ledger: The file of the run's paid answers.
        concurrency: Requests under way at once.
        limits: What may be sent to which model each minute.
    """

    def __init__(self, ledger: Path, concurrency: int, limits: Iterable[Limit] = ()) -> None:
        self._path = ledger
        self._concurrency = concurrency
        self._limits = tuple(limits)
        self._runner: asyncio.Runner | None = None
        self._ledger: Ledger | None = None
        self._client: Client | None = None
        self._meter = Meter()

    @property
    def tallies(self) -> dict[str, ModelTally]:
        """What was asked in the stage under way, by model."""
        return dict(self._meter.models)

    @property
    def to_ask_again(self) -> int:
        """Requests of the stage under way that got no answer, and may get one another time."""
        return sum(tally.to_ask_again for tally in self._meter.models.values())

    @property
    def holdups(self) -> list[str]:
        """What requests wait for: limits of models, and pauses."""
        return self._client.holdups if self._client else []

    def begin(self) -> None:
        """A stage starts: the counts do too."""
        self._meter.begin_anew()

    def run(self, work: Callable[[Asker], Awaitable[T]], tick: Callable[[], None]) -> T:
        """What the work comes to; it is cancelled by Ctrl-C.

        Args:
            work: Given an asker, what is to be awaited.
            tick: Called every now and then while it goes on.

        Raises:
            InputMistake: when a model cannot be asked at all (a bad key, an unknown model, a
                refused connection).
            RunStopped: when the ledger cannot be used, or a model gives no more answers.
        """
        from chainwright.llm.ledger import LedgerError
        from chainwright.llm.request import ModelAway, ModelUnavailable

        if self._runner is None:
            self._runner = asyncio.Runner()
        try:
            return self._runner.run(self._ticking(work, tick))
        except ModelAway as error:
            raise RunStopped(f"{error} ({_KEPT})") from error
        except ModelUnavailable as error:
            raise InputMistake(f"{error} ({_KEPT})") from error
        except LedgerError as error:
            raise RunStopped(str(error)) from error

    async def ask(self, request: Request) -> Answer:
        """The answer to a request (see `Asker`)."""
        if self._client is None:
            self._client = self._opened()
        return await self._client.ask(request)

    def close(self) -> None:
        """Ends what is under way and closes the ledger; a second time does nothing."""
        runner, self._runner = self._runner, None
        client, self._client = self._client, None
        ledger, self._ledger = self._ledger, None
        try:
            if runner is not None:
                with runner:
                    if client is not None:
                        runner.run(client.close())
        finally:
            if ledger is not None:
                ledger.close()

    def _opened(self) -> Client:
        from chainwright.llm.client import Client
        from chainwright.llm.ledger import Ledger

        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._ledger = Ledger(self._path)
        return Client(
            self._ledger,
            concurrency=self._concurrency,
            limits=self._limits,
            meter=self._meter,
        )

    async def _ticking(self, work: Callable[[Asker], Awaitable[T]], tick: Callable[[], None]) -> T:
        async def look() -> None:
            while True:
                tick()
                await asyncio.sleep(TICK)

        looking = asyncio.create_task(look())
        try:
            return await work(self)
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
