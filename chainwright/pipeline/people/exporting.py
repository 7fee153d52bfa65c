"""Exporting: a round of tasks, planned and written out for its annotators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chainwright.annotation.people.adjudication import LETTERS, adjudication_tasks
from chainwright.annotation.people.assignment import (
    RANDOM,
    Candidate,
    Plan,
    PlannedTask,
    Wish,
    assign,
)
from chainwright.annotation.people.guidelines import guidelines_html, guidelines_markdown
from chainwright.annotation.people.questionnaire import Questionnaire, questionnaires
from chainwright.annotation.people.settling import Step, by_step
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.people.human_folder import (
    HumanFolder,
    check_name,
    held_by_people,
    human_folder,
    load_plans,
    save_plan,
    standing_answers,
)
from chainwright.pipeline.people.run_chains import candidates, chains_shown, labels_of, recipe_of
from chainwright.pipeline.people.task_files import FileFormat, Sheet, write_sheets
from chainwright.pipeline.ranking import ranked_chains
from chainwright.pipeline.run_folder import RunFolder
from chainwright.schemas.human import HumanRecord
from chainwright.schemas.label import Label
from chainwright.schemas.words import TRACKS, Track

Send = Callable[[RunFolder, HumanFolder, Plan], str]
"""Sends a round to a server, and gives its address."""


@dataclass(frozen=True)
class Round:
    """A round that was handed out."""

    run: str
    round: int
    folder: str
    """Where the guidelines lie, and the files for the annotators unless a server has them."""
    server: str | None
    """The server that has the tasks; None for files."""
    adjudication: bool
    assisted: bool
    annotators: dict[str, dict[str, int]]
    """Of each the tasks, the steps to answer, and the honey-pots among the tasks."""
    chains: int
    """Different chains, honey-pots not among them."""

    def as_json(self) -> dict[str, Any]:
        """The round as plain values."""
        return asdict(self)


def export_round(
    run: str,
    runs: Path,
    wish: Wish,
    *,
    assisted: bool,
    kind: FileFormat,
    out: Path | None = None,
    send: Send | None = None,
) -> Round:
    """Plans a round and writes one file an annotator, with the guidelines beside them.

    Chains of earlier rounds are not drawn again.

    Args:
        wish: What the round is to hold.
        assisted: Whether to show the judges' votes; answers are then flagged.
        kind: Format of the files.
        out: Where to put them; in the run's own folder by default.
        send: Sends the round to a server in place of the files.

    Raises:
        InputMistake: when there is no such run, the wish can't be met, or no chain is left.
        RunStopped: when another command holds the human part.
    """
    folder = find_run(run, runs)
    human = human_folder(folder)
    for name in wish.annotators:
        check_name(name)
    with held_by_people(human):
        plans = load_plans(human)
        number = max(plans, default=0) + 1
        read = {task.chain_id for plan in plans.values() for task in plan.tasks}
        there = [one for one in _with_doubts(folder, wish) if one.chain_id not in read]
        try:
            tasks = assign(there, number, wish)
        except ValueError as error:
            raise InputMistake(str(error)) from error
        if all(task.honey_pot for task in tasks):
            raise InputMistake(_nothing_left(folder, wish, [one.exact for one in there]))
        plan = Plan(
            round=number,
            created=_now(),
            seed=wish.seed,
            adjudication=False,
            assisted=assisted,
            pool=wish.pool,
            # What earlier rounds took away by its labels is missing from a later draw.
            random=wish.pool in RANDOM and all(p.random or p.adjudication for p in plans.values()),
            annotators=list(wish.annotators),
            questionnaires=_questions(folder, {task.track for task in tasks}),
            tasks=tasks,
        )
        return _hand_out(folder, human, plan, kind, out, send)


def export_adjudication(
    run: str,
    runs: Path,
    adjudicator: str,
    *,
    seed: int,
    kind: FileFormat,
    out: Path | None = None,
    send: Send | None = None,
) -> Round:
    """Hands the steps that annotators differ on to somebody who has not read the chains.

    Raises:
        InputMistake: when there is no such run, nothing to decide, or the adjudicator has answered.
        RunStopped: when another command holds the human part.
    """
    folder = find_run(run, runs)
    human = human_folder(folder)
    check_name(adjudicator)
    with held_by_people(human):
        plans = load_plans(human)
        standing = standing_answers(folder)
        number = max(plans, default=0) + 1
        former = {
            task.chain_id: task.model_copy(update={"honey_pot": False})
            for plan in plans.values()
            for task in plan.tasks
        }
        try:
            tasks = adjudication_tasks(standing, former, adjudicator, number, seed)
        except ValueError as error:
            raise InputMistake(str(error)) from error
        if not tasks:
            raise InputMistake(
                f"nothing to decide in run {folder.name}: on every step that two people answered "
                "they agree, or somebody has decided"
            )
        chains = {task.chain_id for task in tasks}
        plan = Plan(
            round=number,
            created=_now(),
            seed=seed,
            adjudication=True,
            # Where those who differ had seen votes, what comes of it rests on these.
            assisted=any(one.assisted for one in standing.values() if one.chain_id in chains),
            pool="all",
            random=False,
            annotators=[adjudicator],
            questionnaires=_questions(folder, {task.track for task in tasks}),
            tasks=tasks,
        )
        return _hand_out(folder, human, plan, kind, out, send)


def _hand_out(
    folder: RunFolder,
    human: HumanFolder,
    plan: Plan,
    kind: FileFormat,
    out: Path | None,
    send: Send | None,
) -> Round:
    """Writes a plan's files, or sends it to a server, and then writes the plan."""
    target = out or human.round(plan.round)
    server = send(folder, human, plan) if send else None
    if server is None:
        for name, sheets in sheets_of(folder, plan).items():
            write_sheets(target / f"{name}.{kind}", sheets, kind)
    questions = list(plan.questionnaires.values())
    write_atomically(target / "guidelines.md", guidelines_markdown(questions))
    write_atomically(target / "guidelines.html", guidelines_html(questions))
    save_plan(human, plan)
    return Round(
        run=folder.name,
        round=plan.round,
        folder=str(target),
        server=server,
        adjudication=plan.adjudication,
        assisted=plan.assisted,
        annotators={name: _counts(plan, name) for name in plan.annotators},
        chains=len({task.chain_id for task in plan.tasks if not task.honey_pot}),
    )


def sheets_of(folder: RunFolder, plan: Plan) -> dict[str, list[Sheet]]:
    """What each annotator of a plan is shown.

    Raises:
        InputMistake: when a chain of the plan is not in the run any more.
    """
    wanted = {task.chain_id for task in plan.tasks}
    seen = chains_shown(folder, wanted)
    gone = sorted(wanted - set(seen))
    if gone:
        raise InputMistake(
            f"{len(gone)} chains that people differ on are not in run {folder.name} any more, such "
            f"as {gone[0]}; build the recipe that has them"
        )
    hints: dict[Step, str] = {}
    if plan.adjudication:
        answers = by_step(standing_answers(folder).values())
    elif plan.assisted:
        labels, _ = labels_of(folder, wanted)
        hints = {step: _votes(label) for step, label in labels.items()}
    sheets: dict[str, list[Sheet]] = defaultdict(list)
    for task in plan.tasks:
        own = {step: hints.get((task.chain_id, step), "") for step in task.asked}
        if plan.adjudication:
            own = {
                step: _lettered(task, answers.get((task.chain_id, step), [])) for step in task.asked
            }
        shown = {step: hint for step, hint in own.items() if hint}
        sheets[task.annotator].append(Sheet(task, seen[task.chain_id], shown))
    return dict(sheets)


def _votes(label: Label) -> str:
    return "; ".join(
        f"judge {number}: {_outcome(vote.label, vote.category)}"
        for number, vote in enumerate(label.votes, start=1)
    )


def _lettered(task: PlannedTask, records: Iterable[HumanRecord]) -> str:
    """Answers A, B, … of a step, without names."""
    said = {one.annotator: one for one in records if one.role == "annotator"}
    return "; ".join(
        f"{LETTERS[at % 26]}: {_outcome(said[name].label, said[name].category)}"
        + (f" ({note})" if (note := said[name].note) else "")
        for at, name in enumerate(task.shown_answers)
        if name in said
    )


def _outcome(label: str | None, category: str | None) -> str:
    if label is None:
        return "no vote"
    return f"{label}, {category}" if category else label


def _counts(plan: Plan, name: str) -> dict[str, int]:
    own = [task for task in plan.tasks if task.annotator == name]
    return {
        "tasks": len(own),
        "steps": sum(len(task.asked) for task in own),
        "honey_pots": sum(task.honey_pot for task in own),
    }


def _with_doubts(folder: RunFolder, wish: Wish) -> list[Candidate]:
    """The chains that could be read, with how much is in doubt where the wish goes by it."""
    there = candidates(folder)
    if wish.pool != "ranked":
        return there
    doubts = {one.chain_id: one.rate for one in ranked_chains(folder)}
    return [replace(one, doubt=doubts.get(one.chain_id)) for one in there]


def _questions(folder: RunFolder, tracks: set[Track]) -> dict[Track, Questionnaire]:
    known = questionnaires(recipe_of(folder).annotation.taxonomy.taxonomies())
    return {track: known[track] for track in TRACKS if track in tracks}


def _nothing_left(folder: RunFolder, wish: Wish, exact: list[bool]) -> str:
    if not exact:
        return f"no chain of run {folder.name} is left that no earlier round has"
    if wish.pool != "all" and all(exact):
        return (
            f"found no chain for the pool `{wish.pool}` in run {folder.name}: the labels of all "
            "that are left are exact; `--pool all` draws from them too"
        )
    return f"found no chain for the pool `{wish.pool}` in run {folder.name}; choose another pool"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
