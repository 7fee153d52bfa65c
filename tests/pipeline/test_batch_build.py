"""Builds in batch mode: few batches, the same rows, nothing paid twice, whatever comes between."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder, held
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.chain import Chain
from tests.llm.batch_server import BatchServer
from tests.pipeline.batch_builds import CLAUDE, reached, write_batch_recipe
from tests.test_cli import call

ROOT = Path(__file__).parents[2]
ROUNDS = [4, 30, 11, 16]
"""Requests that follow 7 chains: 4 are broken, 11 judged; 11 answers are asked for again, and what
was found as premises is then judged by."""


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer() as running, reached(running):
        yield running


def sizes(server: BatchServer) -> list[int]:
    return [len(batch.requests) for batch in server.batches.values()]


def rows_of(run: Path) -> dict[str, bytes]:
    """What the stages and the statistics wrote."""
    paths = [*run.glob("*/*.parquet"), run / "statistics.json"]
    return {path.relative_to(run).as_posix(): path.read_bytes() for path in paths}


def test_the_requests_of_all_blocks_share_batches(tmp_path: Path, server: BatchServer) -> None:
    recipe = write_batch_recipe(tmp_path)
    code, _, said = call("build", recipe, "--runs", tmp_path)
    assert code == 0
    assert sizes(server) == [7, *ROUNDS]
    assert len(set(server.submitted)) == 68
    assert server.online == []
    for batch in server.batches.values():
        assert f"batch {batch.id} with {len(batch.requests)} requests is at the provider" in said
    assert validate(tmp_path / "small").ok
    build(write_batch_recipe(tmp_path, requests={}), tmp_path / "online", quiet=True)
    assert len(server.online) == 68
    assert rows_of(tmp_path / "small") == rows_of(tmp_path / "online" / "small")


def test_money_is_counted_at_the_price_of_batches(tmp_path: Path, server: BatchServer) -> None:
    batched = build(write_batch_recipe(tmp_path), tmp_path, quiet=True)
    recipe = write_batch_recipe(tmp_path, requests={})
    alone = build(recipe, tmp_path / "online", quiet=True)

    def money(stages: Any) -> float:
        return sum(float(tally.cost_usd) for one in stages for tally in one.models.values())

    assert 0 < money(batched.stages) < 0.6 * money(alone.stages)


def test_a_dry_run_reckons_with_the_price_of_batches(tmp_path: Path, server: BatchServer) -> None:
    batched, alone = (
        plan_build(write_batch_recipe(tmp_path, requests={"mode": mode}), tmp_path).models
        for mode in ("batch", "online")
    )
    for one, other in zip(batched, alone, strict=True):
        assert one.cost_usd == pytest.approx((other.cost_usd or 0) / 2)
    assert server.batches == {}


def test_anthropic(tmp_path: Path, server: BatchServer) -> None:
    chains = {"reference": False, "model": {"models": [CLAUDE], "samples": 2, "temperature": None}}
    recipe = write_batch_recipe(
        tmp_path, chains=chains, negatives={}, annotation={"judges": ["program:arithmetic"]}
    )
    assert call("build", recipe, "--runs", tmp_path, "--quiet")[0] == 0
    assert sizes(server) == [14]
    assert len(list(iter_table(tmp_path / "small", "chains", Chain))) == 7


def test_models_without_batches_are_asked_online_with_a_note(
    tmp_path: Path, server: BatchServer
) -> None:
    compat = f"compat:sums@{server.openai}"
    recipe = write_batch_recipe(tmp_path, negatives={}, annotation={"judges": [compat]})
    code, _, said = call("build", recipe, "--runs", tmp_path)
    assert code == 0
    assert said.count(f"{compat}: has no batches, and is asked online") == 1
    assert (sizes(server), len(server.online)) == ([7], 7)


def started(recipe: Path, server: BatchServer) -> "subprocess.Popen[str]":
    """A build in a process of its own that waits for a batch."""
    command = [sys.executable, "-m", "tests.pipeline.batch_builds", str(recipe), str(recipe.parent)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while not any(batch.looks and not batch.ended for batch in server.batches.values()):
        assert process.poll() is None, "the build ended before it had a batch"
        time.sleep(0.002)
    return process


def test_a_killed_build_finds_its_batch_a_day_later(tmp_path: Path, server: BatchServer) -> None:
    recipe = write_batch_recipe(tmp_path)
    server.hold = True
    process = started(recipe, server)
    process.kill()
    process.communicate()
    for batch in server.batches.values():
        batch.created -= 24 * 3600
    server.release()
    build(recipe, tmp_path, quiet=True)
    assert sizes(server) == [7, *ROUNDS]
    assert len(set(server.submitted)) == 68
    assert server.calls["POST /batches"] == 5
    build(recipe, tmp_path / "undisturbed", quiet=True)
    assert rows_of(tmp_path / "small") == rows_of(tmp_path / "undisturbed" / "small")


def test_a_polite_stop_says_that_the_batch_goes_on(tmp_path: Path, server: BatchServer) -> None:
    recipe = write_batch_recipe(tmp_path)
    server.hold = True
    process = started(recipe, server)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "the same command goes on from there" in said
    assert "1 batch with 7 unanswered requests may go on at the provider" in said
    assert "`chainwright batches small` shows them, with --cancel it cancels them" in said
    assert "Traceback" not in said
    assert "never" not in said  # as in: coroutine was never awaited
    manifest = load_manifest(RunFolder(tmp_path / "small"))
    assert manifest is not None
    assert manifest.outcome == "interrupted"


def leave_open(recipe: Path, server: BatchServer) -> None:
    """A build that submitted a batch, and then was refused."""
    server.hold = True
    server.failing["GET /batches/ID"] = [401]
    with pytest.raises(InputMistake, match="goes on at the provider"):
        build(recipe, recipe.parent, quiet=True)


def test_batches_are_listed_collected_and_nothing_is_asked_twice(
    tmp_path: Path, server: BatchServer
) -> None:
    recipe = write_batch_recipe(tmp_path)
    leave_open(recipe, server)
    (batch,) = server.batches.values()
    code, listed, _ = call("batches", "small", "--runs", tmp_path)
    assert (code, batch.id in listed) == (0, True)
    assert "in_progress, 0 of 7 done there" in listed
    assert "it goes on" in call("batches", "small", "--collect", "--runs", tmp_path)[1]
    server.release()
    collected = call("batches", "small", "--collect", "--json", "--runs", tmp_path)[1]
    (found,) = json.loads(collected)["batches"]
    assert (found["note"], found["record"]["waiting"]) == ("7 answers brought in", 0)
    assert "no" not in call("batches", "small", "--runs", tmp_path)[1].split()
    build(recipe, tmp_path, quiet=True)
    assert sizes(server) == [7, *ROUNDS]


def test_the_next_build_sends_what_was_cancelled(tmp_path: Path, server: BatchServer) -> None:
    recipe = write_batch_recipe(tmp_path)
    leave_open(recipe, server)
    code, listed, _ = call("batches", "small", "--cancel", "--runs", tmp_path)
    assert (code, "cancelled" in listed) == (0, True)
    assert all(batch.cancelled for batch in server.batches.values())
    assert "it had ended before" in call("batches", "small", "--cancel", "--runs", tmp_path)[1]
    server.hold = False
    build(recipe, tmp_path, quiet=True)
    assert sizes(server) == [7, 7, *ROUNDS]


def test_a_batch_that_is_given_up_is_sent_anew(tmp_path: Path, server: BatchServer) -> None:
    recipe = write_batch_recipe(tmp_path)
    leave_open(recipe, server)
    with held(RunFolder(tmp_path / "small")):
        code, _, said = call("batches", "small", "--forget", "--runs", tmp_path)
    assert (code, "is in use by process" in said) == (3, True)
    assert "forgotten" in call("batches", "small", "--forget", "--runs", tmp_path)[1]
    assert "has no batches" in call("batches", "small", "--runs", tmp_path)[1]
    server.hold = False
    build(recipe, tmp_path, quiet=True)
    assert sizes(server) == [7, 7, *ROUNDS]


def test_going_online_says_what_is_paid_for_again(tmp_path: Path, server: BatchServer) -> None:
    leave_open(write_batch_recipe(tmp_path), server)
    recipe = write_batch_recipe(tmp_path, requests={"mode": "online"})
    code, _, said = call("build", recipe, "--runs", tmp_path)
    assert code == 0
    assert "1 batch with 7 unanswered requests may go on at the provider; asked online" in said


def test_one_action_at_a_time(tmp_path: Path) -> None:
    code, _, said = call("batches", "x", "--cancel", "--forget", "--runs", tmp_path)
    assert code == 2
    assert "found --cancel and --forget, expected one of" in said


def test_a_run_without_batches(tmp_path: Path, server: BatchServer) -> None:
    recipe = write_batch_recipe(tmp_path, requests={}, negatives={})
    build(recipe, tmp_path, quiet=True)
    assert "has no batches" in call("batches", "small", "--runs", tmp_path)[1]
