"""A release with a selection: its files, its card, its manifest, and what validation says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest
import yaml

from chainwright.pipeline.validation.validate import validate
from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.parquet import WITH_SELECTION
from chainwright.release.summary import ReleaseSummary
from chainwright.schemas.reject import Reject

Block = dict[str, list[Any]]
SELECTION = {"train": {"per_category": 6, "per_generator": 5}, "test": {"hard": 2, "random": 3}}


def asked(recipe: Callable[..., Recipe], **release: Any) -> Recipe:
    return recipe(release={"title": "Pears", "selection": SELECTION, **release})


@pytest.fixture
def blocks(block: Callable[[int], Block]) -> list[Block]:
    return [block(number) for number in range(20)]


@pytest.fixture
def write(
    tmp_path: Path, recipe: Callable[..., Recipe], blocks: list[Block]
) -> Callable[..., ReleaseSummary]:
    def written(**changes: Any) -> ReleaseSummary:
        given: dict[str, Any] = {"recipe": asked(recipe), "blocks": blocks}
        given.update({"statistics": {}, "stages": [], **changes})
        return write_release(tmp_path / "release", **given)

    return written


def rows(folder: Path, config: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (path.name.split("-")[0], row)
        for path in sorted((folder / "data" / config).iterdir())
        for row in pq.read_table(path).to_pylist()
    ]


def test_train_and_test_have_no_question_in_common(
    tmp_path: Path, write: Callable[..., ReleaseSummary]
) -> None:
    summary = write()
    sides: dict[str, set[str]] = {}
    for config in ("chains", "full", "problems"):
        for split, row in rows(tmp_path / "release", config):
            sides.setdefault(row["problem_id"], set()).add(split)
    assert len(sides) == 20
    assert all(len(found) == 1 for found in sides.values())
    assert sum(summary.counts["full"].values()) == 40
    assert list(summary.counts) == list(WITH_SELECTION)


def test_the_chains_are_what_the_quotas_allow(
    tmp_path: Path, write: Callable[..., ReleaseSummary]
) -> None:
    write()
    chains = rows(tmp_path / "release", "chains")
    train = [row for split, row in chains if split == "train"]
    assert Counter(row["first_error"] for row in train) == {1: 5, None: 5}
    test = [row for split, row in chains if split == "test"]
    for generator in ("source", "exact"):
        mine = Counter(
            part for row in test if row["generator"] == generator for part in row["test_slices"]
        )
        assert mine == {"hard": 2, "random": 3}
    for row in test:
        assert row["test_slices"]
        assert row["random_probability"] == pytest.approx(3 / 20)
        assert row["hard_probability"] == pytest.approx(2 / 20)  # judges agree on every step
        assert row["difficulty"] == 0


def test_what_is_not_selected_is_counted_with_its_reason(
    write: Callable[..., ReleaseSummary],
) -> None:
    rejects: list[Reject] = []
    summary = write(on_reject=rejects.append)
    assert set(summary.rejects["chains"]) == {"held_out", "over_quota"}
    counted = Counter((one.table, one.reason) for one in rejects)
    assert counted == {("chains", key): n for key, n in summary.rejects["chains"].items()}
    made = summary.stage_counts().made
    for table, taken in summary.taken.items():
        assert taken == made[table] + sum(summary.rejects.get(table, {}).values()), table
    assert summary.taken["chains"] == made["full"] == 40


def test_chains_that_cannot_be_released_are_no_candidates(
    write: Callable[..., ReleaseSummary], blocks: list[Block]
) -> None:
    lost = blocks[0]["chains"][0].chain_id
    blocks[0]["labels"] = [one for one in blocks[0]["labels"] if one.chain_id != lost]
    summary = write()
    assert summary.rejects["full"] == {"no_labels": 1}
    assert summary.taken["chains"] == 39


def test_quotas_are_in_manifest_and_card(
    tmp_path: Path, write: Callable[..., ReleaseSummary]
) -> None:
    summary = write()
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["selection"] == summary.selection
    card = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    lines = card.splitlines()
    assert "| `math` | `unfaithful` | `logical_inconsistency` | 6 | 0 | 0 |" in lines
    start = "| `math` | `unfaithful` | `mathematical_error` | 6 |"
    assert any(line.startswith(start) for line in lines)
    assert "| `math` | `hard` | `exact` | 2 | 20 | 2 |" in lines
    assert "The test share asked for" not in card
    assert "Problems were not compared across sources" not in card


def test_the_published_recipe_can_be_read_again(
    tmp_path: Path, write: Callable[..., ReleaseSummary]
) -> None:
    write()
    text = (tmp_path / "release" / "recipe.yaml").read_text(encoding="utf-8")
    selection = Recipe.model_validate(yaml.safe_load(text)).release.selection
    assert selection is not None
    assert selection.train.per_category == 6


def test_equal_input_gives_equal_bytes(
    tmp_path: Path, write: Callable[..., ReleaseSummary], blocks: list[Block]
) -> None:
    write()
    first = {path.name: path.read_bytes() for path in (tmp_path / "release").rglob("*.parquet")}
    write()
    again = {path.name: path.read_bytes() for path in (tmp_path / "release").rglob("*.parquet")}
    assert first == again


def test_datasets_opens_the_full_config(
    tmp_path: Path, write: Callable[..., ReleaseSummary]
) -> None:
    summary = write()
    opened = datasets.load_dataset(
        str(tmp_path / "release"), "full", cache_dir=str(tmp_path / "cache")
    )
    assert {split: found.num_rows for split, found in opened.items()} == summary.counts["full"]


def test_blocks_that_can_be_read_once_are_refused(
    write: Callable[..., ReleaseSummary], blocks: list[Block]
) -> None:
    with pytest.raises(TypeError, match="gone through twice"):
        write(blocks=iter(blocks))


def test_a_release_has_no_fault_and_a_chain_on_the_wrong_side_is_one(
    tmp_path: Path, write: Callable[..., ReleaseSummary]
) -> None:
    write()
    release = tmp_path / "release"
    assert [(one.file, one.field, one.found) for one in validate(release).faults] == []
    test, train = (
        next((release / "data" / "chains").glob(f"{split}-*")) for split in ("test", "train")
    )
    train.unlink()
    train.write_bytes(test.read_bytes())
    faults = {(one.file, one.field) for one in validate(release).faults}
    assert ("data/chains/train-00000-of-00001.parquet", "chain_id") in faults
