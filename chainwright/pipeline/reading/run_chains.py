"""Run chains: the chains of a run, each with its problem and labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chainwright.pipeline.tables import AnyRecord, block_files, read_table
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem


@dataclass(frozen=True)
class RunChain:
    """A chain of a run.

    Attributes:
        file: The table's file that it stands in, below the run's folder.
        row: Its row there, from 1.
    """

    file: str
    row: int
    chain: Chain
    problem: Problem | None
    labels: list[Label]
    exact: list[ExactLabel]


def run_chains(folder: Path, *, exact: bool = False) -> Iterator[RunChain]:
    """The chains of a run in order; a block of its tables is in memory at a time.

    Args:
        exact: Whether exact labels are read as well.

    Raises:
        InputMistake: a table can't be read.
    """
    for files in block_files(folder, ("problems", "chains", "labels", "exact")):
        if not files["chains"]:
            continue
        problems = {row.problem_id: row for row in _rows(files["problems"], Problem)}
        labels: dict[str, list[Label]] = {}
        for row in _rows(files["labels"], Label):
            labels.setdefault(row.chain_id, []).append(row)
        made: dict[str, list[ExactLabel]] = {}
        for one in _rows(files["exact"], ExactLabel) if exact else ():
            made.setdefault(one.chain_id, []).append(one)
        for path in files["chains"]:
            for number, chain in enumerate(read_table(path, Chain), start=1):
                yield RunChain(
                    path.relative_to(folder).as_posix(),
                    number,
                    chain,
                    problems.get(chain.problem_id),
                    labels.get(chain.chain_id, []),
                    made.get(chain.chain_id, []),
                )


def _rows(paths: Iterable[Path], record: type[AnyRecord]) -> Iterator[AnyRecord]:
    for path in paths:
        yield from read_table(path, record)
