from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainwright.pipeline import tables
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import (
    block_of,
    iter_table,
    read_table,
    table_files,
    write_table,
)
from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.label import ExactLabel
from chainwright.schemas.problem import Problem
from chainwright.schemas.record import Record
from chainwright.schemas.tables import TABLES
from chainwright.schemas.vote import Vote

CHAIN = "c-0123456789abcdef0123"


def chains(count: int) -> list[Chain]:
    problem = Problem.build(source="pears", question="How many pears?").problem_id
    broken = Perturbation(error_type="other", kind="digit_slip", before="1+1=2", after="1+1=3")
    return [
        Chain.build(
            problem_id=problem,
            origin="synthetic" if at % 2 else "reference",
            generator=f"maker {at}",
            steps=["One pear and one pear.", "That makes 2 × 1 pears."],
            final_answer=None,
            is_correct=None,
            citations=[[], [1]],
            perturbation=broken if at % 2 else None,
        )
        for at in range(count)
    ]


def exact(step: int, premises: list[int]) -> ExactLabel:
    return ExactLabel(
        chain_id=CHAIN, step=step, label="correct", category=None, premises=premises, unresolved=[]
    )


def test_nested_rows_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "chains-00000.parquet"
    rows = chains(5)
    write_table(path, rows, Chain)
    assert read_table(path, Chain) == rows
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.builds(
            Vote,
            chain_id=st.just(CHAIN),
            step=st.integers(1, 2**63 - 1),
            judge=st.text(st.characters(codec="utf-8"), max_size=5),
            premises=st.none() | st.lists(st.integers(0, 9), max_size=3),
        ),
        max_size=4,
    )
)
def test_any_rows_come_back_as_they_were(tmp_path: Path, rows: list[Vote]) -> None:
    path = tmp_path / "votes-00000.parquet"
    write_table(path, rows, Vote)
    assert read_table(path, Vote) == rows


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    write_table(one, chains(50), Chain)
    write_table(other, chains(50), Chain)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_without_rows_has_its_columns(tmp_path: Path, name: str) -> None:
    path = tmp_path / "none.parquet"
    write_table(path, [], TABLES[name])
    assert pq.read_schema(path) == arrow_schema(TABLES[name])
    assert read_table(path, TABLES[name]) == []


def test_columns_are_compressed_with_zstd(tmp_path: Path) -> None:
    path = tmp_path / "chains.parquet"
    write_table(path, chains(2), Chain)
    group = pq.ParquetFile(path).metadata.row_group(0)
    assert {group.column(at).compression for at in range(group.num_columns)} == {"ZSTD"}


@pytest.mark.parametrize("judge", ["half a pair \ud83d", "\udcff"])
def test_what_parquet_cannot_hold_leaves_the_old_file(tmp_path: Path, judge: str) -> None:
    path = tmp_path / "exact-00000.parquet"
    write_table(path, [exact(1, [0])], ExactLabel)
    with pytest.raises(ValueError, match=r"exact-00000\.parquet: a row of ExactLabel does not fit"):
        write_table(path, [exact(2**70, [])], ExactLabel)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        odd = exact(1, []).model_copy(update={"unresolved": [judge]})
        write_table(path, [odd], ExactLabel)
    assert read_table(path, ExactLabel) == [exact(1, [0])]


def test_a_failed_write_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(pq, "write_table", fail)
    with pytest.raises(OSError, match="disk full"):
        write_table(tmp_path / "exact-00000.parquet", [], ExactLabel)
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_read_block_by_block_along_the_line(tmp_path: Path) -> None:
    for place, step in [
        ("votes/exact-00000", 4),
        ("negatives/exact-00001", 6),
        ("negatives/exact-00000", 3),
        ("chains/exact-00010", 7),
        ("chains/exact-00000", 2),
        ("problems/exact-00000", 1),
        ("another/exact-00000", 5),
    ]:
        write_table(tmp_path / f"{place}.parquet", [exact(step, [])], ExactLabel)
    for stray in ("chains/exact-draft", "chains/exact", "chains/inexact-00000", "exact-00000"):
        write_table(tmp_path / f"{stray}.parquet", [exact(99, [])], ExactLabel)
    assert [row.step for row in iter_table(tmp_path, "exact", ExactLabel)] == [1, 2, 3, 4, 5, 6, 7]
    assert [block_of(path) for path in table_files(tmp_path, "exact")] == [0, 0, 0, 0, 0, 1, 10]


def test_a_table_that_nobody_wrote_has_no_rows(tmp_path: Path) -> None:
    assert list(iter_table(tmp_path, "exact", ExactLabel)) == []
    assert list(iter_table(tmp_path / "nowhere", "exact", ExactLabel)) == []


def test_the_first_refused_row_is_named_across_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BATCH", 2)
    path = tmp_path / "exact-00000.parquet"
    rows = [exact(1, []).model_dump() | {"step": step} for step in (1, 2, 3, 4, 0)]
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(ExactLabel)), path)
    with pytest.raises(InputMistake, match=r"exact-00000\.parquet, row 5, step: .* found '0'"):
        read_table(path, ExactLabel)


@pytest.mark.parametrize("record", [Vote, Chain])
def test_a_file_of_another_table_is_refused(tmp_path: Path, record: type[Record]) -> None:
    path = tmp_path / "exact-00000.parquet"
    write_table(path, [exact(1, [])], ExactLabel)
    with pytest.raises(InputMistake, match="row 1"):
        read_table(path, record)


def test_what_is_no_table_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "exact-00000.parquet"
    with pytest.raises(InputMistake, match=r"exact-00000\.parquet: unreadable as a table"):
        read_table(path, ExactLabel)
    path.write_bytes(b"PAR1 no more than this PAR1")
    with pytest.raises(InputMistake, match=r"exact-00000\.parquet: unreadable as a table"):
        read_table(path, ExactLabel)
