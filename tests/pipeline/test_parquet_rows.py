from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chainwright.pipeline.tables import read_table, write_table
from chainwright.pipeline.validation import parquet_rows
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote
from tests.pipeline.small_rows import VOTE, told


def test_columns_are_checked_once_and_not_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "votes-00000.parquet"
    table = pa.Table.from_pylist([VOTE] * 3, schema=arrow_schema(Vote))
    table = table.drop(["judge"]).append_column("mood", pa.array(["good"] * 3))
    table = table.set_column(1, "step", pa.array([1.0, 2.0, 3.0]))
    pq.write_table(table, path)
    report = validate(path)
    assert [(f.row, f.field, f.found) for f in report.faults] == [
        (None, "step", "a column of double"),
        (None, "judge", "no such column"),
        (None, "mood", "a column of string"),
    ]
    assert report.rows == 3


def test_columns_may_differ_in_width_and_encoding(tmp_path: Path) -> None:
    path = tmp_path / "votes-00000.parquet"
    rows = [VOTE | {"premises": [0]}, (VOTE | {"step": 2})]
    table = pa.Table.from_pylist(rows, schema=arrow_schema(Vote))
    for name, kind in [
        ("step", pa.int32()),
        ("task", pa.dictionary(pa.int8(), pa.string())),
        ("judge", pa.large_string()),
        ("premises", pa.large_list(pa.int16())),
    ]:
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table.column(name).cast(kind))
    at = table.schema.get_field_index("request_key")
    table = table.set_column(at, "request_key", pa.nulls(2))
    pq.write_table(table, path)
    assert validate(path).ok


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.struct([("judge", pa.string())])),
        pa.list_(pa.string()),
        pa.struct([("judge", pa.string())]),
        pa.string(),
    ],
)
def test_a_nested_column_of_another_shape_is_a_fault_of_the_file(
    tmp_path: Path, kind: pa.DataType
) -> None:
    path = tmp_path / "labels-00000.parquet"
    schema = arrow_schema(Label)
    table = schema.set(schema.get_field_index("votes"), pa.field("votes", kind)).empty_table()
    pq.write_table(table, path)
    (fault,) = validate(path).faults
    assert (fault.row, fault.field) == (None, "votes")


def test_text_in_parquet_that_is_no_utf8_is_told_by_row_and_column(tmp_path: Path) -> None:
    path = tmp_path / "votes-00000.parquet"
    table = pa.Table.from_pylist([VOTE] * 3, schema=arrow_schema(Vote))
    raw = pa.array([b"a", b"caf\xe9", b"b"], pa.binary())
    at = table.schema.get_field_index("judge")
    table = table.set_column(at, "judge", raw.view(pa.string()))
    pq.write_table(table, path)
    report = validate(path)
    assert told(report) == [(str(path), 2, "judge")]
    assert report.rows == 3


def test_a_cut_parquet_file_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "votes-00000.parquet"
    write_table(path, [Vote(**VOTE)] * 500, Vote)
    whole = path.read_bytes()
    # A bad page between a sound head and a sound footer.
    path.write_bytes(whole[:40] + b"\xff" * 60 + whole[100:])
    assert told(validate(path))[-1] == (str(path), None, "")
    path.write_bytes(whole[:-9])
    assert told(validate(path)) == [(str(path), None, "")]


def test_rows_are_numbered_across_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "BATCH", 2)
    path = tmp_path / "votes-00000.parquet"
    rows = [VOTE for _ in range(4)]
    table = pa.Table.from_pylist([*rows, VOTE | {"step": -1}], schema=arrow_schema(Vote))
    pq.write_table(table, path)
    assert told(validate(path)) == [(str(path), 5, "step")]


def test_files_from_before_a_field_was_added_are_still_valid(tmp_path: Path) -> None:
    problem = Problem.build(source="s", question="q?")
    row = problem.model_dump(exclude={"aliases", "supporting", "question_type"})
    fields = [field for field in arrow_schema(Problem) if field.name in row]
    path = tmp_path / "problems.parquet"
    pq.write_table(pa.Table.from_pylist([row], schema=pa.schema(fields)), path)
    assert told(validate(path)) == []
    assert read_table(path, Problem) == [problem]
