"""Task files: what annotators fill in, as a table (CSV) or as lines of JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from chainwright.annotation.people.adjudication import LETTERS
from chainwright.annotation.people.answers import Fault, FilledStep, FilledTask
from chainwright.annotation.people.assignment import PlannedTask
from chainwright.annotation.people.shown import Shown
from chainwright.pipeline.files import write_atomically

FileFormat = Literal["csv", "jsonl"]

COLUMNS = (
    *("task", "annotator", "step", "text", "label", "category", "premises", "note"),
    *("suitable", "seconds"),
)
FILLED = ("label", "category", "premises", "note", "suitable", "seconds")
NEEDED = ("task", "step", "label", "category")
"""Columns without which a table can't be read."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that spreadsheets would compute."""

LONGEST_CELL = 1 << 24


@dataclass(frozen=True)
class Sheet:
    """A task with what is shown of its chain.

    Attributes:
        hints: By step what is shown beside it: the judges' votes, or answers A, B, …
    """

    task: PlannedTask
    shown: Shown
    hints: dict[int, str] = field(default_factory=dict)


def write_sheets(path: Path, sheets: Iterable[Sheet], kind: FileFormat) -> None:
    """Writes one annotator's file, replacing what is there."""
    write_atomically(path, _table(list(sheets)) if kind == "csv" else _lines(sheets))


def read_sheets(path: Path) -> tuple[list[FilledTask], list[Fault]]:
    """The tasks of a file that was filled in, and what could not be read of it.

    Raises:
        OSError: when the file cannot be opened.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        detail = f"found bytes that are no UTF-8 at {error.start}; save the file as CSV in UTF-8"
        return [], [Fault(path.name, "", "bad_file", detail)]
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return _from_lines(text, path.name)
    return _from_table(text, path.name)


def _table(sheets: list[Sheet]) -> str:
    hinted = any(sheet.hints for sheet in sheets)
    columns = [*COLUMNS[:4], *(["shown"] if hinted else []), *COLUMNS[4:]]
    out = io.StringIO()
    # With the mark in front, spreadsheets take the file for UTF-8.
    out.write("\ufeff")
    table = csv.DictWriter(out, columns, restval="", lineterminator="\r\n")
    table.writeheader()
    for sheet in sheets:
        own = {"task": sheet.task.task, "annotator": sheet.task.annotator}
        table.writerow({**own, "step": 0, "text": _cell(question_text(sheet.shown))})
        for step, text in enumerate(sheet.shown.steps, start=1):
            row: dict[str, Any] = {**own, "step": step, "text": _cell(text)}
            if hinted:
                row["shown"] = _cell(sheet.hints.get(step, ""))
            if step not in sheet.task.asked:
                row["shown"] = "not asked"
            table.writerow(row)
    return out.getvalue()


def question_text(shown: Shown) -> str:
    """Passages, question and options as one text."""
    parts = [f"[{number}] {title}: {text}" for number, title, text in shown.passages]
    options = [f"{LETTERS[at % 26]}. {text}" for at, text in enumerate(shown.options)]
    return "\n".join([*parts, shown.question, *options])


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula; it is not read back."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _lines(sheets: Iterable[Sheet]) -> str:
    return "".join(f"{json.dumps(_line(sheet), ensure_ascii=False)}\n" for sheet in sheets)


def _line(sheet: Sheet) -> dict[str, Any]:
    shown = sheet.shown
    steps = []
    for step, text in enumerate(shown.steps, start=1):
        row: dict[str, Any] = {"step": step, "text": text}
        if step in sheet.hints:
            row["shown"] = sheet.hints[step]
        if step in sheet.task.asked:
            row |= {"label": None, "category": None, "premises": None, "note": None}
        steps.append(row)
    return {
        "task": sheet.task.task,
        "annotator": sheet.task.annotator,
        "question": shown.question,
        "passages": [
            {"number": number, "title": title, "text": text}
            for number, title, text in shown.passages
        ],
        "options": list(shown.options),
        "steps": steps,
        "suitable": None,
        "note": None,
        "seconds": None,
    }


def _from_table(text: str, name: str) -> tuple[list[FilledTask], list[Fault]]:
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    missing = [column for column in NEEDED if column not in (reader.fieldnames or [])]
    if missing:
        detail = f"found no column {', '.join(missing)}, expected the columns of the export"
        return [], [Fault(name, "", "bad_file", detail)]
    tasks: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    faults: list[Fault] = []
    try:
        for row in reader:
            task = (row.get("task") or "").strip()
            if task:
                tasks.setdefault(task, []).append((reader.line_num, row))
            elif any((row.get(column) or "").strip() for column in FILLED):
                place = f"{name}:{reader.line_num}"
                faults.append(Fault(place, "task", "no_task", "found a row without a task"))
    except csv.Error as error:
        faults.append(Fault(f"{name}:{reader.line_num}", "", "bad_file", str(error)))
    return [_from_rows(task, rows, name) for task, rows in tasks.items()], faults


def _from_rows(task: str, rows: list[tuple[int, dict[str, Any]]], name: str) -> FilledTask:
    def said(column: str) -> list[str]:
        cells = [(row.get(column) or "").strip() for _, row in rows]
        return [cell for cell in cells if cell]

    head = next((row for _, row in rows if (row["step"] or "").strip() == "0"), {})
    whose = list(dict.fromkeys(said("annotator")))
    return FilledTask(
        task=task,
        annotator=" / ".join(whose),
        place=f"{name}:{rows[0][0]}",
        steps=[_step(row, f"{name}:{number}") for number, row in rows if row is not head],
        suitable=" / ".join(dict.fromkeys(cell.lower() for cell in said("suitable"))),
        note=head.get("note"),
        seconds=_sum(said("seconds")),
    )


def _sum(cells: list[str]) -> str:
    """Times given step by step, added up; one that is no number is kept, to be refused."""
    try:
        return str(sum(float(cell.replace(",", ".")) for cell in cells)) if cells else ""
    except ValueError:
        return " / ".join(cells)


def _from_lines(text: str, name: str) -> tuple[list[FilledTask], list[Fault]]:
    tasks: list[FilledTask] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(place, "", "bad_json", str(error)[:200]))
            continue
        if not isinstance(value, dict) or not isinstance(value.get("task"), str):
            faults.append(Fault(place, "task", "no_task", "expected an object with a `task`"))
            continue
        if not isinstance(value.get("steps"), list):
            faults.append(Fault(place, "steps", "no_steps", "expected a list of `steps`"))
            continue
        tasks.append(
            FilledTask(
                task=value["task"].strip(),
                annotator=str(value.get("annotator") or "").strip(),
                place=place,
                steps=list(_steps(value["steps"], place)),
                suitable=value.get("suitable"),
                note=value.get("note"),
                seconds=value.get("seconds"),
            )
        )
    return tasks, faults


def _steps(rows: list[Any], place: str) -> Iterator[FilledStep]:
    for at, row in enumerate(rows):
        cells = row if isinstance(row, dict) else {"step": row}
        yield _step(cells, f"{place}, steps[{at}]")


def _step(cells: Mapping[str, Any], place: str) -> FilledStep:
    return FilledStep(
        cells.get("step"),
        cells.get("label"),
        cells.get("category"),
        cells.get("premises"),
        cells.get("note"),
        place,
    )
