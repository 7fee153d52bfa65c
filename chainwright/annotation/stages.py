"""The wing's stages: chains are voted on, votes become labels."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chainwright.annotation.checkers.checker_votes import CheckerJudge, checker_votes
from chainwright.annotation.checkers.source import source_version
from chainwright.annotation.judges import (
    Judge,
    checkers_of,
    judge_name,
    judges_of,
    observers,
    panels,
    reads,
    votes_expected,
)
from chainwright.annotation.labelling import label_chain
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.model_panel import model_votes, requests_for
from chainwright.annotation.program_panel import program_votes
from chainwright.llm.request import Asker, Request
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import TASKS, Track
from chainwright.stage import STOPS, Batch, Stage, Tables, all_of, is_drawn

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.recipe_parts.requests import Requests


async def _vote(recipe: "Recipe", tables: Tables, asker: Asker) -> Batch:
    """Every judge's votes on every chain."""
    ballots = list(_ballots(recipe, tables))
    found = await all_of(
        [partial(_cast, asker, *ballot) for ballot in ballots],
        at_once=under_way(recipe.requests),
    )
    batch = Batch(rows={"votes": []})
    for (judge, _, chain), cast in zip(ballots, found, strict=True):
        expected = votes_expected(judge, len(chain.steps))
        if isinstance(cast, Exception):
            batch.rejects += _rejects(judge, chain, expected, cast)
        else:
            batch.rows["votes"] += cast
            if isinstance(judge, CheckerJudge):
                expected = len(cast)  # it may have given premises too
        batch.taken["votes"] += expected
    return batch


def under_way(requests: "Requests") -> int:
    """How many ballots are begun and not finished: a few more than requests can be sent.

    So no request waits for the making of another, and yet what follows a chain's first request
    comes soon after it, while its prefix is cached. It would come later where more chains were
    begun, and no earlier where older chains went first: then all first requests come in one bunch.
    """
    if requests.mode == "batch":
        return requests.rows_at_once
    return requests.concurrency + requests.concurrency // 4 + 1


def _ballots(recipe: "Recipe", tables: Tables) -> Iterator[tuple[Judge, Problem, Chain]]:
    problems: dict[str, Problem] = {p.problem_id: p for p in tables["problems"]}
    judges = judges_of(recipe)
    for chain in tables["chains"]:
        problem = problems[chain.problem_id]
        for judge in judges:
            share = judge.share if isinstance(judge, ModelJudge) else 1.0
            if reads(judge, problem.track) and is_drawn(chain.problem_id, share, recipe.seed):
                yield judge, problem, chain


async def _cast(
    asker: Asker, judge: Judge, problem: Problem, chain: Chain
) -> list[Vote] | Exception:
    """A judge's votes on a chain, or what it failed with: that costs its own votes alone."""
    try:
        if isinstance(judge, str):
            return program_votes(judge, problem, chain)
        if isinstance(judge, CheckerJudge):
            return await checker_votes(judge, problem, chain)
        return await model_votes(asker, judge, problem, chain)
    except STOPS:
        raise
    except Exception as error:
        return error


def _rejects(judge: Judge, chain: Chain, expected: int, error: Exception) -> list[Reject]:
    name, detail = judge_name(judge), f"{type(error).__name__}: {error}"
    return [
        Reject.because("votes", "votes", f"{chain.chain_id}/{name}/{place}", "judge_failed", detail)
        for place in range(1, expected + 1)
    ]


def _plan(recipe: "Recipe", tables: Tables) -> Iterator[Request]:
    """What the model judges would ask first."""
    for judge, problem, chain in _ballots(recipe, tables):
        if isinstance(judge, ModelJudge):
            yield from requests_for(judge, problem, chain)


def _label(recipe: "Recipe", tables: Tables) -> Batch:
    silent = set(observers(recipe))
    votes = _by_chain([vote for vote in tables["votes"] if vote.judge not in silent])
    exact = _by_chain(tables["exact"])
    weighed = _by_chain(tables.get("posteriors", ()))
    people = _by_chain(tables.get("human_labels", ()))
    panel = panels(recipe)
    tracks: dict[str, Track] = {p.problem_id: p.track for p in tables["problems"]}
    batch = Batch(rows={"labels": []})
    for chain in tables["chains"]:
        batch.taken["labels"] += len(chain.steps)
        track = tracks[chain.problem_id]
        batch.rows["labels"] += label_chain(
            chain,
            votes[chain.chain_id],
            exact[chain.chain_id],
            panel[track],
            TASKS[track],
            weighed[chain.chain_id],
            people[chain.chain_id],
        )
    return batch


def _by_chain(rows: Sequence[Any]) -> defaultdict[str, list[Any]]:
    grouped: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        grouped[row.chain_id].append(row)
    return grouped


def _judges_and_seed(recipe: "Recipe") -> list[Any]:
    """Seed and categories matter to models alone: they are what those read, and in which order."""
    panel = recipe.annotation.panel
    if all(isinstance(judge, str) for judge in panel):
        return [panel, None]
    return [panel, recipe.seed, recipe.annotation.taxonomy.taxonomies()]


def _checkers(recipe: "Recipe") -> list[list[str]]:
    """The user's own checkers with the versions of their source."""
    paths = checkers_of(recipe).values()
    return [[path, source_version(path.rpartition(".")[0])] for path in paths]


VOTES = Stage(
    name="votes",
    reads=("problems", "chains"),
    writes=("votes",),
    settings=_judges_and_seed,
    process=None,
    ask=_vote,
    plan=_plan,
    wing="chainwright.annotation",
    own_code=_checkers,
)

LABELS = Stage(
    name="labels",
    reads=("problems", "chains", "votes", "exact", "posteriors", "human_labels"),
    writes=("labels",),
    settings=lambda recipe: [panels(recipe), observers(recipe)],
    process=_label,
    wing="chainwright.annotation",
)
