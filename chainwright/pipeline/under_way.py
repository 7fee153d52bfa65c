"""Under way: a build at work, what it says of itself, and what its manifest keeps of each stage."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chainwright.llm.meter import together
from chainwright.pipeline.asking import Asking
from chainwright.pipeline.executor import Outcome
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.line import Line
from chainwright.pipeline.manifest import Manifest, StageRun
from chainwright.pipeline.memory import forget_peak, memory
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.progress import Progress
from chainwright.pipeline.stores.mirror import Mirror

if TYPE_CHECKING:
    from chainwright.pipeline.cluster.ray_cluster import Cluster
    from chainwright.recipe import Recipe


@dataclass
class UnderWay:
    """What a build has at hand while it works, and what it has done so far."""

    folder: RunFolder
    manifest: Manifest
    progress: Progress
    asking: Asking
    mirror: Mirror | None = None
    cluster: Cluster | None = None
    journals: dict[str, Journal] = field(default_factory=dict)
    planned: int = 0
    """Requests of the block under way, second tries aside."""
    processor: float = 0.0
    """What the processor had spent when the stage under way began."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts."""
        self.progress.begin(stage, total)
        self.asking.begin()
        self.processor = time.process_time()
        # What earlier stages leave mostly stays to the end; the garbage collector need not look
        # through all of it again and again while the blocks of this one are made.
        gc.freeze()
        forget_peak()
        self.planned = 0

    def tick(self, planned: int) -> None:
        """Models are being asked."""
        self.planned = planned
        asking, budget = self.asking, self.asking.budget
        for line in asking.news():
            self.progress.tell(line)
        tally = together(asking.tallies.values())
        spent = budget.limits.in_words(budget.spent) if budget else ""
        self.progress.asked(tally, planned, asking.holdups, asking.batches, spent)

    def advance(self, ran: bool) -> None:
        """One more block is finished."""
        self.tick(self.planned)
        self.progress.advance(ran)

    def left(self, line: Line, recipe: Recipe) -> str:
        """What is still to be asked in the stage under way, roughly, and after it."""
        self.tick(self.planned)
        progress = self.progress
        blocks_left = (progress.total or 0) - progress.done
        requests = max(0, self.planned * blocks_left - progress.answered_in_block)
        names = [stage.name for stage in line.stages if stage.ask and stage.wanted(recipe)]
        later = names[names.index(progress.stage) + 1 :] if progress.stage in names else []
        then = f" and then those of {' and '.join(later)}" if later else ""
        return (
            f"; stage {progress.stage} has {progress.done} of {progress.total} blocks finished and "
            f"up to about {requests:,} requests left{then}"
        )

    def end(self, stage: str, done: tuple[Journal, Outcome]) -> None:
        """Keeps what a stage left, for the stages after it and for the manifest."""
        self.tick(0)
        self.progress.end()
        self.journals[stage], outcome = done
        held = memory()
        self.manifest.stages[stage] = StageRun(
            ran=outcome.ran,
            kept=outcome.kept,
            seconds=round(outcome.seconds, 3),
            processor=round(time.process_time() - self.processor, 3),
            models=self.asking.tallies,
            memory=held.now if held else None,
            peak_memory=held.peak if held else None,
        )
        self.manifest.save(self.folder)
        if self.mirror is not None:
            self.mirror.send()

    def break_off(self) -> None:
        """Keeps what an unfinished stage has asked models."""
        progress = self.progress
        if progress.stage in self.manifest.stages or not self.asking.tallies:
            return
        self.manifest.stages[progress.stage] = StageRun(
            ran=progress.ran,
            kept=progress.done - progress.ran,
            seconds=round(progress.seconds, 3),
            models=self.asking.tallies,
            finished=False,
        )
