"""Judges that read a share of the chains: drawn by problem, measured, and never counted."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.judges import judge_name, judges_of, observers, panel_of
from chainwright.annotation.stages import LABELS, VOTES
from chainwright.annotation.statistics import statistics
from chainwright.recipe import Recipe
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote
from chainwright.stage import Tables, is_drawn
from tests.annotation.scripted_asker import agreeable
from tests.scripted_models import a_recipe, run

URI = "compat:one@http://localhost:1/v1"
OBSERVER = "compat:one#one_pass"
PROBLEMS = [
    Problem.build(source="s", question=f"2 boxes of {n} figs. How many?", answer=str(2 * n))
    for n in range(3, 43)
]
CHAINS = [
    Chain.build(
        problem_id=problem.problem_id,
        origin="model",
        generator="g",
        steps=["2 boxes.", f"So {problem.answer}."],
        final_answer=problem.answer,
        is_correct=True,
    )
    for problem in PROBLEMS
]
TABLES: Tables = {"problems": PROBLEMS, "chains": CHAINS}


def observed(share: float, *judges: Any) -> Recipe:
    watching = {"model": URI, "error": "one_pass", "share": share}
    return a_recipe(annotation={"judges": [*judges, watching], "bootstrap": 0}, seed=3)


RECIPE = observed(0.3, "program:arithmetic", "program:provenance")


def votes_of(recipe: Recipe) -> list[Vote]:
    made = run(VOTES, recipe, TABLES, agreeable)
    return [vote for vote in made.rows["votes"] if isinstance(vote, Vote)]


def labels_of(recipe: Recipe, votes: list[Vote]) -> list[Label]:
    assert LABELS.process is not None
    made = LABELS.process(recipe, {**TABLES, "votes": votes, "exact": []})
    return [label for label in made.rows["labels"] if isinstance(label, Label)]


def test_it_votes_on_the_chains_of_the_problems_that_were_drawn() -> None:
    drawn = {c.chain_id for c in CHAINS if is_drawn(c.problem_id, 0.3, RECIPE.seed)}
    assert 0 < len(drawn) < len(CHAINS)
    votes = votes_of(RECIPE)
    assert {vote.chain_id for vote in votes if vote.judge == OBSERVER} == drawn
    assert len({vote.chain_id for vote in votes if vote.judge != OBSERVER}) == len(CHAINS)
    assert VOTES.plan is not None
    assert len(list(VOTES.plan(RECIPE, TABLES))) == len(drawn)


def test_labels_are_those_of_the_others_alone() -> None:
    with_it = labels_of(RECIPE, votes_of(RECIPE))
    without = a_recipe(annotation={"judges": ["program:arithmetic", "program:provenance"]})
    assert with_it == labels_of(without, votes_of(without))
    assert panel_of(RECIPE, "math") == ["program:arithmetic", "program:provenance"]
    assert observers(RECIPE) == [OBSERVER]


def test_one_that_reads_all_counts() -> None:
    recipe = observed(1.0, "program:arithmetic")
    assert observers(recipe) == []
    assert [judge_name(judge) for judge in judges_of(recipe)] == panel_of(recipe, "math")


def test_it_is_measured_where_the_truth_is_known() -> None:
    votes = votes_of(RECIPE)
    exact = [
        ExactLabel(
            chain_id=chain.chain_id,
            step=step,
            label="correct" if step == 1 else "error",
            category=None if step == 1 else "accumulation_error",
            premises=[0],
            unresolved=[],
        )
        for chain in CHAINS[:30]
        for step in (1, 2)
    ]
    tables = {**TABLES, "votes": votes, "exact": exact, "labels": labels_of(RECIPE, votes)}
    found = statistics([tables], RECIPE)
    asked = [v for v in votes if v.judge == OBSERVER and v.task == "error"]
    known = {label.chain_id for label in exact}
    expected = sum(vote.chain_id in known for vote in asked)
    accuracy = found["calibration"]["judges"][OBSERVER]["accuracy"]
    # valid given its premises, so `correct` is right for the inherited error as well
    assert (accuracy["correct"], accuracy["voted"]) == (expected, expected)
    assert found["observers"] == [OBSERVER]
    assert OBSERVER not in found["agreement"]["judges"]


@given(st.text(min_size=1), st.floats(0.001, 1), st.floats(0.001, 1), st.integers(0, 99))
def test_a_larger_share_only_adds(problem: str, one: float, other: float, seed: int) -> None:
    if is_drawn(problem, min(one, other), seed):
        assert is_drawn(problem, max(one, other), seed)
    assert is_drawn(problem, 1.0, seed)
