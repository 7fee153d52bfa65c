"""The rows of each format, field by field, and what a format cannot hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chainwright.formats.catalogue import FORMATS
from chainwright.formats.grace import grace_row
from chainwright.formats.judge_chat import Variant, judge_chats
from chainwright.formats.math_shepherd import math_shepherd_row
from chainwright.formats.preference import dpo_row
from chainwright.formats.prm800k import prm800k_row
from chainwright.formats.processbench import processbench_row
from chainwright.formats.stepwise import trl_row
from chainwright.formats.trace import StepLabel, Trace, Unfit
from tests.formats.small_traces import PASSAGES, STEPS, trace

NATIVE, INHERITED = "mathematical_error", "accumulation_error"


def test_processbench_counts_the_first_error_from_0() -> None:
    one = trace("correct", NATIVE, None, is_correct=False)
    assert processbench_row(one) == {
        "id": one.chain.chain_id,
        "generator": "a-model",
        "problem": "How many pears are good?",
        "steps": STEPS,
        "final_answer_correct": False,
        "label": 1,
    }
    assert processbench_row(trace("correct", "correct"))["label"] == -1


def test_prm800k_rates_up_to_the_first_error_and_chooses_nothing_there() -> None:
    row = prm800k_row(trace("correct", NATIVE, INHERITED, solution="24-2"))
    steps = row["label"]["steps"]
    assert [step["completions"][0]["rating"] for step in steps] == [1, -1]
    assert [step["chosen_completion"] for step in steps] == [0, None]
    assert row["label"]["finish_reason"] == "found_error"
    assert row["question"]["pre_generated_steps"] == STEPS
    assert row["question"]["ground_truth_solution"] == "24-2"
    assert prm800k_row(trace("correct"))["label"]["finish_reason"] == "solution"


def test_stepwise_supervision_ends_before_what_is_undecided() -> None:
    row = trl_row(trace("correct", NATIVE, INHERITED))
    assert row["labels"] == [True, False, False]
    assert row["completions"] == STEPS
    assert trl_row(trace("correct", NATIVE, None))["labels"] == [True, False]


def test_the_question_comes_with_its_passages_and_options() -> None:
    one = trace("correct", context=PASSAGES, options=["22", "24"], track="inference")
    assert trl_row(one)["prompt"].split("\n") == [
        "[1] Crates: A crate holds 24 pears.",
        "[2] : Two are rotten.",
        "How many pears are good?",
        "A. 22",
        "B. 24",
    ]


def test_math_shepherd_puts_a_sign_where_the_tag_stands() -> None:
    row = math_shepherd_row(trace("correct", NATIVE, steps=["6*4=24", "Step 2: 24-2=21"]))
    assert row == {
        "input": "How many pears are good? Step 1: 6*4=24 ки\nStep 2: 24-2=21 ки",
        "label": "How many pears are good? Step 1: 6*4=24 +\nStep 2: 24-2=21 -",
        "task": "pears",
    }


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"steps": ["яблоки"]}, "step_tag_in_text"),
        ({"question": "What is Step 1: of it?"}, "step_mark_in_question"),
        ({"steps": ["Step 4: on"]}, "odd_step_number"),
    ],
)
def test_math_shepherd_refuses_what_could_not_be_read_again(
    changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Unfit) as refused:
        math_shepherd_row(trace("correct", **changes))
    assert refused.value.reason == reason


@pytest.mark.parametrize("name", ["perl", "processbench", "prm800k", "trl", "math_shepherd"])
@pytest.mark.parametrize("outcomes", [(None,), ("correct", None), (None, NATIVE)])
def test_an_undecided_step_without_an_error_before_it_is_refused(
    name: str, outcomes: tuple[str | None, ...]
) -> None:
    with pytest.raises(Unfit) as refused:
        list(FORMATS[name].write(trace(*outcomes)))
    assert refused.value.reason == "undecided_step"


@pytest.mark.parametrize("name", ["perl", "processbench"])
def test_whether_a_chain_is_correct_is_needed(name: str) -> None:
    with pytest.raises(Unfit) as refused:
        list(FORMATS[name].write(trace("correct", is_correct=None)))
    assert refused.value.reason == "undecided_polarity"


def test_perl_needs_premises() -> None:
    one = trace("correct")
    bare = Trace(one.problem, one.chain, (StepLabel("correct"),))
    with pytest.raises(Unfit) as refused:
        list(FORMATS["perl"].write(bare))
    assert refused.value.reason == "no_premises"


def test_a_pair_is_a_negative_with_its_positive() -> None:
    positive = trace("correct", "correct")
    wrong = trace("correct", NATIVE, origin="synthetic", parent_id="c-1", final_answer="21")
    pair = Trace(wrong.problem, wrong.chain, wrong.labels, positive.chain)
    assert dpo_row(pair) == {
        "prompt": "How many pears are good?",
        "chosen": f"{STEPS[0]}\n{STEPS[1]}\nThe answer is: 22",
        "rejected": f"{STEPS[0]}\n{STEPS[1]}\nThe answer is: 21",
    }
    for one, reason in ((positive, "not_synthetic"), (wrong, "no_parent")):
        with pytest.raises(Unfit) as refused:
            dpo_row(one)
        assert refused.value.reason == reason


def answers(one: Trace, variant: Variant) -> list[Any]:
    chats = list(judge_chats(one, variant))
    for chat in chats:
        assert [message["role"] for message in chat["messages"]] == ["system", "user", "assistant"]
    return [json.loads(chat["messages"][-1]["content"]) for chat in chats]


def test_judge_chats_of_all_steps_at_once_and_step_by_step() -> None:
    one = trace("correct", NATIVE)
    told = StepLabel("error", NATIVE, explanation="6*4 is 24")
    one = Trace(one.problem, one.chain, (one.labels[0], told))
    verdicts = [
        {"step": 1, "label": "correct", "category": None},
        {"step": 2, "explanation": "6*4 is 24", "label": "error", "category": NATIVE},
    ]
    assert answers(one, "all") == [{"steps": verdicts}]
    assert answers(one, "sbs") == verdicts
    asked = [chat["messages"][1]["content"] for chat in judge_chats(one, "sbs")]
    assert ["Step 2" in text for text in asked] == [False, True]


def test_binary_chats_need_no_category() -> None:
    one = trace("correct", "error")
    (answer,) = answers(one, "bin")
    assert [step["label"] for step in answer["steps"]] == ["correct", "error"]
    assert "category" not in answer["steps"][0]
    with pytest.raises(Unfit) as refused:
        answers(one, "all")
    assert refused.value.reason == "undecided_category"


@pytest.mark.parametrize("track", ["inference", "grounding"])
def test_chats_of_faithfulness_name_the_categories_of_their_track(track: str) -> None:
    one = trace("correct", track=track, context=PASSAGES)
    system = next(iter(judge_chats(one, "all")))["messages"][0]["content"]
    assert ("overreaching_claim" in system) == (track == "inference")
    assert "mathematical_error" not in system


def test_a_grace_like_row_has_citations_of_references_there_are() -> None:
    one = trace("correct", "correct", steps=["24 [1, 9].", "Two [2]."], context=PASSAGES)
    assert [step["citations"] for step in grace_row(one)["steps"]] == [[1], [2]]


def test_a_trace_has_a_label_for_each_step() -> None:
    one = trace("correct", "correct")
    with pytest.raises(ValueError, match="2 steps and 1 labels"):
        Trace(one.problem, one.chain, one.labels[:1])
