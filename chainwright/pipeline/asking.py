"""Asking: the one event loop and the one client by which a build asks models."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chainwright.pipeline.errors import BudgetStop, InputMistake, RunStopped
from chainwright.pipeline.tally import ModelTally

if TYPE_CHECKING:
    from chainwright.llm.budget import Budget, Limits
    from chainwright.llm.client import Client
    from chainwright.llm.ledger import Ledger
    from chainwright.llm.request import Answer, Asker, Request

T = TypeVar("T")

TICK = 0.5
"""Seconds between two looks at the counts."""


class Asking:
    """What a build asks models with.

    Nothing is opened until a first request is made: a build without models leaves no ledger.

    Args:
        ledger: The file of the run's paid answers.
        concurrency: Requests under way at once.
        limits: What the run may spend, earlier builds included; None = as much as it takes.
    """

    def __init__(self, ledger: Path, concurrency: int, limits: Limits | None = None) -> None:
        self._path = ledger
        self._limits = limits
        self._concurrency = concurrency
        self._runner: asyncio.Runner | None = None
        self._ledger: Ledger | None = None
        self._client: Client | None = None
        self._seen: set[str] = set()
        self.tallies: dict[str, ModelTally] = {}
        """By model; of the stage under way."""

    def begin(self) -> None:
        """A stage starts: the counts do too."""
        self._seen = set()
        self.tallies = defaultdict(ModelTally)

    def run(self, work: Callable[[Asker], Awaitable[T]], tick: Callable[[], None]) -> T:
        """What the work comes to; it is cancelled by Ctrl-C.

        Args:
            work: Given an asker, what is to be awaited.
            tick: Called every now and then while it goes on.

        Raises:
            InputMistake: when a model cannot be asked at all (a bad key, an unknown model, a
                refused connection).
            BudgetStop: when the budget is spent.
            RunStopped: when the ledger cannot be used.
        """
        from chainwright.llm.budget import BudgetReached
        from chainwright.llm.ledger import LedgerError
        from chainwright.llm.request import ModelUnavailable

        if self._runner is None:
            self._runner = asyncio.Runner()
        try:
            return self._runner.run(self._ticking(work, tick))
        except ModelUnavailable as error:
            raise InputMistake(
                f"{error} (what was answered is kept; the same command goes on from there)"
            ) from error
        except BudgetReached as error:
            raise BudgetStop(str(error)) from error
        except LedgerError as error:
            raise RunStopped(str(error)) from error

    async def ask(self, request: Request) -> Answer:
        """The answer to a request, counted; a request made twice in a stage counts once."""
        if self._client is None:
            self._client = self._opened()
        answer = await self._client.ask(request)
        if not (answer.from_ledger and answer.key in self._seen):
            self.tallies[str(request.model)].count(answer)
        self._seen.add(answer.key)
        return answer

    @property
    def budget(self) -> Budget | None:
        """What was spent of what; None as long as no model was asked."""
        return self._client.budget if self._client else None

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
        from chainwright.llm.budget import Budget
        from chainwright.llm.client import Client
        from chainwright.llm.ledger import Ledger

        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._ledger = Ledger(self._path)
        # All of the run's life counts: what is asked of models again was removed on purpose.
        budget = Budget(self._limits, self._ledger.spent())
        return Client(self._ledger, concurrency=self._concurrency, budget=budget)

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
