"""Foreign rows as their publishers write them, and rows that are not as they should be."""

from __future__ import annotations

from typing import Any

import pytest

from chainwright.formats.catalogue import FORMATS
from chainwright.formats.trace import Trace, Unfit
from tests.formats.small_traces import signs

BENCH: dict[str, Any] = {
    "id": "gsm8k-0",
    "generator": "m",
    "problem": "1 + 1?",
    "steps": ["a", "b", "c"],
    "final_answer_correct": False,
    "label": 1,
}
SHEPHERD: dict[str, Any] = {
    "input": "1 + 1? Step 1: It is 2. ки\nStep 2: So 3. The answer is: 3 ки",
    "label": "1 + 1? Step 1: It is 2. +\nStep 2: So 3. The answer is: 3 -",
    "task": "GSM8K",
}
STEPWISE: dict[str, Any] = {"prompt": "1 + 1?", "completions": ["a", "b"], "labels": [True, False]}


def rated(*ratings: int | None, chosen: int | None = 0) -> dict[str, Any]:
    completions = [
        {"text": f"t{at}", "rating": rating, "flagged": None} for at, rating in enumerate(ratings)
    ]
    return {"completions": completions, "human_completion": None, "chosen_completion": chosen}


def prm800k(*steps: dict[str, Any], **question: Any) -> dict[str, Any]:
    return {
        "question": {"problem": "1 + 1?", "ground_truth_answer": "2", **question},
        "label": {"steps": list(steps), "finish_reason": "found_error"},
    }


def read(name: str, row: dict[str, Any], source: str = "file") -> Trace:
    reader = FORMATS[name].read
    assert reader is not None
    return reader(row, source)


def reason(name: str, row: dict[str, Any]) -> str:
    with pytest.raises(Unfit) as refused:
        read(name, row)
    return refused.value.reason


def test_processbench_says_nothing_of_what_follows_the_first_error() -> None:
    found = read("processbench", BENCH)
    assert signs(found) == ["correct", "error", None]
    assert found.chain.is_correct is False
    assert found.chain.generator == "m"
    assert signs(read("processbench", {**BENCH, "label": -1})) == ["correct"] * 3


def test_prm800k_follows_the_chosen_completions() -> None:
    own: dict[str, Any] = {"completions": [], "human_completion": "mine", "chosen_completion": None}
    found = read("prm800k", prm800k(rated(-1, 1, chosen=1), own, rated(0), rated(-1, chosen=None)))
    assert found.chain.steps == ["t1", "mine", "t0", "t0"]
    assert signs(found) == ["correct", "correct", None, "error"]
    assert [label.verbatim for label in found.labels] == ["1", "human_completion", "0", "-1"]
    assert found.problem.answer == "2"


def test_prm800k_takes_the_rest_of_the_solution_where_rating_stopped() -> None:
    steps = [rated(1), rated(-1, chosen=None)]
    found = read("prm800k", prm800k(*steps, pre_generated_steps=["t0", "t0", "rest"]))
    assert found.chain.steps == ["t0", "t0", "rest"]
    assert signs(found) == ["correct", "error", None]
    other = read("prm800k", prm800k(*steps, pre_generated_steps=["x", "y", "z"]))
    assert len(other.chain.steps) == 2


def test_math_shepherd_is_cut_at_its_tags() -> None:
    found = read("math_shepherd", SHEPHERD)
    assert found.problem.question == "1 + 1?"
    assert found.chain.steps == ["It is 2.", "So 3. The answer is: 3"]
    assert found.chain.final_answer == "3"
    assert signs(found) == ["correct", "error"]


@pytest.mark.parametrize(
    ("source", "origin", "is_correct"),
    [
        ("gsm8k_positives_perturbed", "synthetic", False),
        ("gsm8k_positives", "model", True),
        ("math_negatives", "model", False),
        ("mine", "model", None),
    ],
)
def test_perl_says_in_the_name_of_a_file_what_its_rows_do_not(
    source: str, origin: str, is_correct: bool | None
) -> None:
    chain = read("perl", perl(), source).chain
    assert (chain.origin, chain.is_correct) == (origin, is_correct)


def perl(errors: list[dict[str, str]] | None = None, number: int = 1) -> dict[str, Any]:
    return {
        "question": "1 + 1?",
        "ground_truth_answer": "2",
        "model_answer": 3,
        "steps": ["Step 1: It is 3."],
        "premise_annotation": {
            "steps": [{"step_number": 1, "original_step": "…", "premises": [[0, "1"], [0, "+ 1"]]}]
        },
        "error_annotation": {
            "error_annotations": {
                "step_level": [
                    {"step_number": number, "has_error": bool(errors), "errors": errors or []}
                ]
            }
        },
    }


def test_perl_keeps_the_first_of_several_errors_and_what_is_said_of_all() -> None:
    errors = [
        {"error_type": "Mathematical_Error", "error_description": "not 3"},
        {"error_type": "Other", "error_description": "odd"},
    ]
    (label,) = read("perl", perl(errors)).labels
    assert (label.label, label.category, label.premises) == ("error", "mathematical_error", (0,))
    assert label.explanation == "not 3\nodd"
    assert label.verbatim is not None
    assert "Other" in label.verbatim


@pytest.mark.parametrize(
    ("name", "row", "expected"),
    [
        ("processbench", {**BENCH, "label": 3}, "bad_label"),
        ("processbench", {**BENCH, "label": True}, "wrong_type"),
        ("processbench", {**BENCH, "label": "1"}, "wrong_type"),
        ("processbench", {**BENCH, "steps": ["a", " "]}, "empty_field"),
        ("processbench", {**BENCH, "steps": []}, "no_steps"),
        ("processbench", {**BENCH, "final_answer_correct": "no"}, "wrong_type"),
        ("prm800k", prm800k(rated(2)), "bad_label"),
        ("prm800k", prm800k(rated(1, chosen=4)), "bad_label"),
        ("prm800k", prm800k(), "empty_field"),
        ("prm800k", {"question": "?", "label": {}}, "wrong_type"),
        ("trl", {**STEPWISE, "labels": [True]}, "incomplete_labels"),
        ("trl", {**STEPWISE, "labels": [1, 0]}, "wrong_type"),
        ("trl", {**STEPWISE, "prompt": ""}, "empty_field"),
        ("math_shepherd", {**SHEPHERD, "input": "none"}, "no_steps"),
        ("math_shepherd", {**SHEPHERD, "input": "? one ки", "label": "? one +"}, "no_steps"),
        ("math_shepherd", {**SHEPHERD, "label": SHEPHERD["label"][:-1] + "?"}, "bad_label"),
        ("math_shepherd", {**SHEPHERD, "label": SHEPHERD["label"] + " more"}, "bad_label"),
        ("math_shepherd", {"input": "? Step 1: ки", "label": "? Step 1: +"}, "empty_field"),
        ("perl", {**perl(), "steps": 3}, "wrong_type"),
        ("perl", perl(number=2), "incomplete_labels"),
        ("grace", {"question": "?", "steps": [{"text": "a", "label": "fine"}]}, "bad_label"),
        ("grace", {"question": "?", "steps": [{"text": "a", "tier": "best"}]}, "bad_label"),
        ("grace", {"question": "?", "track": "x", "steps": [{"text": "a"}]}, "bad_label"),
        ("grace", {"question": "?", "origin": "x", "steps": [{"text": "a"}]}, "bad_label"),
        (
            "grace",
            {"question": "?", "steps": [{"text": "a", "label": "correct", "category": "other"}]},
            "bad_label",
        ),
        (
            "grace",
            {"question": "?", "context": [{"text": 1}], "steps": [{"text": "a"}]},
            "wrong_type",
        ),
    ],
)
def test_rows_that_are_not_as_they_should_be_are_refused(
    name: str, row: dict[str, Any], expected: str
) -> None:
    assert reason(name, row) == expected
