"""Files by themselves, as `validate` meets them."""

import gzip
import json
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import write_table
from chainwright.pipeline.validation.validate import guess_schema, validate
from chainwright.schemas.json_schema import SCHEMAS
from chainwright.schemas.vote import Vote
from tests.pipeline.small_rows import VOTE, told


def lines(rows: Sequence[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("name", "encode"),
    [
        ("votes.jsonl", lines),
        ("votes-00003.ndjson", lines),
        ("votes.jsonl.gz", lambda rows: gzip.compress(lines(rows))),
        ("votes.json", lambda rows: json.dumps(rows).encode()),
        ("votes.json.gz", lambda rows: gzip.compress(json.dumps(rows).encode())),
    ],
)
def test_files_by_themselves_need_no_other_table(
    tmp_path: Path, name: str, encode: Callable[[Sequence[Any]], bytes]
) -> None:
    path = tmp_path / name
    rows = [VOTE, (VOTE | {"step": 2})]
    path.write_bytes(encode(rows))
    assert validate(path).ok
    path.write_bytes(encode([rows[0], rows[1] | {"step": -1}, rows[0] | {"premises": [1]}]))
    report = validate(path)
    assert told(report) == [(str(path), 2, "step"), (str(path), 3, "premises[0]")]
    assert report.rows == 3
    assert told(validate(tmp_path)) == [(name, 2, "step"), (name, 3, "premises[0]")]


def test_broken_lines_do_not_stop_the_check(tmp_path: Path) -> None:
    good = json.dumps(VOTE).encode()
    path = tmp_path / "votes.jsonl"
    path.write_bytes(b"\n".join([good, b"{", b"", good.replace(b"arith", b"\xe9"), b"[]", good]))
    assert told(validate(path)) == [
        (str(path), 2, ""),
        (str(path), 4, "judge"),
        (str(path), 5, ""),
    ]
    assert validate(path).rows == 5


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("runs/x/votes/votes-00012.parquet", "votes"),
        ("released_chains.jsonl.gz", "released_chains"),
        ("taxonomy.json", "taxonomy"),
        ("data/chains/train-00000-of-00002.parquet", "released_chains"),
        ("data/labels/test-00000-of-00002.parquet", "labels"),
        ("chains/train-00000-of-00002.parquet", None),
        ("perl/gsm8k_negatives.json", "perl"),
        ("gsm8k_negatives.json", None),
        ("myvotes.jsonl", None),
    ],
)
def test_names_tell_the_schema(name: str, schema: str | None) -> None:
    assert guess_schema(Path(name)) == schema


def test_a_schema_is_checked_in_all_files_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "deep" / "down").mkdir(parents=True)
    (tmp_path / "deep" / "down" / "mine.jsonl").write_bytes(lines([VOTE]))
    (tmp_path / "yours.json").write_bytes(b"[{}]")
    (tmp_path / "notes.txt").write_text("no rows")
    report = validate(tmp_path, "votes")
    assert list(report.files) == ["deep/down/mine.jsonl", "yours.json"]
    assert report.files["yours.json"].faults == len(Vote.model_fields)
    assert validate(tmp_path / "deep", "votes").ok


def test_an_unknown_schema_is_quoted_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match=r"no schema 'vote'; there are: brought, .*, votes"):
        validate(tmp_path, "vote")


@pytest.mark.parametrize("schema", [None, "votes"])
@pytest.mark.parametrize("name", ["nowhere", "empty", "a.txt", "nul\0", "n" * 5000])
def test_what_cannot_be_checked_is_a_fault(tmp_path: Path, name: str, schema: str | None) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("{}")
    report = validate(tmp_path / name, schema)
    assert [fault.row for fault in report.faults] == [None]
    assert not report.ok
    assert json.loads(report.to_json())["faults"] == 1


def test_a_file_whose_name_tells_nothing_is_a_fault_alone_and_unchecked_among_others(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.jsonl").write_bytes(lines([VOTE]))
    (fault,) = validate(tmp_path / "mine.jsonl").faults
    assert "--schema with one of problems, candidates" in fault.expected
    (tmp_path / "votes.jsonl").write_bytes(lines([VOTE]))
    report = validate(tmp_path)
    assert report.ok
    assert report.unchecked == ["mine.jsonl"]


def test_faults_beyond_the_cap_are_counted(tmp_path: Path) -> None:
    bad = VOTE | {"step": -1, "status": "fine"}
    for name in ("votes-00000", "votes-00001"):
        (tmp_path / f"{name}.jsonl").write_bytes(lines([bad] * 10))
    report = validate(tmp_path, cap=3)
    assert report.fault_count == 40
    assert [fault.file for fault in report.faults] == ["votes-00000.jsonl"] * 3 + [
        "votes-00001.jsonl"
    ] * 3
    assert validate(tmp_path, cap=0).fault_count == 40


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    row = json.dumps(VOTE | {"step": -1}).encode() + b"\n"
    peaks = []
    for count in (200, 4000):
        path = tmp_path / f"votes-{count}.jsonl"
        path.write_bytes(row * count)
        validate(path, cap=10)
        tracemalloc.start()
        report = validate(path, cap=10)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert (report.rows, len(report.faults)) == (count, 10)
    assert peaks[1] < peaks[0] + 200_000 < len(row) * 4000


def test_the_report_as_json(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_bytes(lines([VOTE | {"judge": ["\ud83d"], "\ud83d": "pear 🍐"}]))
    report = validate(path, cap=3)
    value = json.loads(report.to_json())
    assert report.to_json().encode("utf-8")
    assert value["by_file"] == {str(path): {"schema": "votes", "rows": 1, "faults": 4}}
    assert {name: value[name] for name in ("ok", "files", "rows", "faults", "listed")} == {
        "ok": False,
        "files": 1,
        "rows": 1,
        "faults": 4,
        "listed": 3,
    }
    assert value["fault_list"][0]["row"] == 1
    assert set(value["fault_list"][0]) == {"file", "row", "field", "found", "expected"}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*VOTE, "steps", "votes"]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ANY_JSON, max_size=3), schema=st.sampled_from(sorted(SCHEMAS)))
@pytest.mark.parametrize("place", ["rows.jsonl", "data/chains/train-00000.json"])
def test_any_json_gives_a_report(tmp_path: Path, place: str, rows: list[Any], schema: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(rows).encode() if path.suffix == ".json" else lines(rows))
    for report in (validate(path, schema), validate(tmp_path)):
        assert json.loads(report.to_json())["faults"] == report.fault_count
    assert validate(path, schema).rows == len(rows)
    assert rows == [] or not validate(path, schema).ok


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 1), junk=st.binary(max_size=12), cut=st.integers(0, 12))
@pytest.mark.parametrize("name", ["votes.parquet", "votes.json", "votes.jsonl.gz"])
def test_damaged_files_give_a_report(
    tmp_path: Path, name: str, at: float, junk: bytes, cut: int
) -> None:
    path = tmp_path / name
    if name.endswith(".parquet"):
        write_table(path, [Vote(**VOTE)] * 9, Vote)
    else:
        raw = json.dumps([VOTE] * 9).encode() if name.endswith(".json") else lines([VOTE] * 9)
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    whole = path.read_bytes()
    place = int(at * len(whole))
    path.write_bytes(whole[:place] + junk + whole[place + cut :])
    report = validate(path)
    assert report.ok or report.faults


@pytest.mark.parametrize("depth", [100, 500, 900, 990, 1100, 100_000])
def test_deep_values_give_a_report(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "votes.jsonl"
    deep = "[" * depth + "]" * depth
    row = json.dumps(VOTE | {"step": "deep", "extra": "deep"}).replace('"deep"', deep)
    path.write_text(row + "\n" + row.replace('"correct"', "NaN") + "\n" + json.dumps(VOTE))
    report = validate(path)
    assert report.rows == 3
    assert {fault.row for fault in report.faults} == {1, 2}
