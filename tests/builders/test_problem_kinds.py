"""MATH, Orca-Math and MetaMathQA: rows to problems, and their solutions to reference chains."""

from typing import Any

import pytest

from chainwright.builders.raw_rows import RawRow
from chainwright.builders.sources import problems_from_rows
from chainwright.builders.stages import CHAINS
from chainwright.recipe import Recipe, Source
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch

DRAWING = "[asy]\ndraw((0,0)--(3,4));\n[/asy]"


def read(kind: str, row: dict[str, Any], **source: Any) -> Batch:
    given = Source.model_validate({"kind": kind, "path": "a.jsonl"} | source)
    return problems_from_rows([RawRow("a.jsonl:1", row)], given, 0)


def problem(kind: str, row: dict[str, Any], **source: Any) -> Problem:
    (found,) = read(kind, row, **source).rows["problems"]
    assert isinstance(found, Problem)
    return found


def reference(one: Problem) -> Chain:
    recipe = Recipe.model_validate({"name": "r", "sources": [{"kind": "math", "path": "a"}]})
    assert CHAINS.process is not None
    (chain,) = CHAINS.process(recipe, {"problems": [one]}).rows["chains"]
    assert isinstance(chain, Chain)
    return chain


def math(**more: Any) -> dict[str, Any]:
    row = {
        "problem": f"How long is the line?\n{DRAWING}",
        "level": "Level 2",
        "type": "Geometry",
        "solution": r"By Pythagoras it is $\sqrt{3^2+4^2}=\boxed{\sqrt{25}}$, or $\boxed{5}$.",
    }
    return row | more


def test_math_takes_the_last_box_and_keeps_drawings() -> None:
    found = problem("math", math())
    assert (found.answer, found.answer_kind, found.source) == ("5", None, "math")
    assert DRAWING in found.question
    assert found.solution == math()["solution"]


def test_math_takes_nested_braces_whole() -> None:
    boxed = r"$x = \boxed{\frac{\sqrt{3}}{2} + \left\{1\right\}}$"
    assert problem("math", math(solution=boxed)).answer == r"\frac{\sqrt{3}}{2} + \left\{1\right\}"


@pytest.mark.parametrize("more", [{"level": 3, "subject": "Algebra", "answer": "25^{1/2}"}])
def test_math_500_has_an_answer_of_its_own(more: dict[str, Any]) -> None:
    assert problem("math", math(**more)).answer == "25^{1/2}"


@pytest.mark.parametrize("answer", [None, ""])
def test_an_empty_answer_is_none(answer: str | None) -> None:
    assert problem("math", math(answer=answer)).answer == "5"


@pytest.mark.parametrize(
    ("kind", "row", "reason"),
    [
        ("math", math(solution="It is clear."), "no_answer"),
        ("math", math(solution=r"So it is \boxed{5"), "no_answer"),
        ("math", math(solution=None), "empty_field"),
        ("math", {"question": "q", "solution": r"\boxed{1}"}, "missing_field"),
        (
            "orca_math",
            {"question": "Who runs?", "answer": "Ann runs, and so does Bo."},
            "no_answer",
        ),
        ("orca_math", {"question": "How many?", "answer": "Either 3 or 4 of them."}, "no_answer"),
        ("metamathqa", {"query": "q", "response": "It depends on Ann."}, "no_answer"),
        ("metamathqa", {"question": "q", "answer": "The answer is: 3"}, "missing_field"),
    ],
)
def test_rows_without_an_answer_are_rejects(kind: str, row: dict[str, Any], reason: str) -> None:
    batch = read(kind, row)
    assert [reject.reason for reject in batch.rejects] == [reason]
    assert not batch.unaccounted()


def test_orca_math_ends_in_its_result() -> None:
    row = {
        "question": "Ann walks 3 km and then 4 km. How far is that?",
        "answer": "She walks 3 km first.\n\nThen 4 km:\n\n3 + 4 = 7\n\nSo she walks 7 km.",
    }
    found = problem("orca_math", row)
    assert found.answer == "7 km"
    assert reference(found).steps == [
        "She walks 3 km first.",
        "Then 4 km:\n\n3 + 4 = 7",
        "So she walks 7 km.",
    ]
    assert reference(found).final_answer == "7 km"


def test_metamathqa_states_its_answer() -> None:
    row = {"query": "How many?", "response": "Half of 8 is 4.\n#### 4\nThe answer is: 4"}
    found = problem("metamathqa", row)
    assert (found.answer, found.solution) == ("4", "Half of 8 is 4.\n#### 4")
    assert reference(found).steps == ["Half of 8 is 4."]
    row = {"query": "What is x?", "response": "It is\n$\\frac12$.\nThe answer is: \\frac{1}{2}"}
    found = problem("metamathqa", row)
    assert (found.answer, found.solution) == ("\\frac{1}{2}", row["response"])
    assert "The answer is" not in "".join(reference(found).steps)


def test_a_number_can_be_asked_for() -> None:
    assert problem("math", math(), answer_kind="number").answer == "5"
    batch = read("math", math(solution=r"\boxed{x}"), answer_kind="number")
    assert [reject.reason for reject in batch.rejects] == ["answer_not_a_number"]


def test_licences_come_from_the_recipe_or_the_publisher() -> None:
    row = {"query": "q", "response": "The answer is: 3"}
    assert problem("metamathqa", row).licence is None
    assert problem("metamathqa", row, path=None, hub="meta-math/MetaMathQA").licence == "MIT"
    assert problem("metamathqa", row, licence="CC0-1.0").licence == "CC0-1.0"
