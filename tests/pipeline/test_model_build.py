"""Builds whose chains and votes come from models: nothing is paid twice, nothing stops half-way."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from chainwright.llm.keys import NAMES
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake, RunStopped, exit_code
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.status import run_status
from chainwright.pipeline.screens.summary import BuildSummary
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.recipe_parts.requests import Requests
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.vote import Vote
from tests.llm.fault_server import FaultServer, chat, fault
from tests.pipeline.model_server import (
    METHODS,
    answering,
    bodies,
    model,
    write_model_recipe,
)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES.values():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


def built(recipe: Path) -> BuildSummary:
    return build(recipe, recipe.parent, quiet=True)


def counts(summary: BuildSummary, stage: str) -> dict[str, tuple[int, int, dict[str, int]]]:
    (report,) = [one for one in summary.stages if one.stage == stage]
    return {t.table: (t.taken, t.made, t.rejected) for t in report.tables}


def asked(summary: BuildSummary) -> dict[str, tuple[int, int]]:
    """By stage what was sent, and what came from the ledger."""
    return {
        stage.stage: (tally.sent, tally.from_ledger)
        for stage in summary.stages
        for tally in stage.models.values()
    }


def test_chains_are_written_broken_judged_and_released(tmp_path: Path, server: FaultServer) -> None:
    summary = built(write_model_recipe(tmp_path, server))
    assert counts(summary, "generation") == {"generated": (7, 7, {})}
    assert counts(summary, "selection") == {"chains": (7, 7, {}), "parents": (4, 4, {})}
    assert counts(summary, "perturbation") == {"chains": (4, 4, {})}
    chains = list(iter_table(tmp_path / "small", "chains", Chain))
    assert Counter(chain.polarity for chain in chains) == {
        "positive": 4,
        "negative": 3,
        "synthetic_negative": 4,
    }
    judges = ["program:arithmetic", "compat:sums#one_pass"]
    judges.append("compat:sums#premise_conditioned+per_step")
    votes = Counter((v.judge, v.task) for v in iter_table(tmp_path / "small", "votes", Vote))
    assert votes == {
        (judges[0], "error"): 22,
        (judges[1], "error"): 22,
        (judges[1], "premises"): 22,
        (judges[1], "chain"): 11,
        (judges[2], "error"): 22,
        (judges[2], "premises"): 22,
    }
    labels = list(iter_table(tmp_path / "small", "labels", Label))
    assert all([vote.judge for vote in label.votes] == judges for label in labels)
    assert validate(tmp_path / "small").ok
    released = (tmp_path / "small" / "release" / "recipe.yaml").read_text()
    assert "127.0.0.1" not in released


def test_what_was_asked_is_summed_up_by_stage_and_model(
    tmp_path: Path, server: FaultServer
) -> None:
    summary = built(write_model_recipe(tmp_path, server))
    sent = len(server.seen) - 11
    assert asked(summary) == {"generation": (7, 0), "perturbation": (4, 0), "votes": (sent, 0)}
    assert len(server.seen) == len(set(bodies(server.seen)))
    (votes,) = [stage.models[model(server)] for stage in summary.stages if stage.stage == "votes"]
    assert (votes.input_tokens, votes.output_tokens, votes.failed) == (100 * sent, 20 * sent, 0)
    assert (votes.cost_usd, votes.unpriced) == (0.0, sent)
    assert json.loads(json.dumps(summary.as_json()))["stages"][2]["models"][model(server)]


def test_a_second_build_asks_nothing(tmp_path: Path, server: FaultServer) -> None:
    recipe = write_model_recipe(tmp_path, server)
    built(recipe)
    sent = len(server.seen)
    assert asked(built(recipe)) == {}
    assert asked(build(recipe, tmp_path, fresh=True, quiet=True)) == {
        "generation": (0, 7),
        "perturbation": (0, 4),
        "votes": (0, sent - 11),
    }
    assert len(server.seen) == sent


def test_a_further_judge_is_all_that_is_paid_for(tmp_path: Path, server: FaultServer) -> None:
    uri = model(server)
    built(write_model_recipe(tmp_path, server, annotation={"judges": [uri]}))
    sent = len(server.seen)
    judges = [uri, {"model": model(server, "other"), **METHODS}]
    summary = built(write_model_recipe(tmp_path, server, annotation={"judges": judges}))
    assert {one.body["model"] for one in server.seen[sent:]} == {"other"}
    (votes,) = [stage.models for stage in summary.stages if stage.stage == "votes"]
    assert (votes[uri].sent, votes[uri].from_ledger) == (0, 11)


def test_a_smaller_quota_asks_nothing_again(tmp_path: Path, server: FaultServer) -> None:
    chains: dict[str, Any] = {"reference": False, "model": {"models": [model(server)]}}
    built(write_model_recipe(tmp_path, server, chains=chains))
    sent = len(server.seen)
    keep = {"positive": 2, "negative": 1}
    summary = built(write_model_recipe(tmp_path, server, chains=chains | {"keep": keep}))
    assert counts(summary, "selection") == {
        "chains": (7, 3, {"over_quota": 4}),
        "parents": (2, 2, {}),
    }
    assert len(server.seen) == sent
    larger = {"positive": 3, "negative": 1}
    summary = built(write_model_recipe(tmp_path, server, chains=chains | {"keep": larger}))
    assert counts(summary, "selection")["chains"] == (7, 4, {"over_quota": 3})
    assert len(server.seen) == sent


def test_a_stage_that_is_no_longer_wanted_leaves_nothing(
    tmp_path: Path, server: FaultServer
) -> None:
    built(write_model_recipe(tmp_path, server))
    run = tmp_path / "small"
    (run / "perturbation" / "notes.txt").write_text("mine")
    plain: dict[str, Any] = {"chains": {}, "negatives": {}}
    recipe = write_model_recipe(tmp_path, server, **plain)
    planned = run_status("small", tmp_path).plan
    assert {"generation", "selection", "perturbation"}.isdisjoint(one.stage for one in planned)
    summary = built(recipe)
    assert "generation" not in {stage.stage for stage in summary.stages}
    assert not (run / "generation").exists()
    assert not (run / "selection").exists()
    assert [path.name for path in (run / "perturbation").iterdir()] == ["notes.txt"]
    assert {chain.origin for chain in iter_table(run, "chains", Chain)} == {"reference"}
    assert "generation" not in {one.stage for one in run_status("small", tmp_path).stages}
    assert (run / "ledger.sqlite").is_file()


def test_without_a_model_there_is_no_ledger(tmp_path: Path, server: FaultServer) -> None:
    parts: dict[str, Any] = {"chains": {}, "negatives": {}}
    judges = {"judges": ["program:arithmetic"]}
    built(write_model_recipe(tmp_path, server, annotation=judges, **parts))
    assert not (tmp_path / "small" / "ledger.sqlite").exists()
    assert server.seen == []


def test_reference_chains_are_broken_where_no_model_writes(
    tmp_path: Path, server: FaultServer
) -> None:
    negatives = {"model": {"model": model(server), "limit": 3}}
    summary = built(write_model_recipe(tmp_path, server, chains={}, negatives=negatives))
    assert counts(summary, "selection")["parents"] == (7, 3, {"over_limit": 4})
    taken, made, rejected = counts(summary, "perturbation")["chains"]
    # the sources' solutions have one step, the server's have two
    assert (taken, made, rejected) == (3, 0, {"step_count": 3})


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "refused the key"),
        (404, "knows no model `sums`"),
        (402, "no credit left"),
    ],
)
def test_a_model_that_cannot_be_asked_stops_the_run_with_one_line(
    tmp_path: Path, server: FaultServer, status: int, words: str
) -> None:
    recipe = write_model_recipe(tmp_path, server)
    server.script.extend([*[answering] * 9, *[fault(status)] * 50])
    with pytest.raises(InputMistake) as stop:
        built(recipe)
    assert words in str(stop.value)
    assert "the same command goes on from there" in str(stop.value)
    assert "\n" not in str(stop.value)
    assert exit_code(stop.value) == 2
    manifest = load_manifest(RunFolder(tmp_path / "small"))
    assert manifest is not None
    assert (manifest.outcome, manifest.message) == ("stopped", str(stop.value))
    server.script.clear()
    refused = len(server.seen) - 9
    built(recipe)
    sent_twice = len(server.seen) - refused - len(set(bodies(server.seen)))
    # those under way when the run stopped may have been answered to nobody
    assert 0 <= sent_twice <= Requests().concurrency


def test_a_refused_connection_stops_the_run(tmp_path: Path) -> None:
    with FaultServer(answering) as gone:
        recipe = write_model_recipe(tmp_path, gone)
    with pytest.raises(InputMistake, match=r"cannot connect to .*is the server running"):
        built(recipe)


def test_an_answer_that_cannot_be_read_costs_a_vote(tmp_path: Path, server: FaultServer) -> None:
    judges = {"judges": [model(server)]}
    recipe = write_model_recipe(tmp_path, server, 1, chains={}, negatives={}, annotation=judges)
    server.script.extend([chat("no idea")] * 2)
    built(recipe)
    votes = list(iter_table(tmp_path / "small", "votes", Vote))
    assert {(vote.status, vote.label, vote.premises) for vote in votes} == {
        ("malformed", None, None)
    }
    assert all("no idea" in (vote.explanation or "") for vote in votes)


def test_a_ledger_that_cannot_be_used_stops_the_run(tmp_path: Path, server: FaultServer) -> None:
    recipe = write_model_recipe(tmp_path, server)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "ledger.sqlite").write_text("this is no database, and was never one")
    with pytest.raises(RunStopped, match=r"ledger\.sqlite"):
        built(recipe)
    assert server.seen == []


def test_equal_requests_of_two_chains_are_sent_once_and_answer_both(
    tmp_path: Path, server: FaultServer
) -> None:
    judges = {"judges": [model(server)], "bootstrap": 0}
    plain: dict[str, Any] = {"chains": {"reference": False}, "negatives": {}}
    recipe = write_model_recipe(tmp_path, server, annotation=judges, **plain)
    document = yaml.safe_load(recipe.read_text())
    document["sources"][0]["chains"] = [
        {"generator": name, "solution": "solution"} for name in ("one", "two")
    ]
    recipe.write_text(yaml.safe_dump(document))
    server.latency = 0.05  # so that both are under way at once
    summary = built(recipe)
    assert len(server.seen) == len(set(bodies(server.seen))) == 7
    assert asked(summary) == {"votes": (7, 0)}
    chains = {chain.chain_id for chain in iter_table(tmp_path / "small", "chains", Chain)}
    votes = list(iter_table(tmp_path / "small", "votes", Vote))
    assert len(chains) == 14
    assert {vote.chain_id for vote in votes} == chains
    assert {vote.status for vote in votes} == {"ok"}
    assert set(Counter(vote.request_key for vote in votes if vote.step == 1).values()) == {4}
