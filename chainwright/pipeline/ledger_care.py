"""Ledger care: a ledger's entries written out, or removed for good."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from chainwright.llm.keys import redact
from chainwright.llm.ledger_file import LedgerError
from chainwright.llm.ledger_pruning import prune
from chainwright.llm.ledger_queries import (
    Entry,
    EntryStatus,
    LedgerTotal,
    Selection,
    entries,
    totals,
)
from chainwright.llm.ledger_reader import reading
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.run_folder import held
from chainwright.pipeline.screens.ledger import find_ledger, readable, totals_table


def selected(model: str | None, status: EntryStatus | None, before: str | None) -> Selection:
    """Which entries are meant.

    Args:
        before: A date or time; UTC where it does not say.

    Raises:
        InputMistake: for one that is none.
    """
    moment = None
    if before is not None:
        try:
            read = datetime.fromisoformat(before)
        except ValueError:
            raise InputMistake(
                f"found `{before}` for --before, expected a date such as 2026-01-31"
            ) from None
        aware = read if read.tzinfo else read.replace(tzinfo=UTC)
        moment = aware.astimezone(UTC).isoformat(timespec="milliseconds")
    return Selection(model, status, moment)


def export(target: str, runs: Path, selection: Selection, out: Path | None) -> None:
    """Writes one line of JSON an entry, to a file or to the output, one at a time.

    What looks like a key is left out, even where a text that was asked holds one.

    Raises:
        InputMistake: when there is no such ledger, or it cannot be read.
    """
    path, _ = find_ledger(target, runs)
    with readable(), reading(path) as connection:
        found = entries(connection, selection)
        if out is None:
            try:
                for entry in found:
                    sys.stdout.write(_line(entry))
                sys.stdout.flush()
            except BrokenPipeError:  # whoever read it has seen enough, as `head` does
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        draft = out.with_name(f"{out.name}.tmp")
        try:
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(map(_line, found))
            draft.replace(out)
        finally:
            draft.unlink(missing_ok=True)


@dataclass(frozen=True)
class Pruning:
    """Entries that are to be removed from a ledger, or were."""

    file: str
    totals: list[LedgerTotal]
    removed: bool

    @property
    def count(self) -> int:
        """Entries, answers and failures together."""
        return sum(one.ok + one.refused + one.failures for one in self.totals)

    def as_json(self) -> dict[str, Any]:
        """The pruning as plain values."""
        return asdict(self) | {"count": self.count}


def plan_pruning(target: str, runs: Path, selection: Selection) -> Pruning:
    """What would be removed; nothing is.

    Raises:
        InputMistake: when there is no such ledger, it cannot be read, or nothing is selected by.
    """
    if selection == Selection():
        raise InputMistake(
            "found nothing to prune by, expected at least one of --model, --status and --before"
        )
    path, _ = find_ledger(target, runs)
    with readable(), reading(path) as connection:
        return Pruning(str(path), totals(connection, selection), removed=False)


def carry_out_pruning(
    target: str,
    runs: Path,
    selection: Selection,
    planned: Pruning,
    *,
    yes: bool,
    asked: Callable[[], bool] | None,
) -> Pruning:
    """Removes entries for good, once that is agreed to.

    Args:
        yes: Whether it is agreed to already.
        asked: Asks whoever is there; None where nobody is.

    Raises:
        InputMistake: when there is nobody to ask.
        RunStopped: when a build holds the run, or the ledger cannot be written to.
    """
    if not planned.count:
        return planned
    if not yes and asked is None:
        raise InputMistake("nothing was removed, as nobody is there to be asked: add --yes")
    if not yes and asked is not None and not asked():
        return planned
    path, folder = find_ledger(target, runs)
    with held(folder) if folder else nullcontext():
        try:
            return Pruning(str(path), prune(path, selection), removed=True)
        except LedgerError as error:
            raise RunStopped(str(error)) from error


def print_pruning(pruning: Pruning, screen: Console) -> None:
    """Prints what is to go, or has gone, and what that means."""
    if not pruning.count:
        screen.print("no entry of the ledger is like that; nothing to remove")
        return
    if pruning.removed:
        screen.print(f"removed {pruning.count:,} entries from {pruning.file}", soft_wrap=True)
        return
    screen.print(f"to be removed from {pruning.file}:", soft_wrap=True)
    screen.print(totals_table(pruning.totals))
    paid = sum(one.cost for one in pruning.totals)
    screen.print(
        f"{pruning.count:,} entries, whose answers cost {paid:.4f} USD as far as that is known. A "
        "build that needs them asks and pays again; a budget goes on counting what they cost.",
        soft_wrap=True,
    )


def _line(entry: Entry) -> str:
    return json.dumps(_without_keys(asdict(entry)), ensure_ascii=True) + "\n"


def _without_keys(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_without_keys(part) for part in value]
    if isinstance(value, dict):
        return {name: _without_keys(part) for name, part in value.items()}
    return value
