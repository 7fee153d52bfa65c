"""Report: the stages of a run with their counts, as a table for people and as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.llm.meter import ModelTally, together
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.manifest import SourceCount, StageRun
from chainwright.pipeline.run_folder import WHOLE_RUN_STAGES
from chainwright.pipeline.screens.progress import counted
from chainwright.pipeline.screens.terminal import one_line
from chainwright.pipeline.totals import TableTotals, stage_totals


@dataclass(frozen=True)
class StageReport:
    """One stage of a run."""

    stage: str
    done: int
    """Blocks that are finished."""
    total: int | None
    """Blocks there are; None while that is not known."""
    ran: int | None
    """Blocks made by the last build; None where it did not get there."""
    kept: int | None
    """Blocks the last build could skip; None where it did not get there."""
    seconds: float
    """Time it took to make the finished blocks, in whatever build that was."""
    tables: list[TableTotals]
    models: dict[str, ModelTally] = field(default_factory=dict)
    """What the last build asked each model."""
    unanswered: int = 0
    """Requests of the finished blocks that failed and that a build would make again."""

    def as_json(self) -> dict[str, Any]:
        """The stage as plain values."""
        return asdict(self)


def stage_report(
    stage: str, journal: Journal, blocks: int | None, last: StageRun | None
) -> StageReport:
    """Sums up a stage from its journal.

    Args:
        stage: Its name.
        journal: Its journal.
        blocks: Blocks of the run; None while that is not known.
        last: How the last build went through it; None where it did not get there.
    """
    total = 1 if stage in WHOLE_RUN_STAGES else blocks
    entries = [e for e in journal.entries.values() if total is None or e.block < total]
    finished = last is not None and last.finished
    return StageReport(
        stage=stage,
        done=len(entries),
        total=total,
        ran=last.ran if last and finished else None,
        kept=last.kept if last and finished else None,
        seconds=round(sum(entry.seconds for entry in entries), 3),
        tables=stage_totals(entries),
        models=last.models if last else {},
        unanswered=sum(entry.unanswered for entry in entries),
    )


def accounts(stages: Iterable[StageReport]) -> list[TableTotals]:
    """Each table's totals over the stages that make its rows, which the release does not."""
    taken: Counter[str] = Counter()
    made: Counter[str] = Counter()
    rejected: dict[str, Counter[str]] = {}
    makers = [stage for stage in stages if stage.stage not in WHOLE_RUN_STAGES]
    for totals in (totals for stage in makers for totals in stage.tables):
        taken[totals.table] += totals.taken
        made[totals.table] += totals.made
        rejected.setdefault(totals.table, Counter()).update(totals.rejected)
    return [
        TableTotals(table, taken[table], made[table], dict(reasons.most_common()))
        for table, reasons in rejected.items()
    ]


def stage_table(stages: Sequence[StageReport]) -> Table:
    """The stages as a table: one line for each table that a stage writes."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("stage", "table", "in", "out", "rejected", "time", "blocks"):
        table.add_column(name, justify="right" if name in ("in", "out", "time") else "left")
    for stage in stages:
        lines = [
            (totals.table, str(totals.taken), str(totals.made), reasons(totals.rejected))
            for totals in stage.tables
            if totals.taken or totals.made or totals.rejected
        ] or [("", "", "", "")]
        for number, line in enumerate(lines):
            first = number == 0
            table.add_row(
                stage.stage if first else "",
                *line,
                f"{stage.seconds:.1f} s" if first and stage.done else "",
                Text(_blocks(stage) if first else "", style="dim"),
            )
    return table


def account_lines(totals: Iterable[TableTotals]) -> list[Text]:
    """`in = out + rejects`, one line a table."""
    return [
        Text(
            f"{each.table}: {each.taken} in = {each.made} out + "
            f"{sum(each.rejected.values())} rejected",
            style="" if each.balanced else "bold red",
        ).append("" if each.balanced else "  DOES NOT ADD UP")
        for each in totals
    ]


def reasons(rejected: dict[str, int]) -> str:
    """`3 (duplicate 2, no_answer 1)`, or `0`."""
    if not rejected:
        return "0"
    listed = ", ".join(f"{reason} {count}" for reason, count in rejected.items())
    return f"{sum(rejected.values())} ({listed})"


def print_stages(stages: Sequence[StageReport], screen: Console) -> None:
    """Prints the stages and the accounts below."""
    screen.print(stage_table(stages))
    screen.print()
    for line in account_lines(accounts(stages)):
        screen.print(line)
    if any(stage.models for stage in stages):
        screen.print()
        screen.print(model_table(stages))


def print_sources(sources: Mapping[str, SourceCount], screen: Console) -> None:
    """Prints what became of each source's rows; of a single one the stages tell as much."""
    if len(sources) < 2:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("source", "rows", "problems", "rejected"):
        table.add_column(name, justify="right" if name in ("rows", "problems") else "left")
    for name, count in sources.items():
        table.add_row(one_line(name, 40), str(count.rows), str(count.made), reasons(count.rejected))
    screen.print()
    screen.print(table)


def model_table(stages: Iterable[StageReport]) -> Table:
    """What the last build asked of models: one line a stage and model, and the sum."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("stage", "model"):
        table.add_column(name)
    for name in ("sent", "from ledger", "failed", "tokens in", "tokens out", "cost"):
        table.add_column(name, justify="right")
    asked = [
        (stage.stage, model, tally)
        for stage in stages
        for model, tally in sorted(stage.models.items())
    ]
    total = ("", "all", together(tally for _, _, tally in asked))
    for stage, model, tally in [*asked, total] if len(asked) > 1 else asked:
        table.add_row(
            stage,
            one_line(model),
            *(str(count) for count in (tally.sent, tally.from_ledger, tally.failed)),
            *(f"{tokens:,}" for tokens in (tally.input_tokens, tally.output_tokens)),
            tally.cost_in_words,
        )
    return table


def _blocks(stage: StageReport) -> str:
    if stage.ran is None:
        of = "" if stage.total is None else f" of {stage.total}"
        return f"{stage.done}{of} done" if stage.done else "not run yet"
    if stage.ran == 0:
        return f"unchanged ({counted(stage.kept or 0)})"
    return f"{counted(stage.ran)} run" + (f", {stage.kept} unchanged" if stage.kept else "")
