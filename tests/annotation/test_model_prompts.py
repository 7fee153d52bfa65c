import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.models.judge import ERROR_METHODS, PREMISE_METHODS, ModelJudge
from chainwright.annotation.models.model_panel import requests_for
from chainwright.llm.prompts import prompt_version
from chainwright.llm.request import Request
from chainwright.llm.uri import ModelUri, parse_model_uri
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import CHAIN_ERRORS, ERROR_TYPES
from tests.annotation.scripted_asker import (
    CHAIN,
    MODEL,
    PROBLEM,
    WITH_CONTEXT,
    system_text,
    user_text,
)

JUDGES = {
    "full_context": ModelJudge(MODEL, "full_context"),
    "premise_conditioned": ModelJudge(MODEL, "premise_conditioned", "per_chain"),
    "one_pass": ModelJudge(MODEL, "one_pass"),
    "per_step": ModelJudge(MODEL, None, "per_step"),
    "per_chain": ModelJudge(MODEL, None, "per_chain"),
    "dyadic": ModelJudge(MODEL, None, "dyadic"),
}
QUESTION, STEPS = PROBLEM.question, CHAIN.steps


def asked(method: str, problem: Problem = PROBLEM, chain: Chain = CHAIN) -> list[Request]:
    return requests_for(JUDGES[method], problem, chain)


def fenced(text: str) -> list[str]:
    """The fenced blocks of a text, read as CommonMark reads them."""
    blocks, inside, mark = [], list[str](), ""
    for line in text.split("\n"):
        fence = re.fullmatch(r"(`{3,})\s*", line)
        if mark and fence and len(fence[1]) >= len(mark):
            blocks.append("\n".join(inside))
            inside, mark = [], ""
        elif mark:
            inside.append(line)
        elif line.startswith("```"):
            mark = re.match("`+", line)[0]  # type: ignore[index]
    assert not mark, "a fence stays open"
    return blocks


def test_every_method_is_tried_here() -> None:
    assert set(JUDGES) == {*ERROR_METHODS, *PREMISE_METHODS}


def test_full_context_shows_the_question_and_no_later_step() -> None:
    shown = [fenced(user_text(request)) for request in asked("full_context")]
    assert shown == [[QUESTION, *STEPS[:number]] for number in (1, 2, 3)]


def test_the_verifier_shows_a_step_alone_and_then_with_its_premises_alone() -> None:
    requests = requests_for(
        JUDGES["premise_conditioned"], PROBLEM, CHAIN, premises={1: [0], 2: [], 3: [2, 0]}
    )
    mapper, *checks = [fenced(user_text(request)) for request in requests]
    assert mapper == [QUESTION, *STEPS]
    assert checks[0::2] == [[step] for step in STEPS]
    assert checks[1::2] == [
        [QUESTION, STEPS[0]],
        [QUESTION, STEPS[1]],
        [QUESTION, STEPS[1], STEPS[2]],
    ]


def test_premises_keep_their_numbers() -> None:
    requests = requests_for(
        JUDGES["premise_conditioned"], PROBLEM, CHAIN, premises={1: [0], 2: [], 3: [2, 0]}
    )
    assert re.findall(r"^Step (\d):$", user_text(requests[-1]), re.MULTILINE) == ["2", "3"]


@pytest.mark.parametrize("method", ["one_pass", "per_chain"])
def test_one_request_shows_the_whole_chain(method: str) -> None:
    (request,) = asked(method)
    assert fenced(user_text(request)) == [QUESTION, *STEPS]


@pytest.mark.parametrize(("method", "count"), [("per_step", 3), ("dyadic", 6)])
def test_premises_of_a_step_are_sought_before_it(method: str, count: int) -> None:
    requests = asked(method)
    assert len(requests) == count
    for request in requests:
        number = int(re.search(r"step (\d)[^`]*$", user_text(request))[1])  # type: ignore[index]
        assert fenced(user_text(request)) == [QUESTION, *STEPS[:number]]


def test_dyadic_asks_of_every_pair_once() -> None:
    last = [user_text(request).splitlines()[-1] for request in asked("dyadic")]
    pairs = [tuple(map(int, re.findall(r"\d", line))) for line in last]
    assert pairs == [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


@pytest.mark.parametrize("method", JUDGES)
def test_no_judge_sees_what_it_must_not_know(method: str) -> None:
    for request in asked(method):
        text = "\n".join(message.content for message in request.messages)
        for secret in ("gold", "source's", "generator", "negative", "is_correct", "model"):
            assert secret not in text


@pytest.mark.parametrize("method", JUDGES)
def test_options_and_passages_belong_to_the_question(method: str) -> None:
    requests = asked(method, WITH_CONTEXT)
    shown = [fenced(user_text(request))[0] for request in requests]
    whole = "Which fruit?\n\nA. pear\nB. plum\n\n[1] Fruit\nA pear is a fruit."
    alone = [text for text in shown if text != whole]
    assert whole in shown
    assert alone == (STEPS if method == "premise_conditioned" else [])


@pytest.mark.parametrize("provider", ["openai", "anthropic", "azure"])
@pytest.mark.parametrize("methods", [("full_context", None), (None, "per_step"), (None, "dyadic")])
def test_what_varies_comes_last(methods: Any, provider: str) -> None:
    judge = ModelJudge(parse_model_uri(f"{provider}:big"), *methods)
    requests = requests_for(judge, PROBLEM, CHAIN)
    for before, after in pairwise(requests):
        assert (system_text(before), before.schema) == (system_text(after), after.schema)
        shared, _, question = user_text(before).rpartition("\n\n")
        assert user_text(after).startswith(shared)
        assert len(question) < 60


@pytest.mark.parametrize("provider", ["compat", "local"])
def test_a_server_with_grammars_is_told_the_very_step(provider: Any) -> None:
    judge = ModelJudge(ModelUri(provider, "tiny"), None, "dyadic")
    allowed = []
    for request in requests_for(judge, PROBLEM, CHAIN):
        assert request.schema is not None
        entry = request.schema.schema["properties"]["steps"]["items"]["properties"]
        allowed.append((entry["step"]["enum"], entry["earlier"]["enum"]))
    pairs = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    assert allowed == [([step], [earlier]) for step, earlier in pairs]


@pytest.mark.parametrize("method", ["full_context", "one_pass"])
def test_types_have_one_order_in_the_prompt_and_the_schema(method: Any) -> None:
    orders = set()
    for seed in range(6):
        judge = ModelJudge(MODEL, method, seed=seed)
        request = requests_for(judge, PROBLEM, CHAIN)[0]
        assert request.schema is not None
        listed = re.findall(r"^- (\w+):", system_text(request), re.MULTILINE)
        expected = [*judge.shuffled(ERROR_TYPES)]
        if method == "one_pass":
            expected += judge.shuffled(CHAIN_ERRORS)
        assert listed == expected
        enum = re.findall(r"'enum': \[('[a-z_']*(?:, '[a-z_']*)+)\]", str(request.schema.schema))
        assert [word for part in enum for word in re.findall(r"\w+", part)] == listed
        orders.add(tuple(listed))
    assert len(orders) > 1


def test_the_same_judge_asks_the_same_wherever_its_model_is_served() -> None:
    elsewhere = ModelJudge(parse_model_uri("compat:tiny@http://gpu7.lan:9000/v1"), "full_context")
    there = requests_for(elsewhere, PROBLEM, CHAIN)
    assert [one.messages for one in there] == [one.messages for one in asked("full_context")]
    assert [one.schema for one in there] == [one.schema for one in asked("full_context")]


def test_settings_go_into_every_request() -> None:
    for method, judge in JUDGES.items():
        tuned = ModelJudge(
            judge.uri, judge.error, judge.premises, temperature=0.5, max_tokens=77, seed=3
        )
        for request in requests_for(tuned, PROBLEM, CHAIN):
            assert (request.temperature, request.max_tokens, request.seed) == (0.5, 77, 3), method
            assert request.model == MODEL
            assert [message.role for message in request.messages] == ["system", "user"]


HOSTILE = st.lists(
    st.sampled_from(
        [
            *("`", "```", "````", "~~~", "\n", "\n```\n", "\r", " ", "Step 2:", "a"),
            *("{{ question }}", "{% include 'x' %}", "Judge step 1.", '{"steps": []}'),
        ]
    ),
    max_size=12,
).map("".join)


@given(st.sampled_from(sorted(JUDGES)), HOSTILE, st.lists(HOSTILE, min_size=1, max_size=3))
def test_no_text_of_a_data_set_leaves_its_fence(
    method: str, question: str, steps: list[str]
) -> None:
    problem = PROBLEM.model_copy(update={"question": question})
    chain = CHAIN.model_copy(update={"steps": steps})
    requests, plain = asked(method, problem, chain), asked(method, chain=chain)
    for request, other in zip(requests, plain, strict=True):
        blocks = fenced(user_text(request))
        outside = outside_fences(user_text(request))
        assert all(block in (question, *steps) for block in blocks)
        assert system_text(request) == system_text(other)
        assert outside == outside_fences(user_text(other))


def outside_fences(text: str) -> str:
    """A text without its fenced blocks."""
    return re.sub(r"^(`{3,})\n.*?\n\1$", "", text, flags=re.DOTALL | re.MULTILINE)


def test_every_prompt_has_a_version_of_its_own() -> None:
    names = [
        *("judge_full_context", "judge_step_alone", "judge_step_premises", "judge_one_pass"),
        *("premises_per_step", "premises_per_chain", "premises_dyadic"),
    ]
    assert len({prompt_version(name) for name in names}) == len(names)
