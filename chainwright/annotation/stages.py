"""The wing's stages: chains are voted on, votes become labels."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainwright.annotation.labelling import label_chain
from chainwright.annotation.program_panel import PROGRAMS, program_votes
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.schemas.vote import Vote
from chainwright.stage import Batch, Stage, Tables

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


def _vote(recipe: "Recipe", tables: Tables) -> Batch:
    problems: dict[str, Problem] = {p.problem_id: p for p in tables["problems"]}
    batch = Batch(rows={"votes": []})
    for chain in tables["chains"]:
        for judge in recipe.annotation.judges:
            _ask(judge, problems[chain.problem_id], chain, batch)
    return batch


def _ask(judge: str, problem: Problem, chain: Chain, batch: Batch) -> None:
    """Adds a judge's votes on a chain; a judge that fails on it rejects its own votes alone."""
    name = judge.partition(":")[2]
    expected = len(chain.steps) * (2 if PROGRAMS[name].gives_premises else 1)
    batch.taken["votes"] += expected
    try:
        votes: list[Vote] = program_votes(name, problem, chain)
    except Exception as error:
        batch.rejects += [
            Reject(
                stage="votes",
                table="votes",
                item=f"{chain.chain_id}/{judge}/{place}",
                reason="judge_failed",
                detail=f"{type(error).__name__}: {error}"[:500],
                payload=None,
            )
            for place in range(1, expected + 1)
        ]
        return
    batch.rows["votes"] += votes


def _label(recipe: "Recipe", tables: Tables) -> Batch:
    votes = _by_chain(tables["votes"])
    exact = _by_chain(tables["exact"])
    batch = Batch(rows={"labels": []})
    for chain in tables["chains"]:
        batch.taken["labels"] += len(chain.steps)
        batch.rows["labels"] += label_chain(
            chain, votes[chain.chain_id], exact[chain.chain_id], recipe.annotation.judges
        )
    return batch


def _by_chain(rows: Sequence[Any]) -> defaultdict[str, list[Any]]:
    grouped: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        grouped[row.chain_id].append(row)
    return grouped


VOTES = Stage(
    name="votes",
    reads=("problems", "chains"),
    writes=("votes",),
    settings=lambda recipe: recipe.annotation.judges,
    process=_vote,
    wing="chainwright.annotation",
)

LABELS = Stage(
    name="labels",
    reads=("chains", "votes", "exact"),
    writes=("labels",),
    settings=lambda recipe: recipe.annotation.judges,
    process=_label,
    wing="chainwright.annotation",
)
