"""`taxonomy build --model` against a scripted server: names taken, re-asked, merges in the file."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from benchmarks.planted_critiques import planted_critiques
from chainwright.recipe_file import load_recipe
from tests.llm.fault_server import FaultServer, Seen, Served, chat
from tests.taxonomy.stored_vectors import EMBEDDER, store_vectors
from tests.taxonomy.test_commands import COUNT, run, write

DEFINITION = 'Takes the rule ⇒ the wrong way round 😀: \\ and "so".'


class ScriptedNamer:
    """Calls every cluster `same name` at first; merges evens and odds at the third try."""

    def __init__(self) -> None:
        self.naming: list[str] = []
        self.merging: list[list[str]] = []

    def __call__(self, seen: Seen) -> Served:
        said = [message["content"] for message in seen.body["messages"]]
        if seen.body["response_format"]["json_schema"]["name"] == "cluster_name":
            return chat(json.dumps(self.named("\n".join(said))))
        self.merging.append(said)
        groups = [int(number) for number in re.findall(r"^Group (\d+),", said[1], re.MULTILINE)]
        halves = [groups[::2], groups[1::2]]
        if len(self.merging) == 1:
            halves[0] = halves[0][1:]
        if len(self.merging) == 2:
            halves[0] = [*halves[0], halves[1][0]]
        listed = [
            {"mechanism": "m", "name": name, "definition": DEFINITION, "clusters": half}
            for name, half in zip(("Even Kind", "odd_kind"), halves, strict=True)
        ]
        return chat(json.dumps({"categories": listed}))

    def named(self, asked: str) -> dict[str, str]:
        self.naming.append(asked)
        again = "Names that are taken" in asked
        name = f"Kind {len(self.naming)}" if again else "same name"
        return {"mechanism": "m", "name": name, "definition": DEFINITION}


class Built(NamedTuple):
    folder: Path
    server: FaultServer
    script: ScriptedNamer
    record: Any


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder, script = tmp_path_factory.mktemp("named"), ScriptedNamer()
    with FaultServer(script) as server:
        yield Built(folder, server, script, build(folder, server))


def build(folder: Path, server: FaultServer) -> Any:
    store_vectors(folder / "t", planted_critiques(COUNT))
    said = run(
        *("build", write(folder / "first.jsonl", COUNT), "--engine", "quick"),
        *("--embedder", EMBEDDER, "--min-cluster-size", 60, "--out", folder / "t"),
        *("--model", f"compat:namer@{server.url}/v1"),
    )
    return said["build"]


def test_names_are_taken_asked_for_again_and_merges_land_in_the_file(built: Built) -> None:
    clusters, script = built.record["clusters"], built.script
    names = [each["name"] for each in clusters]
    assert len(clusters) > 3
    assert names[0] == "same_name"
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"kind_\d+", name) for name in names[1:])
    assert {each["named_by"] for each in clusters} == {f"compat:namer@{built.server.url}/v1"}
    # Each was asked once, and all but the first once more, with the names before it.
    assert len(script.naming) == 2 * len(clusters) - 1
    assert all(name in script.naming[-1] for name in names[:-1])
    for each in clusters:
        (asked, *_) = (a for a in script.naming if f"group:\n```\n- {each['central'][0]}" in a)
        for sibling in each["siblings"]:
            assert clusters[sibling]["central"][0] in asked
    # A cluster without a place and one with two are quoted to the model that merges.
    assert [len(said) for said in script.merging] == [2, 4, 6]
    assert "0 has none" in script.merging[1][-1]
    assert "1 has 2" in script.merging[2][-1]
    drafted = yaml.safe_load((built.folder / "t" / "taxonomy.yaml").read_text())["categories"]
    placed = {each["name"]: sorted(each["clusters"]) for each in drafted}
    numbers = list(range(len(clusters)))
    assert placed == {"even_kind": numbers[::2], "odd_kind": numbers[1::2]}
    assert built.record["merged_by"] == clusters[0]["named_by"]
    assert built.record["merge_fault"] is None


def test_what_a_model_writes_is_paid_once_and_reaches_a_recipe_whole(
    built: Built, tmp_path: Path
) -> None:
    asked = len(built.server.seen)
    assert build(built.folder, built.server) == built.record
    assert len(built.server.seen) == asked
    said = run("apply", built.folder / "t")
    recipe = tmp_path / "recipe.yaml"
    source = "name: r\nsources: [{kind: worlds, path: 'builtin:context'}]\n"
    recipe.write_text(source + Path(said["part"]).read_text(), encoding="utf-8")
    known = {each.track: each for each in load_recipe(recipe).annotation.taxonomy.taxonomies()}
    for taxonomy in said["taxonomies"]:
        found = known[taxonomy["track"]].categories
        assert [one.name for one in found] == [one["name"] for one in taxonomy["categories"]]
        assert {one.definition for one in found} == {DEFINITION}
