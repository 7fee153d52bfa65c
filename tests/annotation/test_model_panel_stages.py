"""Models among the judges, as the stages see them."""

from collections import Counter
from typing import Any

import pytest

from chainwright.annotation.judges import judge_name, judges_of, panel_of, votes_expected
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.stages import LABELS, VOTES
from chainwright.llm.request import ModelUnavailable, Request
from chainwright.recipe import Recipe
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote
from chainwright.stage import Tables
from tests.annotation.scripted_asker import agreeable
from tests.scripted_models import UNAVAILABLE, a_recipe, run, text_of

URI = "compat:one@http://localhost:1/v1"
METHODS: list[dict[str, str]] = [
    {"error": "one_pass"},
    {"error": "full_context"},
    {"error": "full_context", "premises": "per_step"},
    {"error": "premise_conditioned", "premises": "per_chain"},
    {"premises": "dyadic"},
    {"premises": "per_step"},
]
PROBLEM = Problem.build(source="s", question="2 boxes of 3 figs. How many?", answer="6")
CHAINS = [
    Chain.build(
        problem_id=PROBLEM.problem_id,
        origin="model",
        generator="g",
        steps=steps,
        final_answer="6",
        is_correct=True,
    )
    for steps in (["2 * 3 = 6."], ["2 boxes.", "3 figs each.", "2 * 3 = 6."])
]
TABLES: Tables = {"problems": [PROBLEM], "chains": CHAINS}


def judging(*judges: Any) -> Recipe:
    return a_recipe(annotation={"judges": list(judges)})


def model(methods: dict[str, str], uri: str = URI) -> dict[str, str]:
    return {"model": uri, **methods}


ALL = judging("program:provenance", *[model(methods) for methods in METHODS])


def votes_of(recipe: Recipe) -> list[Vote]:
    batch = run(VOTES, recipe, TABLES, agreeable)
    assert batch.rejects == []
    return [vote for vote in batch.rows["votes"] if isinstance(vote, Vote)]


def test_every_judge_has_all_its_votes_on_every_chain() -> None:
    found = Counter((vote.chain_id, vote.judge) for vote in votes_of(ALL))
    assert found == {
        (chain.chain_id, judge_name(judge)): votes_expected(judge, len(chain.steps))
        for chain in CHAINS
        for judge in judges_of(ALL)
    }


def test_votes_come_chain_by_chain_in_the_order_of_the_judges() -> None:
    order = [(vote.chain_id, vote.judge) for vote in votes_of(ALL)]
    expected = [(c.chain_id, judge_name(judge)) for c in CHAINS for judge in judges_of(ALL)]
    assert list(dict.fromkeys(order)) == expected


def test_a_bare_uri_judges_in_one_pass() -> None:
    judge, on_a_context = judges_of(judging("openai:x"))
    assert judge_name(judge) == "openai:x#one_pass"
    assert judge_name(on_a_context) == "openai:x#all"
    assert judges_of(judging(model({"error": "one_pass", "premises": "one_pass"}, "openai:x"))) == [
        judge
    ]


def test_settings_reach_the_judge() -> None:
    recipe = judging({"model": URI, "error": "full_context", "temperature": 0.5, "max_tokens": 9})
    (judge,) = judges_of(recipe.model_copy(update={"seed": 7}))
    assert isinstance(judge, ModelJudge)
    assert (judge.temperature, judge.max_tokens, judge.seed) == (0.5, 9, 7)


def test_judges_of_premises_alone_do_not_count_in_the_panel() -> None:
    panel = panel_of(ALL, "math")
    assert panel == [
        "program:provenance",
        "compat:one#one_pass",
        "compat:one#full_context",
        "compat:one#full_context+per_step",
        "compat:one#premise_conditioned+per_chain",
    ]
    tables = {**TABLES, "votes": votes_of(ALL), "exact": []}
    assert LABELS.process is not None
    batch = LABELS.process(ALL, tables)
    labels = [label for label in batch.rows["labels"] if isinstance(label, Label)]
    assert len(labels) == 4
    assert all([vote.judge for vote in label.votes] == panel for label in labels)
    assert all(label.panel_premises is not None for label in labels)


def test_a_judge_that_fails_on_a_chain_loses_its_votes_on_that_chain_alone() -> None:
    def script(request: Request) -> str | Exception:
        if "Judge steps 1 to 3" in text_of(request):
            return ZeroDivisionError("a bug \ud800")
        return agreeable(request)

    recipe = judging(URI, "program:arithmetic")
    batch = run(VOTES, recipe, TABLES, script)
    assert Counter((reject.item.split("/")[0], reject.reason) for reject in batch.rejects) == {
        (CHAINS[1].chain_id, "judge_failed"): 7
    }
    assert {reject.item.split("/")[1] for reject in batch.rejects} == {"compat:one#one_pass"}
    assert len(batch.rows["votes"]) == 3 + 1 + 3


def test_a_model_that_is_away_stops_the_stage() -> None:
    with pytest.raises(ModelUnavailable):
        run(VOTES, judging("program:arithmetic", URI), TABLES, lambda request: UNAVAILABLE)


def test_the_plan_is_what_is_asked_first() -> None:
    asked: list[Request] = []

    def script(request: Request) -> str:
        asked.append(request)
        return agreeable(request)

    run(VOTES, ALL, TABLES, script)
    assert VOTES.plan is not None
    planned = list(VOTES.plan(ALL, TABLES))
    assert len(planned) == len(asked)
    programs = judging("program:arithmetic", "program:reference")
    assert list(VOTES.plan(programs, TABLES)) == []


def test_the_seed_counts_where_models_judge() -> None:
    for recipe, same in ((judging("program:arithmetic"), True), (judging(URI), False)):
        other = recipe.model_copy(update={"seed": 5})
        assert (VOTES.settings(recipe) == VOTES.settings(other)) is same
        assert LABELS.settings(recipe) == LABELS.settings(other)
