"""Figures: how far the people of a run are, and what their answers are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chainwright.annotation.people.alternative_test import EPSILON
from chainwright.annotation.people.assignment import Plan
from chainwright.annotation.people.questionnaire import questionnaires
from chainwright.annotation.people.records import Key, current
from chainwright.annotation.people.settling import settle, unsuitable
from chainwright.annotation.people.statistics import Material, human_statistics
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import write_json
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.people.human_folder import human_folder, load_plans, load_records
from chainwright.pipeline.people.run_chains import candidates, labels_of, recipe_of, scales
from chainwright.pipeline.run_folder import RunFolder
from chainwright.schemas.human import HumanRecord


@dataclass(frozen=True)
class HumanStatus:
    """How far the people of a run are."""

    run: str
    rounds: list[dict[str, Any]]
    """Of each its number, kind, annotators and tasks."""
    annotators: dict[str, dict[str, int]]
    """Of each the tasks, those that are open, and the steps answered."""
    lines: int
    """Lines of the history, edits and withdrawals among them."""
    settled: dict[str, int]
    """Steps by how their label came about; `open` waits for an adjudication."""
    unsuitable: int
    """Chains that can't be judged."""
    gone: int
    """Chains with answers that the run does not have any more, or shows otherwise."""
    other_questions: list[int]
    """Rounds whose labels and categories are not those of the recipe now."""

    def as_json(self) -> dict[str, Any]:
        """The status as plain values."""
        return asdict(self)


def human_status(run: str, runs: Path) -> HumanStatus:
    """How far the people of a run are.

    Raises:
        InputMistake: when there is no such run, or its records can't be read.
    """
    folder = find_run(run, runs)
    human = human_folder(folder)
    plans = load_plans(human)
    records = load_records(human)
    standing = current(records)
    left = _open_tasks(plans, standing)
    tasks = Counter(task.annotator for plan in plans.values() for task in plan.tasks)
    steps = Counter(key.annotator for key in standing if key.step > 0)
    there = {one.chain_id: one.content_hash for one in candidates(folder)}
    seen = {record.chain_id: record.content_hash for record in standing.values()}
    now = questionnaires(recipe_of(folder).annotation.taxonomy.taxonomies())
    return HumanStatus(
        run=folder.name,
        rounds=[
            {
                "round": plan.round,
                "kind": "adjudication" if plan.adjudication else "annotation",
                "assisted": plan.assisted,
                "annotators": plan.annotators,
                "tasks": len(plan.tasks),
            }
            for plan in plans.values()
        ],
        annotators={
            name: {"tasks": tasks[name], "open": left[name], "steps": steps[name]}
            for name in sorted(tasks)
        },
        lines=len(records),
        settled=dict(Counter(one.settled for one in settle(standing).values()).most_common()),
        unsuitable=len(unsuitable(standing)),
        gone=sum(there.get(chain_id) != digest for chain_id, digest in seen.items()),
        other_questions=[
            plan.round
            for plan in plans.values()
            if any(one.version != now[track].version for track, one in plan.questionnaires.items())
        ],
    )


@dataclass(frozen=True)
class HumanFigures:
    """What the answers of a run's people are worth."""

    run: str
    file: str
    statistics: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The figures as plain values."""
        return asdict(self)


def human_figures(run: str, runs: Path, *, epsilon: float) -> HumanFigures:
    """Computes the statistics of a run's people and keeps them in its human folder.

    Args:
        epsilon: What a judge may fall behind a person by, in the alternative annotator test.

    Raises:
        InputMistake: when there is no such run, nobody has answered yet, or epsilon is no share.
    """
    if not 0 <= epsilon <= 1:
        raise InputMistake(f"found {epsilon} for --epsilon, expected a number from 0 to 1")
    folder = find_run(run, runs)
    human = human_folder(folder)
    standing = current(load_records(human))
    if not standing:
        raise InputMistake(
            f"nobody has answered in run {folder.name} yet: `chainwright human export` hands tasks "
            "out, `chainwright human import` takes answers in"
        )
    document = human_document(folder, epsilon)
    write_json(human.statistics, document)
    return HumanFigures(folder.name, str(human.statistics), document)


def human_document(folder: RunFolder, epsilon: float = EPSILON) -> dict[str, Any]:
    """The statistics of a run's people; empty where nobody has answered.

    Args:
        epsilon: As for `human_figures`.
    """
    human = human_folder(folder)
    standing = current(load_records(human))
    if not standing:
        return {}
    recipe = recipe_of(folder)
    chains = {record.chain_id for record in standing.values()}
    labels, exact = labels_of(folder, chains)
    return human_statistics(
        Material(
            standing=standing,
            plans=load_plans(human),
            labels=labels,
            exact=exact,
            tracks={
                task.chain_id: task.track for p in load_plans(human).values() for task in p.tasks
            },
            scales=scales(recipe),
            replicates=recipe.annotation.bootstrap,
            seed=recipe.seed,
            epsilon=epsilon,
        )
    )


def _open_tasks(plans: Mapping[int, Plan], standing: Mapping[Key, HumanRecord]) -> Counter[str]:
    """Tasks by annotator that have no answer yet."""
    done = {(key.round, key.annotator, key.chain_id) for key in standing}
    return Counter(
        task.annotator
        for plan in plans.values()
        for task in plan.tasks
        if (plan.round, task.annotator, task.chain_id) not in done
    )
