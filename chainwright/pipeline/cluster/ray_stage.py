"""Ray stage: brings a stage's blocks up to date on a cluster, as the executor does on one machine.

The run folder is this process's alone, as ever: it reads the files that a block is made from and
writes those that come back, and then the line in the journal.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chainwright.llm.budget import Budget
from chainwright.pipeline.asking import TICK, Elsewhere
from chainwright.pipeline.cluster.block_task import Fault, Inputs, Job, Made
from chainwright.pipeline.cluster.ray_cluster import Cluster, Lost
from chainwright.pipeline.cluster.stamp import stamp
from chainwright.pipeline.errors import BudgetStop, InputMistake, RunStopped
from chainwright.pipeline.executor import (
    Advance,
    Outcome,
    Tick,
    Upstream,
    block_causes,
    due,
    finished,
    inputs,
)
from chainwright.pipeline.fault_log import stopped
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.journal import Causes, Entry, Journal
from chainwright.pipeline.run_folder import RunFolder

if TYPE_CHECKING:
    from chainwright.pipeline.asking import Asking
    from chainwright.recipe import Recipe
    from chainwright.stage import Stage

MOST_LOST = 4
"""Workers that a block may lose, until it is taken for the cause."""

AHEAD = 2
"""Blocks on their way for each slot of the cluster, so that none waits for its tables."""


@dataclass(frozen=True)
class _UnderWay:
    block: int
    causes: Causes
    who: str
    lost: int


def run_stage_on_ray(
    cluster: Cluster,
    folder: RunFolder,
    stage: Stage,
    recipe: Recipe,
    upstream: Upstream,
    code: str,
    blocks: int,
    advance: Advance,
    asking: Asking,
    tick: Tick = lambda planned: None,
) -> tuple[Journal, Outcome]:
    """Brings every block of a stage up to date (see `run_stage`).

    A block whose worker is lost is made again by another one.

    Raises:
        RunStopped: when a block fails, or loses one worker after the other; blocks finished before
            are kept.
        InputMistake: when a model cannot be asked, or a worker is not what it should be.
        BudgetStop: when the budget is spent.
    """
    start = time.monotonic()
    journal = Journal(folder.journal(stage.name))
    work = _Work(cluster, folder, stage, upstream, asking, tick)
    work.prepare(recipe)
    ran = 0
    causes = block_causes(stage, recipe, upstream, code, blocks)
    try:
        for entry in work.make(due(folder, stage, journal, causes, advance)):
            journal.add(entry)
            ran += 1
            work.look()
            advance(True)
        work.look()
    finally:
        work.end()
    return journal, finished(folder, stage, journal, blocks, ran, start)


class _Work:
    """The blocks of one stage that are on the cluster."""

    def __init__(
        self,
        cluster: Cluster,
        folder: RunFolder,
        stage: Stage,
        upstream: Upstream,
        asking: Asking,
        tick: Tick,
    ) -> None:
        self._cluster = cluster
        self._folder = folder
        self._stage = stage
        self._upstream = upstream
        self._asking = asking
        self._tick = tick
        self._under_way: dict[Any, _UnderWay] = {}
        self._job: Any = None
        self._looked = 0.0

    def prepare(self, recipe: Recipe) -> None:
        """Sends out what all blocks have in common."""
        stage, cluster = self._stage, self._cluster
        own = stage.own_code(recipe) if stage.own_code else ()
        job = Job(stage, recipe, stamp(), own, cluster.concurrency, cluster.limits, cluster.most)
        self._job = cluster.ready(job)
        cluster.begin()

    def make(self, blocks: Iterator[tuple[int, Causes]]) -> Iterator[Entry]:
        """Makes blocks, and gives the line of each when its files are written."""
        more = True
        while True:
            while more and len(self._under_way) < AHEAD * self._cluster.slots():
                block = next(blocks, None)
                more = block is not None
                if block is not None:
                    self._submit(*block)
            if not self._under_way:
                return
            for ended in self._cluster.wait(list(self._under_way), TICK):
                one = self._under_way.pop(ended)
                found = self._cluster.outcome(ended)
                self._cluster.forget(one.who)
                if isinstance(found, Made):
                    yield self._written(found)
                elif isinstance(found, Fault):
                    self._raise(one.block, found)
                else:
                    self._again(one, found)
            self.look()

    def look(self) -> None:
        """Tells those who watch the build what is being asked; twice a second is enough."""
        now = time.monotonic()
        if self._stage.ask is None or (now - self._looked < TICK and self._under_way):
            return
        self._looked = now
        state = self._cluster.look()
        if state is None:
            return
        budget = None if state.spent is None else Budget(self._cluster.most, state.spent)
        self._asking.hear(Elsewhere(state.tallies, state.holdups, budget, state.news))
        self._tick(state.planned)

    def end(self) -> None:
        """Gives up what is still under way."""
        self._cluster.cancel(list(self._under_way))
        for one in self._under_way.values():
            self._cluster.forget(one.who)
        self._under_way.clear()

    def _submit(self, block: int, causes: Causes, lost: int = 0) -> None:
        found = inputs(self._stage.reads, self._upstream, block)
        files = {
            name: (self._folder.path / name).read_bytes()
            for table in self._stage.reads
            for name, _ in found[table]
        }
        given = Inputs(block, causes, files)
        ended, who = self._cluster.submit(self._job, given, asks=self._stage.ask is not None)
        self._under_way[ended] = _UnderWay(block, causes, who, lost)

    def _again(self, one: _UnderWay, lost: Lost) -> None:
        times = one.lost + 1
        if times >= MOST_LOST:
            raise RunStopped(
                f"stage {self._stage.name}, block {one.block}: {times} workers were lost while "
                f"they made it, the last one so: {lost.why} (too little memory for a block? a "
                "smaller `block` in the recipe takes less); what was finished before is kept"
            )
        self._asking.tell(
            f"a worker was lost in stage {self._stage.name}, block {one.block}; it is made again "
            f"by another one ({lost.why})"
        )
        self._submit(one.block, one.causes, times)

    def _written(self, made: Made) -> Entry:
        """Puts the files of a block in place."""
        for name, content in made.files.items():
            if hashlib.sha256(content).hexdigest() != made.entry.files[name].sha256:
                raise RunStopped(f"{name} was damaged on its way from the worker; run it again")
            write_atomically(self._folder.path / name, content)
        return made.entry

    def _raise(self, block: int, fault: Fault) -> None:
        if fault.kind == "budget":
            raise BudgetStop(fault.text)
        if fault.kind == "mistake":
            raise InputMistake(fault.text)
        if fault.kind == "stopped":
            raise RunStopped(fault.text)
        with stopped(self._folder, self._stage.name, block):
            raise type(fault.name, (Exception,), {})(fault.text) from _OnWorker(fault.trace)


class _OnWorker(Exception):
    """Carries the traceback of a worker into the log."""

    def __init__(self, trace: str) -> None:
        super().__init__(f"on a worker of the cluster:\n{trace}")
