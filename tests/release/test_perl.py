"""PERL: a labelled chain in PERL's own format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chainwright.release.perl import perl_fault, perl_record
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import CastVote, Label
from chainwright.schemas.problem import Passage, Problem

MakeProblem = Callable[..., Problem]
MakeChain = Callable[..., Chain]
MakeLabels = Callable[..., list[Label]]


def dump(problem: Problem, chain: Chain, labels: list[Label]) -> dict[str, Any]:
    record = perl_record(problem, chain, labels)
    return record.model_dump(mode="json", exclude_unset=True)


def step_errors(record: dict[str, Any]) -> list[dict[str, Any]]:
    found = record["error_annotation"]["error_annotations"]["step_level"]
    assert isinstance(found, list)
    return found


def test_an_exact_negative_in_full(
    problem: MakeProblem, chain: MakeChain, negative: MakeChain, labels: MakeLabels
) -> None:
    of = problem(4, solution="They hold <<6*4=24>>24.")
    wrong = negative(of, chain(of))
    errors = ("mathematical_error", "accumulation_error", "accumulation_error")
    record = dump(of, wrong, labels(wrong, *errors, label_source="exact"))
    question = "A crate holds 6 pears. How many do 4 crates hold, 2 being rotten?"
    steps = [
        "Step 1: All crates hold 6*4=25 pears.",
        "Step 2: 25-2=23 are good.",
        "Step 3: So 23.",
    ]
    expected = {
        "question": question,
        "ground_truth_solution": "They hold <<6*4=24>>24.",
        "ground_truth_answer": "22",
        "model_answer": "23",
        "steps": steps,
        "is_correct": False,
        "premise_annotation": {
            "steps": [
                {"step_number": 0, "original_step": question, "premises": [[0, question]]},
                {"step_number": 1, "original_step": steps[0], "premises": [[0, question]]},
                {"step_number": 2, "original_step": steps[1], "premises": [[1, steps[0]]]},
                {"step_number": 3, "original_step": steps[2], "premises": [[2, steps[1]]]},
            ]
        },
        "error_annotation": {
            "error_annotations": {
                "step_level": [
                    {
                        "step_number": 1,
                        "has_error": True,
                        "errors": [
                            {
                                "error_type": "Mathematical_Error",
                                "error_description": "6*4=24 became 6*4=25 (digit_slip)",
                            }
                        ],
                    },
                    {
                        "step_number": 2,
                        "has_error": True,
                        "errors": [
                            {
                                "error_type": "Accumulation_Error",
                                "error_description": "Rests on step 1, which is in error.",
                            }
                        ],
                    },
                    {
                        "step_number": 3,
                        "has_error": True,
                        "errors": [
                            {
                                "error_type": "Accumulation_Error",
                                "error_description": "Rests on step 2, which is in error.",
                            }
                        ],
                    },
                ]
            }
        },
    }
    assert record == expected
    assert list(record) == list(expected)


def test_a_correct_chain_has_no_errors(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    of = problem(4, solution=None)
    given = chain(of)
    record = dump(of, given, labels(given, "correct", "correct", "correct"))
    assert all(not one["has_error"] and one["errors"] == [] for one in step_errors(record))
    assert record["is_correct"] is True
    assert "ground_truth_solution" not in record


def test_a_step_keeps_a_number_of_its_own(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    of = problem(4)
    given = chain(of, ["Step 1: Go.", "Step 4:\nOn.", "Steps remain.", "**Step 2** x", "step 9. y"])
    record = dump(of, given, labels(given, *["correct"] * 5))
    assert record["steps"] == [
        "Step 1: Go.",
        "Step 4:\nOn.",
        "Step 3: Steps remain.",
        "Step 4: **Step 2** x",
        "step 9. y",
    ]


def test_votes_that_carried_an_error_describe_it_and_others_do_not(
    problem: MakeProblem, chain: MakeChain, label: Callable[..., Label], labels: MakeLabels
) -> None:
    of = problem(4)
    given = chain(of, is_correct=False)
    reasons = {
        "a": ("ok", "error", "other", "no pears"),
        "b": ("ok", "error", "other", "no crates"),
        "c": ("ok", "error", "other", "no pears"),
        "d": ("ok", "error", "mathematical_error", "bad sum"),
        "e": ("ok", "correct", None, "fine"),
        "f": ("malformed", None, None, "{"),
        "g": ("ok", "error", "other", None),
    }
    votes = [
        CastVote.model_validate(
            dict(zip(("status", "label", "category", "explanation"), cast, strict=True))
            | {"judge": judge}
        )
        for judge, cast in reasons.items()
    ]
    wrong = label(given, 2, "other", votes=votes)
    sound = labels(given, "correct", "correct", "correct")
    record = dump(of, given, [sound[0], wrong, sound[2]])
    assert step_errors(record)[1]["errors"] == [
        {"error_type": "Other", "error_description": "no pears\nno crates"}
    ]
    unexplained = wrong.model_copy(update={"votes": []})
    record = dump(of, given, [sound[0], unexplained, sound[2]])
    assert step_errors(record)[1]["errors"][0]["error_description"] == ""


def test_an_accumulation_error_names_its_premises_in_error_only(
    problem: MakeProblem, chain: MakeChain, label: Callable[..., Label]
) -> None:
    of = problem(4)
    given = chain(of, ["a", "b", "c", "d", "e"], is_correct=False)
    found = [
        label(given, 1, "other"),
        label(given, 2, "other", premises=[0]),
        label(given, 3, "correct", premises=[0]),
        label(given, 4, "logical_inconsistency", premises=[0]),
        label(given, 5, "accumulation_error", premises=[4, 2, 3, 1, 0, 2]),
    ]
    record = dump(of, given, found)
    description = "Rests on steps 1, 2 and 4, which are in error."
    assert step_errors(record)[4]["errors"][0]["error_description"] == description
    premises = record["premise_annotation"]["steps"][5]["premises"]
    assert [premise[0] for premise in premises] == [0, 1, 2, 3, 4]


def test_step_0_is_the_question_with_its_context(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    passages = [Passage(ref=1, title="Crates", text="A crate holds 6.")]
    of = problem(4, question="How many?", context=passages, options=["22", "24"])
    given = chain(of)
    record = dump(of, given, labels(given, "correct", "correct", "correct"))
    assert record["question"] == "[1] Crates: A crate holds 6.\nHow many?\nA. 22\nB. 24"
    assert record["premise_annotation"]["steps"][0]["original_step"] == record["question"]


@pytest.mark.parametrize(
    ("of", "chain_changes", "outcome", "reason"),
    [
        ({"track": "inference"}, {}, "correct", "not_math"),
        ({}, {"is_correct": None}, "correct", "undecided_polarity"),
        ({"answer": None}, {}, "correct", "no_answer"),
        ({}, {"final_answer": None}, "correct", "no_final_answer"),
        ({}, {}, None, "undecided_step"),
        ({}, {}, "of_another_taxonomy", "undecided_category"),
    ],
)
def test_what_the_format_cannot_hold_is_a_fault(
    problem: MakeProblem,
    chain: MakeChain,
    labels: MakeLabels,
    of: dict[str, Any],
    chain_changes: dict[str, Any],
    outcome: str | None,
    reason: str,
) -> None:
    owner = problem(4, **of)
    given = chain(owner, **chain_changes)
    found = labels(given, "correct", outcome, "correct")
    fault = perl_fault(owner, given, found)
    assert fault is not None
    assert fault[0] == reason
    with pytest.raises(ValueError, match=reason):
        perl_record(owner, given, found)


def test_an_error_without_an_agreed_category_is_a_fault(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    of = problem(4)
    given = chain(of)
    found = labels(given, "correct", "other", "correct")
    found[1] = found[1].model_copy(update={"category": None})
    fault = perl_fault(of, given, found)
    assert fault is not None
    assert fault[0] == "undecided_category"
