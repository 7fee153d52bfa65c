"""Importing: what annotators handed in, checked, and added to the records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chainwright.annotation.people.answers import Answer, Fault, FilledTask, check_task
from chainwright.annotation.people.assignment import Plan, PlannedTask
from chainwright.annotation.people.records import Key, additions, current
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.people.human_folder import (
    HumanFolder,
    add_records,
    held_by_people,
    human_folder,
    load_plans,
    load_records,
    tasks_of,
)
from chainwright.pipeline.people.task_files import read_sheets
from chainwright.schemas.human import Channel, HumanRecord
from chainwright.schemas.reject import Reject


@dataclass
class Imported:
    """What came of one file: `tasks` = `changed` + `unchanged` + `blank` + `rejected`.

    Attributes:
        tasks: Tasks in the file.
        changed: Tasks that added to the records.
        unchanged: Tasks whose answers were there already.
        blank: Tasks without an answer, then or before.
        rejected: Tasks of which nothing was taken.
        added: Lines by what they do: `new`, `edited`, `withdrawn`.
        faults: What was wrong, tasks and rows that are in no task.
    """

    source: str
    tasks: int = 0
    changed: int = 0
    unchanged: int = 0
    blank: int = 0
    rejected: int = 0
    added: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("new", "edited", "withdrawn"), 0)
    )
    faults: list[Fault] = field(default_factory=list)
    superseded: int = 0
    """Submissions that a later one of the same task stands for."""
    rejects: str | None = None
    """The file that lists the faults."""


@dataclass(frozen=True)
class ImportReport:
    """What came of an import."""

    run: str
    files: list[Imported]

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self)


def import_files(run: str, runs: Path, files: Sequence[Path]) -> ImportReport:
    """Takes in files that annotators filled in; the same file twice changes nothing.

    Raises:
        InputMistake: when there is no such run, it has handed nothing out, or a file is missing.
        RunStopped: when another command holds the human part.
    """
    folder = find_run(run, runs)
    if not files:
        raise InputMistake(
            "found no file to take in, expected the files that annotators filled in, or "
            "--label-studio for what was submitted on a server"
        )
    read = []
    for path in files:
        try:
            read.append((path.name, *read_sheets(path)))
        except OSError as error:
            raise InputMistake(f"{path}: {error.strerror or error}") from error
    human = human_folder(folder)
    with held_by_people(human):
        return ImportReport(
            folder.name,
            [take_in(human, name, tasks, faults, "file") for name, tasks, faults in read],
        )


def take_in(
    human: HumanFolder,
    source: str,
    tasks: Iterable[FilledTask],
    faults: Iterable[Fault],
    channel: Channel,
) -> Imported:
    """Adds to the records what is new in filled-in tasks, and lists what could not be taken.

    Args:
        source: Where the tasks are from; names the list of rejects.
        faults: What could not be read in the first place.
        channel: How they came in.

    Raises:
        InputMistake: when the run has handed nothing out.
    """
    plans = load_plans(human)
    if not plans:
        raise InputMistake(
            f"{human.path} has no plan: nothing was handed out; `chainwright human export` does it"
        )
    planned = tasks_of(plans)
    standing = current(load_records(human))
    report = Imported(source, faults=list(faults))
    added: list[HumanRecord] = []
    seen: set[str] = set()
    for task in tasks:
        report.tasks += 1
        found, wrong = _whose(task, planned, plans, seen)
        if found is None:
            report.rejected += 1
            report.faults.append(wrong)
            continue
        seen.add(task.task)
        plan, own = found
        answers: list[Answer] = []
        flaws: list[Fault] = []
        if not task.is_blank:
            answers, flaws = check_task(task, own, plan.questionnaires[own.track])
        if flaws:
            report.rejected += 1
            report.faults += flaws
            continue
        time = task.time or datetime.now(UTC).isoformat(timespec="seconds")
        lines = additions(standing, plan, own, answers, channel=channel, time=time)
        _count(report, lines, standing, is_blank=not answers)
        added += lines
    add_records(human, added)
    _write_rejects(human, report)
    return report


def _whose(
    task: FilledTask,
    planned: Mapping[str, tuple[Plan, PlannedTask]],
    plans: Mapping[int, Plan],
    seen: set[str],
) -> tuple[tuple[Plan, PlannedTask] | None, Fault]:
    """The planned task that a filled-in one is, or what is wrong with it."""
    people = sorted({name for plan in plans.values() for name in plan.annotators})
    found = planned.get(task.task)
    if task.annotator and task.annotator not in people:
        detail = f"found `{task.annotator[:80]}`, expected one of {', '.join(people)}"
        return None, Fault(task.place, "annotator", "unknown_annotator", detail)
    if found is None:
        detail = f"found `{task.task[:80]}`, which was handed out to nobody"
        return None, Fault(task.place, "task", "unknown_task", detail)
    if task.annotator and task.annotator != found[1].annotator:
        detail = f"found `{task.annotator}`, the task was handed out to `{found[1].annotator}`"
        return None, Fault(task.place, "annotator", "not_assigned", detail)
    if task.task in seen:
        detail = f"found `{task.task}` a second time, expected it once"
        return None, Fault(task.place, "task", "duplicate_task", detail)
    return found, Fault(task.place, "", "", "")


def _count(
    report: Imported,
    lines: Sequence[HumanRecord],
    standing: Mapping[Key, HumanRecord],
    *,
    is_blank: bool,
) -> None:
    if lines:
        report.changed += 1
    elif is_blank:
        report.blank += 1
    else:
        report.unchanged += 1
    for line in lines:
        known = Key(line.round, line.annotator, line.chain_id, line.step) in standing
        kind = "withdrawn" if line.kind == "withdrawn" else "edited" if known else "new"
        report.added[kind] += 1


def _write_rejects(human: HumanFolder, report: Imported) -> None:
    path = human.rejects(report.source)
    path.unlink(missing_ok=True)
    if not report.faults:
        return
    rejects = [
        Reject(
            stage="human",
            table="human_records",
            item=fault.place,
            reason=fault.reason,
            detail=f"{fault.field}: {fault.detail}" if fault.field else fault.detail,
            payload=None,
        )
        for fault in report.faults
    ]
    write_atomically(path, "".join(f"{reject.model_dump_json()}\n" for reject in rejects))
    report.rejects = str(path)
