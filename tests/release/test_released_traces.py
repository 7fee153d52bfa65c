"""Released traces: a release read again, and written in every format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chainwright.formats.catalogue import FORMATS, READABLE
from chainwright.formats.trace import Trace
from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.format_file import Refusal, write_traces
from chainwright.release.released_traces import UnreadableRelease, released_traces, splits_of
from chainwright.schemas.perl import PerlRecord

Block = dict[str, list[Any]]
PROBLEMS = 6


@pytest.fixture(scope="module")
def release(
    tmp_path_factory: pytest.TempPathFactory,
    recipe: Callable[..., Recipe],
    block: Callable[[int], Block],
) -> Path:
    folder = tmp_path_factory.mktemp("run") / "release"
    blocks = [block(number) for number in range(PROBLEMS)]
    write_release(folder, recipe=recipe(), blocks=blocks, statistics={}, stages=[])
    return folder


def test_every_chain_comes_with_its_problem_labels_and_parent(release: Path) -> None:
    splits = splits_of(release)
    assert splits == ["train", "test"]
    traces = list(released_traces(release, splits, with_parents=True))
    assert len(traces) == 2 * PROBLEMS
    for trace in traces:
        assert trace.chain.problem_id == trace.problem.problem_id
        assert trace.problem.solution is not None
        if trace.chain.origin == "synthetic":
            assert trace.parent is not None
            assert trace.parent.chain_id == trace.chain.parent_id
            assert trace.first_error == 1
            # what the release knows of the fault, and what follows from the premises
            assert trace.labels[0].explanation
            assert trace.labels[1].explanation == "Rests on step 1, which is in error."
        else:
            assert trace.parent is None
            assert trace.first_error is None


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_written_whole_and_opened_by_datasets(
    release: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / f"out.{'json' if FORMATS[name].is_array else 'jsonl'}"
    traces = released_traces(release, splits_of(release), with_parents=True)
    account = write_traces(traces, name, out)
    made = PROBLEMS if name == "dpo" else 2 * PROBLEMS
    assert (account.taken, account.made) == (2 * PROBLEMS, made)
    assert account.taken == account.made + sum(account.rejects.values())
    rows = datasets.load_dataset("json", data_files=str(out), cache_dir=str(tmp_path / "cache"))
    assert rows["train"].num_rows == account.rows == made * (3 if name == "chat_sbs" else 1)


def test_what_datasets_reads_of_stepwise_supervision_are_texts_and_truth_values(
    release: Path, tmp_path: Path
) -> None:
    write_traces(released_traces(release, ["train"]), "trl", tmp_path / "trl.jsonl")
    found = datasets.load_dataset(
        "json", data_files=str(tmp_path / "trl.jsonl"), cache_dir=str(tmp_path / "cache")
    )["train"]
    assert found.features["prompt"].dtype == "string"
    assert found.features["completions"].feature.dtype == "string"
    assert found.features["labels"].feature.dtype == "bool"
    assert all(len(row["completions"]) == len(row["labels"]) for row in found)


def test_trl_takes_pairs_and_judge_chats_for_what_they_are(release: Path, tmp_path: Path) -> None:
    trl = pytest.importorskip("trl")
    for name, conversational in (("dpo", False), ("chat_all", True)):
        out = tmp_path / f"{name}.jsonl"
        write_traces(released_traces(release, ["train"], with_parents=True), name, out)
        row = json.loads(out.read_text().splitlines()[0])
        assert trl.is_conversational(row) is conversational
    assert set(row) == {"messages"}


def test_perl_is_an_array_of_perl_s_own_records(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    write_traces(released_traces(release, ["train", "test"]), "perl", out)
    text = out.read_text(encoding="ascii")
    rows = json.loads(text)
    assert text == json.dumps(rows, indent=2) + "\n"
    assert [PerlRecord.model_validate(row).question for row in rows]


@pytest.mark.parametrize("name", READABLE)
def test_what_is_written_is_read_again(release: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out.jsonl"
    write_traces(released_traces(release, ["train", "test"]), name, out)
    text = out.read_text(encoding="utf-8")
    rows = json.loads(text) if FORMATS[name].is_array else map(json.loads, text.splitlines())
    read = FORMATS[name].read
    assert read is not None
    errors = [read(row, "own").first_error for row in rows]
    expected = [trace.first_error for trace in released_traces(release, ["train", "test"])]
    assert errors == expected


def test_rejects_are_counted_by_reason_and_stand_beside_the_file(
    release: Path, tmp_path: Path
) -> None:
    given: list[Trace | Refusal] = [
        *released_traces(release, ["train"]),
        Refusal("x:1", "bad_json", "no JSON"),
    ]
    out = tmp_path / "deep" / "out.jsonl.gz"
    account = write_traces(given, "dpo", out)
    half = account.taken // 2
    assert account.rejects == {"no_parent": half, "not_synthetic": half, "bad_json": 1}
    assert gzip.decompress(out.read_bytes()) == b""
    lines = (tmp_path / "deep/out.jsonl.gz.rejects.jsonl").read_text().splitlines()
    assert len(lines) == account.taken
    assert json.loads(lines[-1]) == {"item": "x:1", "reason": "bad_json", "detail": "no JSON"}


def test_a_failure_leaves_the_former_file(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("former")

    def breaks_off() -> Any:
        yield from released_traces(release, ["train"])
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk"):
        write_traces(breaks_off(), "trl", out)
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
    assert out.read_text() == "former"


def test_a_release_without_problems_and_labels_gives_what_it_has(
    release: Path, tmp_path: Path
) -> None:
    source = release / "data/chains"
    target = tmp_path / "data/chains"
    target.mkdir(parents=True)
    for path in source.iterdir():
        # a column of a later version is passed over
        table = pq.read_table(path)
        table = table.append_column("later", pa.array(["x"] * table.num_rows))
        pq.write_table(table, target / path.name)
    traces = list(released_traces(tmp_path, splits_of(tmp_path)))
    assert len(traces) == 2 * PROBLEMS
    assert traces[0].problem.solution is None
    wrong = next(trace for trace in traces if trace.chain.perturbed_step)
    assert wrong.labels[0].explanation == "made wrong on purpose: digit_slip"


def test_what_is_no_release_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRelease, match=r"holds no data/chains/\*\.parquet"):
        splits_of(tmp_path)
    broken = tmp_path / "data/chains/train-00000-of-00001.parquet"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"PAR1")
    with pytest.raises(UnreadableRelease, match="unreadable as a table"):
        list(released_traces(tmp_path, ["train"]))
    pq.write_table(pa.table({"chain_id": ["c"]}), broken)
    with pytest.raises(UnreadableRelease, match="not as expected: KeyError"):
        list(released_traces(tmp_path, ["train"]))
