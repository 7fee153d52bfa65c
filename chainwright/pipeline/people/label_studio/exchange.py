"""Exchange: a round goes to a Label Studio server, its submissions come back."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from chainwright.annotation.people.answers import Fault
from chainwright.annotation.people.assignment import Plan
from chainwright.annotation.people.guidelines import guidelines_html
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.people.exporting import sheets_of
from chainwright.pipeline.people.human_folder import HumanFolder, held_by_people, human_folder
from chainwright.pipeline.people.importing import Imported, ImportReport, take_in
from chainwright.pipeline.people.label_studio.client import LabelStudio, access
from chainwright.pipeline.people.label_studio.forms import filled_tasks, form, task_data
from chainwright.pipeline.people.label_studio.server import kept_access
from chainwright.pipeline.people.task_files import Sheet
from chainwright.pipeline.run_folder import RunFolder
from chainwright.schemas.words import Track

LONGEST_TITLE = 50


class Project(BaseModel):
    """A project that holds tasks of one annotator, all of the same track and number of steps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    project: int
    round: int
    annotator: str
    config: str


class Projects(BaseModel):
    """All projects of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    projects: list[Project] = []


def send(folder: RunFolder, human: HumanFolder, plan: Plan, home: Path | None) -> str:
    """Makes the projects of a round; gives the address of the server.

    Raises:
        InputMistake: when no server is known, or it refuses the token.
        RunStopped: when it refuses something else; projects made so far stay there.
    """
    known = _load(human)
    made: list[Project] = []
    guidelines = guidelines_html(plan.questionnaires.values(), files=False)
    with LabelStudio(access(kept_access(home))) as server:
        for name, sheets in sheets_of(folder, plan).items():
            for (track, steps), some in _by_form(sheets).items():
                hinted = plan.adjudication or plan.assisted
                config = form(plan.questionnaires[track], steps, hinted=hinted)
                tail = f" r{plan.round} {track} {steps} steps"
                title = f"{name[: LONGEST_TITLE - len(tail)]}{tail}"
                number = server.new_project(title, config, guidelines)
                made.append(
                    Project(
                        url=server.url,
                        project=number,
                        round=plan.round,
                        annotator=name,
                        config=config,
                    )
                )
                server.add_tasks(number, [task_data(sheet) for sheet in some])
        write_atomically(
            _file(human), Projects(projects=[*known, *made]).model_dump_json(indent=1) + "\n"
        )
        return server.url


def fetch(run: str, runs: Path, home: Path | None) -> ImportReport:
    """Takes in what was submitted to the projects of a run on the server; again changes nothing.

    Raises:
        InputMistake: when the run has no projects there, or the server can't be used.
        RunStopped: when the server gives no answer of use.
    """
    folder = find_run(run, runs)
    human = human_folder(folder)
    with LabelStudio(access(kept_access(home))) as server:
        own = [one for one in _load(human) if one.url == server.url]
        if not own:
            raise InputMistake(
                f"run {folder.name} has no project at {server.url}; `chainwright human export "
                "--to label-studio` makes them"
            )
        with held_by_people(human):
            return ImportReport(folder.name, [_taken(server, human, one) for one in own])


def _taken(server: LabelStudio, human: HumanFolder, known: Project) -> Imported:
    source = f"label-studio-{known.project}"
    now = server.project(known.project)
    if now is None:
        fault = Fault(source, "", "project_gone", "the project was deleted; its answers stay")
        return take_in(human, source, [], [fault], "label_studio")
    tasks, faults, superseded = filled_tasks(server.tasks(known.project), known.annotator, source)
    if now.get("label_config") != known.config:
        detail = "the labelling configuration was edited there; answers are checked all the same"
        faults.append(Fault(source, "", "config_changed", detail))
    report = take_in(human, source, tasks, faults, "label_studio")
    report.superseded = superseded
    return report


def _by_form(sheets: list[Sheet]) -> dict[tuple[Track, int], list[Sheet]]:
    grouped: dict[tuple[Track, int], list[Sheet]] = defaultdict(list)
    for sheet in sheets:
        grouped[sheet.task.track, sheet.task.steps].append(sheet)
    return grouped


def _file(human: HumanFolder) -> Path:
    return human.path / "label_studio.json"


def _load(human: HumanFolder) -> list[Project]:
    path = _file(human)
    if not path.is_file():
        return []
    try:
        return Projects.model_validate_json(path.read_bytes()).projects
    except ValidationError as error:
        raise InputMistake(f"{path}: {error.errors()[0]['msg']}; restore the file") from error
