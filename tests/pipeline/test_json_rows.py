import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainwright.pipeline.validation import json_rows as subject
from chainwright.pipeline.validation.json_rows import json_rows
from chainwright.pipeline.validation.raw_row import UNREAD, RawRow

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Every character but the surrogates, so that escaped pairs occur.
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=5,
)
LEAST = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(folder: Path, name: str, content: bytes | str) -> list[RawRow]:
    path = folder / name
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return list(json_rows(path))


def told(rows: list[RawRow]) -> list[tuple[int | None, str, str]]:
    """Number, field and found value of every flaw."""
    return [(row.number, flaw.field, flaw.found) for row in rows for flaw in row.flaws]


@LEAST
@given(values=st.lists(VALUES, max_size=5), indent=st.sampled_from([None, 1]), ascii=st.booleans())
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_an_array_is_read_like_json_does_whatever_the_chunks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chunk: int,
    values: list[Any],
    indent: int | None,
    ascii: bool,
) -> None:
    monkeypatch.setattr(subject, "CHUNK", chunk)
    text = json.dumps(values, indent=indent, ensure_ascii=ascii)
    rows = read(tmp_path, "rows.json", text)
    assert [row.value for row in rows] == values
    assert [row.number for row in rows] == list(range(1, len(values) + 1))
    assert told(rows) == []


@LEAST
@given(values=st.lists(VALUES, max_size=5))
def test_lines_are_read_like_json_does(tmp_path: Path, values: list[Any]) -> None:
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    rows = read(tmp_path, "rows.jsonl", text)
    assert [row.value for row in rows] == values
    assert told(rows) == []


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json", "A.JSON.GZ"])
def test_endings_tell_the_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    raw = b'{"a": 1}\n{"a": 2}\n'
    path.write_bytes(gzip.compress(raw) if name.lower().endswith("gz") else raw)
    assert [row.value for row in json_rows(path)] == [{"a": 1}, {"a": 2}]


def test_rows_of_jsonl_are_numbered_by_line(tmp_path: Path) -> None:
    rows = read(tmp_path, "a.jsonl", '\ufeff{"a": 1}\n\n  \r\n{"a": \n{"a": 4} x\r\n{"a": 6}')
    assert [(row.number, row.value) for row in rows] == [
        (1, {"a": 1}),
        (4, UNREAD),
        (5, UNREAD),
        (6, {"a": 6}),
    ]
    assert told(rows) == [
        (4, "", "Expecting value at character 6"),
        (5, "", "Extra data at character 10"),
    ]


def test_bytes_that_are_no_utf8_are_told_by_line_and_field(tmp_path: Path) -> None:
    rows = read(
        tmp_path, "a.jsonl", b'{"a": "ok"}\n{"a": [{"b": "caf\xe9"}]}\n\xff\xfe\n{"a": 1}\n'
    )
    assert told(rows) == [
        (2, "a[0].b", r"'caf\udce9'"),
        (3, "", "Expecting value at character 1"),
    ]
    assert rows[-1].value == {"a": 1}


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_half_an_escaped_pair_is_told_and_a_whole_one_is_not(tmp_path: Path, name: str) -> None:
    rows = read(tmp_path, name, r'{"a": "\ud83c\udf50", "b": {"\ude00": 1}, "c": "\ud83d"}')
    assert [(number, field) for number, field, _ in told(rows)] == [(1, r"b.\ude00"), (1, "c")]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_numbers_that_json_lacks_are_told_by_field(tmp_path: Path, name: str) -> None:
    text = '{"a": "NaN is a word"}\n{"a": [1.5, NaN], "b": -Infinity}\n{"a": 3}'
    rows = read(tmp_path, name, text)
    assert told(rows) == [(2, "a[1]", "NaN"), (2, "b", "-Infinity")]
    assert rows[2].value == {"a": 3}


def test_nesting_beyond_reading_costs_one_line(tmp_path: Path) -> None:
    rows = read(tmp_path, "a.jsonl", "[" * 200_000 + "\n" + '{"a": 1}\n' + "9" * 5000 + "\n{}")
    assert [(row.number, row.value) for row in rows] == [
        (1, UNREAD),
        (2, {"a": 1}),
        (3, UNREAD),
        (4, {}),
    ]
    assert told(rows)[0] == (1, "", "brackets nested too deep to be read")


@pytest.mark.parametrize(
    ("text", "values", "number", "found"),
    [
        ("", [], None, "line 1: the end of the file"),
        ("\n\n ", [], None, "line 3: the end of the file"),
        ('[{"a": 1},\n {"a": 2}', [{"a": 1}, {"a": 2}], None, "line 2: the end of the file"),
        ('[{"a": 1},\n {"a": 2}\n {"a": 3}]', [{"a": 1}, {"a": 2}], None, "line 3: '{'"),
        ('[{"a": 1},\n\n {"a": }, {}]', [{"a": 1}], 2, "line 3: Expecting value at character 8"),
        ("[1,]", [1], 2, "line 1: Expecting value at character 4"),
        ("[,1]", [], 1, "line 1: Expecting value at character 2"),
        ("[1 2]", [1], None, "line 1: '2'"),
        ("[1]\n[2]", [1], None, "line 2: '[' after the end of the array"),
        ('["a', [], 1, "line 1: Unterminated string starting at at character 2"),
        ('[{"a": 1}, tru', [{"a": 1}], 2, "line 1: Expecting value at character 12"),
        ("hello", [], 1, "line 1: Expecting value at character 1"),
        ("[" * 200_000, [], 1, "line 1: brackets nested too deep to be read"),
    ],
)
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_a_broken_array_gives_what_came_before(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chunk: int,
    text: str,
    values: list[Any],
    number: int | None,
    found: str,
) -> None:
    monkeypatch.setattr(subject, "CHUNK", max(chunk, len(text) // 8))
    rows = read(tmp_path, "a.json", text)
    assert [row.value for row in rows if row.value is not UNREAD] == values
    assert rows[-1].number == number
    assert rows[-1].value is UNREAD
    assert rows[-1].flaws[0].expected.endswith("(what follows is not checked)")
    assert told(rows)[0][2].partition(" at character")[0] == found.partition(" at character")[0]


def test_an_error_early_in_a_large_array_ends_the_reading_there(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.write(b'[{"a": 1}, {"a" 2},' + b'{"a": 3},' * 1000)
        file.seek(1 << 36)  # a hole, which takes no space
        file.write(b"]")
    assert told(list(json_rows(path))) == [
        (2, "", "line 1: Expecting ':' delimiter at character 17")
    ]


def test_unreadable_files_are_told(tmp_path: Path) -> None:
    assert told(list(json_rows(tmp_path / "none.jsonl")))[0][:2] == (None, "")
    (tmp_path / "a.jsonl.gz").write_bytes(b'{"a": 1}\n')
    assert "gzip" in told(list(json_rows(tmp_path / "a.jsonl.gz")))[0][2]
    whole = gzip.compress(b'{"a": 1}\n' * 5000)
    (tmp_path / "b.jsonl.gz").write_bytes(whole[:-20])
    rows = list(json_rows(tmp_path / "b.jsonl.gz"))
    assert rows[0].value == {"a": 1}
    assert rows[-1].number is None
    assert rows[-1].value is UNREAD
    (tmp_path / "c.json.gz").write_bytes(whole[:20] + b"\xff" * 9 + whole[29:])
    assert list(json_rows(tmp_path / "c.json.gz"))[-1].value is UNREAD
