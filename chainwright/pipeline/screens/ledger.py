"""Ledger: what was asked of models and paid for, on the screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.llm.budget import Amount
from chainwright.llm.ledger_file import LedgerError
from chainwright.llm.ledger_queries import (
    Entry,
    Failure,
    LedgerTotal,
    entries,
    failures,
    spent,
    totals,
    unpriced,
)
from chainwright.llm.ledger_reader import reading
from chainwright.llm.meter import ModelTally, together
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.named_run import find_run, local_path
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.terminal import one_line, visible

SHOWN_KEY = 12
"""Digits of a key that are shown where it only serves to be copied."""


@dataclass(frozen=True)
class LedgerReport:
    """What a ledger holds."""

    file: str
    size: int
    """Bytes of the file, and of its log while it is in use."""
    totals: list[LedgerTotal]
    spent: Amount
    """Since the ledger was begun, pruned entries included, as far as prices are known."""
    unpriced: int
    """Answers, pruned ones included, whose price is not known."""
    failures: list[Failure]
    last_build: ModelTally | None
    """What the run's last build asked in the stages it finished; None outside a run."""

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self)


def find_ledger(target: str, runs: Path) -> tuple[Path, RunFolder | None]:
    """The ledger that a file, a run folder or a run's name means, and its run if it is of one.

    Raises:
        InputMistake: when there is none.
    """
    path = local_path(Path(target))
    if path.is_file():
        folder = RunFolder(path.parent)
        return path, folder if folder.manifest.is_file() else None
    folder = find_run(str(path), runs)
    if not folder.ledger.is_file():
        raise InputMistake(f"the run {folder.path} has no ledger: it has asked no model yet")
    return folder.ledger, folder


def ledger_report(target: str, runs: Path) -> LedgerReport:
    """What a ledger holds; nothing is changed and no file is made.

    Raises:
        InputMistake: when there is no such ledger, or it cannot be read.
    """
    path, folder = find_ledger(target, runs)
    manifest = load_manifest(folder) if folder else None
    stages = manifest.stages.values() if manifest else ()
    with readable(), reading(path) as connection:
        return LedgerReport(
            file=str(path),
            size=sum(
                file.stat().st_size
                for file in (path, path.with_name(f"{path.name}-wal"))
                if file.is_file()
            ),
            totals=totals(connection),
            spent=spent(connection),
            unpriced=unpriced(connection),
            failures=failures(connection),
            last_build=together(one for run in stages for one in run.models.values())
            if manifest
            else None,
        )


@dataclass(frozen=True)
class LedgerEntries:
    """One request, with its answer and its failures."""

    entries: list[Entry]

    def as_json(self) -> dict[str, Any]:
        """The entries as plain values."""
        return asdict(self)


def ledger_entries(target: str, key: str, runs: Path) -> LedgerEntries:
    """The entries of the one request whose key begins so.

    Raises:
        InputMistake: when no request, or several, have such a key.
    """
    path, _ = find_ledger(target, runs)
    with readable(), reading(path) as connection:
        found = list(entries(connection, key=key.lower()))
    keys = sorted({entry.key for entry in found})
    if len(keys) != 1:
        some = ", ".join(one[:SHOWN_KEY] for one in keys[:5])
        raise InputMistake(
            f"found {len(keys)} requests in {path} whose key begins with {key!r}"
            + (f" (such as {some}): give more of it" if keys else ", expected one")
        )
    return LedgerEntries(found)


@contextmanager
def readable() -> Iterator[None]:
    """Turns a ledger that cannot be read into a mistake of whoever named it."""
    try:
        yield
    except LedgerError as error:
        raise InputMistake(str(error)) from error


def print_ledger(report: LedgerReport, screen: Console) -> None:
    """Prints the report."""
    head = f"ledger {visible(report.file)}, {report.size / 1e6:.1f} MB"
    screen.print(Text(head, style="bold"), soft_wrap=True)
    screen.print(totals_table(report.totals))
    screen.print()
    amount = report.spent
    unknown = f", and {report.unpriced:,} answers of unknown price" if report.unpriced else ""
    screen.print(
        f"spent since it was begun: {amount.usd:.4f} USD{unknown}; {amount.tokens:,} tokens, "
        f"{amount.requests:,} requests"
    )
    last = report.last_build
    if last is not None:
        screen.print(
            f"last build, in the stages it finished: {last.sent:,} requests sent, "
            f"{last.from_ledger:,} answered from the ledger, which saved {last.saved_usd:.4f} USD"
        )
    if report.failures:
        screen.print()
        for line in _failure_lines(report.failures):
            screen.print(line, soft_wrap=True)


def totals_table(found: list[LedgerTotal]) -> Table:
    """One line a model and place, and the sum."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model")
    table.add_column("place")
    counts = ("ok", "cut", "refused", "failed", "tokens in", "cached", "tokens out", "cost")
    for name in counts:
        table.add_column(name, justify="right")
    for one in found:
        table.add_row(
            one_line(f"{one.provider}:{one.model}"), one_line(one.base_url or ""), *_counts(one)
        )
    return table


def print_entries(shown: LedgerEntries, screen: Console) -> None:
    """Prints a request as it was sent, and what came of it."""
    for entry in shown.entries:
        place = f" at {entry.base_url}" if entry.base_url else ""
        head = f"{entry.status} · {entry.provider}:{entry.model}{place} · {entry.created}"
        screen.print(Text(visible(head), style="bold"), soft_wrap=True)
        screen.print(f"key {entry.key}", soft_wrap=True)
        if entry.request is None:
            screen.print(visible(f"{entry.error} (attempts {entry.attempts})"), soft_wrap=True)
            continue
        for name, value in entry.request.items():
            if name not in ("messages", "form", "provider", "base_url", "model"):
                line = json.dumps(value, ensure_ascii=False)
                screen.print(visible(f"{name}: {line}"), style="dim", soft_wrap=True)
        for message in entry.request["messages"]:
            _print_text(message["role"], message["content"], screen)
        _print_text(f"answer ({entry.finish_reason or 'no finish reason'})", entry.text, screen)
        usage = entry.usage
        cost = "cost unknown" if entry.cost is None else f"{entry.cost:.6f} USD"
        screen.print(
            f"{usage.input_tokens:,} tokens in ({usage.cached_tokens:,} cached), "
            f"{usage.output_tokens:,} out, {cost}, attempts {entry.attempts}"
        )


def _counts(one: LedgerTotal) -> list[str]:
    usage = one.usage
    numbers = (
        *(one.ok, one.cut, one.refused, one.failures),
        *(usage.input_tokens, usage.cached_tokens, usage.output_tokens),
    )
    answers = one.ok + one.refused
    cost = f"{one.cost:.4f} USD" + (f" + {one.unpriced:,} unpriced" if one.unpriced else "")
    return [
        *(f"{number:,}" for number in numbers),
        "unknown" if answers and one.unpriced == answers else cost,
    ]


def _failure_lines(found: list[Failure]) -> Iterator[Text]:
    yield Text("failures (asked again by the next build that needs them)", style="bold")
    for one in found:
        open_ones = f", {one.unanswered:,} without an answer since" if one.unanswered else ""
        yield Text(
            visible(
                f"  {one.model}: {one.reason}, {one.count:,} times{open_ones}, "
                f"{one.first[:19]} to {one.last[:19]}"
            )
        )
        yield Text(f"    {one_line(one.example, 200)} (key {one.key[:SHOWN_KEY]})", style="dim")


def _print_text(title: str, text: str, screen: Console) -> None:
    screen.print(Text(visible(f"--- {title}"), style="cyan"))
    screen.print(Text(visible(text)), soft_wrap=True)
