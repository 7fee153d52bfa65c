"""Status: how far a run is and what its recipe would change, from manifest and journals alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.line import Line, standard_line
from chainwright.pipeline.manifest import Manifest, load_manifest
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.people.human_folder import standing_answers
from chainwright.pipeline.plan import Planner, StagePlan
from chainwright.pipeline.run_folder import ON_REQUEST, STAGES, RunFolder, is_held
from chainwright.pipeline.screens.report import (
    StageReport,
    accounts,
    print_sources,
    print_stages,
    stage_report,
)
from chainwright.pipeline.screens.shortfalls import unanswered
from chainwright.pipeline.screens.terminal import visible
from chainwright.pipeline.stores.working_copy import sent_elsewhere
from chainwright.recipe_file import RecipeError, load_recipe


@dataclass(frozen=True)
class RunStatus:
    """How far a run is."""

    folder: str
    manifest: Manifest
    stages: list[StageReport]
    plan: list[StagePlan]
    """What a build of the recipe would run now, as long as the sources are what they were."""
    recipe: str
    """The recipe that the plan is for."""
    recipe_fault: str | None
    """Why there is no plan."""
    sent_by: str | None = None
    """Of a run in a store: which other machine sent what is known here, and when."""

    @property
    def is_stale(self) -> bool:
        """Whether a build would run something."""
        return any(stage.run for stage in self.plan)

    def as_json(self) -> dict[str, Any]:
        """The status as plain values."""
        return {
            "folder": self.folder,
            "manifest": self.manifest.model_dump(),
            "stages": [asdict(stage) for stage in self.stages],
            "accounts": [
                asdict(each) | {"balanced": each.balanced} for each in accounts(self.stages)
            ],
            "recipe": self.recipe,
            "recipe_fault": self.recipe_fault,
            "sent_by": self.sent_by,
            "stale": None if self.recipe_fault else self.is_stale,
            "plan": [asdict(stage) for stage in self.plan],
        }


def run_status(run: str, runs: Path, *, line: Line | None = None) -> RunStatus:
    """The status of a run.

    It is compared with the recipe where the last build read it, or with the run's own copy where
    that is gone. Sources and rows are not read.

    Raises:
        InputMistake: when there is no such run.
    """
    folder = find_run(run, runs)
    manifest = load_manifest(folder)
    if manifest is None:
        raise InputMistake(f"the run {folder.path} has lost its manifest")
    sent_by = sent_elsewhere(folder)
    if manifest.outcome == "running" and not is_held(folder) and sent_by is None:
        manifest.outcome = "killed"
    recipe_path = Path(manifest.recipe) if Path(manifest.recipe).is_file() else folder.recipe
    plan, fault = [], None
    try:
        recipe = load_recipe(recipe_path)
    except RecipeError as error:
        fault = str(error)
    else:
        blocks = manifest.blocks or 0
        line = line or standard_line(standing_answers(folder))
        planner = Planner(folder, recipe, line, blocks, verify=False)
        plan = planner.plans(None)
    return RunStatus(
        folder=str(folder.path),
        manifest=manifest,
        stages=[
            stage_report(stage, journal, manifest.blocks, manifest.stages.get(stage))
            for stage, journal in _journals(folder, {planned.stage for planned in plan})
        ],
        plan=plan,
        recipe=str(recipe_path),
        recipe_fault=fault,
        sent_by=sent_by,
    )


def _journals(folder: RunFolder, planned: set[str]) -> Iterator[tuple[str, Journal]]:
    """The stages in order; those on request only where the recipe or the run has them."""
    for stage in STAGES:
        journal = Journal(folder.journal(stage))
        if stage not in ON_REQUEST or stage in planned or journal.entries:
            yield stage, journal


def print_status(status: RunStatus, screen: Console) -> None:
    """Prints the status."""
    manifest = status.manifest
    head = Text(f"run {manifest.name}", style="bold")
    head.append(f": last build {manifest.outcome}, began {manifest.started}", style="not bold")
    if manifest.finished:
        head.append(f", ended {manifest.finished}", style="not bold")
    screen.print(head)
    if status.sent_by:
        screen.print(Text(visible(f"as sent by {status.sent_by}")), soft_wrap=True)
    if manifest.message:
        screen.print(Text(visible(manifest.message), style="yellow"))
    if manifest.budget:
        screen.print(f"budget, over the run's life: {manifest.budget.in_words} spent")
    print_stages(status.stages, screen)
    print_sources(manifest.sources, screen)
    for line in unanswered(status.stages):
        screen.print(Text(visible(line), style="yellow"), soft_wrap=True)
    if status.recipe_fault:
        screen.print(Text(visible(status.recipe_fault), style="yellow"))
    elif not status.is_stale:
        screen.print(f"up to date with {status.recipe}, if its sources are what they were")
    else:
        screen.print(f"out of date with {status.recipe}:")
        for stage in status.plan:
            if stage.run:
                screen.print(f"  {stage.stage}: {stage}")
