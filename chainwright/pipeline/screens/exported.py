"""Exported: what an export or a conversion came to."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from chainwright.pipeline.exporting import Exported
from chainwright.pipeline.screens.terminal import visible


def print_exported(done: Exported, screen: Console) -> None:
    """Prints the account of a file that was written."""
    account = done.account
    told = " (told from its rows)" if done.detected else ""
    screen.print(
        Text(visible(f"{done.source}, {done.source_format}{told} -> {done.out}, {done.format}"))
    )
    refused = sum(account.rejects.values())
    rows = f" in {account.rows:,} rows" if account.rows != account.made else ""
    screen.print(f"{account.taken:,} in = {account.made:,} out{rows} + {refused:,} rejects")
    if account.shortened:
        screen.print(
            f"{account.shortened:,} of them end at the first error: what follows is undecided"
        )
    for reason, count in account.rejects.most_common():
        screen.print(f"  {count:,} {reason}")
    if account.rejects:
        screen.print(Text(visible(f"rejects: {done.out}.rejects.jsonl")), soft_wrap=True)
    if not account.made:
        screen.print(Text("WARNING: nothing was written", style="bold red"))
