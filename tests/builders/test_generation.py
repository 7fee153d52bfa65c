"""Chains written by a model, and negatives broken by one: what is kept and what is refused."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import pytest

from chainwright.builders.generation import Generator, NoChain, generate_chain
from chainwright.builders.model_negatives import Breakage, break_chain, draw_breakage
from chainwright.llm.request import Answer, Request
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import ErrorType
from tests.annotation.scripted_asker import ScriptedAsker

GENERATOR = Generator(parse_model_uri("compat:tiny@http://localhost:8000/v1"))
PROBLEM = Problem.build(
    source="test",
    question="3 bags of 4 nuts, 2 eaten. How many?",
    answer="10",
    answer_kind="number",
)
STEPS = ["3 * 4 = 12 nuts.", "12 - 2 = 10 are left."]
BROKEN = ["3 * 4 = 14 nuts.", "14 - 2 = 12 are left."]
POSITIVE = Chain.build(
    problem_id=PROBLEM.problem_id,
    origin="model",
    generator="test",
    steps=STEPS,
    final_answer="10",
    is_correct=True,
)


def solution(steps: list[str], answer: str) -> str:
    """A model's answer in the shape it is asked for."""
    return json.dumps({"steps": steps, "final_answer": answer})


def failure(status: str, error: str) -> Answer:
    """An answer that never came."""
    return Answer("", "refused" if status == "refused" else "failed", "", error=error)


def in_turn(*answers: str | Answer) -> Callable[[Request], str | Answer]:
    """A script that gives one answer after the other, and the last one from then on."""
    left = list(answers)

    def script(request: Request) -> str | Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    return script


def generate(script: Callable[[Request], str | Answer]) -> Chain:
    """The chain a scripted model writes."""
    return asyncio.run(generate_chain(ScriptedAsker(script), GENERATOR, PROBLEM))


@pytest.mark.parametrize(
    ("answer", "polarity"), [("10", "positive"), ("12", "negative"), ("", None)]
)
def test_the_final_answer_makes_the_polarity(answer: str, polarity: str | None) -> None:
    chain = generate(in_turn(solution(STEPS, answer)))

    assert (chain.steps, chain.polarity, chain.origin) == (STEPS, polarity, "model")


def test_free_text_is_split() -> None:
    chain = generate(in_turn("Step 1: 3 * 4 = 12.\nStep 2: 12 - 2 = 10.\n\n#### 10"))

    assert len(chain.steps) == 2
    assert chain.is_correct is True


def test_a_malformed_answer_is_asked_for_once_more() -> None:
    asker = ScriptedAsker(
        in_turn('{"steps": [], "final_answer": "10"}', solution(STEPS, "10"), "never asked for")
    )
    chain = asyncio.run(generate_chain(asker, GENERATOR, PROBLEM))

    assert chain.steps == STEPS
    assert len(asker.asked) == 2


CUT = Answer("", "ok", "Step 1: 3 * 4 =", "length")
WHOLE = "Step 1: 3 * 4 = 12.\nStep 2: 12 - 2 = 10.\n\n#### 10"


def test_plain_text_that_ran_out_of_room_gets_twice_as_much_once() -> None:
    generator = replace(GENERATOR, format="text", max_tokens=100)
    asker = ScriptedAsker(in_turn(CUT, WHOLE))
    chain = asyncio.run(generate_chain(asker, generator, PROBLEM))

    assert len(chain.steps) == 2
    assert [request.max_tokens for request in asker.asked] == [100, 200]

    asker = ScriptedAsker(in_turn(CUT, CUT, WHOLE))
    with pytest.raises(NoChain) as caught:
        asyncio.run(generate_chain(asker, generator, PROBLEM))
    assert (caught.value.reason, len(asker.asked)) == ("cut_off", 2)


@pytest.mark.parametrize("form", ["json", "text"])
def test_more_room_than_the_model_has_leaves_it_cut_off(form: Literal["json", "text"]) -> None:
    generator = replace(GENERATOR, format=form)
    too_long = Answer("", "failed", "", error="longer than the context", too_long=True)
    with pytest.raises(NoChain) as caught:
        asyncio.run(generate_chain(ScriptedAsker(in_turn(CUT, too_long)), generator, PROBLEM))
    assert caught.value.reason == "cut_off"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"steps": "none", "final_answer": "1"}', "malformed"),
        ('{"steps": [1, 2], "final_answer": "1"}', "malformed"),
        (failure("refused", "not allowed"), "refused"),
        (failure("failed", "connection reset"), "request_failed"),
        (Answer("", "ok", '{"steps": ["a', "length"), "cut_off"),
    ],
)
def test_what_makes_no_chain_says_why(answer: str | Answer, reason: str) -> None:
    with pytest.raises(NoChain) as caught:
        generate(in_turn(answer))

    assert caught.value.reason == reason


def break_it(*answers: str, step: int = 1) -> Chain:
    """The negative a scripted model writes."""
    breakage = Breakage(step, "mathematical_error")
    asker = ScriptedAsker(in_turn(*answers))
    return asyncio.run(break_chain(asker, GENERATOR, PROBLEM, POSITIVE, breakage))


def test_a_broken_chain_that_passes_the_gates() -> None:
    chain = break_it(solution(BROKEN, "12"))

    assert chain.polarity == "synthetic_negative"
    assert chain.parent_id == POSITIVE.chain_id
    assert (chain.perturbed_step, chain.steps) == (1, BROKEN)


def test_the_steps_before_are_the_parents_own() -> None:
    chain = break_it(solution([" 3 * 4 = 12 nuts. ", "12 - 2 = 9 are left."], "9"), step=2)

    assert chain.steps[0] == STEPS[0]


@pytest.mark.parametrize(
    ("answer", "step", "gate"),
    [
        (solution(BROKEN[:1], "12"), 1, "step_count"),
        (solution(["3 * 4 = 13", "12 - 2 = 9"], "9"), 2, "prefix_changed"),
        (solution(STEPS, "12"), 1, "step_unchanged"),
        (solution([BROKEN[0], STEPS[1]], "12"), 1, "not_carried_on"),
        (solution(BROKEN, "10"), 1, "answer_unchanged"),
        (solution(BROKEN, ""), 1, "answer_unchanged"),
        ("no json at all", 1, "malformed"),
    ],
)
def test_a_gate_that_fails_twice_rejects(answer: str, step: int, gate: str) -> None:
    with pytest.raises(NoChain) as caught:
        break_it(answer, answer, step=step)

    assert caught.value.reason == gate


def test_a_gate_that_fails_once_is_named_and_asked_again() -> None:
    asker = ScriptedAsker(in_turn(solution(STEPS, "12"), solution(BROKEN, "12")))
    breakage = Breakage(1, "mathematical_error")
    chain = asyncio.run(break_chain(asker, GENERATOR, PROBLEM, POSITIVE, breakage))

    assert chain.steps == BROKEN
    assert "step 1 reads as before" in asker.asked[-1].messages[-1].content


def test_the_breakage_is_drawn_the_same_everywhere() -> None:
    kinds: list[ErrorType] = ["mathematical_error", "logical_inconsistency"]
    drawn = {draw_breakage(POSITIVE, kinds, s) for s in range(40)}

    assert draw_breakage(POSITIVE, ["mathematical_error"], 3) == draw_breakage(
        POSITIVE, ["mathematical_error"], 3
    )
    assert {breakage.step for breakage in drawn} == {1, 2}
    assert len({breakage.error_type for breakage in drawn}) == 2
