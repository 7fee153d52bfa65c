"""Builds whose models fail: what failed is counted, asked again, and never passes unseen."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chainwright.cli import app
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import RunStopped, exit_code
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.status import print_status, run_status
from chainwright.pipeline.screens.summary import BuildSummary, print_summary
from chainwright.pipeline.screens.terminal import console
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.vote import Vote
from tests.llm.fault_server import FaultServer, Served, chat, fault
from tests.pipeline.model_server import answering, model, write_model_recipe

TOO_LONG = fault(400, "maximum context length is 10 tokens", "context_length_exceeded")


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


def judged(folder: Path, server: FaultServer, problems: int = 3, **changes: Any) -> Path:
    """A recipe in which a model judges the sources' chains, and nothing else."""
    parts: dict[str, Any] = {
        "chains": {},
        "negatives": {},
        "annotation": {"judges": ["program:arithmetic", model(server)], "bootstrap": 0},
    }
    return write_model_recipe(folder, server, problems, **parts | changes)


def built(recipe: Path) -> BuildSummary:
    return build(recipe, recipe.parent, quiet=True)


def printed(draw: Callable[..., None], shown: object) -> str:
    stream = io.StringIO()
    draw(shown, console(stream))
    return stream.getvalue()


def votes(folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for vote in iter_table(folder / "small", "votes", Vote):
        if vote.judge != "program:arithmetic":
            found[vote.status] = found.get(vote.status, 0) + 1
    return found


def test_requests_that_failed_are_counted_and_asked_again(
    tmp_path: Path, server: FaultServer
) -> None:
    server.script.append(fault(405, "not today"))
    recipe = judged(tmp_path, server)
    summary = built(recipe)
    missing = votes(tmp_path)["missing"]
    assert missing > 0
    assert summary.unanswered == [
        "votes: 1 request got no answer; the same command asks them again"
    ]
    assert summary.unanswered[0] in printed(print_summary, summary)
    assert summary.shortfalls == []
    status = run_status("small", tmp_path)
    assert status.is_stale
    assert {plan.stage: plan.because for plan in status.plan}["votes"] == {"unanswered": 1}
    assert summary.unanswered[0] in printed(print_status, status)

    sent = len(server.seen)
    again = built(recipe)
    assert len(server.seen) == sent + 1
    assert again.unanswered == []
    assert "missing" not in votes(tmp_path)
    assert not run_status("small", tmp_path).is_stale
    built(recipe)
    assert len(server.seen) == sent + 1


def test_only_the_blocks_with_failures_run_again(tmp_path: Path, server: FaultServer) -> None:
    server.script.append(fault(405, "not today"))
    recipe = judged(tmp_path, server, 6, block=2)
    built(recipe)
    again = built(recipe)
    (report,) = [stage for stage in again.stages if stage.stage == "votes"]
    assert (report.ran, report.kept) == (1, 2)


def test_what_is_too_long_is_told_and_left(tmp_path: Path, server: FaultServer) -> None:
    server.script.append(TOO_LONG)
    recipe = judged(tmp_path, server)
    summary = built(recipe)
    assert summary.unanswered == [
        "votes: 1 request longer than what the model can read: they are not asked again"
    ]
    (vote, *_) = [v for v in iter_table(tmp_path / "small", "votes", Vote) if v.status == "missing"]
    assert "longer than the context of" in (vote.explanation or "")
    sent = len(server.seen)
    assert not run_status("small", tmp_path).is_stale
    built(recipe)
    assert len(server.seen) == sent


def test_a_judge_without_a_vote_ends_with_a_warning_and_code_1(
    tmp_path: Path, server: FaultServer
) -> None:
    server.default = lambda seen: fault(400, "not today")
    recipe = judged(tmp_path, server)
    result = CliRunner().invoke(app, ["build", str(recipe), "--runs", str(tmp_path), "-q"])
    assert result.exit_code == 1
    assert f"WARNING: votes: none of 3 requests to {model(server)} got an answer" in result.output
    assert "WARNING: votes: compat:sums#one_pass gave not one vote that can be used" in (
        result.output
    )
    assert "program:arithmetic gave" not in result.output
    assert validate(tmp_path / "small").ok
    server.default = answering
    result = CliRunner().invoke(
        app, ["build", str(recipe), "--runs", str(tmp_path), "-q", "--json"]
    )
    assert result.exit_code == 0
    assert json.loads(result.output)["shortfalls"] == []


def test_a_stage_that_made_nothing_is_told(tmp_path: Path, server: FaultServer) -> None:
    server.default = lambda seen: chat('{"steps": []}')
    recipe = write_model_recipe(
        tmp_path, server, 3, negatives={}, annotation={"judges": [], "bootstrap": 0}
    )
    summary = built(recipe)
    assert summary.shortfalls == ["generation made nothing of 3 items: rejected 3 (malformed 3)"]


def test_a_judge_that_crashes_on_everything_is_told(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError("a fault of the judge's own")

    monkeypatch.setattr("chainwright.annotation.stages.program_votes", crash)
    (line,) = built(judged(tmp_path, server)).shortfalls
    assert line.startswith("votes: program:arithmetic failed on every chain (")


@pytest.mark.parametrize("stage", ["generation", "votes"])
def test_a_model_that_is_away_stops_the_run_and_keeps_the_counts(
    tmp_path: Path, server: FaultServer, stage: str
) -> None:
    away = Served(429, {"error": {"message": "come back"}}, {"retry-after": "99999"})
    recipe = write_model_recipe(tmp_path, server, requests={"concurrency": 1})
    server.script.extend([*[answering] * (3 if stage == "generation" else 20), *[away] * 50])
    with pytest.raises(RunStopped) as stop:
        built(recipe)
    assert exit_code(stop.value) == 3
    assert "asks to wait 1667 min before compat:sums@" in str(stop.value)
    assert "the same command goes on from there" in str(stop.value)
    assert "\n" not in str(stop.value)
    manifest = load_manifest(RunFolder(tmp_path / "small"))
    assert manifest is not None
    run = manifest.stages[stage]
    assert not run.finished
    assert run.models[model(server)].sent == (3 if stage == "generation" else 9)
    (report,) = [one for one in run_status("small", tmp_path).stages if one.stage == stage]
    assert report.ran is None
    assert report.models == run.models
    sent = len(server.seen)
    server.script.clear()
    built(recipe)
    assert not {one.body["messages"][-1]["content"] for one in server.seen[sent:]} & {
        one.body["messages"][-1]["content"] for one in server.seen[: sent - 1]
    }


def test_a_limit_of_the_recipe_is_kept(tmp_path: Path, server: FaultServer) -> None:
    limits = [{"model": model(server), "requests_per_minute": 1200}]
    recipe = judged(tmp_path, server, 25, requests={"concurrency": 8, "limits": limits})
    summary = built(recipe)
    (report,) = [stage for stage in summary.stages if stage.stage == "votes"]
    # a second's worth goes at once: 20; the other five come in each 0.05 s
    assert report.seconds >= 0.25
    assert report.models[model(server)].sent == 25
