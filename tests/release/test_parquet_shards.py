"""Parquet shards: names, sizes and types of the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chainwright.release.parquet import ROW_GROUP_ROWS, ParquetShards
from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.problem import Problem

MakeProblem = Callable[..., Problem]


@pytest.mark.parametrize(
    ("rows", "shards"), [(1, [1]), (4, [4]), (5, [4, 1]), (8, [4, 4]), (9, [4, 4, 1])]
)
def test_shards_are_full_but_the_last_and_named_by_their_number(
    tmp_path: Path, problem: MakeProblem, rows: int, shards: list[int]
) -> None:
    given = [problem(number).model_dump() for number in range(rows)]
    with ParquetShards(tmp_path, shard_rows=4) as files:
        files.add("problems", "train", given)
    total = len(shards)
    names = [f"train-{number:05d}-of-{total:05d}.parquet" for number in range(total)]
    written = sorted((tmp_path / "data" / "problems").iterdir())
    assert [path.name for path in written] == names
    tables = [pq.read_table(path) for path in written]
    assert [table.num_rows for table in tables] == shards
    assert [row for table in tables for row in table.to_pylist()] == given
    assert files.counts() == {"problems": {"train": rows}}


def test_row_groups_are_bounded_and_compressed_with_the_schema_of_the_record(
    tmp_path: Path, problem: MakeProblem
) -> None:
    row = problem(1).model_dump()
    with ParquetShards(tmp_path, shard_rows=50_000) as files:
        files.add("problems", "test", [row] * (ROW_GROUP_ROWS + 1))
    file = pq.ParquetFile(tmp_path / "data/problems/test-00000-of-00001.parquet")
    groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
    assert [group.num_rows for group in groups] == [ROW_GROUP_ROWS, 1]
    assert groups[0].column(0).compression == "ZSTD"
    assert file.schema_arrow.equals(arrow_schema(Problem))


def test_a_split_without_rows_has_no_file(tmp_path: Path) -> None:
    with ParquetShards(tmp_path, shard_rows=4) as files:
        files.add("problems", "train", [])
    assert list(tmp_path.iterdir()) == []
    assert files.counts() == {}


def test_a_failed_write_leaves_nothing_under_a_final_name(
    tmp_path: Path, problem: MakeProblem
) -> None:
    row = problem(1).model_dump()
    with pytest.raises(RuntimeError, match="half way"), ParquetShards(tmp_path, shard_rows=1) as f:
        f.add("problems", "train", [row, row])
        raise RuntimeError("half way")
    assert list(tmp_path.rglob("*.parquet")) == []


def test_shards_of_no_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shard_rows is 0; it must be 1 or more"):
        ParquetShards(tmp_path, shard_rows=0)
