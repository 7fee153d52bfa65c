"""The stage that asks, before any chain is made, whether the context answers the question."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from chainwright.builders.context_prompts import is_about_context
from chainwright.builders.groundedness import (
    GroundednessJudge,
    groundedness_request,
    groundedness_vote,
    outcome,
    vote_on,
)
from chainwright.llm.request import Asker, Request
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.problem import Problem
from chainwright.schemas.problem_vote import ProblemVote
from chainwright.schemas.reject import Reject
from chainwright.stage import STOPS, Batch, Stage, Tables, all_of

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

STAGE = "groundedness"


async def _filter(recipe: "Recipe", tables: Tables, asker: Asker) -> Batch:
    """The problems that the panel finds grounded, with the chains their rows bring along.

    Problems that are not about a context pass without being asked about.
    """
    orders = [partial(_vote, asker, *order) for order in _orders(recipe, tables)]
    votes = await all_of(orders, 2 * recipe.requests.concurrency)
    batch = Batch(rows={"problems": [], "chains": [], "problem_votes": [*votes]})
    batch.taken["problem_votes"] = len(votes)
    by_problem: dict[str, list[ProblemVote]] = {}
    for vote in votes:
        by_problem.setdefault(vote.problem_id, []).append(vote)
    kept = set()
    for problem in tables["candidates"]:
        batch.taken["problems"] += 1
        own = by_problem.get(problem.problem_id)
        found = outcome(own) if own else "grounded"
        if found == "grounded":
            kept.add(problem.problem_id)
            batch.rows["problems"].append(problem)
            continue
        reason = found or "groundedness_undecided"
        detail = f"{problem.source}: {_votes_in_words(own or [])}"
        batch.rejects.append(Reject.because(STAGE, "problems", problem.problem_id, reason, detail))
    for chain in tables["brought"]:
        batch.taken["chains"] += 1
        if chain.problem_id in kept:
            batch.rows["chains"].append(chain)
        else:
            detail = f"its problem {chain.problem_id} was dropped"
            batch.rejects.append(
                Reject.because(STAGE, "chains", chain.chain_id, "problem_rejected", detail)
            )
    return batch


def _orders(recipe: "Recipe", tables: Tables) -> Iterator[tuple[GroundednessJudge, Problem]]:
    panel = recipe.chains.groundedness
    if panel is None:
        return
    judges = [
        GroundednessJudge(parse_model_uri(uri), panel.temperature, panel.max_tokens)
        for uri in panel.models
    ]
    for problem in tables["candidates"]:
        if is_about_context(problem):
            for judge in judges:
                yield judge, problem


async def _vote(asker: Asker, judge: GroundednessJudge, problem: Problem) -> ProblemVote:
    try:
        return await vote_on(asker, judge, problem)
    except STOPS:
        raise
    except Exception as error:  # an unforeseen one costs this vote alone
        note = f"{type(error).__name__}: {error}"
        return groundedness_vote(judge, problem, "missing", None, note, None)


def _plan(recipe: "Recipe", tables: Tables) -> Iterator[Request]:
    for judge, problem in _orders(recipe, tables):
        yield groundedness_request(judge, problem)


def _votes_in_words(votes: list[ProblemVote]) -> str:
    """`a: not_grounded (why); b: malformed`."""
    return "; ".join(
        f"{vote.judge}: {vote.label} ({(vote.explanation or '')[:150]})"
        if vote.label
        else f"{vote.judge}: {vote.status}"
        for vote in votes
    )


GROUNDEDNESS = Stage(
    name=STAGE,
    reads=("candidates", "brought"),
    writes=("problems", "chains", "problem_votes"),
    settings=lambda recipe: recipe.chains.groundedness,
    process=None,
    ask=_filter,
    plan=_plan,
    wanted=lambda recipe: recipe.chains.groundedness is not None,
    wing="chainwright.builders",
)
