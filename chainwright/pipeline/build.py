"""Build: from a recipe to a run folder with a release, as far as something has changed."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from chainwright.pipeline.asking import Asking, batches_away
from chainwright.pipeline.budgeting import budget_state, check_prices, limits_of
from chainwright.pipeline.checkers import load_checkers
from chainwright.pipeline.decontamination import are_unchanged, require_test_sets, test_set_prints
from chainwright.pipeline.errors import BudgetStop, Interrupted, RunStopped
from chainwright.pipeline.executor import run_stage
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.line import (
    PROBLEMS,
    RELEASE,
    STATISTICS,
    Line,
    code_versions,
    standard_line,
)
from chainwright.pipeline.manifest import Manifest, library_versions, load_manifest
from chainwright.pipeline.people.human_folder import standing_answers
from chainwright.pipeline.problems import run_problems
from chainwright.pipeline.run_folder import RunFolder, held
from chainwright.pipeline.screens.progress import Progress
from chainwright.pipeline.screens.summary import BuildSummary, summarise
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.store import url_of
from chainwright.pipeline.sweep import run_sweep
from chainwright.pipeline.under_way import UnderWay
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
        under_way = UnderWay(
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


def _run(
    under_way: UnderWay, recipe: Recipe, recipe_folder: Path, line: Line, codes: Mapping[str, str]
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
    under_way: UnderWay, recipe: Recipe, line: Line, codes: Mapping[str, str], blocks: int
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
def _recorded(under_way: UnderWay, recipe: Recipe) -> Iterator[None]:
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
        gc.unfreeze()
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
