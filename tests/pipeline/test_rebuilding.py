"""A release without the text of a source that may not be passed on, and the text put back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.exporting import export
from chainwright.pipeline.rebuilding import rebuild
from chainwright.pipeline.validation.validate import validate
from chainwright.recipe_file import load_recipe

RECIPE = """\
name: %s
seed: 3
sources:
  - {kind: gsm8k, name: open, path: open.jsonl, licence: MIT}
  - {kind: gsm8k, name: closed, path: closed.jsonl, licence: for research only%s}
  - kind: generic
    name: exam
    path: exam.json
    track: inference
    licence: LicenseRef-Exam-not-for-redistribution
    redistribute: %s
    answer_kind: option
    columns: {question: ask, context: passage, options: choices, answer: key}
    chains: [{generator: a-model, steps: steps, final_answer: says}]
negatives:
  exact: {per_problem: 1}
annotation:
  bootstrap: 0
  judges: [program:arithmetic, program:reference]
release:
  test_fraction: 0.4
  shard_rows: 7
  mixed_licences: %s
"""
PASSAGE = (
    "Every councillor of Pearville who owns an orchard voted to close the market. Ada voted to "
    "keep it open."
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources: math in two files, and questions on a passage with a model's chains."""
    place = tmp_path_factory.mktemp("sources")
    path = Path(__file__).parents[2] / "chainwright" / "builders" / "data" / "quickstart.jsonl"
    rows = path.read_text(encoding="utf-8").splitlines()
    (place / "open.jsonl").write_text("\n".join(rows[:6]), encoding="utf-8")
    (place / "closed.jsonl").write_text("\n".join(rows[6:14]), encoding="utf-8")
    exam = [
        {
            "ask": f"Case {number}: which of these must be true of Ada, if all that is said holds?",
            "passage": f"{PASSAGE} Case {number} is about her.",
            "choices": ["She owns no orchard.", "She owns one.", "She sells pears.", "None."],
            "key": "A",
            "steps": [
                "The text says that EVERY councillor of Pearville who owns an orchard voted to "
                "close it [1].",
                "But Ada voted to keep it open, so she owns no orchard.",
            ],
            "says": "A" if number % 2 else "C",
        }
        for number in range(4)
    ]
    (place / "exam.json").write_text(json.dumps(exam), encoding="utf-8")
    return place


def built(folder: Path, name: str, closed: str, exam: str, mixed: str) -> Path:
    recipe = folder / f"{name}.yaml"
    recipe.write_text(RECIPE % (name, closed, exam, mixed), encoding="utf-8")
    return Path(build(recipe, folder / "runs", quiet=True).release)


@pytest.fixture(scope="module")
def withheld(folder: Path) -> Path:
    """The release in which both are withheld: one by its licence, one by the recipe."""
    return built(folder, "same", "", "false", "false")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """The release with all text."""
    return built(folder, "whole", ", redistribute: true", "true", "true")


def rows(release: Path, pattern: str) -> Iterator[dict[str, Any]]:
    for path in sorted((release / "data").glob(pattern)):
        yield from pq.read_table(path).to_pylist()


def parquet(release: Path) -> dict[str, bytes]:
    return {
        path.relative_to(release).as_posix(): path.read_bytes()
        for path in sorted((release / "data").rglob("*.parquet"))
    }


def test_what_is_released_has_labels_and_no_text_of_the_source(
    withheld: Path, folder: Path
) -> None:
    closed = [json.loads(line) for line in (folder / "closed.jsonl").read_text().splitlines()]
    exam = json.loads((folder / "exam.json").read_text())
    texts = [
        *(row["question"] for row in closed),
        *(line for row in closed for line in row["answer"].splitlines()[:-1]),
        *(row["ask"] for row in exam),
        PASSAGE,
        "owns an orchard voted",
        "EVERY councillor of Pearville",
    ]
    everything = "\n".join(
        [
            *(json.dumps(row, ensure_ascii=False) for row in rows(withheld, "*/*.parquet")),
            *(
                path.read_text(encoding="utf-8")
                for path in withheld.rglob("*")
                if path.is_file() and path.suffix != ".parquet"
            ),
        ]
    )
    for text in texts:
        assert text not in everything
        assert json.dumps(text, ensure_ascii=False)[1:-1] not in everything
    chains = list(rows(withheld, "withheld_chains/*"))
    assert {row["source"] for row in chains} == {"closed", "exam"}
    assert {row["source"] for row in rows(withheld, "chains/*")} == {"open"}
    assert all(step["label_source"] for row in chains for step in row["steps"])
    assert any(row["perturbation_kind"] for row in chains)


def test_the_release_is_sound_and_loads(withheld: Path, folder: Path) -> None:
    assert [str(fault) for fault in validate(withheld.parent).faults] == []
    for config in ("chains", "withheld_chains", "withheld_problems", "withheld_votes"):
        loaded = datasets.load_dataset(
            str(withheld), config, cache_dir=str(folder / "cache"), split="train"
        )
        assert len(loaded)
    card = (withheld / "README.md").read_text(encoding="utf-8")
    chains = len(list(rows(withheld, "withheld_chains/*")))
    problems = len(list(rows(withheld, "withheld_problems/*")))
    assert f"Of {chains} chains and {problems} problems this release holds ids" in card
    manifest = json.loads((withheld / "manifest.json").read_text())
    stage = manifest["stages"][-1]
    for table, taken in stage["taken"].items():
        rejected = sum(stage["rejected"].get(table, {}).values())
        assert taken == stage["made"].get(table, 0) + rejected, table
    assert stage["rejected"]["perl"]["withheld"]
    load_recipe(withheld / "rebuild.yaml")


def test_the_rows_come_back_byte_for_byte(
    withheld: Path, whole: Path, folder: Path, tmp_path: Path
) -> None:
    sources = [
        f"{name}={folder / name}.json{'l' * (name == 'closed')}" for name in ("closed", "exam")
    ]
    made = rebuild(withheld, sources, tmp_path / "out")
    found, expected = parquet(tmp_path / "out"), parquet(whole)
    assert list(found) == list(expected)
    assert found == expected
    assert made.restored["chains"] == len(list(rows(withheld, "withheld_chains/*")))
    assert [str(fault) for fault in validate(tmp_path / "out").faults] == []
    done = export(str(tmp_path / "out"), tmp_path, "trl", tmp_path / "trl.jsonl", None)
    assert done.account.made


def test_renamed_files_and_more_rows_make_no_difference(
    withheld: Path, whole: Path, folder: Path, tmp_path: Path
) -> None:
    lines = [*(folder / "open.jsonl").read_text().splitlines()[:2], "{}"]
    more = "\n".join([*lines, (folder / "closed.jsonl").read_text()])
    (tmp_path / "mine.jsonl").write_text(more, encoding="utf-8")
    given = [f"closed={tmp_path / 'mine.jsonl'}", f"exam={folder / 'exam.json'}"]
    rebuild(withheld, given, tmp_path / "out")
    assert parquet(tmp_path / "out") == parquet(whole)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(" 1", " 2"), "8 withheld problems|withheld problems are not in"),
        (lambda text: text.replace("#### ", "#### 1"), "another answer"),
        (lambda text: "", "withheld problems are not in the files given"),
    ],
)
def test_another_file_is_told_with_the_rows_that_differ(
    withheld: Path, folder: Path, tmp_path: Path, change: Callable[[str], str], message: str
) -> None:
    text = change((folder / "closed.jsonl").read_text(encoding="utf-8"))
    (tmp_path / "other.jsonl").write_text(text, encoding="utf-8")
    given = [f"closed={tmp_path / 'other.jsonl'}", f"exam={folder / 'exam.json'}"]
    with pytest.raises(InputMistake, match=message) as caught:
        rebuild(withheld, given, tmp_path / "out")
    assert "closed.jsonl:" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_put_together_is_told(
    withheld: Path, whole: Path, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputMistake, match="nothing was withheld"):
        rebuild(whole, [], None)
    with pytest.raises(InputMistake, match="NAME=PATH with a NAME of closed, exam"):
        rebuild(withheld, ["open=x.jsonl"], None)
    with pytest.raises(InputMistake, match=r"path `closed\.jsonl` is no file"):
        rebuild(withheld, [f"exam={folder / 'exam.json'}"], tmp_path / "out")
    with pytest.raises(InputMistake, match="no release"):
        rebuild(folder, [], None)
