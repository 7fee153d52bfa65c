"""A line of small stages, quick and without surprises, that tests of the pipeline build with.

Run as a module it builds in a process of its own, which tests stop or kill:
`python -m tests.pipeline.small_line RECIPE RUNS STAGE CALL MARKER` writes the file MARKER and then
waits when STAGE is at its CALL-th block.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from chainwright.pipeline.line import Line
from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.label import CastVote, ExactLabel, Label
from chainwright.schemas.reject import Reject
from chainwright.schemas.vote import Vote
from chainwright.stage import Batch, Stage, Tables

Process = Callable[[Recipe, Tables], Batch]

WING = "chainwright.schemas"
"""Any package will do: the stages' code is here, and tests do not change it."""

CODE_VERSION = "chainwright.pipeline.line.code_version"
"""What tests replace by `pinned`."""

REFUSED = "refuse"
"""A question with this word gives no chain."""


def pinned(*modules: str) -> str:
    """A code version that only depends on which code it is."""
    return " ".join(modules)


def write_recipe(folder: Path, problems: int = 7, **changes: Any) -> Path:
    """A recipe over a file of problems, three a block."""
    rows = [
        {"question": f"What is {n} + 1?", "answer": str(n + 1), "solution": f"{n} + 1 = {n + 1}"}
        for n in range(problems)
    ]
    return write_recipe_over(folder, rows, **changes)


def write_recipe_over(folder: Path, rows: Iterable[Any], **changes: Any) -> Path:
    """A recipe over the given rows, three a block."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    (folder / "rows.jsonl").write_text(text, encoding="utf-8")
    recipe: dict[str, Any] = {
        "name": "small",
        "block": 3,
        "sources": [
            {
                "kind": "generic",
                "path": "rows.jsonl",
                "columns": {"question": "question", "answer": "answer", "solution": "solution"},
            }
        ],
        "annotation": {"judges": ["program:arithmetic"], "bootstrap": 10},
    }
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe | changes), encoding="utf-8")
    return path


def small_line(**processes: Process) -> Line:
    """The line, with the work of some stages replaced by the given functions."""
    stages = [replace(stage, process=processes.get(stage.name, stage.process)) for stage in _STAGES]
    return Line(tuple(stages), _statistics, write_release)


def process_of(stage: Stage) -> Process:
    """The work of a stage that asks no model."""
    assert stage.process is not None
    return stage.process


def counted_line() -> tuple[Line, dict[str, int]]:
    """The line, and how many blocks each stage has processed so far."""
    calls = dict.fromkeys((*(stage.name for stage in _STAGES), "statistics", "release"), 0)

    def counted(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            calls[name] += 1
            return work(*args, **kwargs)

        return call

    line = small_line(**{stage.name: counted(stage.name, process_of(stage)) for stage in _STAGES})
    return (
        Line(
            line.stages,
            counted("statistics", line.statistics),
            counted("release", line.release),
        ),
        calls,
    )


def _chains(recipe: Recipe, tables: Tables) -> Batch:
    batch = Batch(rows={"chains": []})
    for problem in tables["problems"]:
        batch.taken["chains"] += 1
        if REFUSED in problem.question:
            batch.rejects.append(
                Reject(
                    stage="chains",
                    table="chains",
                    item=problem.problem_id,
                    reason="refused",
                    detail="the question says so",
                    payload=None,
                )
            )
            continue
        batch.rows["chains"].append(
            Chain.build(
                problem_id=problem.problem_id,
                origin="reference",
                generator=f"small {recipe.chains.marks}",
                steps=[problem.solution or "none", f"So {problem.answer}."],
                final_answer=problem.answer,
                is_correct=True,
            )
        )
    return batch


def _negatives(recipe: Recipe, tables: Tables) -> Batch:
    batch = Batch(rows={"chains": [], "exact": []})
    for problem in tables["problems"]:
        batch.taken["chains"] += 1
        chain = Chain.build(
            problem_id=problem.problem_id,
            origin="synthetic",
            generator=f"small {recipe.seed}",
            steps=["1 + 1 = 3", "So 3."],
            final_answer="3",
            is_correct=False,
            perturbed_step=1,
            perturbation=Perturbation(
                error_type="mathematical_error", kind="slip", before="1+1=2", after="1+1=3"
            ),
        )
        batch.rows["chains"].append(chain)
        for step, category in ((1, "mathematical_error"), (2, "accumulation_error")):
            batch.taken["exact"] += 1
            batch.rows["exact"].append(
                ExactLabel(
                    chain_id=chain.chain_id,
                    step=step,
                    label="error",
                    category=category,
                    premises=[step - 1],
                    unresolved=[],
                )
            )
    return batch


def _votes(recipe: Recipe, tables: Tables) -> Batch:
    votes = [
        Vote(
            chain_id=chain.chain_id,
            step=step,
            task="error",
            judge=judge,
            prompt_version="1",
            label="error" if "3" in text else "correct",
            category="mathematical_error" if "3" in text else None,
            premises=None,
            explanation=f"{judge} looked at {text}",
            status="ok",
            request_key=None,
        )
        for chain in tables["chains"]
        for judge in map(str, recipe.annotation.judges)
        for step, text in enumerate(chain.steps, start=1)
    ]
    batch = Batch(rows={"votes": [*votes]})
    batch.taken["votes"] = len(votes)
    return batch


def _labels(recipe: Recipe, tables: Tables) -> Batch:
    exact = {(row.chain_id, row.step): row for row in tables["exact"]}
    batch = Batch(rows={"labels": []})
    for vote in tables["votes"]:
        known: Any = exact.get((vote.chain_id, vote.step), vote)
        cast = CastVote(
            judge=vote.judge,
            status=vote.status,
            label=vote.label,
            category=vote.category,
            explanation=vote.explanation,
        )
        batch.taken["labels"] += 1
        batch.rows["labels"].append(
            Label(
                chain_id=vote.chain_id,
                step=vote.step,
                label=known.label,
                category=known.category,
                premises=[vote.step - 1],
                label_source="exact" if (vote.chain_id, vote.step) in exact else "panel",
                tier="silver",
                binary_tier="gold",
                reason=None,
                panel_label=vote.label,
                panel_category=vote.category,
                panel_premises=None,
                votes=[cast],
            )
        )
    return batch


def _statistics(blocks: Iterable[Tables], recipe: Recipe) -> dict[str, Any]:
    counts = [{table: len(rows) for table, rows in tables.items()} for tables in blocks]
    return {"blocks": counts, "bootstrap": recipe.annotation.bootstrap}


_STAGES = (
    Stage("chains", ("problems",), ("chains",), lambda r: r.chains, _chains, WING),
    Stage(
        "negatives",
        ("problems",),
        ("chains", "exact"),
        lambda r: [r.negatives, r.seed],
        _negatives,
        WING,
    ),
    Stage(
        "votes",
        ("problems", "chains"),
        ("votes",),
        lambda r: r.annotation.judges,
        _votes,
        WING,
    ),
    Stage(
        "labels",
        ("chains", "votes", "exact"),
        ("labels",),
        lambda r: r.annotation.judges,
        _labels,
        WING,
    ),
)


def _waiting(stage: Stage, call: int, marker: Path) -> Process:
    calls, work = 0, process_of(stage)

    def process(recipe: Recipe, tables: Tables) -> Batch:
        nonlocal calls
        calls += 1
        if calls == call:
            marker.write_text("here", encoding="utf-8")
            time.sleep(60)
        return work(recipe, tables)

    return process


def _main(recipe: str, runs: str, name: str, call: str, marker: str) -> None:
    from chainwright.cli import exit_on_mistake
    from chainwright.pipeline.build import build

    stage = next(stage for stage in _STAGES if stage.name == name)
    line = small_line(**{name: _waiting(stage, int(call), Path(marker))})
    with exit_on_mistake(), patch(CODE_VERSION, pinned):
        build(Path(recipe), Path(runs), line=line)


if __name__ == "__main__":
    _main(*sys.argv[1:])
