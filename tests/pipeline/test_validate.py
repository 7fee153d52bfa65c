"""Runs, as `validate` meets them."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chainwright.pipeline.tables import write_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.chain import Chain
from chainwright.schemas.record import Record
from tests.pipeline.small_tables import (
    chain,
    critique,
    exact,
    label,
    problem,
    release_files,
    run_files,
    told,
    vote,
    write,
)


def test_a_whole_run_has_no_fault(tmp_path: Path) -> None:
    report = validate(write(tmp_path, run_files()))
    assert report.faults == []
    assert report.ok
    assert (len(report.files), report.rows, report.fault_count) == (14, 22, 0)


@pytest.mark.parametrize(
    ("file", "rows", "row", "field", "expected"),
    [
        ("problems/problems-00001", [problem(1), problem(0)], 2, "problem_id", "a key of its own"),
        ("negatives/chains-00001", [chain(1)], 1, "chain_id", "row 1 of chains/chains-00001"),
        ("chains/chains-00001", [chain(1), chain(7)], 2, "problem_id", "the id of one of the prob"),
        ("negatives/chains-00001", [chain(0, 3)], 1, "problem_id", "a problem of block 1"),
        ("chains/exact-00000", [exact(0, 3)], 1, "step", "at most 2, the steps of its chain"),
        (
            "negatives/exact-00000",
            [exact(0, 2)],
            1,
            "chain_id, step",
            "row 2 of chains/exact-00000",
        ),
        ("votes/votes-00000", [vote(0, 9)], 1, "step", "at most 2"),
        ("votes/votes-00000", [vote(7, 1)], 1, "chain_id", "the id of one of the chains"),
        ("votes/votes-00000", [vote(1, 1)], 1, "chain_id", "a chain of block 0"),
        (
            "votes/votes-00000",
            [vote(0, 1), vote(0, 2), vote(0, 1)],
            3,
            "chain_id, step, task, judge, prompt_version",
            "row 1 of votes/votes-00000.parquet",
        ),
        ("labels/labels-00001", [label(1, 1), label(1, 1)], 2, "chain_id, step", "a key of its"),
        ("labels/labels-00001", [label(1, 3)], 1, "step", "at most 2"),
        ("critiques/critiques-00001", [critique(0, 1)], 1, "chain_id", "a chain of block 1"),
    ],
)
def test_what_rows_demand_of_other_rows(
    tmp_path: Path, file: str, rows: list[Record], row: int, field: str, expected: str
) -> None:
    report = validate(write(tmp_path, run_files() | {file: rows}))
    faults = [f for f in report.faults if f.file == f"{file}.parquet" and f.field == field]
    assert [fault.row for fault in faults] == [row]
    assert expected in faults[0].expected


def test_the_same_key_in_another_table_or_under_another_judge_is_no_fault(tmp_path: Path) -> None:
    files = run_files() | {"another/votes-00000": [vote(0, 1, "third"), vote(0, 2, "other")]}
    assert validate(write(tmp_path, files)).ok


def test_a_lost_table_costs_one_fault_and_not_one_a_row(tmp_path: Path) -> None:
    write(tmp_path, run_files())
    (tmp_path / "chains" / "chains-00000.parquet").write_bytes(b"PAR1, or not")
    report = validate(tmp_path)
    assert told(report) == [("chains/chains-00000.parquet", None, "")]
    (tmp_path / "chains" / "chains-00000.parquet").unlink()
    assert len(validate(tmp_path).faults) == 8


def test_a_refused_chain_still_lends_its_id_to_its_votes(tmp_path: Path) -> None:
    write(tmp_path, run_files())
    row = chain(0).model_dump() | {"polarity": "good"}
    spoil(tmp_path / "chains" / "chains-00000.parquet", [row], Chain)
    assert told(validate(tmp_path)) == [("chains/chains-00000.parquet", 1, "polarity")]


def spoil(path: Path, rows: list[dict[str, Any]], record: type[Record]) -> None:
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(record)), path)


def test_a_run_is_checked_with_its_release_and_what_has_no_schema_is_named(tmp_path: Path) -> None:
    write(tmp_path, run_files())
    write(tmp_path / "release", release_files())
    write_table(tmp_path / "chains" / "sketches-00000.parquet", [], Chain)
    extra = tmp_path / "release" / "data" / "pictures" / "train-00000-of-00001.parquet"
    write_table(extra, [], Chain)
    report = validate(tmp_path)
    assert report.ok
    assert len(report.files) == 20
    assert report.files["release/data/chains/train-00000-of-00001.parquet"].rows == 1
    assert report.unchecked == [
        "chains/sketches-00000.parquet",
        "release/data/pictures/train-00000-of-00001.parquet",
    ]
