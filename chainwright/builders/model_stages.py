"""The stages that ask models: chains are written, selected by quota, and broken."""

from collections.abc import Iterable, Iterator
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from chainwright.builders.citations import out_of_range
from chainwright.builders.context_prompts import is_about_context
from chainwright.builders.generation import (
    Generator,
    NoChain,
    generate_chain,
    generation_request,
)
from chainwright.builders.model_negatives import (
    Breakage,
    break_chain,
    draw_breakage,
    perturbation_request,
)
from chainwright.builders.selection import most_selected, select
from chainwright.llm.request import Asker, Request
from chainwright.llm.uri import parse_model_uri
from chainwright.recipe_parts.writers import ModelChains, ModelNegatives
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.stage import STOPS, Batch, Counts, Stage, Tables, all_of, is_drawn

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


async def _generate(recipe: "Recipe", tables: Tables, asker: Asker) -> Batch:
    """The chains of every model for every problem, as many samples as the recipe asks for."""
    orders = [partial(_written, asker, *order) for order in _orders(recipe, tables)]
    made = await all_of(orders, recipe.requests.rows_at_once)
    batch = _collected("generation", "generated", made)
    _note_strange_citations(batch, tables)
    return batch


def _note_strange_citations(batch: Batch, tables: Tables) -> None:
    """Notes what chains cite that no reference has, which their `citations` leave out."""
    problems = {problem.problem_id: problem for problem in tables["problems"]}
    chains: Iterable[Any] = batch.rows["generated"]
    for chain in chains:
        problem = problems[chain.problem_id]
        for number, step in enumerate(chain.steps if is_about_context(problem) else (), start=1):
            strange = out_of_range(step, len(problem.context))
            if strange:
                batch.taken["citations"] += 1
                item, there = f"{chain.chain_id} step {number}", len(problem.context)
                detail = f"cites {strange[:20]}; the references are 1 to {there}"
                batch.rejects.append(
                    Reject.because("generation", "citations", item, "citation_out_of_range", detail)
                )


def _orders(recipe: "Recipe", tables: Tables) -> Iterator[tuple[Generator, Problem, int]]:
    chains = recipe.chains.model
    if chains is None:
        return
    generators = [_generator(uri, chains, recipe.seed) for uri in chains.models]
    for problem in tables["problems"]:
        if not is_drawn(problem.problem_id, chains.share, recipe.seed):
            continue
        for generator in generators:
            for sample in range(chains.samples):
                yield generator, problem, sample


async def _written(
    asker: Asker, generator: Generator, problem: Problem, sample: int
) -> Chain | Reject:
    item = f"{problem.problem_id}/{generator.uri}/{sample}"
    try:
        return await generate_chain(asker, generator, problem, sample)
    except STOPS:
        raise
    except Exception as error:
        return _no_chain("generation", "generated", item, error)


def _plan_generation(recipe: "Recipe", tables: Tables) -> Iterator[Request]:
    for generator, problem, sample in _orders(recipe, tables):
        yield generation_request(generator, problem, sample)


def _most_generated(recipe: "Recipe", counts: Counts) -> Counts:
    chains = recipe.chains.model
    each = len(chains.models) * chains.samples * chains.share if chains else 0
    return {"generated": ceil(each * counts["problems"])}


async def _perturb(recipe: "Recipe", tables: Tables, asker: Asker) -> Batch:
    """One broken version of every parent."""
    orders = [partial(_broken, asker, *order) for order in _breakages(recipe, tables)]
    return _collected("perturbation", "chains", await all_of(orders, recipe.requests.rows_at_once))


def _breakages(
    recipe: "Recipe", tables: Tables
) -> Iterator[tuple[Generator, Problem, Chain, Breakage]]:
    breaker = recipe.negatives.model
    if breaker is None:
        return
    problems = {problem.problem_id: problem for problem in tables["problems"]}
    generator = _generator(breaker.model, breaker, recipe.seed)
    for chain in tables["parents"]:
        breakage = draw_breakage(chain, breaker.error_types, recipe.seed)
        yield generator, problems[chain.problem_id], chain, breakage


async def _broken(
    asker: Asker, generator: Generator, problem: Problem, chain: Chain, breakage: Breakage
) -> Chain | Reject:
    try:
        return await break_chain(asker, generator, problem, chain, breakage)
    except STOPS:
        raise
    except Exception as error:
        return _no_chain("perturbation", "chains", chain.chain_id, error)


def _plan_perturbation(recipe: "Recipe", tables: Tables) -> Iterator[Request]:
    for order in _breakages(recipe, tables):
        yield perturbation_request(*order)


def _collected(stage: str, table: str, made: Iterable[Chain | Reject]) -> Batch:
    """Chains and rejects; of chains of one problem with the same text the first is kept."""
    batch = Batch(rows={table: []})
    firsts: dict[tuple[str | None, ...], Chain] = {}
    for one in made:
        batch.taken[table] += 1
        if isinstance(one, Reject):
            batch.rejects.append(one)
            continue
        text = (one.problem_id, one.final_answer, *one.steps)
        if text not in firsts:
            firsts[text] = one
            batch.rows[table].append(one)
            continue
        detail = f"by {one.generator}, word for word as chain {firsts[text].chain_id}"
        batch.rejects.append(Reject.because(stage, table, one.chain_id, "duplicate_chain", detail))
    return batch


def _generator(uri: str, settings: ModelChains | ModelNegatives, seed: int) -> Generator:
    return Generator(
        parse_model_uri(uri),
        seed=seed,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        format=settings.format if isinstance(settings, ModelChains) else "json",
    )


def _no_chain(stage: str, table: str, item: str, error: Exception) -> Reject:
    """The reject of a row that gave no chain; an unforeseen error costs that row alone."""
    if isinstance(error, NoChain):
        return Reject.because(stage, table, item, error.reason, str(error))
    return Reject.because(stage, table, item, f"{stage}_failed", f"{type(error).__name__}: {error}")


GENERATION = Stage(
    name="generation",
    reads=("problems",),
    writes=("generated",),
    settings=lambda recipe: [recipe.chains.model, recipe.seed],
    process=None,
    ask=_generate,
    plan=_plan_generation,
    most=_most_generated,
    wanted=lambda recipe: recipe.chains.model is not None,
    wing="chainwright.builders",
)

SELECTION = Stage(
    name="selection",
    reads=("problems", "chains", "generated"),
    writes=("chains", "parents"),
    settings=lambda recipe: [
        recipe.chains.model is not None,
        recipe.chains.keep,
        recipe.negatives.model is not None,
        recipe.negatives.model and recipe.negatives.model.limit,
    ],
    process=None,
    sweep=select,
    most=most_selected,
    wanted=lambda recipe: bool(recipe.chains.model or recipe.negatives.model),
    wing="chainwright.builders",
)

PERTURBATION = Stage(
    name="perturbation",
    reads=("problems", "parents"),
    writes=("chains",),
    settings=lambda recipe: [
        recipe.negatives.model and recipe.negatives.model.model_dump(exclude={"limit"}),
        recipe.seed,
    ],
    process=None,
    ask=_perturb,
    plan=_plan_perturbation,
    most=lambda recipe, counts: {"chains": counts.get("parents", 0)},
    wanted=lambda recipe: recipe.negatives.model is not None,
    wing="chainwright.builders",
)
