"""Builds on a real Ray cluster of two nodes: the same bytes and limits, nothing paid twice."""

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.planted_critiques import planted_critiques
from chainwright.llm.keys import NAMES
from chainwright.pipeline.build import build
from chainwright.pipeline.cluster import ray_connection
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.validation.validate import validate
from chainwright.recipe import Recipe
from chainwright.stage import Batch, Tables
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import answering, bodies, write_model_recipe
from tests.pipeline.small_line import small_line, write_recipe
from tests.taxonomy.stored_vectors import EMBEDDER, store_vectors
from tests.test_cli import call

pytest.importorskip("ray", reason="ray is not installed: pip install 'chainwright[ray]'")

pytestmark = pytest.mark.ray

CONCURRENCY = 4
WORKERS_KEY = "a-key-that-workers-alone-have"


@dataclass
class TwoNodes:
    """A cluster whose head has one CPU, and another node with one that may be taken away."""

    cluster: Any
    second: Any = field(default=None)

    @property
    def address(self) -> str:
        address: str = self.cluster.address
        return address

    def complete(self) -> str:
        """Brings the second node back; the cluster's address."""
        if self.second is None:
            self.second = self.cluster.add_node(num_cpus=1)
        return self.address

    def lose(self) -> None:
        """Kills the second node with all that runs on it."""
        second, self.second = self.second, None
        self.cluster.remove_node(second, allow_graceful=False)


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        for name in NAMES.values():
            patch.delenv(name, raising=False)
        # What is set where a node starts is what its workers see.
        patch.setenv(NAMES["compat"], WORKERS_KEY)
        cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        running = TwoNodes(cluster)
        running.complete()
        patch.delenv(NAMES["compat"])
        try:
            yield running
        finally:
            cluster.shutdown()


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


def tables(folder: Path) -> dict[str, bytes]:
    """Every table and figure of a run, byte by byte."""
    found = [*folder.rglob("*.parquet"), *folder.rglob("statistics.json"), *folder.rglob("perl/*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def on_ray(recipe: Path, nodes: TwoNodes, **given: Any) -> Any:
    return build(recipe, recipe.parent, ray=nodes.complete(), **{"quiet": True} | given)


def test_the_same_bytes_the_same_requests_and_one_limit(
    tmp_path: Path, server: FaultServer, nodes: TwoNodes
) -> None:
    changes: dict[str, Any] = {"problems": 10, "requests": {"concurrency": CONCURRENCY}}
    here = write_model_recipe(tmp_path / "here", server, **changes)
    there = write_model_recipe(tmp_path / "there", server, **changes)
    build(here, here.parent, quiet=True)
    asked = sorted(bodies(server.seen))
    server.seen.clear()
    server.most_at_once, server.latency = 0, 0.01

    summary = on_ray(there, nodes)

    assert sorted(bodies(server.seen)) == asked
    assert server.most_at_once <= CONCURRENCY
    # Workers take the key from their own environment; the command had none.
    assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {WORKERS_KEY}"}
    assert tables(there.parent / "small") == tables(here.parent / "small")
    assert validate(there.parent / "small").ok
    tallies = [tally for stage in summary.stages for tally in stage.models.values()]
    assert sum(tally.sent for tally in tallies) == len(asked)

    # A run is a run: this process goes on with what the cluster made, and makes nothing anew.
    again = build(there, there.parent, quiet=True)
    assert {stage.ran for stage in again.stages} == {0}
    assert len(server.seen) == len(asked)


def test_a_node_that_dies_takes_along_what_it_had_under_way_and_no_more(
    tmp_path: Path, server: FaultServer, nodes: TwoNodes, capsys: pytest.CaptureFixture[str]
) -> None:
    changes: dict[str, Any] = {"problems": 10, "requests": {"concurrency": CONCURRENCY}}
    recipe = write_model_recipe(tmp_path / "there", server, **changes)
    nodes.complete()
    server.latency = 0.1

    def take_away() -> None:
        while len(server.seen) < 30:  # in the midst of the votes
            time.sleep(0.01)
        nodes.lose()

    taking = threading.Thread(target=take_away)
    taking.start()
    build(recipe, recipe.parent, ray=nodes.address)
    taking.join()

    assert "a worker was lost in stage votes" in capsys.readouterr().err
    sent = Counter(bodies(server.seen))
    assert sum(sent.values()) - len(sent) <= CONCURRENCY
    server.latency = 0.0
    here = write_model_recipe(tmp_path / "here", server, **changes)
    build(here, here.parent, quiet=True)
    assert set(bodies(server.seen)) == set(sent)
    assert tables(recipe.parent / "small") == tables(here.parent / "small")


def test_a_node_that_died_a_moment_ago_stops_no_build(tmp_path: Path, nodes: TwoNodes) -> None:
    recipe = write_recipe(tmp_path)
    nodes.complete()
    nodes.lose()  # the cluster lists it as alive for some seconds more
    build(recipe, recipe.parent, ray=nodes.address, quiet=True)
    assert validate(recipe.parent / "small").ok


def broken(recipe: Recipe, tables: Tables) -> Batch:
    if any("5 + 1" in problem.question for problem in tables["problems"]):
        raise ZeroDivisionError("a stage with a fault in it")
    return Batch(rows={"chains": []})


def test_a_fault_is_told_as_a_local_one_is(tmp_path: Path, nodes: TwoNodes) -> None:
    recipe = write_recipe(tmp_path)
    with pytest.raises(RunStopped, match=r"chains, block 1 failed with ZeroDivisionError: a stage"):
        on_ray(recipe, nodes, line=small_line(chains=broken))
    log = RunFolder(tmp_path / "small").error_log.read_text(encoding="utf-8")
    assert "on a worker of the cluster" in log
    assert "in broken" in log


def test_a_taxonomy_is_the_same_wherever_its_texts_are_clustered(
    tmp_path: Path, nodes: TwoNodes
) -> None:
    pytest.importorskip("fast_hdbscan")
    critiques = planted_critiques(120)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps(one.row())}\n" for one in critiques))
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, where in (here, ()), (there, ("--ray", nodes.complete())):
        store_vectors(folder, critiques)
        given = ("--embedder", EMBEDDER, "--engine", "quick", "--out", folder, *where)
        code, _, said = call("taxonomy", "build", rows, *given)
        assert code == 0, said
        assert ("where a node has 1 processor" in said) == bool(where)
    clustered = [(folder / "clustered.parquet").read_bytes() for folder in (here, there)]
    assert clustered[0] == clustered[1]


def test_a_node_with_other_versions_is_refused(
    tmp_path: Path, nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_connection, "stamp", lambda: {"polars": "1.9"})
    with pytest.raises(InputMistake, match=r"node \S+ has polars \S+ instead of 1\.9"):
        on_ray(write_recipe(tmp_path), nodes)
