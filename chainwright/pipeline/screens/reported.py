"""Reported: where a report lies, what is in it, and how to look at it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from chainwright.pipeline.reporting import Reported
from chainwright.pipeline.screens.terminal import visible


def print_reported(done: Reported, screen: Console) -> None:
    """Prints what was written and what to do next."""
    made = done.summary
    screen.print(
        Text(visible(f"report of {done.run}: {done.folder}"), style="bold"), soft_wrap=True
    )
    screen.print(
        f"{made.problems:,} problems, {made.chains:,} chains ({made.labelled:,} labelled, "
        f"{made.broken:,} broken on purpose), {made.steps:,} steps"
    )
    drawn = f"formulas drawn by KaTeX {made.katex}" if made.katex else "formulas as source text"
    mapped = ", with the map of the taxonomy" if made.map else ""
    screen.print(f"{made.files:,} files, {made.bytes / 1e6:,.1f} MB; {drawn}{mapped}")
    for note in done.notes:
        screen.print(Text(visible(note), style="yellow"), soft_wrap=True)
    screen.print()
    screen.print("Open this page in a browser; it needs no server and no network:")
    screen.print(Text(visible(f"  {done.page.resolve().as_uri()}")), soft_wrap=True)
    screen.print(
        "To share it, send the folder, or put it on any web server as it is. "
        "On the page `?` lists the keys."
    )
