"""What a dry run says of tokens is what a build then counts, within 15%."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from chainwright.llm.providers.local import find_weights
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import parse_model_uri
from chainwright.pipeline.build import build
from chainwright.pipeline.screens.dry_run import plan_build
from tests.llm.fault_server import FaultServer
from tests.pipeline.counting_server import CountingModel, solutions_of

ROWS = Path(__file__).parents[2] / "chainwright" / "builders" / "data" / "quickstart.jsonl"
PROBLEMS = 12
NEAR = 0.15


@pytest.fixture(scope="module", autouse=True)
def _local_model() -> None:
    try:
        find_weights(parse_model_uri("local:smollm2"))
    except ModelUnavailable as error:
        pytest.skip(str(error))


def recipe(folder: Path, **parts: Any) -> Path:
    document = {
        "name": "estimate",
        "sources": [{"kind": "gsm8k", "path": "rows.jsonl"}],
        "annotation": {"judges": [], "bootstrap": 0},
    }
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(document | parts))
    return path


def estimated(recipe: Path) -> dict[tuple[str, str], int]:
    plans = plan_build(recipe, recipe.parent).models
    return {(plan.stage, plan.model): plan.input_tokens for plan in plans}


@pytest.mark.local
def test_input_tokens_are_estimated_before_and_while_a_run_is_built(tmp_path: Path) -> None:
    lines = ROWS.read_text().splitlines()[:PROBLEMS]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines) + "\n")
    answering = CountingModel(solutions_of([json.loads(line) for line in lines]))
    with FaultServer(answering) as server:
        writer, breaker, whole, steps = (
            f"compat:{name}@{server.url}/v1" for name in ("writer", "breaker", "whole", "steps")
        )
        parts: dict[str, Any] = {
            "chains": {"reference": False, "model": {"models": [writer]}},
            "negatives": {"model": {"model": breaker}},
        }
        judges = [
            {"model": whole, "error": "one_pass", "premises": "one_pass"},
            {"model": steps, "error": "premise_conditioned", "premises": "per_step"},
        ]
        judged: dict[str, Any] = parts | {"annotation": {"judges": judges, "bootstrap": 0}}
        before_all = estimated(recipe(tmp_path, **judged))
        build(recipe(tmp_path, **parts), tmp_path, quiet=True)
        rows_exist = estimated(recipe(tmp_path, **judged))
        summary = build(recipe(tmp_path, **judged), tmp_path / "whole", quiet=True)
    counted = {
        (stage.stage, model): tally.input_tokens
        for stage in summary.stages
        for model, tally in stage.models.items()
    }
    assert set(before_all) == set(counted)
    assert set(rows_exist) == {key for key in counted if key[0] == "votes"}
    for key, tokens in rows_exist.items():
        assert tokens == pytest.approx(counted[key], rel=NEAR), key
    # before all, which steps will be broken is not known, and few problems are no sample
    for stage in ("generation", "perturbation", "votes"):
        before, after = (
            sum(tokens for key, tokens in found.items() if key[0] == stage)
            for found in (before_all, counted)
        )
        assert before == pytest.approx(after, rel=NEAR), stage
