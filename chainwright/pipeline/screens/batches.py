"""Batches: those of a run, how far each is at its provider, and what was done about them."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from chainwright.llm.batches import overview
from chainwright.llm.batches.overview import BatchReport
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.reply import Patience
from chainwright.pipeline.asking import ends_of_a_run
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.run_folder import held
from chainwright.pipeline.screens.terminal import visible

PATIENCE = Patience(timeout=60.0, max_retries=2)


@dataclass(frozen=True)
class RunBatches:
    """The batches of a run, the oldest first."""

    folder: str
    batches: list[BatchReport]

    @property
    def open(self) -> list[BatchReport]:
        """Those from which something may still be got."""
        return [one for one in self.batches if one.record.is_open]

    def as_json(self) -> dict[str, Any]:
        """The batches as plain values."""
        return {"folder": self.folder, "batches": [asdict(one) for one in self.batches]}


def run_batches(run: str, runs: Path, action: list[str]) -> RunBatches:
    """The batches of a run, after what was to be done about them.

    Args:
        action: Nothing to look only; else one of `cancel`, `collect` and `forget`. The last two
            need the run to themselves; a build that looks after a batch which is cancelled stops.

    Raises:
        InputMistake: when there is no such run, or several actions are given.
        RunStopped: when a build is under way that has to be left alone, or the ledger is damaged.
    """
    if len(action) > 1:
        words = " and ".join(f"--{name}" for name in action)
        raise InputMistake(f"found {words}, expected one of --cancel, --collect, --forget")
    folder = find_run(run, runs)
    if not folder.ledger.is_file():
        return RunBatches(str(folder.path), [])
    (name,) = action or ["look"]
    alone = held(folder) if name in ("collect", "forget") else nullcontext()
    with alone, ends_of_a_run(), Ledger(folder.ledger) as ledger:
        return RunBatches(str(folder.path), asyncio.run(_done(name, ledger)))


async def _done(name: str, ledger: Ledger) -> list[BatchReport]:
    match name:
        case "cancel":
            return await overview.cancel(ledger, PATIENCE)
        case "collect":
            return await overview.collect(ledger, PATIENCE)
        case "forget":
            return await overview.forget(ledger)
    return await overview.look(ledger, PATIENCE)


def print_batches(found: RunBatches, screen: Console) -> None:
    """Prints the batches."""
    if not found.batches:
        screen.print(f"{found.folder} has no batches")
        return
    for one in found.batches:
        screen.print(Text(visible(_line(one))), soft_wrap=True)
    if found.open:
        screen.print(
            "unanswered requests are waited for by the next build; --cancel cancels their batches"
        )


def _line(one: BatchReport) -> str:
    record = one.record
    words = [
        f"{record.id or 'a batch without a name'}: {record.provider}:{record.model}, "
        f"{record.requests} requests of {record.created[:16]}, {record.waiting} unanswered"
    ]
    if one.state is not None:
        words.append(f"{one.state.word}, {one.state.done} of {one.state.total} done there")
    elif not record.is_open:
        words.append("ended")
    if one.note:
        words.append(one.note)
    return "; ".join(words)
