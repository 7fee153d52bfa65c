"""Exporting and converting: formats told, files read, commands run."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chainwright.formats.catalogue import FORMATS, READABLE, source_name
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.exporting import convert, export
from chainwright.pipeline.reading.corpus_files import corpus_file
from chainwright.pipeline.reading.corpus_records import detect_format
from chainwright.pipeline.screens.exported import print_exported
from chainwright.pipeline.screens.terminal import console
from tests.pipeline.small_line import small_line, write_recipe

LEFT_OUT = {
    # one record annotates the steps of another chain
    ("gsm8k_positives", "perl"): {"no_premises": 1},
    ("gsm8k", "perl"): {"no_answer": 400},
}
"""What no format that can be read back has a place for, by genuine file and format."""
STEPWISE = {"prompt": "1 + 1?", "completions": ["It is 2.", "So 3."], "labels": [True, False]}
BENCH = {
    "id": "a",
    "generator": "m",
    "problem": "1 + 1?",
    "steps": ["It is 3.", "So 3."],
    "final_answer_correct": False,
    "label": 0,
}


def write_rows(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with one run of the small line, called as its recipe says."""
    folder = tmp_path_factory.mktemp("built")
    build(write_recipe(folder), folder / "runs", line=small_line(), quiet=True)
    return folder / "runs"


def test_a_run_is_exported_by_its_name_its_folder_or_its_release(
    runs: Path, tmp_path: Path
) -> None:
    (run,) = (path for path in runs.iterdir() if path.is_dir())
    found = [
        export(target, runs, "processbench", tmp_path / f"{number}.jsonl", None)
        for number, target in enumerate((run.name, str(run), str(run / "release")))
    ]
    accounts = [one.account for one in found]
    assert accounts[0] == accounts[1] == accounts[2]
    assert accounts[0].taken == accounts[0].made + sum(accounts[0].rejects.values()) > 0


def test_splits_are_exported_by_themselves(runs: Path, tmp_path: Path) -> None:
    (run,) = (path for path in runs.iterdir() if path.is_dir())
    whole = export(run.name, runs, "grace", tmp_path / "a.jsonl", None)
    splits = {path.name.partition("-")[0] for path in (run / "release/data/chains").iterdir()}
    parts = [export(run.name, runs, "grace", tmp_path / f"{s}.jsonl", s) for s in splits]
    assert sum(part.account.made for part in parts) == whole.account.made
    with pytest.raises(InputMistake, match="has no split 'dev'; there are: "):
        export(run.name, runs, "grace", None, "dev")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("prm800", "did you mean prm800k"),
        ("yaml", "no format 'yaml'; there are: perl, grace"),
    ],
)
def test_an_unknown_format_is_told_with_those_there_are(
    tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(InputMistake, match=message):
        export("any", tmp_path, name, None, None)


def test_a_format_that_holds_no_chains_cannot_be_read(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", {"messages": []})
    with pytest.raises(InputMistake, match=r"no format 'dpo' \(it can be written only\)"):
        convert(path, "dpo", "trl", None)
    with pytest.raises(InputMistake, match="found rows with the keys messages"):
        convert(path, None, "trl", None)


def as_json(path: Path, rows: list[Any]) -> None:
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def as_gzip(path: Path, rows: list[Any]) -> None:
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))


def as_parquet(path: Path, rows: list[Any]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


@pytest.mark.parametrize(
    ("name", "write"), [("a.json", as_json), ("a.jsonl.gz", as_gzip), ("a.parquet", as_parquet)]
)
def test_files_of_each_kind_are_read_and_their_format_told(
    tmp_path: Path, name: str, write: Callable[[Path, list[Any]], None]
) -> None:
    write(tmp_path / name, [BENCH, {**BENCH, "label": -1}])
    done = convert(tmp_path / name, None, "trl", tmp_path / "out.jsonl")
    assert (done.source_format, done.detected) == ("processbench", True)
    assert (done.account.made, done.account.shortened) == (2, 1)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["labels"] for row in rows] == [[False], [True, True]]


def test_bad_rows_cost_themselves_alone(tmp_path: Path) -> None:
    lines = [json.dumps(STEPWISE), "{", "[1]", json.dumps({**STEPWISE, "labels": [True]})]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([*lines, json.dumps({**STEPWISE, "labels": [True, True]})]))
    done = convert(path, "trl", "math-shepherd", tmp_path / "out.jsonl")
    assert done.format == "math_shepherd"
    assert done.account.made == 2
    assert done.account.rejects == {"bad_json": 1, "not_an_object": 1, "incomplete_labels": 1}
    rejects = (tmp_path / "out.jsonl.rejects.jsonl").read_text().splitlines()
    assert [json.loads(line)["item"] for line in rejects] == ["a.jsonl:2", "a.jsonl:3", "a.jsonl:4"]


def test_rows_of_no_format_are_converted_by_a_map(tmp_path: Path) -> None:
    rows = [{"q": "1 + 1?", "s": ["It is 2.", "So 3."], "l": marks} for marks in ([1, -1], [1])]
    path = write_rows(tmp_path / "a.jsonl", *rows)
    keys = "question=q,steps=s,labels=l"
    done = convert(path, None, "trl", tmp_path / "out.jsonl", keys)
    assert (done.source_format, done.account.rejects) == ("map", {"incomplete_labels": 1})
    (row,) = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert row == STEPWISE
    with pytest.raises(InputMistake, match="give one of them"):
        convert(path, "trl", "prm800k", None, keys)
    with pytest.raises(InputMistake, match="did you mean labels"):
        convert(path, None, "prm800k", None, "steps=s,label=l")
    with pytest.raises(InputMistake, match="no row has the column `t`"):
        convert(path, None, "prm800k", tmp_path / "p.jsonl", "steps=s,question=t,labels=l")
    assert not (tmp_path / "p.jsonl").exists()


def test_several_formats_in_a_file_are_not_guessed(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", STEPWISE, BENCH)
    with pytest.raises(InputMistake, match=r"several formats: trl \(1\), processbench \(1\)"):
        detect_format(corpus_file(path))
    with pytest.raises(InputMistake, match="found no objects"):
        detect_format(corpus_file(write_rows(tmp_path / "b.jsonl")))


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="is no file"):
        detect_format(corpus_file(tmp_path / "none.json"))
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(InputMistake, match="expected a name that ends in"):
        detect_format(corpus_file(tmp_path / "a.txt"))
    (tmp_path / "a.parquet").write_text("a")
    with pytest.raises(InputMistake, match=r"no objects \(.*a readable Parquet file"):
        detect_format(corpus_file(tmp_path / "a.parquet"))


def test_a_file_is_not_written_over_itself_nor_over_a_folder(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", STEPWISE)
    with pytest.raises(InputMistake, match="is the file that is read"):
        convert(path, None, "trl", path)
    with pytest.raises(InputMistake, match="is a folder"):
        convert(path, None, "trl", tmp_path)


@pytest.mark.parametrize(
    ("name", "file", "way_out"),
    [
        ("perl", "b.jsonl", "one JSON array: name it .json"),
        ("perl", "b.jsonl.gz", "one JSON array"),
        ("trl", "b.json", "a row a line: name it .jsonl"),
    ],
)
def test_a_name_that_belies_the_content_is_refused(
    tmp_path: Path, name: str, file: str, way_out: str
) -> None:
    path = write_rows(tmp_path / "a.jsonl", STEPWISE)
    with pytest.raises(InputMistake, match=f"would not be read again: {name} is {way_out}"):
        convert(path, None, name, tmp_path / file)
    assert not (tmp_path / file).exists()


def test_names_say_what_was_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "mine.jsonl", STEPWISE)
    assert convert(Path("mine.jsonl"), None, "prm800k", None).out == "mine.prm800k.jsonl"
    assert source_name("a/gsm8k_negatives.json.gz") == "gsm8k_negatives"


def test_the_summary_says_in_out_and_rejects(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", BENCH, {**BENCH, "label": 9})
    done = convert(path, None, "trl", tmp_path / "out.jsonl")
    screen = io.StringIO()
    print_exported(done, console(screen))
    said = screen.getvalue()
    assert "processbench (told from its rows)" in said
    assert "2 in = 1 out + 1 rejects" in said
    assert "1 of them end at the first error" in said
    assert "1 bad_label" in said
    document = done.as_json()
    assert (document["in"], document["made"], document["rejects"]) == (2, 1, {"bad_label": 1})
    empty = convert(path, None, "dpo", tmp_path / "dpo.jsonl")
    print_exported(empty, console(screen))
    assert "WARNING: nothing was written" in screen.getvalue()


@pytest.mark.realdata
@pytest.mark.parametrize("name", FORMATS)
def test_genuine_files_are_converted_to_every_format(
    real_data: Path, tmp_path: Path, name: str
) -> None:
    files = [*sorted((real_data / "perl").glob("*/*.json")), real_data / "processbench/gsm8k.json"]
    for path in files:
        done = convert(path, None, name, tmp_path / f"{path.stem}.out")
        assert done.source_format == ("processbench" if path.stem == "gsm8k" else "perl")
        account = done.account
        assert account.taken == account.made + sum(account.rejects.values()) > 0
        if name in READABLE:
            assert account.rejects == LEFT_OUT.get((path.stem, name), {})
