"""Builds with a budget: they stop before they pass it, and a larger one goes on from there."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.keys import NAMES
from chainwright.llm.ledger_pruning import prune
from chainwright.llm.ledger_queries import Selection
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import BudgetStop, InputMistake, exit_code
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.dry_run import BuildPlan, plan_build, print_plan
from chainwright.pipeline.screens.status import print_status, run_status
from chainwright.pipeline.screens.summary import BuildSummary, print_summary
from chainwright.pipeline.screens.terminal import console
from chainwright.pipeline.validation.validate import validate
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import answering, bodies, model, write_model_recipe
from tests.test_cli import call


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


def shown(draw: Any, result: Any) -> str:
    stream = io.StringIO()
    draw(result, console(stream))
    return " ".join(stream.getvalue().split())


def planned(recipe: Path) -> BuildPlan:
    return plan_build(recipe, recipe.parent)


@pytest.mark.parametrize("unit", ["requests", "tokens"])
def test_larger_and_larger_budgets_ask_nothing_twice(
    tmp_path: Path, server: FaultServer, unit: str
) -> None:
    # an answer takes 120 tokens, but 2048 are reserved for it where nothing else is said
    sizes = {"requests": [0, 5, 9, 40, 1000], "tokens": [2000, 4000, 6000, 10**6]}[unit]
    sent = []
    for size in sizes[:-1]:
        recipe = write_model_recipe(tmp_path, server, budget={unit: size})
        with pytest.raises(BudgetStop) as stop:
            built(recipe)
        assert exit_code(stop.value) == 4
        assert f"of {size:,} {unit} spent" in str(stop.value)
        sent.append(len(server.seen))
        assert sent[-1] * (1 if unit == "requests" else 120) <= size
    if unit == "requests":
        assert sent == sizes[:-1]
    summary = built(write_model_recipe(tmp_path, server, budget={unit: sizes[-1]}))
    assert len(server.seen) == len(set(bodies(server.seen)))
    assert summary.budget is not None
    assert summary.budget.spent["requests"] == len(server.seen)
    assert validate(tmp_path / "small").ok
    build(write_model_recipe(tmp_path, server), tmp_path / "unlimited", quiet=True)
    for stage in ("votes", "labels"):
        parts = [
            sorted(path.read_bytes() for path in (folder / "small" / stage).glob("*.parquet"))
            for folder in (tmp_path, tmp_path / "unlimited")
        ]
        assert parts[0] == parts[1]


def test_the_stop_says_what_was_spent_what_is_left_and_what_to_do(
    tmp_path: Path, server: FaultServer
) -> None:
    recipe = write_model_recipe(tmp_path, server, budget={"requests": 5, "tokens": 100_000})
    code, out, err = call("build", recipe, "--runs", tmp_path)
    assert (code, out) == (4, "")
    message = err.splitlines()[-1]
    assert message.startswith(
        "chainwright: the budget is reached: 600 of 100,000 tokens, 5 of 5 requests spent, and the "
        "next request would take one more; stage generation has 1 of 3 blocks finished and up to "
        "about 4 requests left and then those of perturbation and votes. "
    )
    assert "raise `budget` in the recipe, and the same command goes on from there" in message
    manifest = load_manifest(RunFolder(tmp_path / "small"))
    assert manifest is not None
    assert manifest.outcome == "stopped"
    assert f"chainwright: {manifest.message}" == message
    status = run_status("small", tmp_path)
    text = shown(print_status, status)
    assert "budget, over the run's life: 600 of 100,000 tokens, 5 of 5 requests spent" in text


def test_progress_dry_run_and_summary_show_the_budget(tmp_path: Path, server: FaultServer) -> None:
    recipe = write_model_recipe(tmp_path, server, budget={"requests": 60})
    plan = planned(recipe)
    assert "budget: 0 of 60 requests spent; this takes about 70 requests more: that passes " in (
        shown(print_plan, plan)
    )
    assert json.loads(json.dumps(plan.as_json()))["budget"]["limits"]["requests"] == 60
    recipe = write_model_recipe(tmp_path, server, budget={"requests": 100})
    assert "70 requests more: that fits" in shown(print_plan, planned(recipe))
    assert not (tmp_path / "small").exists()
    code, out, err = call("build", recipe, "--runs", tmp_path)
    assert code == 0
    spent = len(server.seen)
    assert f"budget {spent} of 100 requests" in err
    assert f"budget, over the run's life: {spent} of 100 requests spent" in out
    after = shown(print_plan, planned(recipe))
    assert f"budget: {spent} of 100 requests spent; this takes about 0 requests more" in after
    summary = built(recipe)
    assert json.loads(json.dumps(summary.as_json()))["budget"]["spent"]["requests"] == spent
    assert "over the run's life" in shown(print_summary, summary)


def test_what_was_pruned_still_counts(tmp_path: Path, server: FaultServer) -> None:
    recipe = write_model_recipe(tmp_path, server, budget={"requests": 9})
    with pytest.raises(BudgetStop):
        built(recipe)
    prune(tmp_path / "small" / "ledger.sqlite", Selection(model="sums"))
    with pytest.raises(BudgetStop, match="9 of 9 requests spent"):
        build(recipe, tmp_path, quiet=True, fresh=True)
    assert len(server.seen) == 9


def test_a_budget_in_money_needs_prices(tmp_path: Path, server: FaultServer) -> None:
    recipe = write_model_recipe(tmp_path, server, budget={"usd": 1})
    uri = model(server)
    with pytest.raises(InputMistake) as refused:
        built(recipe)
    assert f"found `budget.usd` with {uri}, whose price is not known" in str(refused.value)
    assert "limit `budget.tokens` or `budget.requests` instead" in str(refused.value)
    assert exit_code(refused.value) == 2
    assert not (tmp_path / "small").exists()
    plan = planned(recipe)
    assert plan.without_price == [uri]
    assert "whose price is not known" in shown(print_plan, plan)
    assert server.seen == []


def test_money_stops_a_build_and_more_of_it_goes_on(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-one")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    uri = "openai:gpt-4o-mini"
    parts: dict[str, Any] = {
        "chains": {"reference": False, "model": {"models": [uri], "max_tokens": 100}},
        "negatives": {},
        "annotation": {"judges": [uri], "bootstrap": 0},
    }
    # an answer takes 100 tokens in, 30 of them from a cache, and 20 out
    each = (70 * 0.15 + 30 * 0.075 + 20 * 0.6) / 1e6
    recipe = write_model_recipe(tmp_path, server, budget={"usd": 10 * each}, **parts)
    with pytest.raises(BudgetStop, match=r"of 0.00 USD spent, and the next request would take up"):
        built(recipe)
    first = len(server.seen)
    assert 0 < first <= 10
    summary = built(write_model_recipe(tmp_path, server, budget={"usd": 1}, **parts))
    assert len(server.seen) == len(set(bodies(server.seen))) == 14
    assert summary.budget is not None
    assert summary.budget.spent["usd"] == pytest.approx(14 * each)


def test_a_local_model_needs_no_price(tmp_path: Path, server: FaultServer) -> None:
    parts: dict[str, Any] = {
        "chains": {"model": {"models": ["local:smollm2"]}},
        "negatives": {},
        "annotation": {"judges": ["program:arithmetic"]},
    }
    plan = planned(write_model_recipe(tmp_path, server, budget={"usd": 0}, **parts))
    assert plan.without_price == []
    assert "0.0000 of 0.00 USD spent; this takes about 0.0000 USD more: that fits" in (
        shown(print_plan, plan)
    )


@pytest.mark.parametrize(
    ("budget", "fault"),
    [
        ({}, "at least one of `usd`, `tokens` and `requests`"),
        ({"usd": -1}, "at least 0"),
        ({"requests": 1.5}, "a whole number, at least 0"),
        ({"dollars": 1}, "usd, tokens, requests"),
    ],
)
def test_a_budget_that_is_none_is_refused(
    tmp_path: Path, server: FaultServer, budget: dict[str, Any], fault: str
) -> None:
    recipe = write_model_recipe(tmp_path, server, budget=budget)
    code, _, err = call("build", recipe, "--runs", tmp_path)
    assert code == 2
    assert fault in err
    assert server.seen == []
