"""Small traces: a chain on pears with the labels that a test asks for."""

from __future__ import annotations

from typing import Any

from chainwright.formats.trace import StepLabel, Trace
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.words import Binary

STEPS = ["A crate holds 6*4=24 pears.", "24-2=22 are good.", "So 22."]
PASSAGES = [
    Passage(ref=1, title="Crates", text="A crate holds 24 pears."),
    Passage(ref=2, title="", text="Two are rotten."),
]


def label(outcome: str | None, **changes: Any) -> StepLabel:
    """A label by its outcome: None, `correct`, `error`, or the category of an error."""
    word: Binary | None = "error"
    category = outcome
    if outcome in (None, "correct", "error"):
        word, category = {None: None, "correct": "correct", "error": "error"}[outcome], None
    return StepLabel(**{"label": word, "category": category, "premises": (0,), **changes})


def trace(*outcomes: str | None, steps: list[str] | None = None, **changes: Any) -> Trace:
    """A trace with those outcomes, one a step; `changes` are those of chain and problem."""
    steps = steps or [f"{STEPS[at % 3]}" for at in range(len(outcomes))]
    of_problem = {"source", "question", "answer", "solution", "context", "options", "track"}
    problem = Problem.build(
        **{
            "source": "pears",
            "question": "How many pears are good?",
            "answer": "22",
            **{key: value for key, value in changes.items() if key in of_problem},
        }
    )
    chain = Chain.build(
        **{
            "problem_id": problem.problem_id,
            "origin": "model",
            "generator": "a-model",
            "steps": steps,
            "final_answer": "22",
            "is_correct": "error" not in str(outcomes),
            **{key: value for key, value in changes.items() if key not in of_problem},
        }
    )
    return Trace(problem, chain, tuple(label(outcome) for outcome in outcomes))


def signs(found: Trace) -> list[str | None]:
    """The labels of a trace, step by step."""
    return [one.label for one in found.labels]
