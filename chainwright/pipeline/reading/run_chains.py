"""Run chains: the chains of a run, each with its problem and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chainwright.pipeline.tables import AnyRecord, block_of, read_table, table_files
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
    for block in sorted({block_of(path) or 0 for path in table_files(folder, "chains")}):
        problems = {row.problem_id: row for row in _block(folder, "problems", Problem, block)}
        labels: dict[str, list[Label]] = {}
        for row in _block(folder, "labels", Label, block):
            labels.setdefault(row.chain_id, []).append(row)
        made: dict[str, list[ExactLabel]] = {}
        for one in _block(folder, "exact", ExactLabel, block) if exact else ():
            made.setdefault(one.chain_id, []).append(one)
        for path in table_files(folder, "chains"):
            if block_of(path) != block:
                continue
            for number, chain in enumerate(read_table(path, Chain), start=1):
                yield RunChain(
                    path.relative_to(folder).as_posix(),
                    number,
                    chain,
                    problems.get(chain.problem_id),
                    labels.get(chain.chain_id, []),
                    made.get(chain.chain_id, []),
                )


def _block(folder: Path, table: str, record: type[AnyRecord], block: int) -> list[AnyRecord]:
    paths = [path for path in table_files(folder, table) if block_of(path) == block]
    return [row for path in paths for row in read_table(path, record)]
