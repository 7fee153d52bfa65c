"""Simulated annotators: they know the exact labels and err at given rates, by a seeded draw.

Run as a module it fills in files of a run whose chains are all exact:
`python -m tests.pipeline.simulated_annotators RUN FILE=LABEL_RATE,CATEGORY_RATE …`.
"""

from __future__ import annotations

import csv
import io
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from chainwright.annotation.people.questionnaire import MATH
from chainwright.pipeline.people.human_folder import HumanFolder, load_plans, tasks_of
from chainwright.pipeline.tables import iter_table
from chainwright.schemas.label import ExactLabel

Truth = Mapping[tuple[str, int], ExactLabel]


class Rates(NamedTuple):
    """How often the label is wrong, and how often the category of an error that was seen."""

    label: float
    category: float = 0.0


def truth_of(run: Path) -> dict[tuple[str, int], ExactLabel]:
    """The exact labels of a run by chain and step."""
    return {(one.chain_id, one.step): one for one in iter_table(run, "exact", ExactLabel)}


def simulated(rates: Rates, draw: random.Random) -> Callable[[ExactLabel], tuple[str, str]]:
    """What one annotator says of a step, as (label, category)."""

    def say(truth: ExactLabel) -> tuple[str, str]:
        is_error = (truth.label == "error") != (draw.random() < rates.label)
        if not is_error:
            return "correct", ""
        others = [name for name in MATH if name != truth.category]
        if truth.category is None or draw.random() < rates.category:
            return "error", draw.choice(others)
        return "error", truth.category

    return say


def fill_in(path: Path, run: Path, rates: Rates, seed: int, seconds: float = 8.0) -> None:
    """Fills in a file that was handed out; each step takes so many seconds."""
    truth, tasks = truth_of(run), tasks_of(load_plans(HumanFolder(run / "human")))
    say = simulated(rates, random.Random(f"{seed} {path.stem}"))
    rows = read_rows(path)
    for row in rows:
        _, task = tasks[row["task"]]
        step = int(row["step"])
        if step == 0:
            row["seconds"] = str(seconds * len(task.asked))
        elif step in task.asked:
            label = truth[task.chain_id, step]
            row["label"], row["category"] = say(label)
            row["premises"] = ", ".join(map(str, label.premises))
    write_rows(path, rows)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a file that was handed out."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Puts rows back into a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    for argument in sys.argv[2:]:
        name, _, said = argument.partition("=")
        fill_in(Path(name), Path(sys.argv[1]), Rates(*map(float, said.split(","))), seed=1)
