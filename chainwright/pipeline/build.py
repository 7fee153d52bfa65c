"""Build: from a recipe to a run folder with a release, as far as something has changed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from chainwright.llm.meter import together
from chainwright.pipeline.asking import Asking, batches_away
from chainwright.pipeline.budgeting import budget_state, check_prices, limits_of
from chainwright.pipeline.checkers import load_checkers
from chainwright.pipeline.decontamination import are_unchanged, require_test_sets, test_set_prints
from chainwright.pipeline.errors import BudgetStop, Interrupted, RunStopped
from chainwright.pipeline.executor import Outcome, run_stage
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.line import (
    PROBLEMS,
    RELEASE,
    STATISTICS,
    Line,
    code_versions,
    standard_line,
)
from chainwright.pipeline.manifest import Manifest, StageRun, library_versions, load_manifest
from chainwright.pipeline.memory import forget_peak, memory
from chainwright.pipeline.people.human_folder import standing_answers
from chainwright.pipeline.problems import run_problems
from chainwright.pipeline.run_folder import RunFolder, held
from chainwright.pipeline.screens.progress import Progress
from chainwright.pipeline.screens.summary import BuildSummary, summarise
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.store import url_of
from chainwright.pipeline.sweep import run_sweep
from chainwright.pipeline.whole_run import run_release, run_statistics
from chainwright.recipe_file import load_recipe

if TYPE_CHECKING:
    from chainwright.llm.batches.pace import Pace
    from chainwright.pipeline.cluster.ray_cluster import Cluster
    from chainwright.recipe import Recipe


def build(
    recipe_path: Path,
    runs: Path | str,
    *,
    fresh: bool = False,
    quiet: bool = False,
    line: Line | None = None,
    ray: str | None = None,
) -> BuildSummary:
    """Runs the line over a recipe; what has not changed since the last build is skipped.

    Args:
        recipe_path: The recipe.
        runs: The folder that holds the run folders; the run's is named after the recipe. A URL
            (`s3://BUCKET/RUNS`) keeps the run there (see `Mirror`).
        fresh: Whether to remove what the stages made before.
        quiet: Whether to say nothing while working.
        line: The stages; those of chainwright by default.
        ray: Address of the Ray cluster that makes the blocks (`HOST:PORT`, `auto`, `local`), in
            place of what the recipe says.

    Raises:
        RecipeError: when the recipe, or a checker that it names, cannot be used.
        SourceError: when a source or a test set cannot be read.
        InputMistake: when no problem comes out of the sources, or the budget is in money and the
            price of a model is not known, or the Ray cluster cannot be used.
        BudgetStop: when the budget is spent.
        RunStopped: when another build holds the run folder, or a stage fails.
        Interrupted: when the user stops it (Ctrl-C, or a polite kill).
    """
    recipe = load_recipe(recipe_path)
    check_prices(recipe)
    url = url_of(runs)
    mirror = Mirror(url, recipe.name) if url else None
    folder = mirror.folder if mirror else RunFolder(Path(runs) / recipe.name)
    if mirror is not None:
        mirror.bring()
    prints = test_set_prints(recipe, recipe_path.parent)
    if prints and (fresh or not are_unchanged(folder, recipe_path, prints)):
        require_test_sets(recipe, recipe_path.parent)
    line = line or standard_line(standing_answers(folder))
    load_checkers(recipe, recipe_path)
    codes = code_versions(line, recipe)
    with held(folder):
        if fresh:
            folder.clear()
        under_way = _Build(
            folder,
            _opened(folder, recipe_path, prints),
            Progress(quiet=quiet),
            Asking(
                folder.ledger,
                recipe.requests.concurrency,
                recipe.requests.each_limit,
                _pace(recipe),
                limits_of(recipe),
            ),
            mirror=mirror,
        )
        with (
            mirror.kept_up() if mirror else nullcontext(),
            under_way.progress,
            _recorded(under_way, recipe),
            _stoppable(),
            closing(under_way.asking),
            _cluster(ray, recipe, folder) as under_way.cluster,
        ):
            if mirror is not None:
                under_way.progress.tell(f"{mirror.url}: its working copy is {folder.path}")
            _run(under_way, recipe, recipe_path.parent, line, codes)
        return summarise(folder, recipe, under_way.manifest, under_way.journals)


@dataclass
class _Build:
    """A build under way."""

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


def _run(
    under_way: _Build, recipe: Recipe, recipe_folder: Path, line: Line, codes: Mapping[str, str]
) -> None:
    folder, manifest, progress = under_way.folder, under_way.manifest, under_way.progress
    under_way.begin(PROBLEMS, None)
    read = run_problems(folder, recipe, recipe_folder, codes[PROBLEMS], manifest, progress)
    under_way.end(PROBLEMS, read)
    blocks = manifest.blocks or 0
    try:
        _run_blocks(under_way, recipe, line, codes, blocks)
    except BudgetStop as stop:
        raise BudgetStop(stop.spent, under_way.left(line, recipe)) from stop
    release = partial(run_release, recipe_folder=recipe_folder, prints=manifest.test_sets)
    for whole, run in ((STATISTICS, run_statistics), (RELEASE, release)):
        under_way.begin(whole.name, 1)
        done = run(
            folder,
            line,
            recipe,
            under_way.journals,
            codes[whole.name],
            blocks,
            progress.advance,
        )
        under_way.end(whole.name, done)


def _run_blocks(
    under_way: _Build, recipe: Recipe, line: Line, codes: Mapping[str, str], blocks: int
) -> None:
    """The stages that work block by block."""
    folder = under_way.folder
    for stage in line.stages:
        if not stage.wanted(recipe):
            folder.drop(stage.name)
            continue
        under_way.begin(stage.name, blocks)
        given = (folder, stage, recipe, under_way.journals, codes[stage.name], blocks)
        asking, advance, tick = under_way.asking, under_way.advance, under_way.tick
        if stage.sweep is not None:
            done = run_sweep(*given, advance)
        elif under_way.cluster is None or (asking.in_batches and stage.ask is not None):
            done = run_stage(*given, advance, asking, tick)
        else:
            from chainwright.pipeline.cluster.ray_stage import run_stage_on_ray

            done = run_stage_on_ray(under_way.cluster, *given, advance, asking, tick)
        under_way.end(stage.name, done)


def _opened(folder: RunFolder, recipe_path: Path, prints: list[str]) -> Manifest:
    """The manifest of a build that begins; what is known of finished stages carries over."""
    former = load_manifest(folder)
    manifest = Manifest(
        name=folder.name,
        recipe=str(recipe_path.absolute()),
        versions=library_versions(),
        blocks=former.blocks if former else None,
        problems=former.problems if former else None,
        sources=former.sources if former else {},
        test_sets=prints,
        started=_now(),
    )
    write_atomically(folder.recipe, recipe_path.read_text(encoding="utf-8-sig"))
    manifest.save(folder)
    folder.error_log.unlink(missing_ok=True)
    return manifest


@contextmanager
def _recorded(under_way: _Build, recipe: Recipe) -> Iterator[None]:
    """Records in the manifest how the build ends, and turns a Ctrl-C into `Interrupted`."""
    manifest, progress = under_way.manifest, under_way.progress
    try:
        yield
        manifest.outcome = "done"
    except KeyboardInterrupt:
        away = _words_on_batches(under_way.folder)
        interrupted = Interrupted(progress.stage, progress.done, progress.total, away)
        manifest.outcome, manifest.message = "interrupted", str(interrupted)
        raise interrupted from None
    except Exception as error:
        manifest.outcome, manifest.message = "stopped", str(error)
        raise
    finally:
        under_way.break_off()
        with suppress(RunStopped):  # the build has said so, if it needed one
            manifest.budget = budget_state(recipe, under_way.folder)
        manifest.finished = _now()
        try:
            manifest.save(under_way.folder)
        except OSError:
            if manifest.outcome == "done":
                raise
            # else a disk that is full has been told of already, or what came before matters more


@contextmanager
def _stoppable() -> Iterator[None]:
    """Lets a polite kill (SIGTERM) stop a build the way Ctrl-C does.

    Where models are being asked, both are seen to there: what is under way is cancelled in order.
    """

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _cluster(
    address: str | None, recipe: Recipe, folder: RunFolder
) -> AbstractContextManager[Cluster | None]:
    """The cluster that is to make the blocks; None where this process does."""
    if address is None and recipe.executor == "local":
        return nullcontext()
    from chainwright.pipeline.cluster.ray_cluster import connected
    from chainwright.pipeline.cluster.ray_connection import AUTO

    return connected(
        address or os.environ.get("RAY_ADDRESS") or AUTO,
        folder.ledger,
        recipe.requests.concurrency,
        tuple(recipe.requests.each_limit),
        limits_of(recipe),
    )


def _pace(recipe: Recipe) -> Pace | None:
    from chainwright.llm.batches.pace import PACE

    return PACE if recipe.requests.mode == "batch" else None


def _words_on_batches(folder: RunFolder) -> str:
    away = batches_away(folder.ledger)
    if not away:
        return ""
    return (
        f"{away}, and are looked after again by then; `chainwright batches {folder.name}` shows "
        "them, with --cancel it cancels them"
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
