"""Released traces: the chains of a release with their problems and reasons, read as they stream."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chainwright.formats.trace import StepLabel, Trace
from chainwright.release.perl import describe_error
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem

BATCH = 500
"""Rows in memory at a time."""


class UnreadableRelease(ValueError):
    """A folder is no release, or a table of it cannot be read; the message says which."""


def released_traces(
    release: Path, splits: Sequence[str], *, with_parents: bool = False
) -> Iterator[Trace]:
    """The chains of a release, split after split, in the order of its files.

    Memory does not grow with the release: problems, labels and parents lie in a temporary database
    until their chain comes. Columns that this version does not know are passed over. Without the
    config `labels` a step has no explanation; without `problems` a question is without its context.

    Args:
        release: A release folder, ours or downloaded from the Hub.
        splits: Which splits to read.
        with_parents: Whether a synthetic negative is to bring its positive along.

    Raises:
        UnreadableRelease: there is no such table, or it cannot be read.
    """
    for split in splits:
        with closing(sqlite3.connect("")) as shelf:  # a file of its own, gone when it is closed
            _fill(shelf, release, split, with_parents)
            for row in _rows(release, "chains", split):
                yield _trace(row, shelf)


def splits_of(release: Path) -> list[str]:
    """The splits of a release's chains, `train` first.

    Raises:
        UnreadableRelease: there are none.
    """
    found = {path.name.partition("-")[0] for path in (release / "data/chains").glob("*.parquet")}
    if not found:
        raise UnreadableRelease(
            f"{release} is no release with chains: it holds no data/chains/*.parquet "
            "(a run's is written by `chainwright build`)"
        )
    return sorted(found, key=lambda name: (name != "train", name))


def _fill(shelf: sqlite3.Connection, release: Path, split: str, with_parents: bool) -> None:
    shelf.execute("CREATE TABLE problems (id TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID")
    shelf.execute("CREATE TABLE chains (id TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID")
    shelf.execute("CREATE TABLE labels (id TEXT, row TEXT)")
    for table, key in (("problems", "problem_id"), ("labels", "chain_id")):
        rows = _rows(release, table, split)
        shelf.executemany(
            f"INSERT OR IGNORE INTO {table} VALUES (?, ?)",  # noqa: S608 - our own two names
            ((row[key], json.dumps(row)) for row in rows),
        )
    shelf.execute("CREATE INDEX by_chain ON labels (id)")
    if with_parents:
        shelf.executemany(
            "INSERT OR IGNORE INTO chains VALUES (?, ?)",
            (
                (row["chain_id"], json.dumps(row))
                for row in _rows(release, "chains", split)
                if row.get("parent_id") is None
            ),
        )


def _rows(release: Path, config: str, split: str) -> Iterator[dict[str, Any]]:
    for path in sorted((release / "data" / config).glob(f"{split}-*.parquet")):
        try:
            with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
                for batch in file.iter_batches(batch_size=BATCH):
                    yield from batch.to_pylist()
        except (OSError, ValueError, pa.ArrowException) as error:
            raise UnreadableRelease(f"{path}: unreadable as a table: {error}") from error


def _trace(row: Mapping[str, Any], shelf: sqlite3.Connection) -> Trace:
    try:
        chain = _chain(row)
        labels = _labels(row, chain, _found(shelf, "labels", chain.chain_id))
        problems = _found(shelf, "problems", row["problem_id"])
        parent_id = row.get("parent_id")
        parents = _found(shelf, "chains", parent_id) if parent_id else []
        parent = _chain(parents[0]) if parents else None
        return Trace(_problem(row, problems), chain, labels, parent)
    except (KeyError, TypeError, ValueError) as error:
        place = f"{type(error).__name__}: {error}"[:300]
        raise UnreadableRelease(f"a released chain is not as expected: {place}") from error


def _found(shelf: sqlite3.Connection, table: str, key: str) -> list[dict[str, Any]]:
    query = f"SELECT row FROM {table} WHERE id = ?"  # noqa: S608 - our own three names
    return [json.loads(text) for (text,) in shelf.execute(query, (key,))]


def _chain(row: Mapping[str, Any]) -> Chain:
    citations = row.get("citations") or [step.get("citations") or [] for step in row["steps"]]
    return Chain(
        chain_id=row["chain_id"],
        problem_id=row["problem_id"],
        origin=row["origin"],
        polarity=row["polarity"],
        generator=row["generator"],
        steps=[step["text"] for step in row["steps"]],
        citations=citations if any(citations) else [],
        final_answer=row["final_answer"],
        is_correct=row["is_correct"],
        parent_id=row["parent_id"],
        perturbed_step=row["perturbed_step"],
        perturbation=None,  # a released row names its kind alone
    )


def _problem(row: Mapping[str, Any], found: list[dict[str, Any]]) -> Problem:
    if found:
        return Problem(**{key: found[0][key] for key in Problem.model_fields if key in found[0]})
    built = Problem.build(source=row["source"], question=row["question"], answer=row["answer"])
    return built.model_copy(update={"problem_id": row["problem_id"], "licence": row["licence"]})


def _labels(
    row: Mapping[str, Any], chain: Chain, found: list[dict[str, Any]]
) -> tuple[StepLabel, ...]:
    fields = Label.model_fields
    labels = sorted(
        (Label(**{key: one[key] for key in fields if key in one}) for one in found),
        key=lambda label: label.step,
    )
    whole = [label.step for label in labels] == list(range(1, len(chain.steps) + 1))
    reasons = [describe_error(chain, label, labels) if whole else "" for label in labels]
    steps = row["steps"]
    if not whole:
        reasons = [""] * len(steps)
    return tuple(
        StepLabel(
            label=step["label"],
            category=step["category"],
            premises=tuple(step["premises"]),
            explanation=reason or _made_wrong(row, step) or None,
            tier=step["tier"],
            source=step["label_source"],
        )
        for step, reason in zip(steps, reasons, strict=True)
    )


def _made_wrong(row: Mapping[str, Any], step: Mapping[str, Any]) -> str:
    """What the release itself says of a fault that was planted; empty of any other step."""
    if step["step"] != row["perturbed_step"] or row["perturbation_kind"] is None:
        return ""
    return f"made wrong on purpose: {row['perturbation_kind']}"
