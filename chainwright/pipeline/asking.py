"""Asking: the one event loop and the one client by which a build asks models."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from chainwright.llm.batches.hold import Hold
from chainwright.llm.meter import Meter, ModelTally
from chainwright.pipeline.errors import BudgetStop, InputMistake, RunStopped

if TYPE_CHECKING:
    from chainwright.llm.batches.pace import Pace
    from chainwright.llm.budget import Budget, Limits
    from chainwright.llm.client import Client
    from chainwright.llm.ledger import Ledger
    from chainwright.llm.limits import Limit
    from chainwright.llm.request import Answer, Asker, Request

T = TypeVar("T")

TICK = 0.5
"""Seconds between two looks at the counts."""

_KEPT = "what was answered is kept; the same command goes on from there"


@dataclass(frozen=True)
class Elsewhere:
    """What other processes have asked models for this build, in the stage under way.

    Attributes:
        tallies: By model.
        holdups: What their requests wait for.
        budget: What was spent of what, where models were asked.
        news: What is to be told once.
    """

    tallies: dict[str, ModelTally]
    holdups: list[str]
    budget: Budget | None = None
    news: list[str] = field(default_factory=list)


class Asking:
    """What a build asks models with.

    Nothing is opened until a first request is made: a build without models leaves no ledger.

    Args:
        ledger: The file of the run's paid answers.
        concurrency: Requests under way at once.
        limits: What may be sent to which model each minute.
        pace: Given, models are asked in batches where they have any.
        most: What the run may spend, earlier builds included; None = as much as it takes.
    """

    def __init__(
        self,
        ledger: Path,
        concurrency: int,
        limits: Iterable[Limit] = (),
        pace: Pace | None = None,
        most: Limits | None = None,
    ) -> None:
        self._path = ledger
        self._concurrency = concurrency
        self._limits = tuple(limits)
        self._pace = pace
        self._most = most
        self._news: list[str] = []
        self.hold = Hold()
        """Within it no batch is cut for want of further requests."""
        self._runner: asyncio.Runner | None = None
        self._ledger: Ledger | None = None
        self._client: Client | None = None
        self._budget: Budget | None = None
        self._elsewhere: Elsewhere | None = None
        self._meter = Meter()

    @property
    def tallies(self) -> dict[str, ModelTally]:
        """What was asked in the stage under way, by model."""
        return self._elsewhere.tallies if self._elsewhere else dict(self._meter.models)

    @property
    def to_ask_again(self) -> int:
        """Requests of the stage under way that got no answer, and may get one another time."""
        return sum(tally.to_ask_again for tally in self._meter.models.values())

    @property
    def holdups(self) -> list[str]:
        """What requests wait for: limits of models, and pauses."""
        if self._elsewhere:
            return self._elsewhere.holdups
        return self._client.holdups if self._client else []

    def begin(self) -> None:
        """A stage starts: the counts do too."""
        self._meter.begin_anew()
        self._elsewhere = None

    def hear(self, elsewhere: Elsewhere) -> None:
        """Others ask for this build: until the next stage their counts stand for its own."""
        self._news += elsewhere.news
        self._elsewhere = elsewhere
        self._budget = elsewhere.budget or self._budget

    def run(self, work: Callable[[Asker], Awaitable[T]], tick: Callable[[], None]) -> T:
        """What the work comes to; it is cancelled by Ctrl-C and by a polite kill.

        Args:
            work: Given an asker, what is to be awaited.
            tick: Called every now and then while it goes on.

        Raises:
            InputMistake: when a model cannot be asked at all (a bad key, an unknown model, a
                refused connection).
            BudgetStop: when the budget is spent.
            RunStopped: when the ledger cannot be used, or a model gives no more answers.
            KeyboardInterrupt: when it was cancelled.
        """
        if self._runner is None:
            self._runner = asyncio.Runner()
        with ends_of_a_run():
            return self._runner.run(self._ticking(work, tick))

    async def ask(self, request: Request) -> Answer:
        """The answer to a request (see `Asker`)."""
        if self._client is None:
            self._client = self._opened()
        return await self._client.ask(request)

    @property
    def in_batches(self) -> bool:
        """Whether blocks had better be asked for together, so that their requests share batches."""
        return self._pace is not None

    @property
    def batches(self) -> str:
        """What is at the providers, in words; empty where nothing is."""
        there = self._client.batches if self._client else None
        return str(there.board) if there else ""

    def news(self) -> list[str]:
        """What is to be told once, and then no more."""
        news, self._news = self._news, []
        there = self._client.batches if self._client else None
        return news + (there.board.told() if there else [])

    def tell(self, line: str) -> None:
        """Something that is to be told once."""
        self._news.append(line)

    @property
    def budget(self) -> Budget | None:
        """What was spent of what; None as long as no model was asked."""
        return self._budget

    def close(self) -> None:
        """Ends what is under way and closes the ledger; a second time does nothing."""
        runner, self._runner = self._runner, None
        client, self._client = self._client, None
        ledger, self._ledger = self._ledger, None
        try:
            if runner is not None:
                with runner:
                    runner.run(_ended(client))
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
        self._budget = Budget(self._most, self._ledger.spent())
        if self._pace is None and (away := _away(self._ledger)):
            self._news.append(f"{away}; asked online, their requests are paid for again")
        return Client(
            self._ledger,
            concurrency=self._concurrency,
            limits=self._limits,
            meter=self._meter,
            pace=self._pace,
            hold=self.hold,
            budget=self._budget,
        )

    async def _ticking(self, work: Callable[[Asker], Awaitable[T]], tick: Callable[[], None]) -> T:
        async def look() -> None:
            while True:
                tick()
                await asyncio.sleep(TICK)

        looking = asyncio.create_task(look())
        try:
            with _politely_killed():
                return await work(self)
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking


@contextmanager
def _politely_killed() -> Iterator[None]:
    """Lets SIGTERM cancel the task that is at work, as asyncio does with Ctrl-C where it may.

    A handler that raised might do so within a destructor, where Python drops what is raised.

    Raises:
        KeyboardInterrupt: when the signal came.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    if task is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    killed = False

    def kill(signum: int, frame: FrameType | None) -> None:
        nonlocal killed
        if not killed:
            killed = True
            task.cancel()
            loop.call_soon_threadsafe(lambda: None)  # it may be asleep

    before = signal.signal(signal.SIGTERM, kill)
    try:
        yield
    except asyncio.CancelledError:
        if not killed:
            raise
    finally:
        signal.signal(signal.SIGTERM, before)
    if killed:
        raise KeyboardInterrupt


async def _ended(client: Client | None) -> None:
    """Closes the client and ends the requests that a second Ctrl-C has left under way."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if client is not None:
        await client.close()
    await asyncio.gather(*left, return_exceptions=True)


@contextmanager
def ends_of_a_run() -> Iterator[None]:
    """Turns what ends a run while models are asked into words for the user.

    Raises:
        InputMistake: when a model cannot be asked at all.
        BudgetStop: when the budget is spent.
        RunStopped: when the ledger cannot be used, or a model gives no more answers.
    """
    from chainwright.llm.budget import BudgetReached
    from chainwright.llm.ledger import LedgerError
    from chainwright.llm.request import ModelAway, ModelUnavailable

    try:
        yield
    except BudgetReached as error:
        raise BudgetStop(str(error)) from error
    except ModelAway as error:
        raise RunStopped(f"{error} ({_KEPT})") from error
    except ModelUnavailable as error:
        raise InputMistake(f"{error} ({_KEPT})") from error
    except LedgerError as error:
        raise RunStopped(str(error)) from error


def batches_away(ledger: Path) -> str:
    """What waits at the providers for a further build, in words; empty where nothing does."""
    from chainwright.llm.ledger import Ledger, LedgerError

    if not ledger.is_file():
        return ""
    try:
        with Ledger(ledger) as opened:
            return _away(opened)
    except LedgerError:
        return ""


def _away(ledger: Ledger) -> str:
    from chainwright.llm.batches.records import BatchRecords

    there = [one for one in BatchRecords(ledger).all() if one.is_open]
    if not there:
        return ""
    waiting = sum(one.waiting for one in there)
    what = "1 batch" if len(there) == 1 else f"{len(there)} batches"
    return f"{what} with {waiting} unanswered requests may go on at the provider"
