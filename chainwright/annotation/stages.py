"""The wing's stages: chains are voted on, votes become labels."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chainwright.annotation.judges import (
    Judge,
    error_panel,
    judge_name,
    judges_of,
    votes_expected,
)
from chainwright.annotation.labelling import label_chain
from chainwright.annotation.models.model_panel import model_votes, requests_for
from chainwright.annotation.program_panel import program_votes
from chainwright.llm.request import Asker, Request
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.schemas.vote import Vote
from chainwright.stage import STOPS, Batch, Stage, Tables, all_of

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


async def _vote(recipe: "Recipe", tables: Tables, asker: Asker) -> Batch:
    """Every judge's votes on every chain."""
    ballots = list(_ballots(recipe, tables))
    found = await all_of(
        [partial(_cast, asker, *ballot) for ballot in ballots],
        at_once=recipe.requests.rows_at_once,
    )
    batch = Batch(rows={"votes": []})
    for (judge, _, chain), cast in zip(ballots, found, strict=True):
        expected = votes_expected(judge, len(chain.steps))
        batch.taken["votes"] += expected
        if isinstance(cast, Exception):
            batch.rejects += _rejects(judge, chain, expected, cast)
        else:
            batch.rows["votes"] += cast
    return batch


def _ballots(recipe: "Recipe", tables: Tables) -> Iterator[tuple[Judge, Problem, Chain]]:
    problems: dict[str, Problem] = {p.problem_id: p for p in tables["problems"]}
    judges = judges_of(recipe)
    for chain in tables["chains"]:
        for judge in judges:
            yield judge, problems[chain.problem_id], chain


async def _cast(
    asker: Asker, judge: Judge, problem: Problem, chain: Chain
) -> list[Vote] | Exception:
    """A judge's votes on a chain, or what it failed with: that costs its own votes alone."""
    try:
        if isinstance(judge, str):
            return program_votes(judge, problem, chain)
        return await model_votes(asker, judge, problem, chain)
    except STOPS:
        raise
    except Exception as error:
        return error


def _rejects(judge: Judge, chain: Chain, expected: int, error: Exception) -> list[Reject]:
    detail = f"{type(error).__name__}: {error}"[:500].encode("utf-8", "backslashreplace").decode()
    return [
        Reject(
            stage="votes",
            table="votes",
            item=f"{chain.chain_id}/{judge_name(judge)}/{place}",
            reason="judge_failed",
            detail=detail,
            payload=None,
        )
        for place in range(1, expected + 1)
    ]


def _plan(recipe: "Recipe", tables: Tables) -> Iterator[Request]:
    """What the model judges would ask first."""
    for judge, problem, chain in _ballots(recipe, tables):
        if not isinstance(judge, str):
            yield from requests_for(judge, problem, chain)


def _label(recipe: "Recipe", tables: Tables) -> Batch:
    votes = _by_chain(tables["votes"])
    exact = _by_chain(tables["exact"])
    panel = error_panel(recipe)
    batch = Batch(rows={"labels": []})
    for chain in tables["chains"]:
        batch.taken["labels"] += len(chain.steps)
        batch.rows["labels"] += label_chain(
            chain, votes[chain.chain_id], exact[chain.chain_id], panel
        )
    return batch


def _by_chain(rows: Sequence[Any]) -> defaultdict[str, list[Any]]:
    grouped: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        grouped[row.chain_id].append(row)
    return grouped


def _judges_and_seed(recipe: "Recipe") -> list[Any]:
    """The seed matters to models alone: it orders what they read."""
    panel = recipe.annotation.panel
    return [panel, None if all(isinstance(judge, str) for judge in panel) else recipe.seed]


VOTES = Stage(
    name="votes",
    reads=("problems", "chains"),
    writes=("votes",),
    settings=_judges_and_seed,
    process=None,
    ask=_vote,
    plan=_plan,
    wing="chainwright.annotation",
)

LABELS = Stage(
    name="labels",
    reads=("chains", "votes", "exact"),
    writes=("labels",),
    settings=error_panel,
    process=_label,
    wing="chainwright.annotation",
)
