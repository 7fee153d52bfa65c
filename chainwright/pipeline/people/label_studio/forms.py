"""Forms: a chain as a page of Label Studio, and a submitted page as a filled-in task.

A project has one form, with a block for each step. So there is a project for each annotator and
number of steps: in a longer form the blocks that a chain lacks would stand there empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from xml.sax.saxutils import quoteattr

from chainwright.annotation.people.answers import NO, YES, Fault, FilledStep, FilledTask
from chainwright.annotation.people.questionnaire import Questionnaire
from chainwright.pipeline.people.task_files import Sheet, question_text

FIELDS = {"l": "label", "c": "category", "p": "premises", "n": "note"}
"""The controls of a step's block, by the letter before its number."""


def form(questions: Questionnaire, steps: int, *, hinted: bool) -> str:
    """The labelling configuration for chains of so many steps; no text of a chain is in it."""
    parts = [
        '<View><Text name="question" value="$question"/>',
        '<Header value="Can this chain be judged?" size="5"/>',
        _choices("suitable", "question", ((YES[0], ""), (NO[0], ""))),
    ]
    for step in range(1, steps + 1):
        parts += _block(questions, step, hinted=hinted)
    parts.append(_note("note", "question", "a note on the chain as a whole"))
    return "\n".join([*parts, "</View>"])


def task_data(sheet: Sheet) -> dict[str, str]:
    """What the form shows of a task."""
    data = {"task": sheet.task.task, "question": question_text(sheet.shown)}
    for step, text in enumerate(sheet.shown.steps, start=1):
        data[f"s{step}"] = text
        data[f"h{step}"] = sheet.hints.get(step, "")
        if step not in sheet.task.asked:
            data[f"h{step}"] = "not asked"
    return data


def filled_tasks(
    tasks: Iterable[Mapping[str, Any]], annotator: str, source: str
) -> tuple[list[FilledTask], list[Fault], int]:
    """The tasks of a project as they stand.

    Of several submissions of a task, or of copies of it, the one changed last counts. A task whose
    submissions were deleted, skipped or hold nothing is blank. A project is one annotator's: more
    than one user of the server in it is a fault that is told, since the server can't prevent it.

    Returns:
        The tasks, what could not be read, and how many submissions a later one stands for.
    """
    submissions: dict[str, list[Mapping[str, Any]]] = {}
    places: dict[str, str] = {}
    faults: list[Fault] = []
    for task in tasks:
        place = f"{source}, task {task.get('id')}"
        data = task.get("data")
        known = data.get("task") if isinstance(data, Mapping) else None
        if not isinstance(known, str):
            faults.append(Fault(place, "task", "no_task", "found a task that chainwright lacks"))
            continue
        places.setdefault(known, place)
        given = [one for one in task.get("annotations") or [] if not one.get("was_cancelled")]
        submissions.setdefault(known, []).extend(given)
    users = sorted(
        {user for given in submissions.values() for one in given if (user := _user(one))}
    )
    if len(users) > 1:
        detail = f"found submissions of users {', '.join(users)} in the project of {annotator}"
        faults.append(Fault(source, "", "several_users", detail))
    filled = []
    superseded = 0
    for known, given in submissions.items():
        given.sort(key=lambda one: str(one.get("updated_at") or ""))
        superseded += max(0, len(given) - 1)
        last = given[-1] if given else {}
        filled.append(_filled(known, annotator, places[known], last, faults))
    return filled, faults, superseded


def _block(questions: Questionnaire, step: int, *, hinted: bool) -> Iterator[str]:
    text = f"s{step}"
    yield f'<Header value="Step {step}" size="4"/><Text name="{text}" value="${text}"/>'
    if hinted:
        yield f'<Text name="h{step}" value="$h{step}"/>'
    yield _choices(f"l{step}", text, ((label, "") for label in questions.labels))
    when = f'visibleWhen="choice-selected" whenTagName="l{step}"'
    yield _choices(
        f"c{step}",
        text,
        questions.categories.items(),
        f"{when} whenChoiceValue={quoteattr(questions.fault)}",
    )
    yield '<Header value="Rests on (0 = the question)" size="6"/>'
    earlier = ((str(number), "") for number in range(step))
    yield _choices(f"p{step}", text, earlier, kind="multiple")
    yield _note(f"n{step}", text, "a note")


def _choices(
    name: str, of: str, choices: Iterable[tuple[str, str]], more: str = "", kind: str = "single"
) -> str:
    inner = "".join(
        f"<Choice value={quoteattr(value)}{f' hint={quoteattr(hint)}' if hint else ''}/>"
        for value, hint in choices
    )
    head = f'<Choices name="{name}" toName="{of}" choice="{kind}" showInline="true" {more}'
    return f"{head.rstrip()}>{inner}</Choices>"


def _note(name: str, of: str, words: str) -> str:
    return (
        f'<TextArea name="{name}" toName="{of}" rows="1" maxSubmissions="1" editable="true" '
        f'placeholder="{words}"/>'
    )


def _filled(
    task: str, annotator: str, place: str, given: Mapping[str, Any], faults: list[Fault]
) -> FilledTask:
    cells: dict[int, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for result in given.get("result") or []:
        name = str(result.get("from_name"))
        value = _value(result.get("value"), name)
        match = re.fullmatch(r"([lcpn])([0-9]{1,4})", name)
        if match:
            cells.setdefault(int(match[2]), {})[FIELDS[match[1]]] = value
        elif name in ("suitable", "note"):
            whole[name] = value
        else:
            faults.append(
                Fault(place, name[:40], "unknown_field", "found a control that the form lacks")
            )
    return FilledTask(
        task=task,
        annotator=annotator,
        place=place,
        steps=[
            FilledStep(
                step,
                row.get("label"),
                row.get("category"),
                row.get("premises"),
                row.get("note"),
                place,
            )
            for step, row in sorted(cells.items())
        ],
        suitable=whole.get("suitable"),
        note=whole.get("note"),
        seconds=given.get("lead_time"),
        time=_moment(given.get("updated_at")),
    )


def _user(given: Mapping[str, Any]) -> str | None:
    """The server's number of who submitted; None where it is not told."""
    who = given.get("completed_by")
    number = who.get("id") if isinstance(who, Mapping) else who
    return None if number is None else str(number)


def _value(value: Any, name: str) -> Any:
    """What a control holds: a list of premises, and one text of the others."""
    held = value if isinstance(value, Mapping) else {}
    found = held.get("choices") or held.get("text") or []
    parts = [str(part) for part in (found if isinstance(found, list) else [found])]
    return parts if name.startswith("p") else "\n".join(parts)


def _moment(said: Any) -> str | None:
    try:
        moment = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="seconds")
