"""Summary: what a build came to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from chainwright.pipeline.budgeting import BudgetState
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.manifest import Manifest, SourceCount
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.publishing import load_line
from chainwright.pipeline.screens.report import (
    StageReport,
    accounts,
    print_sources,
    print_stages,
    stage_report,
)
from chainwright.pipeline.screens.selection import unmet_quotas
from chainwright.pipeline.screens.shortfalls import shortfalls, unanswered
from chainwright.pipeline.screens.statistics import print_statistics
from chainwright.pipeline.screens.terminal import visible

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


@dataclass(frozen=True)
class BuildSummary:
    """A finished build."""

    run: str
    folder: str
    blocks: int
    stages: list[StageReport]
    sources: dict[str, SourceCount]
    statistics: dict[str, Any]
    budget: BudgetState | None
    release: str
    shortfalls: list[str]
    """What made nothing of all it was given."""
    unmet: list[str]
    """Quotas of the release's selection that could not be met."""
    unanswered: list[str]
    """Requests that got no answer, and what to do."""
    next: list[str]
    """Commands and code that make sense now."""

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        return asdict(self) | {
            "budget": self.budget and self.budget.model_dump(),
            "sources": {name: each.model_dump() for name, each in self.sources.items()},
            "accounts": [
                asdict(each) | {"balanced": each.balanced} for each in accounts(self.stages)
            ],
        }


def summarise(
    folder: RunFolder, recipe: Recipe, manifest: Manifest, journals: Mapping[str, Journal]
) -> BuildSummary:
    """Sums up a build from what it left in the run folder."""
    blocks = manifest.blocks or 0
    stages = [
        stage_report(stage, journal, blocks, manifest.stages.get(stage))
        for stage, journal in journals.items()
    ]
    release = json.loads((folder.release / "manifest.json").read_text(encoding="utf-8"))
    return BuildSummary(
        run=recipe.name,
        folder=str(folder.path),
        blocks=blocks,
        stages=stages,
        sources=manifest.sources,
        shortfalls=shortfalls(folder, stages),
        unmet=unmet_quotas(folder),
        unanswered=unanswered(stages),
        statistics=json.loads(folder.statistics.read_text(encoding="utf-8")),
        budget=manifest.budget,
        release=str(folder.release),
        next=[
            f"chainwright show {folder.path}",
            f"chainwright validate {folder.path}",
            load_line(str(folder.release), list(release["configs"])),
        ],
    )


def print_summary(summary: BuildSummary, screen: Console) -> None:
    """Prints the summary."""
    screen.print(Text(f"run {summary.run}", style="bold"))
    print_stages(summary.stages, screen)
    print_sources(summary.sources, screen)
    if summary.budget:
        screen.print(f"budget, over the run's life: {summary.budget.in_words} spent")
    print_statistics(summary.statistics, screen)
    screen.print()
    screen.print(f"release: {summary.release}")
    if summary.unmet:
        screen.print("quotas of the selection that were not met:")
        for line in summary.unmet:
            screen.print(Text(f"  {visible(line)}"), soft_wrap=True)
    for step in summary.next:
        screen.print(f"  {step}", soft_wrap=True)
    for line in summary.unanswered:
        screen.print(Text(visible(line), style="yellow"), soft_wrap=True)
    for line in summary.shortfalls:
        screen.print(Text(visible(f"WARNING: {line}"), style="bold red"), soft_wrap=True)
