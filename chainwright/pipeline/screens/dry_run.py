"""Dry run: what a build would do and cost, before it does anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.builders.sources import problems_from_sources
from chainwright.llm.budget import Amount
from chainwright.pipeline.budgeting import (
    BudgetState,
    budget_state,
    no_price_for,
    outlook_in_words,
    without_price,
)
from chainwright.pipeline.estimate import AskPlan, Estimator
from chainwright.pipeline.line import Line, standard_line
from chainwright.pipeline.named_run import run_to_be
from chainwright.pipeline.people.human_folder import standing_answers
from chainwright.pipeline.plan import Planner, StagePlan
from chainwright.pipeline.problems import by_source, in_blocks
from chainwright.pipeline.reading.rows import read_rows
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.report import reasons
from chainwright.pipeline.screens.terminal import one_line
from chainwright.recipe_file import load_recipe


@dataclass(frozen=True)
class SourcePlan:
    """What the rows of a source come to."""

    source: str
    rows: int
    problems: int
    rejected: dict[str, int]
    """By reason, the most frequent first."""


@dataclass(frozen=True)
class BuildPlan:
    """What a build would do, and what models would be asked."""

    run: str
    folder: str
    sources: list[SourcePlan]
    problems: int
    rejected: dict[str, int]
    """Rows of the sources that give no problem, by reason."""
    blocks: int
    stages: list[StagePlan]
    models: list[AskPlan] = field(default_factory=list)
    budget: BudgetState | None = None
    """The recipe's budget, and what is spent of it."""
    traces_at_most: int = 0
    """Chains that the stages can make of the problems."""
    without_price: list[str] = field(default_factory=list)
    """Models for whose sake a build would refuse the budget."""

    @property
    def need(self) -> Amount:
        """What a build would spend."""
        tokens = sum(plan.input_tokens + plan.output_tokens for plan in self.models)
        return Amount(self.cost_usd, tokens, self.requests)

    @property
    def requests(self) -> int:
        """Requests that would be sent."""
        return self.of_stage(None)[0]

    @property
    def cost_usd(self) -> float:
        """What they would cost, as far as prices are known."""
        return self.of_stage(None)[1]

    def of_stage(self, stage: str | None) -> tuple[int, float]:
        """Requests that a stage would send, and their cost as far as known; None = all stages."""
        plans = [plan for plan in self.models if stage in (None, plan.stage)]
        return sum(plan.to_send for plan in plans), sum(
            (plan.cost_usd or 0.0 for plan in plans), 0.0
        )

    def as_json(self) -> dict[str, Any]:
        """The plan as plain values."""
        stages = []
        for stage in self.stages:
            requests, cost = self.of_stage(stage.stage)
            stages.append(stage.as_json() | {"requests": requests, "cost_usd": cost})
        total = {"requests": self.requests, "cost_usd": self.cost_usd}
        budget = {"budget": self.budget and self.budget.model_dump()}
        return asdict(self) | {"stages": stages} | total | budget


def plan_build(
    recipe_path: Path, runs: Path | str, *, fresh: bool = False, line: Line | None = None
) -> BuildPlan:
    """Reads the recipe, its sources and the run folder, and changes nothing.

    Args:
        recipe_path: The recipe.
        runs: The folder that holds the run folders, or its URL.
        fresh: Whether to plan as though no stage had run yet.
        line: The stages; those of chainwright by default.

    Raises:
        RecipeError: when the recipe cannot be used.
        SourceError: when a source cannot be read.
    """
    recipe = load_recipe(recipe_path)
    folder = run_to_be(recipe.name, runs)
    read = problems_from_sources(
        (
            (source, read_rows(source, recipe_folder=recipe_path.parent, seed=recipe.seed))
            for source in recipe.sources
        ),
        recipe.seed,
    )
    problems = len(read.rows["problems"])
    batches = in_blocks(read, recipe)
    line = line or standard_line(standing_answers(folder))
    planner = Planner(
        folder=RunFolder(folder.path / ".none") if fresh else folder,
        recipe=recipe,
        line=line,
        blocks=len(batches),
        verify=True,
    )
    outlook = planner.outlook(recipe_path.parent)
    estimator = Estimator(folder, recipe, line, batches, outlook)
    models = estimator.plans()
    rejected = Counter(reject.reason for reject in read.rejects if reject.table == "problems")
    return BuildPlan(
        run=recipe.name,
        folder=str(folder.path),
        sources=[
            SourcePlan(name, count.rows, count.made, count.rejected)
            for name, count in by_source(read).items()
        ],
        problems=problems,
        rejected=dict(rejected.most_common()),
        blocks=len(batches),
        stages=outlook.plans,
        models=models,
        traces_at_most=estimator.traces_at_most(),
        budget=budget_state(recipe, folder),
        without_price=[str(model) for model in without_price(recipe)],
    )


def print_plan(plan: BuildPlan, screen: Console) -> None:
    """Prints the plan."""
    for source in plan.sources:
        screen.print(
            f"source {one_line(source.source)}: {source.rows} rows, {source.problems} problems; "
            f"rejected {reasons(source.rejected)}",
            soft_wrap=True,
        )
    screen.print(
        f"{plan.problems} problems in {plan.blocks} blocks; rejected {reasons(plan.rejected)}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("stage", "blocks"):
        table.add_column(name)
    for stage in plan.stages:
        table.add_row(stage.stage, Text(str(stage), style="" if stage.run else "dim"))
    screen.print(table)
    if plan.models:
        screen.print()
        screen.print(_model_table(plan.models))
    for note in _notes(plan):
        screen.print(Text(note, style="dim"))
    if plan.budget:
        screen.print(outlook_in_words(plan.budget, plan.need), soft_wrap=True)
    if plan.without_price:
        screen.print(Text(no_price_for(plan.without_price), style="yellow"), soft_wrap=True)
    about = "" if not plan.models else "about "
    unknown = any(one.cost_usd is None and one.to_send for one in plan.models)
    more = " and what has no known price" if unknown else ""
    screen.print(
        f"requests {plan.requests}, cost {about}{plan.cost_usd:.2f} USD{more}; nothing was run"
    )


def _model_table(plans: Sequence[AskPlan]) -> Table:
    """One line a stage and model; `~` marks what follows from counts."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("stage", "model"):
        table.add_column(name)
    for name in ("requests", "in ledger", "tokens in", "tokens out", "cost"):
        table.add_column(name, justify="right")
    for plan in plans:
        about = "" if plan.exact else "~ "
        cost = "unknown" if plan.cost_usd is None else f"{about}{plan.cost_usd:.2f} USD"
        table.add_row(
            plan.stage,
            one_line(plan.model),
            f"{about}{plan.requests:,}",
            f"{plan.in_ledger:,}",
            f"{about}{plan.input_tokens:,}",
            f"{about}{plan.output_tokens:,}",
            cost,
        )
    return table


def _notes(plan: BuildPlan) -> Iterator[str]:
    """How far the numbers can be trusted."""
    if plan.models:
        yield "tokens are estimates; answers that have to be asked for again come on top"
    late = dict.fromkeys(one.stage for one in plan.models if not one.exact)
    if late:
        yield (
            f"~ rows that {' and '.join(late)} would read are not there yet: for them stand the "
            "most chains there can be, each of the length of the sources' own solutions"
        )
