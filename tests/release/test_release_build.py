"""Build: a whole release, opened by the library its readers use."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets  # type: ignore[import-untyped]
import pytest
import yaml

from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.parquet import CONFIGS
from chainwright.release.splits import split_of
from chainwright.release.summary import ReleaseSummary, StageCounts
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.perl import PerlRecord
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.schemas.vote import Vote

Block = dict[str, list[Any]]
Write = Callable[..., ReleaseSummary]


@pytest.fixture
def write(tmp_path: Path, recipe: Callable[..., Recipe], block: Callable[[int], Block]) -> Write:
    """Writes a release of twelve problems below `tmp_path`, or of what is given."""

    def written(**changes: Any) -> ReleaseSummary:
        given: dict[str, Any] = {
            "folder": tmp_path / "release",
            "recipe": recipe(),
            "blocks": (block(number) for number in range(12)),
            "statistics": {},
            "stages": [],
        }
        given.update(changes)
        return write_release(given.pop("folder"), **given)

    return written


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("config", CONFIGS)
def test_datasets_opens_every_config(
    tmp_path: Path, write: Write, block: Callable[[int], Block], config: str
) -> None:
    summary = write()
    opened = datasets.load_dataset(
        str(tmp_path / "release"), config, cache_dir=str(tmp_path / "cache")
    )
    assert {split: rows.num_rows for split, rows in opened.items()} == summary.counts[config]
    table = [row for number in range(12) for row in block(number)[config]]
    assert sum(summary.counts[config].values()) == len(table)
    for rows in opened.values():
        assert list(rows.features) == list(CONFIGS[config].model_fields)


def test_the_default_config_is_that_of_the_chains(tmp_path: Path, write: Write) -> None:
    summary = write()
    opened = datasets.load_dataset(str(tmp_path / "release"), cache_dir=str(tmp_path / "cache"))
    assert {split: rows.num_rows for split, rows in opened.items()} == summary.counts["chains"]
    steps = opened["train"].features["steps"]
    assert isinstance(steps, datasets.List)
    assert isinstance(steps.feature["premises"], datasets.List)
    assert steps.feature["premises"].feature == datasets.Value("int64")
    first = opened["train"][0]
    assert [step["step"] for step in first["steps"]] == [1, 2, 3]


def test_chains_can_be_streamed(tmp_path: Path, write: Write) -> None:
    summary = write()
    stream = datasets.load_dataset(
        str(tmp_path / "release"),
        "chains",
        split="test",
        streaming=True,
        cache_dir=str(tmp_path / "cache"),
    )
    rows = list(stream)
    assert len(rows) == summary.counts["chains"]["test"]
    assert {row["first_error"] for row in rows} == {None, 1}


def test_all_rows_of_a_problem_are_on_its_side(tmp_path: Path, write: Write) -> None:
    write()
    sides: dict[str, set[str]] = {}
    of_chain: dict[str, str] = {}
    for config in CONFIGS:
        opened = datasets.load_dataset(
            str(tmp_path / "release"), config, cache_dir=str(tmp_path / "cache")
        )
        for split, rows in opened.items():
            for row in rows:
                if config == "chains":
                    of_chain[row["chain_id"]] = row["problem_id"]
                problem_id = row.get("problem_id") or of_chain[row["chain_id"]]
                sides.setdefault(problem_id, set()).add(split)
    assert len(sides) == 12
    assert all(found == {split_of(one, 0.5, 3)} for one, found in sides.items())


def test_a_split_without_rows_is_neither_written_nor_declared(
    tmp_path: Path, write: Write, recipe: Callable[..., Recipe]
) -> None:
    summary = write(recipe=recipe(release={"test_fraction": 0.0}))
    assert {tuple(splits) for splits in summary.counts.values()} == {("train",)}
    assert not [path for path in content(tmp_path / "release") if "test-" in path]
    opened = datasets.load_dataset(str(tmp_path / "release"), cache_dir=str(tmp_path / "cache"))
    assert list(opened) == ["train"]


def test_equal_input_gives_equal_bytes(tmp_path: Path, write: Write) -> None:
    write()
    write(folder=tmp_path / "again")
    assert content(tmp_path / "release") == content(tmp_path / "again")


def test_the_manifest_names_every_file_with_its_hash(tmp_path: Path, write: Write) -> None:
    summary = write()
    files = content(tmp_path / "release")
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest["files"] == [vars(file) for file in summary.files]
    assert {file["path"]: (file["bytes"], file["sha256"]) for file in manifest["files"]} == {
        path: (len(data), hashlib.sha256(data).hexdigest()) for path, data in files.items()
    }
    assert manifest["seeds"] == {"recipe": 3, "sources": {"own": 3, "bought": 3}}
    assert set(manifest["versions"]) == {"python", "chainwright", "pyarrow", "pydantic"}
    assert re.fullmatch(r"[0-9a-f]{64}", manifest["recipe_sha256"])


def test_nothing_tells_where_or_by_whom_it_was_made(
    tmp_path: Path, write: Write, statistics: dict[str, Any]
) -> None:
    write(statistics=statistics)
    secrets = [b"/home/ada", b"gpu7.lan", str(tmp_path).encode()]
    for path, data in content(tmp_path / "release").items():
        if not path.endswith(".parquet"):
            assert not [secret for secret in secrets if secret in data], path
    for config in CONFIGS:
        opened = datasets.load_dataset(
            str(tmp_path / "release"), config, cache_dir=str(tmp_path / "cache")
        )
        text = json.dumps([row for rows in opened.values() for row in rows])
        assert "/home/ada" not in text
        assert "gpu7.lan" not in text


def test_the_recipe_lies_beside_and_can_be_read_again(tmp_path: Path, write: Write) -> None:
    write()
    text = (tmp_path / "release" / "recipe.yaml").read_text(encoding="utf-8")
    again = Recipe.model_validate(yaml.safe_load(text))
    assert (again.name, again.seed, again.release.title) == ("pears", 3, "Pears")


def test_what_cannot_enter_is_counted_with_its_reason(
    tmp_path: Path,
    write: Write,
    block: Callable[[int], Block],
    problem: Callable[..., Problem],
    chain: Callable[..., Chain],
    labels: Callable[..., list[Label]],
    vote: Callable[..., Vote],
) -> None:
    of = problem(5)
    bare, half, lost = (chain(of, [f"{name}."] * 3) for name in ("bare", "half", "lost"))
    open_end = chain(of, ["open", "end"])
    stray = chain(problem(6))
    twisted = chain(of, ["twisted"])
    odd: Block = {
        "problems": [of, of],
        "chains": [bare, half, stray, open_end, open_end, twisted],
        "votes": [vote(bare, 1), vote(lost, 1), vote(open_end, 1)],
        "labels": [
            *labels(half, "correct"),
            *labels(stray, "correct", "correct", "correct"),
            *labels(open_end, "correct", None),
            *labels(twisted, "correct", premises=[1]),
        ],
    }
    rejects: list[Reject] = []
    summary = write(blocks=[block(1), odd], on_reject=rejects.append)
    assert summary.rejects == {
        "problems": {"duplicate_id": 1},
        "chains": {
            "no_labels": 1,
            "incomplete_labels": 1,
            "no_problem": 1,
            "duplicate_id": 1,
            "invalid_premises": 1,
        },
        "perl": {"undecided_step": 1},
        "votes": {"chain_not_released": 2},
        "labels": {"chain_not_released": 5},
    }
    counted = Counter((reject.table, reject.reason) for reject in rejects)
    assert counted == {
        (table, reason): count
        for table, reasons in summary.rejects.items()
        for reason, count in reasons.items()
    }
    made = summary.stage_counts().made
    for table, taken in summary.taken.items():
        assert taken == made[table] + sum(summary.rejects.get(table, {}).values()), table
    assert summary.taken["chains"] == 2 + 6


def test_perl_json_holds_the_chains_that_fit(tmp_path: Path, write: Write) -> None:
    summary = write()
    found = {path.name: path for path in (tmp_path / "release" / "perl").iterdir()}
    assert sorted(found) == list(summary.perl)
    for name, path in found.items():
        records = json.loads(path.read_text(encoding="utf-8"))
        assert len(records) == summary.perl[name]
        assert all(PerlRecord.model_validate_json(json.dumps(one)) for one in records)
    assert sum(summary.perl.values()) == sum(summary.counts["chains"].values())


def test_perl_json_is_not_written_unless_asked_for(
    tmp_path: Path, write: Write, recipe: Callable[..., Recipe]
) -> None:
    summary = write(recipe=recipe(release={"perl_json": False}))
    assert summary.perl == {}
    assert not (tmp_path / "release" / "perl").exists()


def test_a_run_without_any_chain_gives_a_release_that_says_so(
    tmp_path: Path, write: Write, problem: Callable[..., Problem]
) -> None:
    summary = write(blocks=[{"problems": [problem(1)]}])
    assert list(summary.counts) == ["problems"]
    card = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    assert "No chain of this run was fit for release" in card


def test_a_build_that_dies_leaves_the_former_release(
    tmp_path: Path, write: Write, block: Callable[[int], Block]
) -> None:
    write()
    before = content(tmp_path / "release")

    def dying() -> Iterator[Block]:
        yield block(1)
        raise MemoryError

    with pytest.raises(MemoryError):
        write(blocks=dying())
    assert content(tmp_path / "release") == before
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_counts_of_the_stages_before_are_kept(tmp_path: Path, write: Write) -> None:
    stage = StageCounts("problems", {"problems": 14}, {"problems": 12}, {"problems": {"odd": 2}})
    write(stages=[stage])
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    assert [one["stage"] for one in manifest["stages"]] == ["problems", "release"]
    assert manifest["stages"][0] == vars(stage)
