"""Answers as people filled them in, checked against what was asked."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from chainwright.annotation.people.assignment import PlannedTask
from chainwright.annotation.people.questionnaire import Questionnaire
from chainwright.schemas.words import Binary

YES = ("yes", "y", "true", "1")
NO = ("no", "n", "false", "0")


@dataclass(frozen=True)
class Fault:
    """What is wrong with a filled-in task: where, why (a code), and in words."""

    place: str
    field: str
    reason: str
    detail: str


@dataclass(frozen=True)
class FilledStep:
    """A step's cells as they were read: texts, or values of JSON."""

    step: Any
    label: Any = None
    category: Any = None
    premises: Any = None
    note: Any = None
    place: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether nothing was filled in."""
        cells = (self.label, self.category, self.premises, self.note)
        return all(_text(cell) == "" for cell in cells)


@dataclass(frozen=True)
class FilledTask:
    """A task as it came back.

    Attributes:
        place: File and row where it begins.
        suitable: Whether the chain can be judged at all, as it was read.
        time: When it was answered; None where that is not known.
    """

    task: str
    annotator: str
    place: str
    steps: list[FilledStep] = field(default_factory=list)
    suitable: Any = None
    note: Any = None
    seconds: Any = None
    time: str | None = None

    @property
    def is_blank(self) -> bool:
        """Whether nothing was filled in; the time that a server counts is no answer."""
        return (
            all(step.is_blank for step in self.steps)
            and _text(self.suitable) == ""
            and _text(self.note) == ""
        )


@dataclass(frozen=True)
class Answer:
    """What one person says of one step; at step 0 of the chain."""

    step: int
    label: Binary | None = None
    category: str | None = None
    premises: tuple[int, ...] | None = None
    note: str | None = None
    suitable: bool | None = None
    seconds: float | None = None


def check_task(
    filled: FilledTask, planned: PlannedTask, questions: Questionnaire
) -> tuple[list[Answer], list[Fault]]:
    """The answers of a task, or all that is wrong with it: one fault is enough to take none.

    Every step that was asked about needs a label, unless the chain was called unsuitable; a
    category stands where and only where a step is at fault; premises lie before their step.

    Returns:
        Answers by step, with one at step 0 where something was said of the chain; none where
        there are faults.
    """
    faults: list[Fault] = []
    suitable = _suitable(filled, faults)
    seconds = _seconds(filled, faults)
    answers: list[Answer] = []
    for step in _asked(filled, planned, faults):
        if not step.is_blank:
            answers.append(_answer(step, questions, faults))
    given = Counter(answer.step for answer in answers)
    missing = [step for step in planned.asked if not given[step]]
    if missing and suitable is not False:
        steps = ", ".join(map(str, missing))
        faults.append(
            Fault(filled.place, "label", "steps_missing", f"found no answer on steps {steps}")
        )
    if faults:
        return [], faults
    whole = Answer(0, note=_text(filled.note) or None, suitable=suitable, seconds=seconds)
    head = [] if whole == Answer(0) else [whole]
    return head + sorted(answers, key=lambda answer: answer.step), []


def _asked(filled: FilledTask, planned: PlannedTask, faults: list[Fault]) -> list[FilledStep]:
    """The steps that were asked about, each once, with whole numbers."""
    found: dict[int, FilledStep] = {}
    for step in filled.steps:
        number = _whole(step.step)
        if number is None or not 1 <= number <= planned.steps:
            detail = f"found {_quoted(step.step)}, expected a step from 1 to {planned.steps}"
            faults.append(Fault(step.place, "step", "unknown_step", detail))
        elif number in found:
            detail = f"found step {number} a second time, expected it once"
            faults.append(Fault(step.place, "step", "duplicate_step", detail))
        elif number not in planned.asked:
            if not step.is_blank:
                detail = f"found an answer on step {number}, which was not asked about"
                faults.append(Fault(step.place, "label", "not_asked", detail))
        else:
            found[number] = FilledStep(
                number, step.label, step.category, step.premises, step.note, step.place
            )
    return list(found.values())


def _answer(step: FilledStep, questions: Questionnaire, faults: list[Fault]) -> Answer:
    """One step's answer; where a fault is noted it is not to be used."""

    def fault(where: str, reason: str, found: Any, expected: str) -> None:
        detail = f"step {step.step}: found {_quoted(found)}, expected {expected}"
        faults.append(Fault(step.place, where, reason, detail))

    said = _text(step.label).lower()
    label = next((one for one in questions.labels if one == said), None)
    if label is None:
        fault("label", "unknown_label", step.label, f"one of {', '.join(questions.labels)}")
    category = _text(step.category).lower() or None
    if label == questions.sound and category is not None:
        fault("category", "category_on_sound", step.category, f"none, as the step is {label}")
    elif label == questions.fault and category is None:
        names = ", ".join(questions.categories)
        fault("category", "category_missing", step.category, f"one of {names}")
    elif category is not None and category not in questions.categories:
        names = ", ".join(questions.categories)
        fault("category", "unknown_category", step.category, f"one of {names}")
    premises = _premises(step.premises)
    if premises is None and _text(step.premises) != "":
        fault("premises", "bad_premises", step.premises, "numbers of steps, such as `0, 2`")
    late = [premise for premise in premises or () if not 0 <= premise < step.step]
    if late:
        allowed = f"steps before it, 0 (the question) to {step.step - 1}"
        fault("premises", "premise_not_earlier", late[0], allowed)
    return Answer(step.step, label, category, premises, _text(step.note) or None)


def _suitable(filled: FilledTask, faults: list[Fault]) -> bool | None:
    said = _text(filled.suitable).lower()
    if said not in ("", *YES, *NO):
        detail = f"found {_quoted(filled.suitable)}, expected yes or no"
        faults.append(Fault(filled.place, "suitable", "bad_suitable", detail))
    return True if said in YES else False if said in NO else None


def _seconds(filled: FilledTask, faults: list[Fault]) -> float | None:
    said = _text(filled.seconds)
    if not said:
        return None
    try:
        seconds = float(said.replace(",", "."))
    except ValueError:
        seconds = -1.0
    if not isfinite(seconds) or seconds < 0:
        detail = f"found {_quoted(filled.seconds)}, expected a number of seconds"
        faults.append(Fault(filled.place, "seconds", "bad_seconds", detail))
    return round(seconds, 3)


def _premises(cell: Any) -> tuple[int, ...] | None:
    """Steps from a list, or a text such as `0, 2`; None where there are none or it is none."""
    parts = cell if isinstance(cell, list) else re.split(r"[\s,;]+", _text(cell))
    numbers = [_whole(part) for part in parts if _text(part) != ""]
    known = {number for number in numbers if number is not None}
    return tuple(sorted(known)) if numbers and None not in numbers else None


def _whole(cell: Any) -> int | None:
    text = _text(cell)
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else None


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, list | Mapping) and not cell:
        return ""
    return str(cell).strip()


def _quoted(cell: Any) -> str:
    text = _text(cell)
    return f"`{text[:80]}`" if text else "nothing"
