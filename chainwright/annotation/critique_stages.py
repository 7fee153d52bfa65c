"""Critique: a stratified sample of the chains on a context, and what critics say of their steps."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from chainwright.annotation.models.critic import criticise, critique_request
from chainwright.annotation.models.judge import ModelJudge
from chainwright.llm.request import Asker, Request
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.schemas.vote import Vote
from chainwright.stage import STOPS, Batch, Counts, Stage, Tables, all_of

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


def sample(recipe: "Recipe", blocks: Iterable[Tables]) -> Iterator[Batch]:
    """Every chain with a wrong answer, and so many right ones of each generator and source.

    Only chains on a context count: the critics' question is what their sources carry.
    """
    critique = recipe.annotation.critique
    most = critique.right if critique else 0
    kept: Counter[tuple[str, str]] = Counter()
    for tables in blocks:
        problems: dict[str, Problem] = {p.problem_id: p for p in tables["problems"]}
        batch = Batch(rows={"sampled": []})
        for chain in tables["chains"]:
            problem = problems[chain.problem_id]
            if problem.track == "math":
                continue
            batch.taken["sampled"] += 1
            place = (problem.source, chain.generator)
            if chain.is_correct is None:
                batch.rejects.append(_unsampled(chain, "undecided", "its answer is undecided"))
            elif chain.is_correct and kept[place] >= most:
                detail = f"{chain.generator} has its {most} right ones of {problem.source} already"
                batch.rejects.append(_unsampled(chain, "over_quota", detail))
            else:
                kept[place] += chain.is_correct
                batch.rows["sampled"].append(chain)
        yield batch


async def _criticise(recipe: "Recipe", tables: Tables, asker: Asker) -> Batch:
    orders = list(_orders(recipe, tables))
    said = await all_of(
        [partial(_said, asker, *order) for order in orders],
        at_once=recipe.requests.rows_at_once,
    )
    batch = Batch(rows={"critiques": [], "votes": []})
    for (critic, _, chain), one in zip(orders, said, strict=True):
        batch.taken["votes"] += len(chain.steps)
        if isinstance(one, Exception):
            detail = f"{type(one).__name__}: {one}"
            batch.rejects += [
                Reject.because(
                    "critiques",
                    "votes",
                    f"{chain.chain_id}/{critic.name}/{step}",
                    "judge_failed",
                    detail,
                )
                for step in range(1, len(chain.steps) + 1)
            ]
            continue
        critiques, votes = one
        batch.taken["critiques"] += len(critiques)
        batch.rows["critiques"] += critiques
        batch.rows["votes"] += votes
    return batch


def _orders(recipe: "Recipe", tables: Tables) -> Iterator[tuple[ModelJudge, Problem, Chain]]:
    critique = recipe.annotation.critique
    if critique is None:
        return
    problems: dict[str, Problem] = {p.problem_id: p for p in tables["problems"]}
    critics = [
        ModelJudge(
            parse_model_uri(uri),
            faithfulness="critique",
            temperature=critique.temperature,
            max_tokens=critique.max_tokens,
            seed=recipe.seed,
        )
        for uri in critique.models
    ]
    for chain in tables["sampled"]:
        for critic in critics:
            yield critic, problems[chain.problem_id], chain


async def _said(
    asker: Asker, critic: ModelJudge, problem: Problem, chain: Chain
) -> tuple[list[Critique], list[Vote]] | Exception:
    """What a critic says of a chain, or what it failed with: that costs its own words alone."""
    try:
        return await criticise(asker, critic, problem, chain)
    except STOPS:
        raise
    except Exception as error:
        return error


def _plan(recipe: "Recipe", tables: Tables) -> Iterator[Request]:
    for order in _orders(recipe, tables):
        yield critique_request(*order)


def _most_sampled(recipe: "Recipe", counts: Counts) -> Counts:
    return {"sampled": counts.get("chains", 0)}


def _unsampled(chain: Chain, reason: str, detail: str) -> Reject:
    return Reject.because("critique_sample", "sampled", chain.chain_id, reason, detail)


def _wanted(recipe: "Recipe") -> bool:
    return recipe.annotation.critique is not None


SAMPLE = Stage(
    name="critique_sample",
    reads=("problems", "chains"),
    writes=("sampled",),
    settings=lambda recipe: recipe.annotation.critique and recipe.annotation.critique.right,
    process=None,
    sweep=sample,
    most=_most_sampled,
    wanted=_wanted,
    wing="chainwright.annotation",
)

CRITIQUES = Stage(
    name="critiques",
    reads=("problems", "sampled"),
    writes=("critiques", "votes"),
    settings=lambda recipe: [recipe.annotation.critique, recipe.seed],
    process=None,
    ask=_criticise,
    plan=_plan,
    wanted=_wanted,
    wing="chainwright.annotation",
)
