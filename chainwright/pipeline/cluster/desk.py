"""Desk: the one place of a build on a cluster that grants turns and keeps answers.

Blocks are made on many machines at once, yet the recipe's limits hold for all of them together,
its budget is one, and a request is sent by one of them alone. So every worker comes here before it
sends, and again with what it got. An answer counts when it is committed in the run's ledger, which
this is the only one to write: what a machine takes down with it is what it had under way.

Nothing here knows of Ray: a desk is a plain object of one event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from chainwright.llm.budget import Amount, Budget, BudgetReached, Limits, Reservation
from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.limits import Limit
from chainwright.llm.meter import ModelTally, together
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.request import Answer, ModelAway
from chainwright.llm.request_key import KeyedRequest
from chainwright.llm.turns import Lanes
from chainwright.llm.uri import ModelUri
from chainwright.pipeline.cluster.desk_messages import Denial, Elsewhere, Found, Kept, State
from chainwright.pipeline.cluster.notes import Notes


@dataclass
class _Worker:
    """What one attempt at a block has in its hands."""

    turns: dict[int, Any] = field(default_factory=dict)
    holds: dict[int, Reservation] = field(default_factory=dict)
    claims: set[str] = field(default_factory=set)
    tallies: dict[str, ModelTally] = field(default_factory=dict)
    planned: int = 0


_GONE = Denial("ledger", "the block is no longer this worker's to make")


class Desk:
    """Serves the workers of a build; each attempt at a block has a name of its own, its `who`.

    The ledger is opened when something is first asked for.

    Args:
        ledger: The run's.
        concurrency: Requests in flight at once, over all workers and models.
        limits: What may be sent to which model each minute.
        most: What the run may spend; None = as much as it takes.
    """

    def __init__(
        self,
        ledger: Path,
        concurrency: int,
        limits: Iterable[Limit] = (),
        most: Limits | None = None,
    ) -> None:
        self._path = ledger
        self._most = most
        self._lanes = Lanes(concurrency, limits, Patience())
        self._ledger: Ledger | None = None
        self._budget: Budget | None = None
        self._workers: defaultdict[str, _Worker] = defaultdict(_Worker)
        self._gone: set[str] = set()
        self._claims: dict[str, asyncio.Event] = {}
        self._past: list[dict[str, ModelTally]] = []
        self._number = 0
        self._news: list[str] = []
        self._told: set[str] = set()
        self._notes = Notes(self._tell)
        logging.getLogger("chainwright").addHandler(self._notes)

    async def find(self, who: str, keys: Sequence[str]) -> list[Found]:
        """What there is for each key; who gets None has to ask, and is waited for by others."""
        if who in self._gone:
            return [_GONE] * len(keys)
        try:
            ledger = self._opened()
            return [self._found(ledger, who, key) for key in keys]
        except LedgerError as error:
            return [Denial("ledger", str(error))] * len(keys)

    async def wait(self, who: str, key: str) -> Found:
        """Wait for the worker that asks for a key, then as `find`."""
        claim = self._claims.get(key)
        if claim is not None:
            await claim.wait()
        return (await self.find(who, [key]))[0]

    async def keep(self, who: str, answers: Sequence[Kept]) -> list[Answer] | Denial:
        """Commit answers; of a worker that was given up too, since they are paid for."""
        try:
            ledger = self._opened()
            waiting = [ledger.put(one.request, one.answer, one.attempts) for one in answers]
            kept = [await asyncio.wrap_future(one) for one in waiting]
        except LedgerError as error:
            return Denial("ledger", str(error))
        for one in answers:
            self._drop_claim(who, one.request.key)
        return kept

    async def fail(
        self, who: str, request: KeyedRequest, error: str, attempts: int
    ) -> Denial | None:
        """Count a request that got no answer."""
        try:
            await asyncio.wrap_future(self._opened().count_failure(request, error, attempts))
        except LedgerError as fault:
            return Denial("ledger", str(fault))
        self._drop_claim(who, request.key)
        return None

    async def hold(self, who: str, model: ModelUri, need: Amount) -> int | Denial:
        """Reserve what a request takes at most (see `Budget.hold`)."""
        try:
            self._opened()
        except LedgerError as error:
            return Denial("ledger", str(error))
        budget = self._budget
        if who in self._gone or budget is None:
            return _GONE
        try:
            hold = await budget.hold(model, lambda: need)
        except BudgetReached as error:
            return Denial("budget", str(error))
        if who in self._gone:
            budget.release(hold)
            return _GONE
        self._number += 1
        self._workers[who].holds[self._number] = hold
        return self._number

    async def release(self, who: str, number: int, taken: Amount, written: int) -> None:
        """End a reservation with what the request took."""
        hold = self._workers[who].holds.pop(number, None) if who not in self._gone else None
        if hold is not None and self._budget is not None:
            hold.taken, hold.written = taken, written
            self._budget.release(hold)

    async def enter(self, who: str, model: ModelUri, tokens: int) -> int | Denial:
        """Wait for a turn (see `Turns.enter`)."""
        if who in self._gone:
            return _GONE
        try:
            turn = await self._lanes.enter(model, tokens)
        except ModelAway as error:
            return Denial("away", str(error))
        if who in self._gone:
            self._lanes.leave(turn)
            return _GONE
        self._number += 1
        self._workers[who].turns[self._number] = turn
        return self._number

    async def note(self, who: str, number: int, reply: Reply) -> Denial | None:
        """Draw the conclusions of a reply (see `Turns.note`)."""
        turn = self._workers[who].turns.get(number) if who not in self._gone else None
        try:
            if turn is not None:
                await self._lanes.note(turn, reply)
        except ModelAway as error:
            return Denial("away", str(error))
        return None

    async def leave(self, who: str, number: int, reply: Reply | None = None) -> None:
        """Give a turn back, with the reply where it has not been noted yet."""
        turn = self._workers[who].turns.pop(number, None) if who not in self._gone else None
        if turn is not None:
            if reply is not None:
                await self._lanes.note(turn, reply)
            self._lanes.leave(turn)

    async def report(
        self, who: str, tallies: Mapping[str, ModelTally], planned: int, news: Sequence[str] = ()
    ) -> None:
        """What a worker has asked so far."""
        for line in news:
            self._tell(line)
        if who not in self._gone:
            self._workers[who].tallies, self._workers[who].planned = dict(tallies), planned

    async def forget(self, who: str) -> None:
        """An attempt is over, or its worker lost: what it holds is free, and it gets no more."""
        if who in self._gone:
            return
        self._gone.add(who)
        worker = self._workers.pop(who, None)
        if worker is None:
            return
        self._past.append(worker.tallies)
        for turn in worker.turns.values():
            self._lanes.leave(turn)
        for hold in worker.holds.values():
            if self._budget is not None:
                self._budget.release(hold)
        for key in worker.claims:
            self._drop_claim(who, key, forget=False)

    async def begin(self) -> None:
        """A stage starts: the counts do too."""
        self._past = []

    async def look(self) -> State:
        """What there is to show; news are told once."""
        news, self._news = self._news, []
        under_way = [one.planned for one in self._workers.values() if one.planned]
        return State(
            tallies=_sums([*self._past, *(one.tallies for one in self._workers.values())]),
            planned=round(fmean(under_way)) if under_way else 0,
            holdups=self._lanes.holdups,
            spent=self._budget.spent if self._budget else None,
            news=news,
        )

    async def close(self) -> None:
        """Commit what is under way and close the ledger."""
        logging.getLogger("chainwright").removeHandler(self._notes)
        if self._ledger is not None:
            await asyncio.to_thread(self._ledger.close)

    def _opened(self) -> Ledger:
        if self._ledger is None:
            if not self._path.parent.is_dir():
                raise LedgerError(
                    f"the ledger {self._path} cannot be opened: its folder is not there for the "
                    "process that keeps it, which runs on the node of the command"
                )
            self._ledger = Ledger(self._path)
            self._budget = Budget(self._most, self._ledger.spent())
        return self._ledger

    def _found(self, ledger: Ledger, who: str, key: str) -> Answer | Elsewhere | None:
        answer = ledger.get(key)
        if answer is not None:
            return answer
        if key in self._claims and key not in self._workers[who].claims:
            return Elsewhere()
        self._claims.setdefault(key, asyncio.Event())
        self._workers[who].claims.add(key)
        return None

    def _drop_claim(self, who: str, key: str, *, forget: bool = True) -> None:
        if forget:
            if who in self._gone or key not in self._workers[who].claims:
                return  # it may be another's by now
            self._workers[who].claims.discard(key)
        claim = self._claims.pop(key, None)
        if claim is not None:
            claim.set()

    def _tell(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._news.append(line)


def _sums(parts: Iterable[Mapping[str, ModelTally]]) -> dict[str, ModelTally]:
    by_model: defaultdict[str, list[ModelTally]] = defaultdict(list)
    for part in parts:
        for model, tally in part.items():
            by_model[model].append(tally)
    return {model: together(found) for model, found in by_model.items()}
