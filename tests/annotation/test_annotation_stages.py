"""The wing's stages: every vote and label is accounted for, and a judge fails alone."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from chainwright.annotation.labelling import label_chain
from chainwright.annotation.program_panel import PROGRAMS, Program, program_votes
from chainwright.annotation.programs.arithmetic import arithmetic
from chainwright.annotation.programs.case import Case, Opinion
from chainwright.annotation.stages import LABELS, VOTES
from chainwright.llm.request import Answer, Request
from chainwright.recipe import Recipe
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote
from chainwright.stage import Batch, Tables

PANEL = [f"program:{name}" for name in PROGRAMS]
PROBLEMS = [
    Problem.build(
        source="own",
        question=f"Ines fills {jars} jars with 7 figs each. How many figs are that?",
        answer=str(jars * 7),
        solution=f"{jars} * 7 = {jars * 7}",
    )
    for jars in (4, 6)
]
CHAINS = [
    Chain.build(
        problem_id=problem.problem_id,
        origin="model",
        generator=generator,
        steps=steps,
        final_answer="28",
        is_correct=None,
    )
    for problem in PROBLEMS
    for generator, steps in (
        ("quick", ["4 * 7 = 28"]),
        ("slow", ["Ines fills 4 jars.", "4 * 7 = 27", "27 + 1 = 28"]),
    )
]
STEPS = sum(len(chain.steps) for chain in CHAINS)


class NobodyAsked:
    """Programs ask no model."""

    async def ask(self, request: Request) -> Answer:
        raise AssertionError(f"asked {request}")


def a_recipe(judges: Sequence[str] = PANEL) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "figs",
            "sources": [{"kind": "gsm8k", "path": "figs.jsonl"}],
            "annotation": {"judges": list(judges)},
        }
    )


def voted(recipe: Recipe, chains: Sequence[Chain] = CHAINS) -> Batch:
    tables: Tables = {"problems": PROBLEMS, "chains": chains}

    async def batch() -> Batch:
        assert VOTES.ask is not None
        return await VOTES.ask(recipe, tables, NobodyAsked())

    return asyncio.run(batch())


def votes_in(batch: Batch) -> list[Vote]:
    votes = [row for row in batch.rows["votes"] if isinstance(row, Vote)]
    assert len(votes) == len(batch.rows["votes"])
    return votes


def labelled(recipe: Recipe, tables: Tables) -> Batch:
    assert LABELS.process is not None
    return LABELS.process(recipe, {"problems": PROBLEMS, **tables})


def test_the_stages_read_and_write_what_they_say() -> None:
    assert (VOTES.reads, VOTES.writes) == (("problems", "chains"), ("votes",))
    assert (LABELS.reads, LABELS.writes) == (
        ("problems", "chains", "votes", "exact", "posteriors", "human_labels"),
        ("labels",),
    )
    assert list(voted(a_recipe()).rows) == ["votes"]
    assert list(labelled(a_recipe(), {"chains": CHAINS, "votes": [], "exact": []}).rows) == [
        "labels"
    ]


@pytest.mark.parametrize("judges", [[], PANEL[:1], PANEL], ids=["none", "one", "three"])
def test_every_judge_votes_on_every_step_of_every_chain(judges: list[str]) -> None:
    batch = voted(a_recipe(judges))
    tasks = [(judge, "error") for judge in judges]
    tasks += [("program:provenance", "premises")] * ("program:provenance" in judges)
    expected = {
        (chain.chain_id, step, judge, task): 1
        for chain in CHAINS
        for step in range(1, len(chain.steps) + 1)
        for judge, task in tasks
    }
    found = Counter((v.chain_id, v.step, v.judge, v.task) for v in votes_in(batch))
    assert found == expected
    assert batch.taken["votes"] == len(tasks) * STEPS
    assert (batch.rejects, batch.unaccounted()) == ([], {})


def test_votes_are_those_of_the_program_on_its_own_problem() -> None:
    by_id = {problem.problem_id: problem for problem in PROBLEMS}
    expected = [
        vote
        for chain in CHAINS
        for name in PROGRAMS
        for vote in program_votes(name, by_id[chain.problem_id], chain)
    ]
    assert voted(a_recipe()).rows["votes"] == expected


def test_no_chains_give_no_votes_and_no_labels() -> None:
    batch = voted(a_recipe(), [])
    assert (batch.rows, batch.rejects, batch.unaccounted()) == ({"votes": []}, [], {})
    batch = labelled(a_recipe(), {"chains": [], "votes": [], "exact": []})
    assert (batch.rows, batch.rejects, batch.unaccounted()) == ({"labels": []}, [], {})


def broken(case: Case) -> list[Opinion]:
    if len(case.steps) > 1:
        raise ZeroDivisionError("no figs")
    return arithmetic(case)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_judge_that_raises_rejects_its_own_votes_on_that_chain_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = f"program:{name}"
    others = [vote for vote in votes_in(voted(a_recipe())) if vote.judge != judge]
    tasks = 2 if PROGRAMS[name].gives_premises else 1
    monkeypatch.setitem(PROGRAMS, name, Program(broken, "1", gives_premises=tasks == 2))
    batch = voted(a_recipe())
    assert [vote for vote in votes_in(batch) if vote.judge != judge] == others
    kept = {vote.chain_id for vote in votes_in(batch) if vote.judge == judge}
    assert kept == {chain.chain_id for chain in CHAINS if len(chain.steps) == 1}
    assert [
        (reject.stage, reject.table, reject.item, reject.reason) for reject in batch.rejects
    ] == [
        ("votes", "votes", f"{chain.chain_id}/{judge}/{place}", "judge_failed")
        for chain in CHAINS
        if len(chain.steps) > 1
        for place in range(1, tasks * len(chain.steps) + 1)
    ]
    assert {reject.detail for reject in batch.rejects} == {"ZeroDivisionError: no figs"}
    assert batch.unaccounted() == {}


def test_what_a_judge_failed_with_is_cut_and_can_be_written_to_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def verbose(case: Case) -> list[Opinion]:
        raise ValueError("\ud800" + "x" * 2000)

    monkeypatch.setitem(PROGRAMS, "arithmetic", Program(verbose, "1"))
    batch = voted(a_recipe(["program:arithmetic"]))
    assert len(batch.rejects) == STEPS
    for reject in batch.rejects:
        assert reject.detail.startswith("ValueError: ")
        assert len(reject.detail.encode("utf-8")) < 600


def test_labels_join_each_chain_with_its_own_votes_and_exact_labels() -> None:
    votes = votes_in(voted(a_recipe()))
    Random(3).shuffle(votes)
    exact = [
        ExactLabel(
            chain_id=CHAINS[1].chain_id,
            step=step,
            label="correct" if step == 1 else "error",
            category=category,
            premises=[step - 1],
            unresolved=[],
        )
        for step, category in ((1, None), (2, "mathematical_error"), (3, "accumulation_error"))
    ]
    batch = labelled(a_recipe(), {"chains": CHAINS, "votes": votes, "exact": exact})
    assert batch.rows["labels"] == [
        label for chain in CHAINS for label in label_chain(chain, votes, exact, PANEL)
    ]
    assert batch.taken["labels"] == STEPS
    assert (batch.rejects, batch.unaccounted()) == ([], {})


def test_a_step_that_lost_its_votes_is_labelled_with_the_judge_missing() -> None:
    votes = [vote for vote in votes_in(voted(a_recipe())) if vote.judge != "program:reference"]
    batch = labelled(a_recipe(), {"chains": CHAINS, "votes": votes, "exact": []})
    labels = [label for label in batch.rows["labels"] if isinstance(label, Label)]
    assert len(labels) == STEPS
    for label in labels:
        assert [vote.judge for vote in label.votes] == PANEL
        assert label.votes[PANEL.index("program:reference")].status == "missing"
        assert label.tier != "gold"


def test_stages_depend_on_the_judges_and_programs_not_on_the_seed() -> None:
    recipe, seeded, other = a_recipe(), a_recipe(), a_recipe(PANEL[:2])
    seeded = seeded.model_copy(update={"seed": 5})
    for stage in (VOTES, LABELS):
        assert stage.settings(recipe) == stage.settings(seeded)
        assert stage.settings(recipe) != stage.settings(other)
