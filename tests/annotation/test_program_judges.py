"""The judges that need no model: what each says of a step, and what it gets to see."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.annotation.program_panel import PROGRAMS, Program, program_votes
from chainwright.annotation.programs.arithmetic import arithmetic
from chainwright.annotation.programs.case import Case, Opinion, correct
from chainwright.annotation.programs.provenance import provenance
from chainwright.annotation.programs.reference import reference
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.vote import Vote

PLUMS = "Mia picks 12 plums a day for 5 days and sells 18 of them. How many plums are left?"
SOLUTION = "She picks 12*5=<<12*5=60>>60 plums.\nSo 60-18=<<60-18=42>>42 are left.\n#### 42"
NAMES = sorted(PROGRAMS)


def words(opinions: list[Opinion]) -> list[str]:
    return [opinion.category or opinion.label or opinion.status for opinion in opinions]


M, L, C, A = "mathematical_error", "logical_inconsistency", "correct", "abstained"


@pytest.mark.parametrize(
    ("step", "word"),
    [
        ("She picks 12*5=<<12*5=60>>60 plums.", C),
        ("She picks 12*5=<<12*5=50>>50 plums.", M),
        ("She picks 12*5=<<12*5=60>>50 plums.", M),
        ("She picks 12 * 5 = 60 plums.", C),
        ("She picks 12 plums x 5 days = 65 plums.", M),
        ("12 plus 5 equals 17", C),
        ("Each gets 10 / 3 = 3.33 litres.", C),
        ("Each gets 7 / 2 = 3 litres.", M),
        ("The tank holds \\(\\frac{3}{4} \\times 48 = 36\\) litres.", C),
        ("The tank holds \\[\\frac{3}{4} \\times 48 = 38\\] litres.", M),
        ("Price = Cost + Margin = $9 + $4 = $13.", C),
        ("Price = Cost + Margin = $9 + $4 = $14.", M),
        ("Price = Cost * Count\nPrice = 9 * 2\nPrice = 18", C),
        ("Price = Cost * Count\nPrice = 9 * 2\nPrice = 19", M),
        ("- Price = 9 * 2\n- Price = 16 + 2\n- Price = 17", M),
        ("Price = 9 * 2. Price = 18. The rest = 4 + 1. The rest = 6.", M),
        ("2x = 14 - 4\n2x = 10", C),
        ("2x = 14 - 4\n2x = 9", M),
        ("Price of 3 jars = 5 * 3. Price of 3 jars = 15.", C),
        ("Price of 3 jars = 5 * 3. Price of 3 jars = 16.", M),
        ("Price = Cost + 4\nPrice = 9 + 4\nPrice = 13", C),
        ("Price = Cost + 4\nPrice = 9 + 4\nPrice = 14", M),
        ("Count = Price of 3-litre jars / 4\nCount = 8 / 4\nCount = 2", C),
        ("Price = 20% of 90. Price = 0.2 * 90. Price = 17.", M),
        ("9 * 2 = price = 19", M),
        ("She has some plums left.", A),
        ("She has 12 plums.", A),
        ("2x + 4 = 10", A),
        ("", A),
    ],
)
def test_arithmetic_recomputes_what_a_step_states(step: str, word: str) -> None:
    assert words(arithmetic(Case("", (step,)))) == [word]


def test_arithmetic_says_what_is_wrong() -> None:
    (opinion,) = arithmetic(Case("", ("Then 4 * 5 = 21 jars, and 21 - 1 = 20.",)))
    assert opinion.explanation == "4 * 5 is 20, not 21"


@pytest.mark.parametrize(
    ("steps", "expected", "premises"),
    [
        (["She picks 12*5=<<12*5=60>>60.", "Left: 60-18=42."], [C, C], [[0], [0, 1]]),
        (["She picks 12 * 5 = 60.", "Left: 60 - 19 = 41."], [C, L], [[0], [1]]),
        (["She picks 12 * 30 = 360 plums."], [L], [[0]]),
        (["12 * 5 = 60", "60 / 2 = 30"], [C, A], [[0], [1]]),
        (["12 * 5 = 60, and 60 - 18 = 42"], [C], [[0]]),
        (["12 * 5 = 60", "18 of 60 are sold."], [C, C], [[0], [0, 1]]),
        (["77 plums are ripe.", "77 - 18 = 59"], [A, C], [[0], [0, 1]]),
        (["77 are ripe.", "So 77.", "77 - 18 = 59"], [A, C, C], [[0], [1], [0, 1]]),
        (["She picks plums.", "12 * 5 = 60"], [A, C], [None, [0]]),
        (["Picked = Days * Daily = 5 * 12 = 60", "Left = 60 - 18"], [C, C], [[0], [0, 1]]),
        (["12 * 100% = 12 * 1 = 12"], [C], [[0]]),
        (["12 * 5 = 30 + 30 = 60"], [C], [[0]]),
    ],
)
def test_provenance_asks_where_quantities_come_from(
    steps: list[str], expected: list[str], premises: list[list[int] | None]
) -> None:
    opinions = provenance(Case(PLUMS, tuple(steps)))
    assert words(opinions) == expected
    assert [None if o.premises is None else list(o.premises) for o in opinions] == premises


def test_provenance_names_what_comes_from_nowhere() -> None:
    (opinion,) = provenance(Case(PLUMS, ("12 * 37 = 444",)))
    assert opinion.explanation == "37 comes neither from the question nor from an earlier step"


@pytest.mark.parametrize(
    ("steps", "final", "expected"),
    [
        (["12 * 5 = 60", "60 - 18 = 42"], "42", [C, C]),
        (["5 * 12 = 60", "42 are left, as 60 - 18 = 42"], "42", [C, C]),
        (["12 + 5 = 17", "18 - 17 = 1"], "1", [L, C]),
        (["12 * 5 = 65", "65 - 18 = 47"], "47", [M, C]),
        (["12 * 5 = 60", "60 + 18 = 78"], "78", [C, L]),
        (["12 - 2 = 10", "10 * 5 - 8 = 42"], "42", [A, C]),
        (["12 * 5 = 65", "60 - 18 = 42"], "42", [M, C]),
        (["12 * 5 = 60", "She sells 18."], "60", [C, A]),
        (["12 + 5 = 17"], None, [L]),
    ],
)
def test_reference_compares_with_the_sources_solution(
    steps: list[str], final: str | None, expected: list[str]
) -> None:
    case = Case(PLUMS, tuple(steps), final, SOLUTION, "42")
    assert words(reference(case)) == expected


@pytest.mark.parametrize(
    ("solution", "step", "word"),
    [
        ("5 - 9 = -4", "9 - 5 = 4", C),  # a debt is an amount
        ("20 / 3 * 6 = 40", "20 / 3 = 6.67", L),
        ("20 / 3 = 6.66", "20 / 3 = 6.67", C),  # the same, rounded otherwise
        ("5 / 20 = 0.25", "5 / 20 * 100 = 25%", C),
        ("5 / 20 * 100 = 25", "5 / 20 = 0.25", C),
        ("5 * 20 = 100", "50 / 50 = 1", L),
    ],
)
def test_a_quantity_may_be_written_in_another_way(solution: str, step: str, word: str) -> None:
    assert words(reference(Case("", (step,), "8", solution, "9"))) == [word]


@pytest.mark.parametrize(("answer", "word"), [("-3", A), ("3", L)])
def test_the_sign_of_an_answer_counts(answer: str, word: str) -> None:
    assert words(reference(Case("", ("2 * 4 = 8",), "-$3", "1 + 1 = 2", answer))) == [word]


@pytest.mark.parametrize("stated", ["42", "$42", "42 plums", "\\boxed{42}", "x = 42"])
def test_a_right_answer_by_another_way_is_no_error(stated: str) -> None:
    case = Case(PLUMS, ("12 - 2 = 10", "50 - 8 = 42"), stated, SOLUTION, "42")
    assert words(reference(case)) == [A, C]


def test_reference_abstains_without_a_reference() -> None:
    opinions = reference(Case(PLUMS, ("12 * 5 = 61", "61 - 18 = 43"), "43"))
    assert words(opinions) == [A, A]


def a_problem(**more: Any) -> Problem:
    given: dict[str, Any] = {"question": PLUMS, "answer": "42", "solution": SOLUTION}
    return Problem.build(source="own", **(given | more))


def a_chain(problem: Problem, **more: Any) -> Chain:
    steps = ["12 * 5 = 60", "She sells some.", "60 - 19 = 42"]
    given: dict[str, Any] = {"origin": "model", "generator": "m", "steps": steps}
    given |= {"final_answer": "42", "is_correct": True}
    return Chain.build(problem_id=problem.problem_id, **(given | more))


def without_ids(votes: list[Vote]) -> list[dict[str, Any]]:
    return [vote.model_dump(exclude={"chain_id"}) for vote in votes]


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_has_one_vote_a_step_and_task(name: str) -> None:
    problem = a_problem()
    chain = a_chain(problem)
    votes = program_votes(name, problem, chain)
    tasks = ["error", "premises"] if name == "provenance" else ["error"]
    assert [(vote.task, vote.step) for vote in votes] == [
        (task, step) for task in tasks for step in (1, 2, 3)
    ]
    for vote in votes:
        assert (vote.chain_id, vote.judge) == (chain.chain_id, f"program:{name}")
        assert vote.prompt_version == PROGRAMS[name].version
        assert (vote.label is None) == (vote.status != "ok" or vote.task == "premises")
        assert (vote.category is not None) == (vote.label == "error")
        assert (vote.premises is not None) == (vote.task == "premises" and vote.status == "ok")


def test_a_case_has_no_place_for_what_a_judge_must_not_see() -> None:
    shown = {"question", "steps", "final_answer", "reference_solution", "reference_answer"}
    assert {field.name for field in fields(Case)} == shown


HIDDEN: dict[str, dict[str, Any]] = {
    "correctness": {"is_correct": False},
    "origin": {"origin": "reference"},
    "generator": {"generator": "chainwright:exact"},
    "perturbation": {
        "origin": "synthetic",
        "is_correct": False,
        "parent_id": "c-" + "0" * 20,
        "perturbed_step": 3,
        "perturbation": Perturbation(
            error_type="mathematical_error", kind="digit_slip", before="60-18=42", after="60-19=42"
        ),
    },
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=list(HIDDEN))
def test_where_a_chain_comes_from_changes_no_vote(name: str, hidden: dict[str, Any]) -> None:
    problem = a_problem()
    plain, marked = a_chain(problem), a_chain(problem, **hidden)
    assert plain != marked
    assert without_ids(program_votes(name, problem, plain)) == without_ids(
        program_votes(name, problem, marked)
    )


@pytest.mark.parametrize("name", NAMES)
def test_only_the_reference_judge_sees_solution_and_answer(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Case] = []

    def spy(case: Case) -> list[Opinion]:
        seen.append(case)
        return [correct("fine") for _ in case.steps]

    program = PROGRAMS[name]
    monkeypatch.setitem(PROGRAMS, name, Program(spy, "spy", sees_reference=program.sees_reference))
    problem = a_problem(context=[Passage(ref=1, title="Jam", text="A jar takes 6 plums.")])
    chain = a_chain(problem)
    program_votes(name, problem, chain)
    known = (SOLUTION, "42") if name == "reference" else (None, None)
    question = f"{PLUMS}\nA jar takes 6 plums."
    assert seen == [Case(question, tuple(chain.steps), "42", *known)]


def test_an_unknown_program_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="oracle"):
        program_votes("oracle", a_problem(), a_chain(a_problem()))


HOSTILE = [
    "1+" * 499 + "1=500",
    "(" * 70 + "1" + ")" * 70 + " + 1 = 2",
    "9" * 60 + " + 1 = 2",
    "1/0 = 0/0 = 1 / (2 - 2)",
    "2^64^64^64 = 1 = = = 1",
    "<<=>> <<1=>> <<=1>> <<1+1=2>",
    "\\frac{1}{\\frac{1}{0}} = \\boxed{",
    "٣ + ٤ = 7 and ½ + ½ = 1²",
    "= 1 =\n=\n- = 1 + 1\n- = 2",
]
texts = st.text(max_size=60) | st.text("0123 +-*/^()=<>.,%$½\\{}x\n", max_size=60)
texts |= st.sampled_from(HOSTILE)


@settings(max_examples=80)
@given(texts, st.lists(texts, min_size=1, max_size=3), texts | st.none(), texts)
@pytest.mark.parametrize("judge", [arithmetic, provenance, reference])
def test_hostile_text_never_raises(
    judge: Callable[[Case], list[Opinion]],
    question: str,
    steps: list[str],
    final: str | None,
    solution: str,
) -> None:
    opinions = judge(Case(question, tuple(steps), final, solution, final))
    assert len(opinions) == len(steps)
    for number, opinion in enumerate(opinions, start=1):
        assert opinion.status in ("ok", "abstained")
        assert (opinion.label is None) == (opinion.status == "abstained")
        assert (opinion.category is not None) == (opinion.label == "error")
        assert opinion.explanation
        assert all(0 <= premise < number for premise in opinion.premises or ())
