import gzip
import hashlib
import json
import random
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainwright.builders.sources import problems_from_rows
from chainwright.pipeline.reading.rows import RawRow, RowFault, SourceError, fingerprint, read_rows
from chainwright.recipe import Source
from chainwright.schemas.problem import Problem
from tests.builders.context_rows import two_wiki

ROWS = [{"question": f"How many, {n}?", "answer": f"#### {n}", "n": n} for n in range(1, 8)]


def read(folder: Path, path: str) -> list[RawRow | RowFault]:
    return list(read_rows(Source(kind="generic", path=path), recipe_folder=folder))


def good(items: list[RawRow | RowFault]) -> list[dict[str, Any]]:
    return [dict(item.row) for item in items if isinstance(item, RawRow)]


def faults(items: list[RawRow | RowFault]) -> list[tuple[str, str]]:
    return [(item.where, item.reason) for item in items if isinstance(item, RowFault)]


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = name.removesuffix(".gz")
    if plain.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
        content = path.read_bytes()
    elif plain.endswith(".csv"):
        head = ",".join(rows[0])
        lines = [",".join(f'"{value}"' for value in row.values()) for row in rows]
        content = "\n".join([head, *lines, ""]).encode()
    elif plain.endswith(".json"):
        content = json.dumps({"version": 1, "data": rows}).encode()
    else:
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("gz", ["", ".gz"])
@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet", ".csv", ".JSONL"])
def test_every_format_gives_the_same_rows(tmp_path: Path, suffix: str, gz: str) -> None:
    rows = [{key: str(value) for key, value in row.items()} for row in ROWS]
    write(tmp_path, f"a{suffix}{gz}", rows)
    items = read(tmp_path, f"a{suffix}{gz}")
    assert good(items) == rows
    first = 2 if suffix == ".csv" else 1  # a CSV file's first line is its header
    assert [item.where for item in items] == [
        f"a{suffix}{gz}:{n}" for n in range(first, first + len(rows))
    ]


def test_a_fault_costs_its_own_line_alone(tmp_path: Path) -> None:
    lines = [
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": "caf\xe9"}',
        b"{",
        b" \t\r",
        b"[1, 2]",
        b"null",
        b"",
        b'{"a": "\xe2\x80\xa8 2"}',
        b"[" * 100_000,
        b'{"a": ' + b"1" * 5000 + b"}",
        b'{"a": 3}',
    ]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    items = read(tmp_path, "a.jsonl")
    assert good(items) == [{"a": 1}, {"a": "\u2028 2"}, {"a": 3}]
    assert faults(items) == [
        ("a.jsonl:2", "bad_encoding"),
        ("a.jsonl:3", "bad_json"),
        ("a.jsonl:4", "empty_row"),
        ("a.jsonl:5", "not_an_object"),
        ("a.jsonl:6", "not_an_object"),
        ("a.jsonl:7", "empty_row"),
        ("a.jsonl:9", "bad_json"),
        ("a.jsonl:10", "bad_json"),
    ]
    encoding = items[1]
    assert isinstance(encoding, RowFault)
    assert encoding.payload == '{"a": "caf\\xe9"}\n'
    assert "0xe9" in encoding.detail
    assert all(len(item.payload or "") <= 4000 for item in items if isinstance(item, RowFault))


def test_json_lists(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"a": 1}, 2, {"a": 3}]')
    items = read(tmp_path, "a.json")
    assert good(items) == [{"a": 1}, {"a": 3}]
    assert faults(items) == [("a.json:2", "not_an_object")]
    (tmp_path / "b.json").write_bytes(b'[{"a": "x"}, {"a": "\xff"}, {"a": "z"}]')
    items = read(tmp_path, "b.json")
    assert good(items) == [{"a": "x"}, {"a": "z"}]
    assert faults(items) == [("b.json:2", "bad_encoding")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b'{"a": [], "b": []}', "exactly one list"),
        ("a.json", b'{"a": 1}', "lists found: none"),
        ("a.json", b"3", "holds a number"),
        ("a.json", b'{"a": 1}\n{"a": 2}', "name it .jsonl"),
        ("a.json", b"[" * 100_000, "not JSON"),
        ("a.json", b"", "not JSON"),
        ("a.json.gz", gzip.compress(b"[]" * 9000, mtime=0)[:-12], "damaged"),
        ("a.parquet.gz", gzip.compress(b"PAR1" * 9000, mtime=0)[:-12], "damaged"),
        ("a.jsonl", "{}".encode("utf-16"), "UTF-16"),
        ("a.csv", "a,b".encode("utf-16"), "UTF-16"),
        ("a.jsonl.gz", b'{"a": 1}', "is not gzip"),
        ("a.parquet", b"PAR1 and no more", "not Parquet"),
        ("a.csv", b"a,b,a\n1,2,3\n", "several columns of the name `a`"),
        ("a.csv", b'"a\n', "header is not CSV"),
    ],
)
def test_whole_files_that_are_not_what_they_say(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=message):
        read(tmp_path, name)


def test_csv_faults(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(
        b'\xef\xbb\xbfa,b\r\n1,2\r\n3\r\n4,"5\r\n6"\r\n\r\n7,8,9\r\n"x"y,1\r\n\xff,1\r\n10,\r\n11,"12'
    )
    items = read(tmp_path, "a.csv")
    assert good(items) == [{"a": "1", "b": "2"}, {"a": "4", "b": "5\r\n6"}, {"a": "10", "b": None}]
    assert faults(items) == [
        ("a.csv:3", "bad_csv_row"),
        ("a.csv:6", "empty_row"),
        ("a.csv:7", "bad_csv_row"),
        ("a.csv:8", "bad_csv_row"),
        ("a.csv:9", "bad_encoding"),
        ("a.csv:11", "bad_csv_row"),
    ]


def test_csv_fields_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"a\n{'x' * 200_000}\n")
    assert [len(row["a"]) for row in good(read(tmp_path, "a.csv"))] == [200_000]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_rows_before_a_break_are_kept(tmp_path: Path, suffix: str) -> None:
    noise = random.Random(1)
    rows = [{"a": "".join(noise.choices("abcdefgh", k=60)), "n": str(n)} for n in range(3000)]
    path = write(tmp_path, f"a{suffix}.gz", rows)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    items = read(tmp_path, path.name)
    there = good(items)
    whole = zlib.decompressobj(31).decompress(content[: len(content) // 2])
    assert len(there) == whole.count(b"\n") - (suffix == ".csv")
    assert there == rows[: len(there)]
    assert faults(items) == [(path.name, "truncated_file")]


def test_damage_inside_compressed_data(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl.gz", ROWS)
    content = bytearray(path.read_bytes())
    content[-6] ^= 0xFF  # in the checksum, so that all rows come out before it shows
    path.write_bytes(content)
    items = read(tmp_path, path.name)
    assert good(items) == ROWS
    assert faults(items) == [("a.jsonl.gz", "corrupt_file")]


def test_parquet_rows_with_broken_text(tmp_path: Path) -> None:
    values = pa.array([b"fine", b"caf\xe9", b"too"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"a": values}), tmp_path / "a.parquet")
    items = read(tmp_path, "a.parquet")
    assert good(items) == [{"a": "fine"}, {"a": "too"}]
    assert faults(items) == [("a.parquet:2", "bad_encoding")]


def test_parquet_damaged_inside(tmp_path: Path) -> None:
    table = pa.table({"a": [str(n) * 50 for n in range(4000)]})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, row_group_size=1000, use_dictionary=False)
    content = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    content[start : start + 200] = b"\xff" * 200
    path.write_bytes(content)
    items = read(tmp_path, "a.parquet")
    assert good(items) == table.slice(0, len(good(items))).to_pylist()
    assert [item.where for item in items[:-1]] == [f"a.parquet:{n}" for n in range(1, len(items))]
    assert len(items) > 1000
    assert faults(items) == [("a.parquet", "corrupt_file")]


def test_globs_are_sorted_and_tell_files_apart(tmp_path: Path) -> None:
    for name in ("b/x.jsonl", "a/x.jsonl", "a/.hidden.jsonl", "a/deep/y.jsonl"):
        write(tmp_path / "data", name, ROWS[:1])
    places = [item.where for item in read(tmp_path, "data/**/*.jsonl")]
    assert places == ["a/deep/y.jsonl:1", "a/x.jsonl:1", "b/x.jsonl:1"]
    assert [item.where for item in read(tmp_path, str(tmp_path / "data/a/*.jsonl"))] == [
        "x.jsonl:1"
    ]
    write(tmp_path, "odd[1].jsonl", ROWS[:2])
    assert len(read(tmp_path, "odd[1].jsonl")) == 2


def test_the_recipes_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "recipes/a.jsonl", ROWS[:1])
    write(tmp_path, "here/a.jsonl", ROWS[:2])
    write(tmp_path, "here/b.jsonl", ROWS[:3])
    monkeypatch.chdir(tmp_path / "here")
    assert len(read(tmp_path / "recipes", "a.jsonl")) == 1
    assert len(read(tmp_path / "recipes", "b.jsonl")) == 3
    assert len(read(Path(), "a.jsonl")) == 2


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing.jsonl", r"`nothing.jsonl` is no file"),
        ("*.parquet", r"`\*.parquet` matches no file"),
        ("train.json", r"did you mean `train.jsonl`"),
        ("folder", r"`folder` is a folder; .*`folder/\*.jsonl`"),
        ("notes.txt", r"`notes.txt` has a name that says nothing .*\.jsonl, \.json"),
        ("*.*", r"`notes.txt` has a name"),
    ],
)
def test_mistakes_in_the_path_show_at_the_call(tmp_path: Path, path: str, message: str) -> None:
    write(tmp_path, "train.jsonl", ROWS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(SourceError, match=message):
        read_rows(Source(kind="generic", path=path), recipe_folder=tmp_path)


def test_the_quickstart_ships_with_the_package(tmp_path: Path) -> None:
    items = read(tmp_path, "builtin:quickstart")
    assert items
    assert not faults(items)
    assert items[0].where == "quickstart.jsonl:1"


def test_fingerprint_follows_the_content(tmp_path: Path) -> None:
    def of(path: str) -> str:
        return fingerprint(Source(kind="generic", path=path), recipe_folder=tmp_path)

    write(tmp_path, "a.jsonl", [{"a": 1}])
    one = of("a.jsonl")
    content = (tmp_path / "a.jsonl").read_bytes()
    assert one == f"sha256:{hashlib.sha256(content).hexdigest()}"
    write(tmp_path, "b.jsonl", [{"a": 1}])
    assert of("b.jsonl") == one
    several = of("*.jsonl")
    write(tmp_path, "b.jsonl", [{"a": 2}])
    assert of("b.jsonl") != one
    assert of("*.jsonl") != several
    with pytest.raises(SourceError, match="is no file"):
        of("c.jsonl")


def test_fingerprint_of_the_hub_says_whether_it_is_pinned(tmp_path: Path) -> None:
    def of(revision: str | None) -> str:
        source = Source(kind="gsm8k", hub="openai/gsm8k", revision=revision)
        return fingerprint(source, recipe_folder=tmp_path)

    assert of("ab" * 20) == f"hub:openai/gsm8k@{'ab' * 20}"
    assert of("v1.0") == "hub:openai/gsm8k@v1.0 (not pinned)"
    assert of(None) == "hub:openai/gsm8k@main (not pinned)"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.binary(max_size=200), st.sampled_from([".jsonl", ".csv", ".json", ".parquet"]))
def test_no_bytes_break_the_reader(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    try:
        items = read(tmp_path, path.name)
    except SourceError as error:
        assert path.name in str(error)
    else:
        assert all(item.where.startswith(path.name) for item in items)
        lines = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
        assert suffix != ".jsonl" or len(items) == lines


def test_structs_of_lists_in_parquet_are_read_as_context(tmp_path: Path) -> None:
    row = two_wiki(
        context={"title": ["A", "B"], "sentences": [["A is so."], ["B is so.", "And more."]]},
        supporting_facts={"title": ["B"], "sent_id": [1]},
    )
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "train.parquet")
    source = Source(kind="2wikimultihopqa", path="train.parquet")
    batch = problems_from_rows(read_rows(source, recipe_folder=tmp_path), source, 0)
    (problem,) = batch.rows["problems"]
    assert isinstance(problem, Problem)
    assert [(fact.ref, fact.sentence) for fact in problem.supporting] == [(2, "And more.")]
