"""Human folder: what lies in `runs/NAME/human/`, which no build ever removes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from chainwright.annotation.people.assignment import Plan, PlannedTask
from chainwright.annotation.people.records import Key, current
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.run_folder import RunFolder
from chainwright.schemas.human import HumanRecord

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
"""What annotators may be called: it becomes the name of a file."""


@dataclass(frozen=True)
class HumanFolder:
    """The paths of a run's human part. Nothing need exist yet."""

    path: Path

    @property
    def records(self) -> Path:
        """Every answer that ever came in, a line each; only ever added to."""
        return self.path / "records.jsonl"

    @property
    def statistics(self) -> Path:
        """What the answers are worth."""
        return self.path / "statistics.json"

    def plan(self, round_: int) -> Path:
        """Who was asked what in a round: nothing for annotators to see."""
        return self.path / "plans" / f"{round_}.json"

    def round(self, round_: int) -> Path:
        """The folder with what a round hands out."""
        return self.path / "rounds" / str(round_)

    def rejects(self, source: str) -> Path:
        """What could not be taken of a file when it was last imported."""
        return self.path / "rejects" / f"{source}.jsonl"


def human_folder(folder: RunFolder) -> HumanFolder:
    """The human part of a run."""
    return HumanFolder(folder.path / "human")


def standing_answers(folder: RunFolder) -> dict[Key, HumanRecord]:
    """The answers that stand in a run; none where it has none.

    Raises:
        InputMistake: as `load_records` does.
    """
    return current(load_records(human_folder(folder)))


def load_records(human: HumanFolder) -> list[HumanRecord]:
    """The whole history, oldest first.

    A last line without an end is what a crash left of a write; it counts for nothing.

    Raises:
        InputMistake: for a line that is no record.
    """
    try:
        content = human.records.read_bytes()
    except FileNotFoundError:
        return []
    lines = content.split(b"\n")
    records = []
    for number, line in enumerate(lines[:-1], start=1):
        if not line.strip():
            continue
        try:
            records.append(HumanRecord.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "the line"
            raise InputMistake(
                f"{human.records}, line {number}, {place}: {first['msg']}; the file is only ever "
                "added to by `chainwright human import`: restore the line, or take it out"
            ) from error
    return records


def add_records(human: HumanFolder, records: Iterable[HumanRecord]) -> None:
    """Appends lines and makes sure that they reach the disk."""
    lines = b"".join(record.model_dump_json().encode() + b"\n" for record in records)
    if not lines:
        return
    human.path.mkdir(parents=True, exist_ok=True)
    with human.records.open("ab+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # what a crash left of a write would join the next line
                file.truncate(human.records.read_bytes().rfind(b"\n") + 1)
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())


def load_plans(human: HumanFolder) -> dict[int, Plan]:
    """All rounds by number.

    Raises:
        InputMistake: for a plan that cannot be read.
    """
    plans = {}
    for path in (human.path / "plans").glob("*.json"):
        try:
            plan = Plan.model_validate_json(path.read_bytes())
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "the file"
            raise InputMistake(f"{path}, {place}: {first['msg']}; restore the file") from error
        plans[plan.round] = plan
    return dict(sorted(plans.items()))


def save_plan(human: HumanFolder, plan: Plan) -> None:
    """Writes a round's plan."""
    write_atomically(human.plan(plan.round), plan.model_dump_json(indent=1) + "\n")


def check_name(name: str) -> str:
    """An annotator's name, as given.

    Raises:
        InputMistake: for one that could be no file's name.
    """
    if not NAME.fullmatch(name):
        raise InputMistake(
            f"found `{name}` as the name of an annotator, expected letters, digits and . _ @ + -, "
            "such as `ann` or `ann@example.org`"
        )
    return name


@contextmanager
def held_by_people(human: HumanFolder) -> Iterator[None]:
    """Holds the human part, so that two imports or exports at once can't cross.

    Raises:
        RunStopped: when another process holds it for longer than a moment.
    """
    from filelock import FileLock, Timeout

    human.path.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(human.path / ".lock", timeout=20):
            yield
    except Timeout:
        raise RunStopped(
            f"{human.path} is in use by another `chainwright human` command; try again when it ends"
        ) from None


def tasks_of(plans: Mapping[int, Plan]) -> dict[str, tuple[Plan, PlannedTask]]:
    """Every task with its plan, by the task's id."""
    return {task.task: (plan, task) for plan in plans.values() for task in plan.tasks}
