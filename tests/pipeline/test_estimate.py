"""What a dry run says of requests, before anything is sent."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.estimate import AskPlan
from chainwright.pipeline.screens.dry_run import BuildPlan, plan_build, print_plan
from chainwright.pipeline.screens.terminal import console
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import METHODS, answering, model, write_model_recipe


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


def planned(recipe: Path, **options: Any) -> BuildPlan:
    return plan_build(recipe, recipe.parent, **options)


def by_stage(plan: BuildPlan) -> dict[str, AskPlan]:
    return {one.stage: one for one in plan.models}


def shown(plan: BuildPlan) -> str:
    stream = io.StringIO()
    print_plan(plan, console(stream))
    return " ".join(stream.getvalue().split())


def test_what_problems_alone_decide_is_exact_and_the_rest_follows_from_counts(
    tmp_path: Path, server: FaultServer
) -> None:
    recipe = write_model_recipe(tmp_path, server)
    plan = planned(recipe)
    stages = by_stage(plan)
    assert list(stages) == ["generation", "perturbation", "votes"]
    assert (stages["generation"].requests, stages["generation"].exact) == (7, True)
    assert (stages["perturbation"].requests, stages["perturbation"].exact) == (7, False)
    # 14 chains of one step (as the sources' solutions have): one pass, and three a step
    assert (stages["votes"].requests, stages["votes"].exact) == (14 * 4, False)
    assert plan.requests == 7 + 7 + 56
    assert all(one.input_tokens > 50 * one.requests for one in plan.models)
    assert stages["generation"].output_tokens == 7 * 300
    text = shown(plan)
    assert "~ rows that perturbation and votes would read are not there yet" in text
    assert "requests 70, cost about 0.00 USD and what has no known price; nothing was run" in text
    assert server.seen == []
    assert not (tmp_path / "small").exists()


def test_quotas_and_limits_count(tmp_path: Path, server: FaultServer) -> None:
    uri = model(server)
    recipe = write_model_recipe(
        tmp_path,
        server,
        chains={
            "reference": True,
            "model": {"models": [uri], "samples": 2},
            "keep": {"positive": 3, "negative": 1},
        },
        negatives={"model": {"model": uri, "limit": 2}, "exact": {"per_problem": 2}},
        annotation={"judges": [uri]},
    )
    stages = by_stage(planned(recipe))
    assert stages["generation"].requests == 14
    assert stages["perturbation"].requests == 2
    assert stages["votes"].requests == 7 + 4 + 14 + 2


def test_after_a_build_nothing_would_be_asked(tmp_path: Path, server: FaultServer) -> None:
    recipe = write_model_recipe(tmp_path, server)
    build(recipe, tmp_path, quiet=True)
    plan = planned(recipe)
    assert (plan.models, plan.requests, plan.cost_usd) == ([], 0, 0.0)
    assert "requests 0, cost 0.00 USD; nothing was run" in shown(plan)


def test_paid_answers_are_found_in_the_ledger(tmp_path: Path, server: FaultServer) -> None:
    uri = model(server)
    build(write_model_recipe(tmp_path, server), tmp_path, quiet=True)
    sent = len(server.seen)
    other = {"model": model(server, "other"), **METHODS}
    annotation = {"judges": [uri, other]}
    recipe = write_model_recipe(tmp_path, server, annotation=annotation)
    known, new = planned(recipe).models
    assert (known.model, known.requests, known.in_ledger, known.to_send) == (uri, 11, 11, 0)
    assert (known.input_tokens, known.output_tokens, known.exact) == (0, 0, True)
    # three requests a step, of which those that are equal count once
    assert (new.requests, new.in_ledger, new.exact) == (56, 0, True)
    assert len(server.seen) == sent
    fresh = by_stage(planned(recipe, fresh=True))
    assert (fresh["generation"].requests, fresh["generation"].in_ledger) == (7, 7)
    # what the model wrote per request in the last build stands for what it will write
    assert fresh["perturbation"].output_tokens == 7 * 20


def test_prices_are_known_for_those_who_have_one(tmp_path: Path, server: FaultServer) -> None:
    chains = {"model": {"models": ["openai:gpt-4o", "local:smollm2"]}}
    recipe = write_model_recipe(
        tmp_path, server, chains=chains, negatives={}, annotation={"judges": []}
    )
    paid, free = planned(recipe).models
    assert paid.cost_usd is not None
    assert 0.001 < paid.cost_usd < 1
    assert free.cost_usd == 0
    plan = planned(recipe)
    assert plan.cost_usd == paid.cost_usd
    assert "no known price" not in shown(plan)
    document = plan.as_json()
    assert document["requests"] == 14
    (stage,) = [one for one in document["stages"] if one["stage"] == "generation"]
    assert (stage["requests"], stage["cost_usd"]) == (14, paid.cost_usd)
    assert [one["model"] for one in document["models"]] == ["openai:gpt-4o", "local:smollm2"]


def test_an_address_that_is_none_does_not_stop_a_dry_run(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(write_model_recipe(tmp_path, server), tmp_path, quiet=True)
    monkeypatch.setenv("OPENAI_BASE_URL", "nowhere")
    chains = {"model": {"models": ["openai:gpt-4o"]}}
    recipe = write_model_recipe(tmp_path, server, chains=chains, negatives={})
    assert by_stage(planned(recipe))["generation"].requests == 7
