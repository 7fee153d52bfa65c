"""Block task: what a worker does to make one block, from files' bytes to files' bytes.

A worker needs no disk in common with anybody. It gets the block's tables as they lie in the run
folder, works in a folder of its own as the local executor does, and hands over the files it wrote.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import tempfile
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from chainwright.llm.ledger import LedgerError
from chainwright.llm.meter import Meter
from chainwright.pipeline.asking import TICK, ends_of_a_run
from chainwright.pipeline.cluster.desk_client import DeskAnswers, DeskBudget, DeskTurns, Post
from chainwright.pipeline.cluster.notes import Notes
from chainwright.pipeline.cluster.stamp import differences, stamp
from chainwright.pipeline.errors import BudgetStop, InputMistake, RunStopped
from chainwright.pipeline.executor import entry_of, write_block
from chainwright.pipeline.journal import Causes, Entry
from chainwright.pipeline.run_folder import RunFolder, table_of
from chainwright.pipeline.tables import read_table
from chainwright.schemas.tables import TABLES

if TYPE_CHECKING:
    from chainwright.llm.budget import Limits
    from chainwright.llm.limits import Limit
    from chainwright.recipe import Recipe
    from chainwright.stage import Batch, Stage


FaultKind = Literal["mistake", "stopped", "budget", "unforeseen"]


@dataclass(frozen=True)
class Job:
    """What all blocks of a stage have in common. It holds no key: workers have their own.

    Attributes:
        stamp: What the command runs with.
        own_code: Versions of the user's code that the stage runs, as the command has them.
    """

    stage: Stage
    recipe: Recipe
    stamp: Mapping[str, str]
    own_code: Sequence[Any]
    concurrency: int
    limits: tuple[Limit, ...]
    most: Limits | None


@dataclass(frozen=True)
class Inputs:
    """One block: what it is made from, and its files by their names in the run folder.

    Attributes:
        files: Those of each table that the stage reads, in the order of the line.
    """

    block: int
    causes: Causes
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Made:
    """A block that was made: its line for the journal, and the files that the line names."""

    entry: Entry
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Fault:
    """Why a block was not made. Errors travel as values (see `Denial`)."""

    kind: FaultKind
    name: str
    text: str
    trace: str


def make_block(job: Job, inputs: Inputs, who: str, post: Post | None) -> Made | Fault:
    """Makes one block, whatever else becomes of it.

    Args:
        who: The name of this attempt at the desk.
        post: The way to the desk; None for a stage that asks no models.
    """
    with tempfile.TemporaryDirectory(prefix="chainwright-") as scratch:
        try:
            _check_code(job)
            return _made(job, inputs, RunFolder(Path(scratch)), who, post)
        except Exception as error:
            kind: FaultKind = "unforeseen"
            for known, its_kind in reversed(_KINDS):  # the closest comes first, and so wins
                kind = its_kind if isinstance(error, known) else kind
            text = error.spent if isinstance(error, BudgetStop) else str(error)
            # Files of the scratch folder are named as they are called in the run folder.
            text = text.replace(f"{scratch}{os.sep}", "")
            return Fault(kind, type(error).__name__, text, traceback.format_exc())


_KINDS: tuple[tuple[type[Exception], FaultKind], ...] = (
    (BudgetStop, "budget"),
    (InputMistake, "mistake"),
    (RunStopped, "stopped"),
)


def _check_code(job: Job) -> None:
    """Makes sure that this worker runs what the command runs.

    Raises:
        InputMistake: when it does not.
    """
    differing = differences(job.stamp, stamp())
    if differing:
        raise InputMistake(other_code(socket.gethostname(), differing))
    own = job.stage.own_code
    if own is not None and list(own(job.recipe)) != list(job.own_code):
        raise InputMistake(
            f"node {socket.gethostname()} has other code of a `python:` checker than this machine, "
            "or none: install the checker's module on every node"
        )


def other_code(node: str, differing: str) -> str:
    """What to say of a node that would not make the same bytes."""
    return (
        f"node {node} has {differing}: install the same versions on every node (after an edit of "
        "chainwright's code, restart the workers), so that all make the same rows"
    )


def _made(job: Job, inputs: Inputs, folder: RunFolder, who: str, post: Post | None) -> Made:
    stage, began, meter = job.stage, time.monotonic(), Meter()
    tables: dict[str, list[Any]] = {table: [] for table in stage.reads}
    for name, content in inputs.files.items():
        path = folder.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        tables[table_of(name)] += read_table(path, TABLES[table_of(name)])
        path.unlink()
    if stage.process is not None:
        batch = stage.process(job.recipe, tables)
    elif post is not None:
        with asyncio.Runner() as runner, ends_of_a_run():
            batch = runner.run(_asked(job, tables, who, post, meter))
    else:
        raise ValueError(f"stage {stage.name} cannot be made block by block without models")
    files = write_block(folder, stage.name, stage.writes, inputs.block, batch)
    entry = entry_of(
        stage.name, inputs.block, inputs.causes, files, batch, time.monotonic() - began
    )
    unanswered = sum(tally.to_ask_again for tally in meter.models.values())
    return Made(
        entry.model_copy(update={"unanswered": unanswered}),
        {name: (folder.path / name).read_bytes() for name in files},
    )


async def _asked(
    job: Job, tables: Mapping[str, Sequence[Any]], who: str, post: Post, meter: Meter
) -> Batch:
    """The batch of a block that asks models, by way of the desk."""
    from chainwright.llm.client import Client
    from chainwright.llm.request import ModelAway, ModelUnavailable

    stage, recipe = job.stage, job.recipe
    if stage.ask is None:
        raise ValueError(f"stage {stage.name} asks no models")
    planned = sum(1 for _ in stage.plan(recipe, tables)) if stage.plan else 0
    lines: list[str] = []
    notes = Notes(lines.append)
    report = partial(_report, post, who, meter, planned, lines)
    logging.getLogger("chainwright").addHandler(notes)
    reporting = asyncio.create_task(_every_tick(report))
    try:
        client = Client(
            DeskAnswers(post, who),
            concurrency=job.concurrency,
            meter=meter,
            turns=DeskTurns(post, who, job.limits),
            budget=DeskBudget(post, who, job.most),
        )
        async with client:
            return await stage.ask(recipe, tables, client)
    except ModelAway:
        raise
    except ModelUnavailable as error:  # a key, say, that this node alone has not
        raise ModelUnavailable(f"node {socket.gethostname()}: {error}") from error
    finally:
        logging.getLogger("chainwright").removeHandler(notes)
        reporting.cancel()
        with suppress(asyncio.CancelledError, LedgerError):
            await reporting
        with suppress(LedgerError):
            await report()


async def _report(post: Post, who: str, meter: Meter, planned: int, lines: list[str]) -> None:
    told = lines.copy()
    lines.clear()
    await post.ask("report", who, dict(meter.models), planned, told)


async def _every_tick(report: Callable[[], Awaitable[None]]) -> None:
    while True:
        await report()
        await asyncio.sleep(TICK)
