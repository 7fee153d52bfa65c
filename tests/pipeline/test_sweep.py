"""A stage that goes through all blocks: it counts over the run, and its blocks are made alone."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.line import Line
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.pipeline.tables import read_table
from chainwright.recipe import Recipe
from chainwright.schemas.chain import Chain
from chainwright.schemas.reject import Reject
from chainwright.stage import Batch, Stage, Tables
from tests.pipeline.small_line import WING, small_line, write_recipe

KEPT = 4


class First:
    """Keeps the first chains of the run, and notes which blocks it read."""

    def __init__(self, stops_after: int = 99) -> None:
        self.read: list[int] = []
        self.stops_after = stops_after

    def __call__(self, recipe: Recipe, blocks: Iterable[Tables]) -> Iterator[Batch]:
        kept = 0
        for number, tables in enumerate(blocks):
            if number == self.stops_after:
                return
            self.read.append(number)
            rows = tables["chains"][: KEPT - kept]
            kept += len(rows)
            batch = Batch(rows={"parents": [*rows]})
            batch.taken["parents"] = len(tables["chains"])
            batch.rejects = [
                Reject(
                    stage="selection",
                    table="parents",
                    item=chain.chain_id,
                    reason="late",
                    detail="",
                    payload=None,
                )
                for chain in tables["chains"][len(rows) :]
            ]
            yield batch


def line_with(sweep: First) -> Line:
    line = small_line()
    stage = Stage(
        name="selection",
        reads=("chains",),
        writes=("parents",),
        settings=lambda recipe: None,
        process=None,
        sweep=sweep,
        wing=WING,
    )
    return Line((line.stages[0], stage, *line.stages[1:]), line.statistics, line.release)


def shard(run: Path, block: int) -> Path:
    return run / f"selection/parents-{block:05d}.parquet"


def built(folder: Path, sweep: First, **options: Any) -> list[int]:
    """Builds; returns how many parents each block has."""
    build(write_recipe(folder, **options), folder, quiet=True, line=line_with(sweep))
    blocks = len(list((folder / "small" / "selection").glob("parents-*.parquet")))
    return [len(read_table(shard(folder / "small", n), Chain)) for n in range(blocks)]


def test_what_is_counted_is_counted_over_the_run(tmp_path: Path) -> None:
    first, again = First(), First()
    assert built(tmp_path, first) == [3, 1, 0]
    assert first.read == [0, 1, 2]
    assert built(tmp_path, again) == [3, 1, 0]
    assert again.read == []


def test_blocks_up_to_the_last_that_changed_are_read_and_only_that_is_written(
    tmp_path: Path,
) -> None:
    built(tmp_path, First())
    run = tmp_path / "small"
    before = [shard(run, n).read_bytes() for n in range(3)]
    shard(run, 1).unlink()
    shard(run, 0).touch()
    untouched = shard(run, 0).stat().st_ino
    sweep = First()
    assert built(tmp_path, sweep) == [3, 1, 0]
    assert sweep.read == [0, 1]
    assert [shard(run, n).read_bytes() for n in range(3)] == before
    assert shard(run, 0).stat().st_ino == untouched


def test_a_larger_limit_leaves_the_blocks_before_alone(tmp_path: Path) -> None:
    def limited(limit: int) -> list[dict[str, Any]]:
        columns = {"question": "question", "answer": "answer", "solution": "solution"}
        source = {"kind": "generic", "path": "rows.jsonl", "columns": columns}
        return [source | {"limit": limit}]

    assert built(tmp_path, First(), sources=limited(3)) == [3]
    untouched = shard(tmp_path / "small", 0).stat().st_ino
    assert built(tmp_path, First(), sources=limited(6)) == [3, 1]
    assert shard(tmp_path / "small", 0).stat().st_ino == untouched


def test_a_block_depends_on_the_blocks_before_it(tmp_path: Path) -> None:
    built(tmp_path, First())
    (tmp_path / "small" / "chains" / "chains-00001.parquet").unlink()
    plan = plan_build(write_recipe(tmp_path), tmp_path, line=line_with(First()))
    assert {p.stage: str(p) for p in plan.stages if p.run}["selection"] == (
        "2 of 3 would run (input)"
    )


def test_a_batch_that_is_missing_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(RunStopped, match="stage selection made 2 batches of 3"):
        built(tmp_path, First(stops_after=2))
    sweep = First()
    assert built(tmp_path, sweep) == [3, 1, 0]
    assert sweep.read == [0, 1, 2]
