"""Sweep: runs a stage that goes through all blocks in order and makes a batch for each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.executor import (
    Advance,
    Outcome,
    Upstream,
    block_causes,
    entry_of,
    is_current,
    remove_strays,
    write_block,
)
from chainwright.pipeline.fault_log import stopped
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.whole_run import Blocks

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.stage import Stage


def run_sweep(
    folder: RunFolder,
    stage: Stage,
    recipe: Recipe,
    upstream: Upstream,
    code: str,
    blocks: int,
    advance: Advance,
) -> tuple[Journal, Outcome]:
    """Brings every block of a sweep up to date.

    The stage goes through the blocks from the first to the last that has to be made; those in
    between that are as they should be are counted on the way and not written.

    Raises:
        RunStopped: when the stage fails, or makes no batch for a block.
    """
    start = time.monotonic()
    journal = Journal(folder.journal(stage.name))
    causes = list(block_causes(stage, recipe, upstream, code, blocks))
    needed = [
        not is_current(folder, stage.name, journal.entries.get(block), cause)
        for block, cause in enumerate(causes)
    ]
    last = max((block for block, run in enumerate(needed) if run), default=-1)
    tables = Blocks(folder, stage.reads, upstream, blocks if stage.whole else last + 1)
    batches = stage.sweep(recipe, tables) if stage.sweep else iter(())
    for block in range(last + 1):
        with stopped(folder, stage.name, block):
            began = time.monotonic()
            batch = next(batches, None)
            if batch is None:
                raise RunStopped(
                    f"internal error: stage {stage.name} made {block} batches of {last + 1}"
                )
            if needed[block]:
                files = write_block(folder, stage.name, stage.writes, block, batch)
                seconds = time.monotonic() - began
                journal.add(entry_of(stage.name, block, causes[block], files, batch, seconds))
        advance(needed[block])
    for _ in range(last + 1, blocks):
        advance(False)
    journal.keep_only(blocks)
    remove_strays(folder, stage.name, journal)
    ran = sum(needed)
    return journal, Outcome(ran, blocks - ran, time.monotonic() - start)
