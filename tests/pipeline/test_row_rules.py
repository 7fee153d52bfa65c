from typing import Any

import pytest

from chainwright.pipeline.validation.row_rules import rule_flaws
from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.json_schema import SCHEMAS
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.record import Record
from chainwright.schemas.release import ReleasedChain
from chainwright.schemas.vote import Vote

PASSAGE = Passage(ref=1, title="Pears", text="A pear is a fruit.")
PROBLEM = Problem.build(
    source="pears", question="How many?", context=[PASSAGE], options=["one", "two"]
)
CHAIN = Chain.build(
    problem_id=PROBLEM.problem_id,
    origin="model",
    generator="someone",
    steps=["One.", "Two.", "Three."],
    final_answer="3",
    is_correct=True,
)
ID = CHAIN.chain_id
EXACT = ExactLabel(
    chain_id=ID, step=3, label="correct", category=None, premises=[0, 2], unresolved=[]
)
VOTE = Vote(
    chain_id=ID,
    step=3,
    task="error",
    judge="program:arithmetic",
    prompt_version="1",
    label="error",
    category="other",
    premises=[0, 1, 2],
    explanation=None,
    status="ok",
    request_key=None,
)
CAST = {"judge": "j", "status": "ok", "label": "error", "category": "other", "explanation": None}
LABEL = Label.model_validate(
    {
        "chain_id": ID,
        "step": 3,
        "label": "error",
        "category": None,
        "premises": [2],
        "label_source": "panel",
        "tier": "disputed",
        "binary_tier": "gold",
        "reason": "split",
        "panel_label": "error",
        "panel_category": None,
        "panel_premises": [0],
        "votes": [CAST],
    }
)
STEP = {
    "text": "…",
    "label": "correct",
    "category": None,
    "premises": [0],
    "label_source": "exact",
    "tier": "gold",
}
RELEASED = ReleasedChain.model_validate(
    {
        "chain_id": ID,
        "problem_id": PROBLEM.problem_id,
        "source": "pears",
        "licence": None,
        "question": "?",
        "answer": None,
        "origin": "model",
        "polarity": "negative",
        "generator": "someone",
        "final_answer": None,
        "is_correct": False,
        "tier": "silver",
        "first_error": 2,
        "parent_id": None,
        "perturbed_step": None,
        "perturbation_kind": None,
        "steps": [
            STEP | {"step": 1},
            STEP | {"step": 2, "label": "error", "tier": "silver"},
            STEP | {"step": 3, "label": None, "premises": [1, 2]},
        ],
    }
)
PERL: dict[str, Any] = {
    "question": "?",
    "ground_truth_answer": "3",
    "model_answer": 3,
    "steps": ["One.", "Two."],
    "premise_annotation": {
        "steps": [
            {"step_number": 0, "original_step": "?", "premises": [[0, "?"]]},
            {"step_number": 1, "original_step": "One.", "premises": [[0, "?"]]},
            {"step_number": 2, "original_step": "Two.", "premises": [[1, "One."]]},
        ]
    },
    "error_annotation": {
        "error_annotations": {
            "step_level": [
                {"step_number": 1, "has_error": False, "errors": []},
                {
                    "step_number": 2,
                    "has_error": True,
                    "errors": [{"error_type": "Other", "error_description": "?"}],
                },
            ]
        }
    },
}
GOOD: dict[str, Record] = {
    "problems": PROBLEM,
    "chains": CHAIN,
    "exact": EXACT,
    "votes": VOTE,
    "chain votes": VOTE.model_copy(
        update={"task": "chain", "step": 0, "category": "missing_steps", "premises": None}
    ),
    "labels": LABEL,
    "released_chains": RELEASED,
    "perl": SCHEMAS["perl"].model_validate(PERL),
    "critiques": Critique(chain_id=ID, step=1, critic="c", description="d", tags=["t"]),
}


@pytest.mark.parametrize("row", GOOD.values(), ids=GOOD)
def test_good_rows_break_no_rule(row: Record) -> None:
    assert list(rule_flaws(row)) == []


def changed(row: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of a row with the value at a path such as `steps.1.label` replaced."""
    head, _, rest = path.partition(".")
    new: Any = row.copy()
    key: Any = int(head) if head.isdecimal() else head
    new[key] = changed(new[key], rest, value) if rest else value
    return new  # type: ignore[no-any-return]


ERRORS = "error_annotation.error_annotations.step_level"
FAULTY = [
    ("problems", "question", "How much?", "problem_id", "the hash of its content, p-"),
    ("problems", "context.0.text", "It is not.", "problem_id", "the hash of its content, p-"),
    ("problems", "options", [], "problem_id", "the hash of its content, p-"),
    ("chains", "steps.1", "2.", "chain_id", "the hash of its content, c-"),
    ("chains", "final_answer", None, "chain_id", "the hash of its content, c-"),
    ("chains", "citations", [[1]], "citations", "none, or one entry for each of 3 steps"),
    ("chains", "polarity", None, "polarity", '"positive", by origin model and is_correct true'),
    ("chains", "is_correct", None, "polarity", "null, by origin model and is_correct null"),
    ("chains", "perturbed_step", 4, "perturbed_step", "null, or a step from 1 to 3"),
    ("exact", "category", "other", "category", "null, since the label is correct"),
    ("exact", "label", "error", "category", "a category, since the label is error"),
    ("exact", "label", "unfaithful", "category", "a category, since the label is unfaithful"),
    ("exact", "premises", [0, 3], "premises[1]", "a step before step 3"),
    ("votes", "label", None, "category", "null, since the label is null"),
    ("votes", "label", "faithful", "category", "null, since the label is faithful"),
    ("votes", "category", None, "category", "a category, since the label is error"),
    ("votes", "premises", [-1, 2], "premises[0]", "a step before step 3"),
    ("votes", "step", 2, "premises[2]", "a step before step 2"),
    ("votes", "step", 0, "step", "a step from 1 on, since the task is error"),
    ("votes", "task", "chain", "step", "0, since the task is chain"),
    ("votes", "task", "chain", "category", "one of missing_steps, planning_error"),
    ("votes", "task", "chain", "premises", "null, since the task is chain"),
    ("labels", "label", "correct", None, ""),
    ("labels", "category", "other", None, ""),
    ("labels", "panel_category", "other", None, ""),
    ("labels", "label", None, None, ""),
    ("labels", "votes.0.label", "correct", "votes[0].category", "null, since the label is"),
    ("labels", "votes.0.category", None, "votes[0].category", "a category, since"),
    ("labels", "premises", [3], "premises[0]", "a step before step 3"),
    ("labels", "panel_premises", [7], "panel_premises[0]", "a step before step 3"),
    ("labels", "panel_premises", None, None, ""),
    ("released_chains", "steps.0.step", 2, "steps[0].step", "1, its place in the chain"),
    ("released_chains", "steps.0.category", "other", "steps[0].category", "null, since"),
    ("released_chains", "steps.2.premises", [3], "steps[2].premises[0]", "a step before step 3"),
    ("released_chains", "first_error", None, "first_error", "2, by the labels"),
    ("released_chains", "steps.0.label", None, "first_error", "null, by the labels"),
    ("released_chains", "tier", "gold", "tier", "silver, the lowest of its steps"),
    ("released_chains", "polarity", "positive", "polarity", '"negative", by origin model'),
    ("released_chains", "origin", "synthetic", "polarity", '"synthetic_negative", by origin'),
    ("released_chains", "difficulty", 1.5, "difficulty", "null, or a number from 0 to 1"),
    ("released_chains", "hard_probability", 0.0, "hard_probability", "above 0 and at most 1"),
    ("released_chains", "test_slices", ["random"], "random_probability", "a number, since random"),
    ("released_chains", "perturbed_step", 0, "perturbed_step", "null, or a step from 1 to 3"),
    ("perl", "steps", ["One."], "premise_annotation.steps", "0 to 1 in order"),
    ("perl", "premise_annotation.steps", [], "premise_annotation.steps", "0 to 2 in order"),
    (
        "perl",
        "premise_annotation.steps.2.premises",
        [[0, "?"], [2, "Two."]],
        "premise_annotation.steps[2].premises[1]",
        "a step before step 2",
    ),
    (
        "perl",
        "premise_annotation.steps.0.premises",
        [[1, "One."]],
        "premise_annotation.steps[0].premises[0]",
        "0 for the question",
    ),
    ("perl", f"{ERRORS}.1.step_number", 1, ERRORS, "1 to 2 in order"),
    ("perl", f"{ERRORS}.0.has_error", True, f"{ERRORS}[0].has_error", "false, since it lists 0"),
    ("perl", f"{ERRORS}.1.errors", [], f"{ERRORS}[1].has_error", "false, since it lists 0"),
]


@pytest.mark.parametrize(("table", "path", "value", "field", "expected"), FAULTY)
def test_a_broken_rule_is_told_at_its_field(
    table: str, path: str, value: Any, field: str | None, expected: str
) -> None:
    base = PERL if table == "perl" else GOOD[table].model_dump()
    row = SCHEMAS[table].model_validate(changed(base, path, value))
    flaws = {flaw.field: flaw.expected for flaw in rule_flaws(row)}
    if field is None:
        assert flaws == {}
    else:
        assert expected in flaws[field]
