"""LogiQA's text format: blocks of lines, each of which costs itself alone."""

import gzip
from pathlib import Path

import pytest

from chainwright.pipeline.reading.rows import RawRow, RowFault, SourceError, read_rows
from chainwright.recipe import Source
from tests.builders.context_rows import block

OPTIONS = ["A.one", "B.two", "C.three", "D.four"]


def read(
    folder: Path, content: bytes, kind: str = "logiqa", name: str = "Train.txt"
) -> list[object]:
    (folder / name).write_bytes(content)
    source = Source.model_validate({"kind": kind, "path": name})
    return list(read_rows(source, recipe_folder=folder))


def test_each_block_is_a_row(tmp_path: Path) -> None:
    text = block("c", *OPTIONS) + block("A", *OPTIONS, context="the context\u200b")
    first, second = read(tmp_path, text.encode())
    assert isinstance(first, RawRow)
    assert isinstance(second, RawRow)
    assert (first.where, second.where) == ("Train.txt:2", "Train.txt:10")
    assert first.row == {
        "answer": "c",
        "context": "x" * 200,
        "question": "So?",
        "options": OPTIONS,
    }
    assert second.row["context"] == "the context\u200b"


def test_packed_with_a_mark_and_windows_line_ends(tmp_path: Path) -> None:
    content = ("\ufeff" + block("b", *OPTIONS)).replace("\n", "\r\n").encode()
    (found,) = read(tmp_path, gzip.compress(content), name="Train.txt.gz")
    assert isinstance(found, RawRow)
    assert found.row["options"] == OPTIONS


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (block("b", *OPTIONS[:3]), "bad_block"),
        (block("e", *OPTIONS), "bad_block"),
        ("\nstray\n", "bad_block"),
        ('\n{"json": 1}\n', "bad_block"),
        (block("b", *OPTIONS, context="\udcff"), "bad_encoding"),
    ],
)
def test_a_broken_block_costs_itself_alone(tmp_path: Path, broken: str, reason: str) -> None:
    content = (block("a", *OPTIONS) + broken + block("d", *OPTIONS)).encode(
        errors="surrogateescape"
    )
    first, fault, last = read(tmp_path, content)
    assert isinstance(fault, RowFault)
    assert fault.reason == reason
    assert fault.payload
    assert isinstance(first, RawRow)
    assert isinstance(last, RawRow)
    assert last.row["answer"] == "d"


def test_logiqa2_has_json_lines_by_the_same_name(tmp_path: Path) -> None:
    (found,) = read(tmp_path, b'{"text": "t"}\n', kind="logiqa2")
    assert isinstance(found, RawRow)
    assert found.row == {"text": "t"}


def test_other_kinds_say_nothing_of_a_text(tmp_path: Path) -> None:
    for kind, allowed in (("reclor", r"\.csv, each"), ("generic", r"\.csv, each")):
        with pytest.raises(SourceError, match=allowed):
            read(tmp_path, b"", kind=kind)
    with pytest.raises(SourceError, match=r"\.csv, \.txt, each"):
        read(tmp_path, b"", name="Train.doc")


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    assert read(tmp_path, b"\n\n") == []
