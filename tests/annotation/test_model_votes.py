import json
from typing import Any

import pytest

from chainwright.annotation.labelling import label_chain
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.model_panel import requests_for
from chainwright.llm.endpoint import endpoint
from chainwright.llm.prompts import prompt_version
from chainwright.llm.request import Request
from chainwright.llm.request_key import key_request
from tests.annotation.judging import JUDGES, answering, of_task, votes, votes_and_asker
from tests.annotation.scripted_asker import (
    CHAIN,
    MODEL,
    PROBLEM,
    ScriptedAsker,
    agreeable,
    user_text,
)


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_that_answers_well_votes_on_everything(name: str) -> None:
    for vote in votes(name):
        assert vote.status == "ok"
        assert vote.label == (None if vote.task == "premises" else "correct")
        assert (vote.premises is not None) == (vote.task == "premises")
        assert vote.request_key is not None


@pytest.mark.parametrize("name", JUDGES)
def test_requests_of_the_first_round_are_those_foretold(name: str) -> None:
    # An agreeable judge finds no premises in pairs or steps, so the chain's are given.
    given = {1: [0], 2: [0, 1], 3: [0, 1, 2]}
    judge = JUDGES[name]
    _, asker = votes_and_asker(judge, premises=given)
    for premises in (given, None):
        foretold = requests_for(judge, PROBLEM, CHAIN, premises=premises)
        assert sorted(map(ledger_key, asker.asked)) == sorted(map(ledger_key, foretold))


def ledger_key(request: Request) -> str:
    return key_request(request, endpoint(request.model)).key


def test_a_found_error_is_voted_with_its_type_and_key() -> None:
    error = {"label": "error", "category": "mathematical_error", "explanation": "12 - 2 is 10"}
    cast, asker = votes_and_asker("full_context", answering({"Judge step 3": error}))
    assert [vote.label for vote in cast] == ["correct", "correct", "error"]
    assert (cast[2].category, cast[2].explanation) == ("mathematical_error", "12 - 2 is 10")
    assert cast[2].prompt_version == prompt_version("judge_full_context")
    assert cast[2].request_key == f"key-{1 + [*map(user_text, asker.asked)].index(shown(asker, 3))}"


def shown(asker: ScriptedAsker, step: int) -> str:
    """What was shown with the question about a step."""
    return next(t for t in map(user_text, asker.asked) if t.strip().endswith(f"step {step}."))


def test_votes_are_native_so_an_inherited_error_is_no_error() -> None:
    inherited = {"label": "error", "category": "accumulation_error", "explanation": "from step 1"}
    third = votes("full_context", answering({"Judge step 3": inherited}))[2]
    assert (third.label, third.category) == ("correct", None)
    assert third.explanation == "accumulation_error: from step 1"


@pytest.mark.parametrize(
    ("alone", "given", "label", "category"),
    [
        ("correct", "correct", "correct", None),
        ("error", "correct", "error", "mathematical_error"),
        ("correct", "error", "error", "logical_inconsistency"),
        ("error", "error", "error", "mathematical_error"),
    ],
)
def test_the_verifier_joins_its_two_checks(
    alone: str, given: str, label: str, category: str | None
) -> None:
    def script(request: Request) -> str:
        assert request.schema is not None
        answer = json.loads(agreeable(request))
        if request.schema.name == "step_check":
            with_question = "The question" in user_text(request)
            said = given if with_question else alone
            why = "follows" if with_question else "adds up"
            answer["steps"][0] |= {"label": said, "explanation": why}
        return json.dumps(answer)

    cast, asker = votes_and_asker("premise_conditioned+per_step", script)
    for vote in of_task(cast, "error"):
        assert (vote.label, vote.category) == (label, category)
        assert vote.explanation == "alone: adds up\nwith its premises: follows"
        deciding = asker.asked[int(str(vote.request_key).removeprefix("key-")) - 1]
        assert ("The question" in user_text(deciding)) == (alone == "correct")
        assert vote.prompt_version.split("+") == [
            prompt_version("judge_step_alone"),
            prompt_version("judge_step_premises"),
            prompt_version("premises_per_step"),
        ]


def test_the_verifier_uses_the_premises_that_its_own_judge_found() -> None:
    found = {"Find the premises of step 3": {"premises": [1]}}
    cast, asker = votes_and_asker("premise_conditioned+per_step", answering(found))
    assert [vote.premises for vote in of_task(cast, "premises")] == [[], [], [1]]
    about_three = [t for t in map(user_text, asker.asked) if "that you see are its premises" in t]
    assert [CHAIN.steps[0] in text for text in about_three] == [True]
    assert [CHAIN.steps[1] in text for text in about_three] == [False]


def test_the_verifier_takes_given_premises_over_its_own() -> None:
    judge = ModelJudge(MODEL, "premise_conditioned")
    cast, asker = votes_and_asker(judge, premises={1: [], 2: (1, 0), 3: [2]})
    assert len(asker.asked) == 6
    assert {vote.prompt_version for vote in cast} == {
        f"{prompt_version('judge_step_alone')}+{prompt_version('judge_step_premises')}"
    }
    both, asker = votes_and_asker("premise_conditioned+per_step", premises={1: [], 2: [1], 3: [2]})
    assert [vote.premises for vote in of_task(both, "premises")] == [[], [], []]
    seen = [text for text in map(user_text, asker.asked) if "that you see are its premises" in text]
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("premises", "fault"),
    [
        (None, "found no premises for `compat:tiny#premise_conditioned`"),
        ({1: [0], 3: [0]}, "found no premises for step 2"),
        ({1: [0], 2: [2], 3: [0]}, "found step 2 as a premise of step 2, expected 0 to 1"),
        ({1: [-1], 2: [0], 3: [0]}, "found step -1 as a premise of step 1"),
    ],
)
def test_premises_that_cannot_serve_are_refused(premises: Any, fault: str) -> None:
    judge = ModelJudge(MODEL, "premise_conditioned")
    with pytest.raises(ValueError, match=fault):
        votes(judge, premises=premises)
    with pytest.raises(ValueError, match=fault):
        requests_for(judge, PROBLEM, CHAIN, premises=premises)


def test_dyadic_premises_are_the_pairs_that_were_needed() -> None:
    needed = {
        "Does step 3 need step 0": {"needed": True, "explanation": "names Ann"},
        "Does step 3 need step 2": {"needed": True, "explanation": "eats 2"},
        "Does step 2 need step 1": {"needed": True},
    }
    cast, asker = votes_and_asker("dyadic", answering(needed))
    assert [vote.premises for vote in cast] == [[], [1], [0, 2]]
    assert cast[2].explanation == "0: names Ann\n2: eats 2"
    deciding = asker.asked[int(str(cast[2].request_key).removeprefix("key-")) - 1]
    assert "Does step 3 need step 0" in user_text(deciding)


def test_one_pass_votes_on_the_chain_at_step_0() -> None:
    def script(request: Request) -> str:
        answer = json.loads(agreeable(request))
        whole = {"label": "error", "category": "missing_steps", "explanation": "a gap"}
        return json.dumps(answer | {"chain": whole})

    cast, asker = votes_and_asker("one_pass", script)
    assert len(asker.asked) == 1
    assert (cast[-1].task, cast[-1].step, cast[-1].label) == ("chain", 0, "error")
    assert (cast[-1].category, cast[-1].explanation) == ("missing_steps", "a gap")
    assert {vote.request_key for vote in cast} == {"key-1"}


def test_votes_on_the_chain_change_no_label_of_a_step() -> None:
    cast = votes("one_pass")
    name = JUDGES["one_pass"].name
    steps_alone = [vote for vote in cast if vote.task != "chain"]
    assert label_chain(CHAIN, cast, [], [name]) == label_chain(CHAIN, steps_alone, [], [name])
