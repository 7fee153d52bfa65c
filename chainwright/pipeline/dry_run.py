"""Dry run: what a build would do and cost, before it does anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.builders.sources import problems_from_sources
from chainwright.pipeline.line import Line, standard_line
from chainwright.pipeline.plan import Planner, StagePlan
from chainwright.pipeline.reading import read_rows
from chainwright.pipeline.report import reasons
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.terminal import one_line
from chainwright.recipe_file import load_recipe

Row = TypeVar("Row")


@dataclass(frozen=True)
class SourceCount:
    """Rows that a source holds."""

    source: str
    rows: int


@dataclass(frozen=True)
class BuildPlan:
    """What a build would do. No stage asks a model yet, so it costs nothing."""

    run: str
    folder: str
    sources: list[SourceCount]
    problems: int
    rejected: dict[str, int]
    """Rows of the sources that give no problem, by reason."""
    blocks: int
    stages: list[StagePlan]
    requests: int = 0
    cost_usd: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The plan as plain values."""
        free = {"requests": 0, "cost_usd": 0.0}
        return asdict(self) | {"stages": [stage.as_json() | free for stage in self.stages]}


def plan_build(
    recipe_path: Path, runs: Path, *, fresh: bool = False, line: Line | None = None
) -> BuildPlan:
    """Reads the recipe, its sources and the run folder, and changes nothing.

    Args:
        recipe_path: The recipe.
        runs: The folder that holds the run folders.
        fresh: Whether to plan as though no stage had run yet.
        line: The stages; those of chainwright by default.

    Raises:
        RecipeError: when the recipe cannot be used.
        SourceError: when a source cannot be read.
    """
    recipe = load_recipe(recipe_path)
    folder = RunFolder(runs / recipe.name)
    rows: Counter[int] = Counter()
    read = problems_from_sources(
        (
            (source, _counted(read_rows(source, recipe_folder=recipe_path.parent), rows, number))
            for number, source in enumerate(recipe.sources)
        ),
        recipe.seed,
    )
    problems = len(read.rows["problems"])
    blocks = max(1, ceil(problems / recipe.block))
    planner = Planner(
        folder=RunFolder(folder.path / ".none") if fresh else folder,
        recipe=recipe,
        line=line or standard_line(),
        blocks=blocks,
        verify=True,
    )
    rejected = Counter(reject.reason for reject in read.rejects if reject.table == "problems")
    return BuildPlan(
        run=recipe.name,
        folder=str(folder.path),
        sources=[
            SourceCount(source.known_as, rows[number])
            for number, source in enumerate(recipe.sources)
        ],
        problems=problems,
        rejected=dict(rejected.most_common()),
        blocks=blocks,
        stages=planner.plans(recipe_path.parent),
    )


def print_plan(plan: BuildPlan, screen: Console) -> None:
    """Prints the plan."""
    for source in plan.sources:
        screen.print(f"source {one_line(source.source)}: {source.rows} rows")
    screen.print(
        f"{plan.problems} problems in {plan.blocks} blocks; rejected {reasons(plan.rejected)}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("stage", "blocks", "requests", "cost"):
        table.add_column(name, justify="right" if name in ("requests", "cost") else "left")
    for stage in plan.stages:
        style = "" if stage.run else "dim"
        table.add_row(stage.stage, Text(str(stage), style=style), "0", "0.00 USD")
    screen.print(table)
    screen.print(f"requests {plan.requests}, cost {plan.cost_usd:.2f} USD; nothing was run")


def _counted(rows: Iterable[Row], counts: Counter[int], number: int) -> Iterator[Row]:
    for row in rows:
        counts[number] += 1
        yield row
