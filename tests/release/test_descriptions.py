"""Descriptions: what card, Croissant, schemas, manifest and citation say is what the files hold."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets  # type: ignore[import-untyped]
import jsonschema
import pyarrow.parquet as pq
import pytest
import yaml

from chainwright.llm.prompts import prompt_names
from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.dossier import Dossier, ModelUse
from chainwright.release.personal_data import PERSONAL, personal_data
from chainwright.release.works import OF_SOURCES, works_of

Block = dict[str, list[Any]]
CONFIGS = ("chains", "problems", "votes", "labels")
USE = ModelUse("openai:gpt", 5, 1, 900, 80, 0.25, 1, "2026-01-02", "2026-01-09")


@pytest.fixture
def release(tmp_path: Path, recipe: Callable[..., Recipe], block: Callable[[int], Block]) -> Path:
    """Twelve problems, two of the source's test split, one with an address in a step."""
    blocks = [block(number) for number in range(12)]
    blocks[2]["problems"][0] = blocks[2]["problems"][0].model_copy(update={"split": "test"})
    chain = blocks[5]["chains"][0]
    blocks[5]["chains"][0] = chain.model_copy(
        update={"steps": ["Ask ada@pears.org, 24 she says.", *chain.steps[1:]]}
    )
    write_release(
        tmp_path / "release",
        recipe=recipe(
            release={
                "test_fraction": 0.5,
                "version": "1.2",
                "authors": ["Ada | L."],
                "shard_rows": 5,
            }
        ),
        blocks=blocks,
        statistics={},
        stages=[],
        asked=[USE],
    )
    return tmp_path / "release"


def rows_of(release: Path, config: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (path.name.split("-")[0], row)
        for path in sorted((release / "data" / config).iterdir())
        for row in pq.read_table(path).to_pylist()
    ]


def section(card: str, title: str) -> str:
    return card.split(f"\n## {title}\n")[1].split("\n## ", maxsplit=1)[0]


def cells(text: str) -> list[list[str]]:
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`").replace(",", "") for cell in row] for row in rows[2:]]


def test_every_file_is_in_the_manifest_with_its_hash(release: Path) -> None:
    manifest = json.loads((release / "manifest.json").read_text())
    found = {
        path.relative_to(release).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in release.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    assert {one["path"]: one["sha256"] for one in manifest["files"]} == found
    assert {"croissant.json", "CITATION.cff", "schema/chains.schema.json"} <= found.keys()
    assert [one["path"] for one in manifest["files"]] == sorted(found)
    assert manifest["version"] == "1.2"
    assert manifest["models"][0]["usd"] == 0.25
    assert set(manifest["prompts"]) == set(prompt_names())
    votes = Counter(row["judge"] for _, row in rows_of(release, "votes"))
    assert {one["judge"]: one["votes"] for one in manifest["judges"]} == votes


def test_the_head_of_the_card_says_what_datasets_finds(release: Path) -> None:
    head = yaml.safe_load((release / "README.md").read_text().split("---\n")[1])
    infos = {one["config_name"]: one for one in head["dataset_info"]}
    assert [*infos] == [*CONFIGS]
    for config, info in infos.items():
        counts = Counter(split for split, _ in rows_of(release, config))
        assert {one["name"]: one["num_examples"] for one in info["splits"]} == counts
        size = sum(path.stat().st_size for path in (release / "data" / config).iterdir())
        assert info["download_size"] == size
        shard = next((release / "data" / config).glob("train-*"))
        found = datasets.Features.from_arrow_schema(pq.read_schema(shard))
        assert datasets.Features._from_yaml_list(info["features"]) == found
    assert head["language_creators"] == ["found", "machine-generated"]


def test_the_example_is_a_row_of_chains(release: Path) -> None:
    text = section((release / "README.md").read_text(), "An example")
    fence = re.search(r"```json\n(.*?)\n```", text, re.DOTALL)
    assert fence is not None
    row = json.loads(fence[1])
    assert row in [one for _, one in rows_of(release, "chains")]
    assert row["first_error"] == row["perturbed_step"]


def test_figures_of_the_new_sections_are_those_of_the_files(release: Path) -> None:
    card = (release / "README.md").read_text()
    overlap = Counter(
        (row["source"], row["split"] or "not stated", split)
        for split, row in rows_of(release, "problems")
    )
    shown = cells(section(card, "Contamination").split("Of these")[0])
    assert {
        (source, own, split): int(count)
        for source, own, *counts in shown
        for split, count in zip(("train", "test"), counts, strict=True)
        if count != "0"
    } == overlap
    personal, matches = Counter[tuple[str, str]](), Counter[str]()
    texts = [
        *(
            ("problems", [row["question"], row["answer"], row["solution"]])
            for _, row in rows_of(release, "problems")
        ),
        *(
            ("chains", [row["final_answer"], *(step["text"] for step in row["steps"])])
            for _, row in rows_of(release, "chains")
        ),
        *(("votes", [row["explanation"]]) for _, row in rows_of(release, "votes")),
    ]
    for config, every in texts:
        personal.update((what, config) for what in personal_data(every))
        matches.update(personal_data(every))
    assert matches["e-mail addresses"] == 1
    found = cells(section(card, "Personal and sensitive data"))
    configs = ("problems", "chains", "votes")
    assert found == [
        [what, *(str(personal[what, config]) for config in configs), str(matches[what])]
        for what in PERSONAL
    ]
    assert "| `openai:gpt` | 5 | 1 | 900 | 80 | 0.25 | `2026-01-02 to 2026-01-09` |" in card
    votes = Counter((row["judge"], row["prompt_version"]) for _, row in rows_of(release, "votes"))
    shown = cells(section(card, "Judges, models and prompts").split("What was asked")[0])
    assert shown == [[*key, str(count)] for key, count in sorted(votes.items())]


def test_rows_fit_the_schemas_beside_them(release: Path) -> None:
    for config in CONFIGS:
        schema = json.loads((release / "schema" / f"{config}.schema.json").read_text())
        for _, row in rows_of(release, config)[:4]:
            jsonschema.validate(row, schema)


def test_the_citation_names_authors_and_works(release: Path) -> None:
    cited = yaml.safe_load((release / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert cited["authors"] == [{"name": "Ada | L."}]
    assert cited["version"] == "1.2"
    assert cited["license"] == "MIT"
    assert cited["references"][0]["url"] == "https://arxiv.org/abs/2502.02362"


@pytest.mark.parametrize("kind", OF_SOURCES)
def test_each_kind_of_source_names_its_paper(kind: str) -> None:
    given = {"sources": [{"kind": kind, "path": "x.jsonl"}, {"kind": kind, "hub": "a/b"}]}
    assert works_of(given, {}) == [OF_SOURCES[kind]]
    assert works_of({"sources": [{"kind": kind, "path": "builtin:quickstart"}]}, {}) == []


def test_without_models_no_prompt_and_no_cost_is_named() -> None:
    assert Dossier().made_with() == {"models": [], "prompts": {}, "judges": []}


def test_croissant_is_what_its_own_library_takes(release: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = mlcroissant.Dataset(str(release / "croissant.json"))
    assert dataset.metadata.ctx.issues.errors == set()
    warned = {one for one in dataset.metadata.ctx.issues.warnings if "datePublished" not in one}
    assert warned == set()
    for config in CONFIGS:
        expected = [row for _, row in rows_of(release, config)]
        found = [*dataset.records(config)]
        assert len(found) == len(expected)
        key = "problem_id" if config == "problems" else "chain_id"
        ids = Counter(row[f"{config}/{key}"].decode() for row in found)
        assert ids == Counter(row[key] for row in expected)
    steps = [row["chains/steps"] for row in dataset.records("chains")]
    assert all(step["chains/steps/text"] for every in steps for step in every)


def test_croissant_names_hashes_and_responsible_ai(release: Path) -> None:
    told = json.loads((release / "croissant.json").read_text())
    objects = [one for one in told["distribution"] if one["@type"] == "cr:FileObject"]
    for one in objects:
        assert (
            hashlib.sha256((release / one["contentUrl"]).read_bytes()).hexdigest() == one["sha256"]
        )
    assert len(objects) == len([*release.rglob("*.parquet")])
    assert told["version"] == "1.2.0"
    for key in ("dataBiases", "personalSensitiveInformation", "dataLimitations", "dataUseCases"):
        assert told[f"rai:{key}"]
