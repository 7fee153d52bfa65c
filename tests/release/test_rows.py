"""Rows: a chain joined with its problem and labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chainwright.release.rows import label_fault, released_chain
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem

MakeProblem = Callable[..., Problem]
MakeChain = Callable[..., Chain]
MakeLabels = Callable[..., list[Label]]


def test_the_row_holds_problem_chain_and_labels(
    problem: MakeProblem, chain: MakeChain, negative: MakeChain, labels: MakeLabels
) -> None:
    of = problem(4)
    wrong = negative(of, chain(of))
    marked = labels(wrong, "mathematical_error", "accumulation_error", "accumulation_error")
    row = released_chain(of, wrong, marked[::-1])
    assert (row.chain_id, row.problem_id) == (wrong.chain_id, of.problem_id)
    assert (row.source, row.licence, row.question) == (of.source, of.licence, of.question)
    assert [step.step for step in row.steps] == [1, 2, 3]
    assert [step.text for step in row.steps] == wrong.steps
    assert [step.category for step in row.steps] == [one.category for one in marked]
    assert [step.premises for step in row.steps] == [[0], [1], [2]]
    assert (row.perturbed_step, row.perturbation_kind) == (1, "digit_slip")


@pytest.mark.parametrize(
    ("outcomes", "first_error"),
    [
        (("correct", "correct", "correct"), None),
        (("correct", "other", "accumulation_error"), 2),
        (("other", None, "correct"), 1),
        (("correct", None, "other"), None),
        (("correct", "correct", None), None),
        ((None, "correct", "correct"), None),
    ],
)
def test_the_first_error_is_not_claimed_beyond_an_undecided_step(
    problem: MakeProblem,
    chain: MakeChain,
    labels: MakeLabels,
    outcomes: tuple[str | None, ...],
    first_error: int | None,
) -> None:
    of = problem(4)
    given = chain(of)
    assert released_chain(of, given, labels(given, *outcomes)).first_error == first_error


def test_an_unfaithful_step_is_a_first_error_and_a_faithful_one_is_not(
    problem: MakeProblem, chain: MakeChain, label: Callable[..., Label]
) -> None:
    of = problem(4, track="inference")
    given = chain(of)
    found = [
        label(given, 1, label="faithful", category=None),
        label(given, 2, label="unfaithful", category="rule_violation"),
        label(given, 3, label="faithful", category=None),
    ]
    assert released_chain(of, given, found).first_error == 2


def test_the_chain_has_the_lowest_tier_of_its_steps(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    of = problem(4)
    given = chain(of)
    gold, silver, gold_too = labels(given, "correct", "correct", "correct")
    silver = silver.model_copy(update={"tier": "silver"})
    assert released_chain(of, given, [gold, silver, gold_too]).tier == "silver"


def test_labels_that_do_not_cover_each_step_once_are_a_fault(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    of = problem(4)
    given = chain(of)
    whole = labels(given, "correct", "correct", "correct")
    assert label_fault(given, whole) is None
    for wanting, reason in (
        ([], "no_labels"),
        (whole[:2], "incomplete_labels"),
        ([*whole, whole[0]], "incomplete_labels"),
    ):
        fault = label_fault(given, wanting)
        assert fault is not None
        assert fault[0] == reason
        with pytest.raises(ValueError, match=reason):
            released_chain(of, given, wanting)


def test_a_premise_that_is_no_earlier_step_is_a_fault(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    given = chain(problem(4))
    found = labels(given, "correct", "correct", "correct")
    found[1] = found[1].model_copy(update={"premises": [0, 2]})
    assert label_fault(given, found) == (
        "invalid_premises",
        "step 2 rests on [2]; allowed are 0 to 1",
    )


def test_parts_that_do_not_belong_together_are_refused(
    problem: MakeProblem, chain: MakeChain, labels: MakeLabels
) -> None:
    given = chain(problem(4))
    with pytest.raises(ValueError, match=f"is of problem {given.problem_id}"):
        released_chain(problem(5), given, labels(given, "correct", "correct", "correct"))
    with pytest.raises(ValueError, match="given for chain"):
        label_fault(given, labels(chain(problem(5)), "correct"))


def faithful(of: Chain, *steps: tuple[str | None, list[int]], make: MakeLabels) -> list[Label]:
    """Labels of a chain on a context: of each step the label's first letter, and the premises."""
    words = {"f": ("faithful", None), "u": ("unfaithful", "confusion"), None: (None, None)}
    return [
        one.model_copy(
            update={
                "label": words[letter][0],
                "category": words[letter][1],
                "premises": premises,
            }
        )
        for one, (letter, premises) in zip(make(of, *["correct"] * len(steps)), steps, strict=True)
    ]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([("f", [0]), ("u", [1]), ("f", [0, 2]), ("f", [3])], [False, False, True, True]),
        ([("u", [0]), ("u", [1]), ("f", [0])], [False, False, False]),
        ([("u", []), ("f", []), ("f", [1])], [False, None, True]),
        ([("f", []), ("f", [1])], [None, None]),
        ([(None, [0]), ("f", [1]), ("u", [2])], [None, None, False]),
    ],
)
def test_a_faithful_step_that_rests_on_an_unfaithful_one_is_propagated(
    chain: MakeChain,
    problem: MakeProblem,
    labels: MakeLabels,
    steps: list[tuple[str | None, list[int]]],
    expected: list[bool | None],
) -> None:
    of = problem(4, track="grounding")
    one = chain(of, [f"step {n}." for n in range(len(steps))])
    row = released_chain(of, one, faithful(one, *steps, make=labels))
    assert [step.propagated for step in row.steps] == expected
    assert row.track == "grounding"


def test_in_math_what_is_propagated_is_an_accumulation_error(
    chain: MakeChain, problem: MakeProblem, labels: MakeLabels
) -> None:
    of = problem(4)
    one = chain(of, ["a.", "b.", "c.", "d."])
    found = labels(one, "other", "accumulation_error", "correct", None)
    row = released_chain(of, one, found)
    assert [step.propagated for step in row.steps] == [False, True, False, None]


def test_citations_and_the_answers_f1_go_with_the_chain(
    chain: MakeChain, problem: MakeProblem, labels: MakeLabels
) -> None:
    of = problem(4, track="grounding", question_type="3hop1")
    one = chain(of, ["a.", "b."], citations=[[2, 3], []], answer_f1=0.5)
    row = released_chain(of, one, labels(one, "correct", "correct"))
    assert [step.citations for step in row.steps] == [[2, 3], []]
    assert (row.answer_f1, row.question_type) == (0.5, "3hop1")
    bare = released_chain(of, chain(of, ["a."]), labels(chain(of, ["a."]), "correct"))
    assert bare.steps[0].citations == []


def test_citations_that_do_not_fit_the_steps_are_a_fault(
    chain: MakeChain, problem: MakeProblem, labels: MakeLabels
) -> None:
    one = chain(problem(4), ["a.", "b."], citations=[[2]])
    fault = label_fault(one, labels(one, "correct", "correct"))
    assert fault == ("invalid_citations", "citations are of 1 steps; there are 2")
