"""Critiques as they come: from a run folder, or from a Parquet or JSON Lines file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.named_run import find_run, local_path
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.tables import iter_table, table_files
from chainwright.pipeline.validation.json_rows import json_rows
from chainwright.pipeline.validation.parquet_rows import parquet_rows
from chainwright.pipeline.validation.raw_row import UNREAD, RawRow
from chainwright.pipeline.validation.row_check import check_row
from chainwright.pipeline.validation.validate import SUFFIXES
from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.schemas.words import Track
from chainwright.taxonomy.corpus import Background

BESIDE = ("source", "track", "generator")
"""What a row of a file may say beside the critique itself."""


@dataclass
class Given:
    """The critiques of a run or a file.

    Attributes:
        path: Where they were read from.
        run: The run they belong to; None for a file.
        rows: Each critique with where its step comes from.
        rejects: Rows that are none, or are there twice.
    """

    path: Path
    run: RunFolder | None
    rows: list[tuple[Critique, Background]] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    @property
    def taken(self) -> int:
        """Rows read: those kept and those rejected."""
        return len(self.rows) + len(self.rejects)


def read_critiques(where: str, runs: Path) -> Given:
    """The critiques of a file, of a run folder, or of a run by its name.

    A row that is no critique, or has the key of an earlier one, becomes a reject.

    Raises:
        InputMistake: when there is no such file or run, or it holds no critique.
    """
    path = local_path(Path(where))
    if path.is_file():
        if not path.name.lower().endswith(SUFFIXES):
            raise InputMistake(f"{path}: found {path.name!r}, expected {', '.join(SUFFIXES)}")
        given = Given(path, None)
        _enter(given, _file_rows(path), {})
    else:
        run = RunFolder(path) if table_files(path, "critiques") else find_run(str(path), runs)
        given = Given(run.path, run)
        chains = _backgrounds(run)
        for file in table_files(run.path, "critiques"):
            _enter(given, _file_rows(file), chains)
    if not given.rows:
        raise InputMistake(
            f"{given.path}: found no critique, expected a table of them{_why(given)}"
        )
    return given


def _why(given: Given) -> str:
    """Why there may be no critique."""
    if given.rejects:
        return f"; the first of its rows: {given.rejects[0].detail}"
    if given.run is None:
        return ""
    if table_files(given.run.path, "critiques"):
        return "; its critics called no step unfaithful, or said nothing that can be read"
    return "; `annotation.critique` in a recipe asks for them"


def _file_rows(path: Path) -> Iterator[tuple[str, RawRow]]:
    rows = parquet_rows(path, Critique) if path.name.endswith(".parquet") else json_rows(path)
    for row in rows:
        if row.number is not None or not path.name.endswith(".parquet"):
            yield f"{path.name}:{row.number}" if row.number else path.name, row


def _enter(given: Given, rows: Iterator[tuple[str, RawRow]], chains: dict[str, Background]) -> None:
    seen = {(each.chain_id, each.step, each.critic) for each, _ in given.rows}
    for place, row in rows:
        value = row.value
        if value is UNREAD or not isinstance(value, dict):
            flaws = "; ".join(map(str, row.flaws)) or "found no object, expected a critique"
            given.rejects.append(_reject(place, "unreadable", flaws, None))
            continue
        beside = {key: value.get(key) for key in BESIDE}
        checked = check_row("critiques", {k: v for k, v in value.items() if k not in BESIDE})
        if not isinstance(checked, Critique):
            flaws = "; ".join(map(str, checked)) if isinstance(checked, list) else "no critique"
            given.rejects.append(_reject(place, "not_a_critique", flaws, value))
            continue
        if not checked.description.strip():
            detail = "found a blank description, expected what is wrong with the step"
            given.rejects.append(_reject(place, "not_a_critique", detail, value))
            continue
        if fault := _foreign(beside):
            given.rejects.append(_reject(place, "not_a_critique", fault, value))
            continue
        key = (checked.chain_id, checked.step, checked.critic)
        if key in seen:
            detail = f"a second critique by {checked.critic} of step {checked.step}"
            given.rejects.append(_reject(place, "duplicate_key", detail, value))
            continue
        seen.add(key)
        own = Background(**beside) if any(beside.values()) else chains.get(checked.chain_id)
        given.rows.append((checked, own or Background()))


def _foreign(beside: dict[str, Any]) -> str | None:
    """What is wrong with a row's source, track or generator."""
    for key, value in beside.items():
        if value is not None and not isinstance(value, str):
            return f"found {key} {value!r}, expected a text or nothing"
    track = beside["track"]
    if track is not None and track not in get_args(Track):
        return f"found track {track!r}, expected one of {', '.join(get_args(Track))}, or nothing"
    return None


def _backgrounds(run: RunFolder) -> dict[str, Background]:
    """Where each chain of a run comes from."""
    sources = {
        problem.problem_id: (problem.source, problem.track)
        for problem in iter_table(run.path, "problems", Problem)
    }
    found = {}
    for chain in iter_table(run.path, "chains", Chain):
        source, track = sources.get(chain.problem_id, (None, None))
        found[chain.chain_id] = Background(source, track, chain.generator)
    return found


def _reject(place: str, reason: str, detail: str, value: dict[str, Any] | None) -> Reject:
    payload = None
    if value is not None:
        payload = json.dumps(value, ensure_ascii=True, default=str)
    return Reject(
        stage="taxonomy",
        table="critiques",
        item=place,
        reason=reason,
        detail=detail.encode(errors="replace").decode()[:500],
        payload=payload,
    )
