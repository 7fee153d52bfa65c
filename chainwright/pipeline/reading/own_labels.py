"""Own labels: the chains of a run or a release of chainwright, with labels that are no opinion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chainwright.annotation.metrics.first_error import first_error
from chainwright.annotation.metrics.labelled import LabelledChain
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import iter_table, read_table
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.record import Record
from chainwright.schemas.release import ReleasedChain
from chainwright.schemas.words import step_label

_SOURCES = ("exact", "human")


def is_own(folder: Path) -> bool:
    """Whether a folder is a run or a release."""
    return (folder / "manifest.json").is_file() or _released(folder, "chains") != []


def own_chains(
    folder: Path, *, panel_labels: bool
) -> Iterator[LabelledChain | tuple[str, str, str]]:
    """The labelled chains, and (reason, chain, detail) of those without any label that counts."""
    if _released(folder, "chains"):  # a release has a manifest too
        yield from _of_release(folder, panel_labels)
    else:
        yield from _of_run(folder, panel_labels)


def _of_run(folder: Path, panel_labels: bool) -> Iterator[LabelledChain | tuple[str, str, str]]:
    problems = {row.problem_id: row for row in iter_table(folder, "problems", Problem)}
    gold: dict[str, dict[int, Any]] = {}
    for row in iter_table(folder, "labels", Label):
        if panel_labels or row.label_source in _SOURCES:
            gold.setdefault(row.chain_id, {})[row.step] = row
    for exact in iter_table(folder, "exact", ExactLabel):
        gold.setdefault(exact.chain_id, {}).setdefault(exact.step, exact)
    for chain in iter_table(folder, "chains", Chain):
        known = gold.get(chain.chain_id)
        if not known:
            yield "no_gold", chain.chain_id, "no exact label and none by people"
        else:
            yield _labelled(problems[chain.problem_id], chain, known)


def _of_release(folder: Path, panel_labels: bool) -> Iterator[LabelledChain | tuple[str, str, str]]:
    problems = {row.problem_id: row for row in _rows(folder, "problems", Problem)}
    for row in _rows(folder, "chains", ReleasedChain):
        problem = problems.get(row.problem_id)
        if problem is None:
            raise InputMistake(f"{folder}: chain {row.chain_id} is of no problem in the release")
        known = {
            step.step: step for step in row.steps if panel_labels or step.label_source in _SOURCES
        }
        if not known:
            yield "no_gold", row.chain_id, "no exact label and none by people"
            continue
        chain = Chain(
            chain_id=row.chain_id,
            problem_id=row.problem_id,
            origin=row.origin,
            polarity=row.polarity,
            generator=row.generator,
            steps=[step.text for step in row.steps],
            citations=[],
            final_answer=row.final_answer,
            is_correct=row.is_correct,
            parent_id=row.parent_id,
            perturbed_step=row.perturbed_step,
            perturbation=None,
        )
        yield _labelled(problem, chain, known)


def _labelled(problem: Problem, chain: Chain, known: dict[int, Any]) -> LabelledChain:
    rows = [known.get(step) for step in range(1, len(chain.steps) + 1)]
    labels = tuple(
        None if row is None else step_label(row.label, row.category) or row.label for row in rows
    )
    words = [None if word is None else word for word in labels]
    unknown = words.index(None) if None in words else len(words)
    first = first_error(["correct" if w == "faithful" else w for w in words[:unknown]])
    if unknown < len(words) and not first:
        first = None
    return LabelledChain(
        problem=problem,
        chain=chain,
        labels=labels,
        premises=tuple(None if row is None else tuple(row.premises) for row in rows),
        first_error=first,
        source=problem.source,
        polarity=chain.polarity or "undecided",
    )


def _released(folder: Path, config: str) -> list[Path]:
    return sorted((folder / "data" / config).glob("*.parquet"))


def _rows(folder: Path, config: str, record: type[Record]) -> Iterator[Any]:
    for path in _released(folder, config):
        yield from read_table(path, record)
