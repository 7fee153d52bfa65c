"""Problems: the first stage, which reads the sources and cuts the problems into blocks.

Blocks follow the order of the sources and of each source's sample. A larger limit only appends
to a sample, so with one source (or when the last one grows) finished blocks keep their rows, and
later stages skip them. Rejects of the whole stage lie in block 0.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chainwright.builders.sources import problems_from_sources
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.executor import (
    Outcome,
    check_accounts,
    entry_of,
    is_current,
    remove_strays,
    settings_hash,
    write_block,
)
from chainwright.pipeline.fault_log import stopped
from chainwright.pipeline.journal import Causes, Journal
from chainwright.pipeline.line import PROBLEMS as STAGE
from chainwright.pipeline.manifest import Manifest, SourceCount
from chainwright.pipeline.reading.rows import fingerprint, read_rows
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.progress import Progress
from chainwright.schemas.identity import content_hash
from chainwright.stage import Batch

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

WRITES = ("problems", "chains")
CANDIDATES = ("candidates", "brought")
"""What it writes in their place where a later stage filters them."""
PUBLISHED = "published"
"""What it writes besides, where the recipe has labelled sources."""
Row = TypeVar("Row")


def first_tables(recipe: Recipe) -> tuple[str, str]:
    """The tables that the stage writes: problems, and the chains that their rows bring along."""
    return WRITES if recipe.chains.groundedness is None else CANDIDATES


def all_tables(recipe: Recipe) -> tuple[str, ...]:
    """All tables that the stage writes."""
    is_labelled = any(source.kind == "labelled" for source in recipe.sources)
    return (*first_tables(recipe), *([PUBLISHED] if is_labelled else []))


def run_problems(
    folder: RunFolder,
    recipe: Recipe,
    recipe_folder: Path,
    code: str,
    manifest: Manifest,
    progress: Progress,
) -> tuple[Journal, Outcome]:
    """Brings the blocks of problems up to date, all of them or none.

    The manifest's `blocks`, `problems` and `sources` say how many there are and from what, and are
    set only when the stage is complete.

    Raises:
        SourceError: when a source cannot be read.
        InputMistake: when no problem comes out of the sources; the rejects are written.
    """
    start = time.monotonic()
    journal = Journal(folder.journal(STAGE))
    causes = problem_causes(recipe, recipe_folder, code)
    if problems_are_current(folder, journal, manifest, causes):
        for _ in range(manifest.blocks or 0):
            progress.advance(ran=False)
        return journal, Outcome(0, manifest.blocks or 0, time.monotonic() - start)
    manifest.blocks = manifest.problems = None
    manifest.sources = {}
    manifest.save(folder)
    with stopped(folder, STAGE):
        read = problems_from_sources(
            (
                (
                    source,
                    _counted(
                        read_rows(source, recipe_folder=recipe_folder, seed=recipe.seed),
                        progress.note,
                    ),
                )
                for source in recipe.sources
            ),
            recipe.seed,
        )
        check_accounts(STAGE, (*WRITES, PUBLISHED), 0, read)
        tables = all_tables(recipe)
        batches = [_renamed(batch, first_tables(recipe)) for batch in in_blocks(read, recipe)]
        progress.expect(len(batches))
        seconds = (time.monotonic() - start) / len(batches)
        for block, batch in enumerate(batches):
            files = write_block(folder, STAGE, tables, block, batch)
            journal.add(entry_of(STAGE, block, causes, files, batch, seconds))
            progress.advance(ran=True)
    journal.keep_only(len(batches))
    remove_strays(folder, STAGE, journal)
    if not read.rows["problems"]:
        raise InputMistake(_nothing(folder, read))
    manifest.blocks, manifest.problems = len(batches), causes.fingerprint(STAGE)
    manifest.sources = by_source(read)
    return journal, Outcome(len(batches), 0, time.monotonic() - start)


def problem_causes(recipe: Recipe, recipe_folder: Path | None, code: str) -> Causes:
    """What the problems are made from.

    Args:
        recipe: The recipe.
        recipe_folder: Where its relative paths start; None leaves the sources unread.
        code: The stage's code version.

    Raises:
        SourceError: when a source cannot be read.
    """
    read = (
        []
        if recipe_folder is None
        else [fingerprint(source, recipe_folder=recipe_folder) for source in recipe.sources]
    )
    return Causes(
        settings=settings_hash(
            [recipe.sources, recipe.seed, recipe.block, first_tables(recipe)],
        ),
        code=code,
        input=content_hash(read),
    )


def problems_are_current(
    folder: RunFolder, journal: Journal, manifest: Manifest, causes: Causes
) -> bool:
    """Whether the whole stage may be skipped."""
    return manifest.problems == causes.fingerprint(STAGE) and all(
        is_current(folder, STAGE, journal.entries.get(block), causes)
        for block in range(manifest.blocks or 0)
    )


def in_blocks(read: Batch, recipe: Recipe) -> list[Batch]:
    """Cuts the problems into blocks; chains go with their problem, rejects into the first block.

    A problem's variants come into its block and count: a block is to hold `recipe.block` problems
    in the end, so that its memory does not grow with them. Without any problem there is one block,
    which holds the rejects.
    """
    problems, chains = read.rows["problems"], read.rows["chains"]
    variants = {source.known_as: source.variants for source in recipe.sources}
    batches = [Batch(rows={"problems": [], "chains": []})]
    places: dict[str, int] = {}
    room = recipe.block
    for problem in problems:
        weight = 1 + variants.get(_id(problem, "source"), 0)
        if weight > room and batches[-1].rows["problems"]:
            batches.append(Batch(rows={"problems": [], "chains": []}))
            room = recipe.block
        room -= weight
        batches[-1].rows["problems"].append(problem)
        places[_id(problem)] = len(batches) - 1
    for chain in chains:
        batches[places[_id(chain)]].rows["chains"].append(chain)
    of_chains = {
        _id(chain, "chain_id"): batch for batch in batches for chain in batch.rows["chains"]
    }
    for label in read.rows.get(PUBLISHED, ()):
        of_chains[_id(label, "chain_id")].rows.setdefault(PUBLISHED, []).append(label)
    batches[0].rejects = read.rejects
    for batch in batches:
        batch.taken.update({table: len(rows) for table, rows in batch.rows.items()})
        batch.taken.update(reject.table for reject in batch.rejects)
    return batches


def by_source(read: Batch) -> dict[str, SourceCount]:
    """What became of each source's rows, in the recipe's order."""
    made = Counter(_id(problem, "source") for problem in read.rows["problems"])
    return {
        source: SourceCount(made=made[source], rejected=dict(reasons.most_common()))
        for source, reasons in read.refused.items()
    }


def _renamed(batch: Batch, tables: tuple[str, str]) -> Batch:
    """The batch with its rows, rejects and counts under the names of the tables it goes to."""
    names = {PUBLISHED: PUBLISHED, **dict(zip(WRITES, tables, strict=True))}
    return Batch(
        rows={names[table]: rows for table, rows in batch.rows.items()},
        rejects=[one.model_copy(update={"table": names[one.table]}) for one in batch.rejects],
        taken=Counter({names[table]: count for table, count in batch.taken.items()}),
    )


def _id(row: object, key: str = "problem_id") -> str:
    found: str = getattr(row, key)
    return found


def _counted(rows: Iterable[Row], note: Callable[[str], None]) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if number % 1000 == 0:
            note(f"{number:,} rows read")
        yield row


def _nothing(folder: RunFolder, read: Batch) -> str:
    refused = [reject for reject in read.rejects if reject.table == STAGE]
    found = "; ".join(f"{one.reason}: {one.item}: {one.detail}" for one in refused[:3])
    found = found or "they hold no rows"
    return (
        f"no problem came out of the sources ({read.taken['problems']} rows read; {found}); "
        f"all rejects: {folder.shard(STAGE, 'rejects', 0)}"
    )
