"""Progress: what a build says while it works, on the error stream.

On a terminal each stage has a bar; elsewhere (a file, a CI log) one plain line when it ends, and
one a minute while models are asked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self, TextIO

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.text import Text

from chainwright.llm.meter import ModelTally
from chainwright.pipeline.screens.terminal import console, visible

LINE_EVERY = 60.0
"""Seconds between two lines while models are asked, where there is no bar."""

LONGEST_HOLDUP = 160
"""Characters of what requests wait for."""


class Progress:
    """Where a build is: the stage, and how many of its blocks are finished.

    Args:
        quiet: Say nothing; the position is kept all the same.
        stream: Where to say it; the process's error stream by default.
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.stage = ""
        self.done = 0
        self.total: int | None = None
        self._quiet = quiet
        self._stream = sys.stderr if stream is None else stream
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self.ran = 0
        self._start = 0.0
        self._asked = ""
        self._answers = 0
        self._answers_before = 0
        self._last_line = 0.0

    def __enter__(self) -> Self:
        if not self._quiet and self._stream.isatty():
            self._bars = _bars(self._stream)
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts; `total` is None where the number of blocks is not known yet."""
        self.stage, self.done, self.total = stage, 0, total
        self.ran, self._start = 0, time.monotonic()
        self._asked, self._answers, self._answers_before = "", 0, 0
        self._last_line = self._start
        if self._bars is not None:
            self._task = self._bars.add_task(stage, total=total, note="")

    def advance(self, ran: bool) -> None:
        """One more block is finished, by running it or by finding that it need not run."""
        self.done += 1
        self.ran += ran
        self._answers_before = self._answers
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=self.done, note=self._note())

    @property
    def seconds(self) -> float:
        """Time since the stage began."""
        return time.monotonic() - self._start

    @property
    def answered_in_block(self) -> int:
        """Requests of the block under way that came to an end."""
        return self._answers - self._answers_before

    def asked(
        self,
        tally: ModelTally,
        planned: int,
        holdups: Sequence[str] = (),
        batches: str = "",
        budget: str = "",
    ) -> None:
        """Models are being asked.

        Args:
            tally: What came of it so far, in the whole stage.
            planned: Requests of the block under way, second tries aside: by them the bar knows
                how far it is within the block.
            holdups: What requests wait for: limits of models, and pauses.
            batches: What is at the providers, in words.
            budget: What is spent of it; empty where there is none.
        """
        self._answers = tally.done
        self._asked = _requests(tally, self.seconds)
        if self._asked and budget:
            self._asked += f", budget {budget}"
        if holdups:
            self._asked = "; ".join(part for part in (self._asked, _holdups(holdups)) if part)
        note = ", ".join(part for part in (self._asked, batches) if part)
        if self._bars is not None and self._task is not None:
            part = self.answered_in_block / planned if planned else 0.0
            # second tries may be more than planned; only the block's end completes it
            self._bars.update(self._task, completed=self.done + min(part, 0.99), note=note)
        elif not self._quiet and time.monotonic() - self._last_line >= LINE_EVERY:
            self._last_line = time.monotonic()
            self._say(f"{self.stage}: {self.done} of {self.total} blocks, {note}")

    def tell(self, line: str) -> None:
        """Something that is to be read even when the work is long over."""
        if self._bars is not None:
            self._bars.console.print(visible(line), markup=False, highlight=False)
        elif not self._quiet:
            self._say(visible(line))

    def expect(self, total: int) -> None:
        """The number of blocks has become known."""
        self.total = total
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, total=total)

    def note(self, text: str) -> None:
        """Says what goes on within a block, on a terminal only."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, note=text)

    def end(self) -> None:
        """The stage is complete."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, total=self.done, completed=self.done, note=self._note())
        elif not self._quiet:
            self._say(f"{self.stage}: {self._note()}, {self.seconds:.1f} s")

    def _say(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()

    def _note(self) -> str:
        kept = self.done - self.ran
        if self.ran == 0 and kept:
            return f"unchanged ({counted(kept)})"
        blocks = f"{counted(self.ran)} run" + (f", {kept} unchanged" if kept else "")
        return f"{blocks}, {self._asked}" if self._asked else blocks


def counted(blocks: int) -> str:
    """`1 block`, `2 blocks`."""
    return f"{blocks} block{'' if blocks == 1 else 's'}"


def _requests(tally: ModelTally, seconds: float) -> str:
    """What came of the requests of a stage so far; empty where there were none."""
    if not tally.done:
        return ""
    failed = f", {tally.failed} failed" if tally.failed else ""
    counts = f"{tally.sent} requests sent, {tally.from_ledger} from the ledger{failed}"
    speed = tally.sent / seconds if seconds > 0 else 0.0
    rate = f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min"
    return f"{counts}, {rate}, {tally.cost_in_words}" if speed else counts


def _holdups(holdups: Sequence[str]) -> str:
    """The first of the holdups, cut short, and how many others there are."""
    first = holdups[0]
    line = first if len(first) <= LONGEST_HOLDUP else f"{first[: LONGEST_HOLDUP - 1]}…"
    return f"{line} (and {len(holdups) - 1} more)" if len(holdups) > 1 else line


class _Rate(ProgressColumn):
    """Blocks a second, once it is known; not where a block takes long, as with models."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed or 0.0
        return Text(f"{speed:.1f}/s" if speed >= 0.1 else "", style="progress.data.speed")


def _bars(stream: TextIO) -> Bars:
    return Bars(
        TextColumn("{task.description:<10}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        console=console(stream),
    )
