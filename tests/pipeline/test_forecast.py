"""What a large corpus would take: measured on a run, or estimated."""

import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chainwright.cli import app
from chainwright.llm.prices import cost
from chainwright.llm.request import Usage
from chainwright.llm.uri import parse_model_uri
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.forecast import forecast
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.forecast import print_forecast
from chainwright.pipeline.screens.terminal import console
from chainwright.pipeline.unit_costs import BATCH_HOURS, SERIAL
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import answering, write_model_recipe

RECIPE = """
name: asked
sources:
  - {kind: gsm8k, path: "builtin:quickstart", licence: Apache-2.0, limit: 5}
annotation:
  judges: ["openai:gpt-4o-mini"]
"""


def write(folder: Path, text: str = RECIPE) -> Path:
    path = folder / "recipe.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_estimates_grow_with_the_traces_and_have_prices(tmp_path: Path) -> None:
    recipe = write(tmp_path)
    small, large = (
        forecast(recipe, tmp_path, traces=traces, workers=1) for traces in (1_000, 10_000)
    )
    assert small.measured_on is None
    assert (small.requests, large.requests) == (1_000, 10_000)  # one pass over each chain
    assert large.tokens == pytest.approx(10 * small.tokens, rel=0.01)
    assert large.hours == pytest.approx(10 * small.hours)
    assert sum(large.bytes.values()) == pytest.approx(10 * sum(small.bytes.values()))
    (one,) = large.asking
    usage = Usage(input_tokens=round(one.input_tokens), output_tokens=round(one.output_tokens))
    assert large.usd == cost(parse_model_uri("openai:gpt-4o-mini"), usage)
    assert large.usd_in_batches == pytest.approx(large.usd / 2)
    assert "there is no finished run of asked" in " ".join(large.notes)
    assert not (tmp_path / "asked").exists()


def test_limits_and_batches_bound_the_hours(tmp_path: Path) -> None:
    limit = "requests: {limits: [{model: openai, requests_per_minute: 10}]}\n"
    found = forecast(write(tmp_path, RECIPE + limit), tmp_path, traces=6_000, workers=50)
    votes = next(stage for stage in found.stages if stage.stage == "votes")
    assert (votes.hours, votes.bound_by) == (10, "requests a minute of openai:gpt-4o-mini")
    batch = forecast(
        write(tmp_path, f"{RECIPE}requests: {{mode: batch}}\n"), tmp_path, traces=6_000, workers=1
    )
    assert batch.usd == batch.usd_in_batches == pytest.approx(found.usd / 2)
    assert next(s for s in batch.stages if s.stage == "votes").hours == BATCH_HOURS


def test_more_workers_shorten_what_they_share(tmp_path: Path) -> None:
    one, four = (forecast(write(tmp_path), tmp_path, traces=10**6, workers=n) for n in (1, 4))
    for alone, shared in zip(one.stages, four.stages, strict=True):
        factor = 1 if alone.stage in SERIAL else 4
        assert alone.hours == pytest.approx(factor * shared.hours)


def test_a_finished_run_is_what_counts(tmp_path: Path) -> None:
    with FaultServer(answering) as server:
        recipe = write_model_recipe(tmp_path, server)
        build(recipe, tmp_path, quiet=True)
    run = RunFolder(tmp_path / "small")
    manifest = load_manifest(run)
    assert manifest is not None
    tallies = [tally for stage in manifest.stages.values() for tally in stage.models.values()]
    statistics = json.loads(run.statistics.read_text(encoding="utf-8"))
    traces = statistics["counts"]["chains"]
    found = forecast(recipe, tmp_path, traces=10 * traces, workers=1)
    assert found.measured_on == traces
    assert found.requests == 10 * sum(tally.done for tally in tallies)
    assert found.tokens == pytest.approx(
        10 * sum(tally.input_tokens + tally.output_tokens for tally in tallies)
    )
    assert {stage.bound_by for stage in found.stages} == {"measured pace"}
    released = sum(one.stat().st_size for one in run.release.rglob("*") if one.is_file())
    assert found.bytes["release"] == pytest.approx(10 * released)
    stream = io.StringIO()
    print_forecast(found, console(stream))
    assert f"by what {traces} traces of its run took" in stream.getvalue()
    build(recipe, tmp_path, quiet=True)  # skips everything, so the counts of requests are gone
    again = forecast(recipe, tmp_path, traces=10 * traces, workers=1)
    assert "not measured: " in " ".join(again.notes)
    assert again.requests > 0


def test_without_traces_nothing_can_be_said(tmp_path: Path) -> None:
    none = write(tmp_path, f"{RECIPE}chains: {{reference: false}}\n")
    with pytest.raises(InputMistake, match="no trace comes of"):
        forecast(none, tmp_path, traces=10, workers=1)


def test_the_command_prints_json(tmp_path: Path) -> None:
    arguments = ["plan", str(write(tmp_path)), "--traces", "100", "--runs", str(tmp_path)]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    document = json.loads(done.stdout)
    assert (document["traces"], document["requests"], document["unpriced"]) == (100, 100, [])
    assert CliRunner().invoke(app, [*arguments[:2], "--traces", "0"]).exit_code == 2
