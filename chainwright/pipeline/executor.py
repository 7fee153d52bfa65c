"""Executor: runs a stage over the blocks of a run, and only over those that need it.

A block is skipped when what it is made from (the stage's part of the recipe, the code, the rows
it reads) and what was made of it (the files) are both unchanged, unless requests to models failed.
As the rows are compared by content, a stage that is redone and makes the same rows leaves the
stages after it alone.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.fault_log import stopped
from chainwright.pipeline.files import file_hash
from chainwright.pipeline.journal import Causes, Entry, Journal, WrittenFile, is_in_place
from chainwright.pipeline.run_folder import RunFolder, table_of
from chainwright.pipeline.tables import read_table, write_table
from chainwright.pipeline.together import Work, run_together
from chainwright.schemas.identity import content_hash
from chainwright.schemas.tables import TABLES

if TYPE_CHECKING:
    from chainwright.pipeline.asking import Asking
    from chainwright.recipe import Recipe
    from chainwright.stage import Batch, Stage, Tables

Advance = Callable[[bool], None]
"""Told after every block whether it was run (True) or skipped."""

Tick = Callable[[int], None]
"""Told every now and then, while a block asks models, how many requests it would make at first."""

Upstream = Mapping[str, Journal]
"""The journals of the stages before, in the order of the line."""


@dataclass(frozen=True)
class Outcome:
    """How a stage went: blocks run, blocks skipped, seconds spent."""

    ran: int
    kept: int
    seconds: float


def run_stage(
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
    """Brings every block of a stage up to date.

    Raises:
        RunStopped: when a block fails or does not account for every item; the blocks finished
            before it are kept.
        InputMistake: when a model cannot be asked; the blocks finished and all answers are kept.
    """
    start = time.monotonic()
    journal = Journal(folder.journal(stage.name))
    causes = block_causes(stage, recipe, upstream, code, blocks)
    ran = 0

    def to_make() -> Iterator[Work]:
        nonlocal ran
        for block, cause in due(folder, stage, journal, causes, advance):
            ran += 1
            yield work_on(block, cause)

    def work_on(block: int, cause: Causes) -> Work:
        began, before = time.monotonic(), asking.to_ask_again

        def done(batch: Batch) -> None:
            files = write_block(folder, stage.name, stage.writes, block, batch)
            seconds = time.monotonic() - began
            entry = entry_of(stage.name, block, cause, files, batch, seconds)
            # Of blocks under way together one may count another's: made again once too often
            # it costs nothing, since what was answered is in the ledger.
            unanswered = asking.to_ask_again - before
            journal.add(entry.model_copy(update={"unanswered": unanswered}))
            advance(True)

        return Work(
            read=partial(block_tables, folder, stage.reads, upstream, block),
            done=done,
            guard=partial(stopped, folder, stage.name, block),
        )

    if asking.in_batches and stage.ask is not None:
        run_together(stage, recipe, to_make(), asking, tick)
    else:
        make = _worker(stage, recipe, asking, tick)
        for work in to_make():
            with work.guard():
                work.done(make(work.read()))
    return journal, finished(folder, stage, journal, blocks, ran, start)


def due(
    folder: RunFolder, stage: Stage, journal: Journal, causes: Iterable[Causes], advance: Advance
) -> Iterator[tuple[int, Causes]]:
    """The blocks that are not up to date, and what they are to be made from."""
    for block, cause in enumerate(causes):
        if is_current(folder, stage.name, journal.entries.get(block), cause):
            advance(False)
        else:
            yield block, cause


def finished(
    folder: RunFolder, stage: Stage, journal: Journal, blocks: int, ran: int, start: float
) -> Outcome:
    """Clears away what no block of the stage has made, and says how it went.

    Args:
        start: When the stage began, by `time.monotonic`.
    """
    journal.keep_only(blocks)
    remove_strays(folder, stage.name, journal)
    return Outcome(ran, blocks - ran, time.monotonic() - start)


def _worker(stage: Stage, recipe: Recipe, asking: Asking, tick: Tick) -> Callable[[Tables], Batch]:
    """How a stage makes the batch of a block, without or with models."""
    process, ask = stage.process, stage.ask
    if ask is None:
        if process is None:
            raise ValueError(f"stage {stage.name} sweeps all blocks, and does none by itself")
        return partial(process, recipe)

    def asked(tables: Tables) -> Batch:
        planned = sum(1 for _ in stage.plan(recipe, tables)) if stage.plan else 0
        return asking.run(partial(ask, recipe, tables), partial(tick, planned))

    return asked


def block_causes(
    stage: Stage, recipe: Recipe, upstream: Upstream, code: str, blocks: int
) -> Iterator[Causes]:
    """What each block of a stage is made from.

    A block of a sweep is made from all blocks up to it, since earlier ones are counted, and one of
    a whole sweep from all there are.
    """
    settings = settings_hash(stage.settings(recipe))
    digest = ""
    if stage.whole:
        digest = content_hash([input_hash(stage.reads, upstream, one) for one in range(blocks)])
        yield from (Causes(settings=settings, code=code, input=digest) for _ in range(blocks))
        return
    for block in range(blocks):
        own = input_hash(stage.reads, upstream, block)
        digest = content_hash([digest, own]) if stage.sweep else own
        yield Causes(settings=settings, code=code, input=digest)


def settings_hash(settings: Any) -> str:
    """Hash of a part of the recipe: models, lists, numbers, in any nesting."""
    from pydantic_core import to_jsonable_python

    return content_hash(to_jsonable_python(settings))


def input_hash(reads: Iterable[str], upstream: Upstream, block: int) -> str:
    """Hash of the rows that a block of a stage reads, by the content of their files."""
    found = inputs(reads, upstream, block)
    return content_hash({table: [digest for _, digest in found[table]] for table in found})


def inputs(
    reads: Iterable[str], upstream: Upstream, block: int
) -> dict[str, list[tuple[str, str]]]:
    """Per table the files (name in the run folder, hash) that stages before wrote for a block."""
    found: dict[str, list[tuple[str, str]]] = {table: [] for table in reads}
    for journal in upstream.values():
        entry = journal.entries.get(block)
        for name, written in entry.files.items() if entry else ():
            if table_of(name) in found:
                found[table_of(name)].append((name, written.sha256))
    return found


def is_current(folder: RunFolder, stage: str, entry: Entry | None, causes: Causes) -> bool:
    """Whether a block may be skipped."""
    return (
        entry is not None
        and not entry.unanswered
        and entry.fingerprint == causes.fingerprint(stage)
        and is_in_place(folder.path, entry.files)
    )


def write_block(
    folder: RunFolder, stage: str, writes: tuple[str, ...], block: int, batch: Batch
) -> dict[str, WrittenFile]:
    """Writes one file per table, even an empty one, and one with the rejects.

    Raises:
        RunStopped: when the batch does not account for every item, or holds rows of a table
            that the stage does not write; nothing is written then.
    """
    check_accounts(stage, writes, block, batch)
    files = {}
    for table in (*writes, "rejects"):
        rows = batch.rejects if table == "rejects" else batch.rows.get(table, [])
        path = folder.shard(stage, table, block)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(path, rows, TABLES[table])
        name = path.relative_to(folder.path).as_posix()
        files[name] = WrittenFile(sha256=file_hash(path), rows=len(rows))
    return files


def check_accounts(stage: str, writes: tuple[str, ...], block: int, batch: Batch) -> None:
    """Holds a stage to `in = out + rejects`, table by table.

    Raises:
        RunStopped: when an item vanished, came from nowhere, or has no table to go to.
    """
    strange = sorted(set(batch.rows) - set(writes))
    if strange:
        raise RunStopped(
            f"internal error: stage {stage} made rows of {', '.join(strange)} in block {block}, "
            f"which it does not declare (it writes {', '.join(writes)})"
        )
    vanished = batch.unaccounted()
    if not vanished:
        return
    rejected = Counter(reject.table for reject in batch.rejects)
    counts = "; ".join(
        f"table {table}: {batch.taken[table]} in, {len(batch.rows.get(table, []))} out + "
        f"{rejected[table]} rejected, {missing:+d} unaccounted for"
        for table, missing in sorted(vanished.items())
    )
    raise RunStopped(
        f"internal error: stage {stage} does not account for every item of block {block} ({counts})"
    )


def entry_of(
    stage: str,
    block: int,
    causes: Causes,
    files: dict[str, WrittenFile],
    batch: Batch,
    seconds: float,
) -> Entry:
    """The journal's line for a finished block."""
    rejected: dict[str, Counter[str]] = defaultdict(Counter)
    for reject in batch.rejects:
        rejected[reject.table][reject.reason] += 1
    return Entry(
        block=block,
        fingerprint=causes.fingerprint(stage),
        causes=causes,
        files=files,
        taken=dict(batch.taken),
        made={table: len(rows) for table, rows in batch.rows.items()},
        rejected={table: dict(reasons) for table, reasons in rejected.items()},
        seconds=round(seconds, 3),
    )


def remove_strays(folder: RunFolder, stage: str, journal: Journal) -> None:
    """Removes shards and drafts in a stage's folder that none of its blocks owns.

    They come from blocks that a smaller limit took away and from builds that were killed.
    """
    owned = {Path(name).name for entry in journal.entries.values() for name in entry.files}
    for path in (folder.path / stage).glob("*"):
        ours = path.suffix == ".parquet" or path.suffix.startswith(".tmp")
        if ours and path.name not in owned:
            path.unlink()


def block_tables(
    folder: RunFolder, reads: Iterable[str], upstream: Upstream, block: int
) -> dict[str, list[Any]]:
    """One block's rows of each table, in the order of the line."""
    return {
        table: [row for name, _ in files for row in read_table(folder.path / name, TABLES[table])]
        for table, files in inputs(reads, upstream, block).items()
    }
