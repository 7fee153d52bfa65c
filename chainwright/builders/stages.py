"""The wing's stages: problems become reference chains and synthetic negatives."""

from typing import TYPE_CHECKING

from chainwright.builders.answers import split_answer_line
from chainwright.builders.exact import (
    ExactChain,
    exact_negatives,
    exact_reference,
    reference_chain,
)
from chainwright.builders.problem_rows import ANSWER_MARK
from chainwright.builders.splitter import split_steps
from chainwright.builders.worked import Unreadable
from chainwright.builders.worlds.exact_context import context_negatives, context_reference
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.stage import Batch, Counts, Stage, Tables

if TYPE_CHECKING:
    from chainwright.recipe import ExactNegatives, Recipe


def _references(recipe: "Recipe", tables: Tables) -> Batch:
    """The source's own solutions as chains, with exact labels where they are a complete graph."""
    batch = Batch(rows={"chains": [], "exact": []})
    if not recipe.chains.reference:
        return batch
    marks = recipe.chains.marks
    for problem in tables["problems"]:
        batch.taken["chains"] += 1
        try:
            is_math = problem.track == "math"
            _keep(
                batch,
                exact_reference(problem, marks=marks) if is_math else context_reference(problem),
            )
        except Unreadable as error:
            steps, answer = _steps(problem.solution or "")
            if not steps:
                batch.rejects.append(_reject("chains", "chains", problem, error))
                continue
            chain = reference_chain(problem, steps, answer, marks=marks)
            batch.rows["chains"].append(chain)
            # the chain is kept, and its labels are left to the judges
            batch.taken["exact"] += 1
            batch.rejects.append(_reject("chains", "exact", problem, error))
    return batch


def _steps(solution: str) -> tuple[list[str], str | None]:
    """Steps and answer: GSM8K's solutions line by line, others as they mark their steps."""
    if ANSWER_MARK in solution:
        return split_answer_line(solution)
    return split_steps(solution), None


def _negatives(recipe: "Recipe", tables: Tables) -> Batch:
    """Synthetic negatives: up to `per_problem` a problem, each verified."""
    batch = Batch(rows={"chains": [], "exact": []})
    exact = recipe.negatives.exact
    if exact is None:
        return batch
    for problem in tables["problems"]:
        made: list[ExactChain] = []
        batch.taken["chains"] += exact.per_problem
        reason, detail = "too_few_faults", "no further fault yields another verified negative"
        try:
            made = _exact_negatives(recipe, problem, exact)
        except Unreadable as error:
            reason, detail = error.reason, str(error)
        for chain in made:
            _keep(batch, chain)
        for _ in range(exact.per_problem - len(made)):
            left_out = Reject.because("negatives", "chains", problem.problem_id, reason, detail)
            batch.rejects.append(left_out)
    return batch


def _exact_negatives(
    recipe: "Recipe", problem: Problem, exact: "ExactNegatives"
) -> list[ExactChain]:
    if problem.track != "math":
        return context_negatives(
            problem,
            seed=recipe.seed,
            count=exact.per_problem,
            weights=exact.categories.model_dump(),
        )
    return exact_negatives(
        problem,
        seed=recipe.seed,
        count=exact.per_problem,
        weights=exact.faults.model_dump(),
        marks=recipe.chains.marks,
    )


def _keep(batch: Batch, exact: ExactChain) -> None:
    batch.rows["chains"].append(exact.chain)
    batch.rows["exact"] += exact.labels
    batch.taken["exact"] += len(exact.labels)


def _reject(stage: str, table: str, problem: Problem, error: Unreadable) -> Reject:
    return Reject.because(stage, table, problem.problem_id, error.reason, str(error))


def _most_references(recipe: "Recipe", counts: Counts) -> Counts:
    return {"chains": counts["problems"] if recipe.chains.reference else 0}


def _most_negatives(recipe: "Recipe", counts: Counts) -> Counts:
    exact = recipe.negatives.exact
    return {"chains": counts["problems"] * exact.per_problem if exact else 0}


CHAINS = Stage(
    name="chains",
    reads=("problems",),
    writes=("chains", "exact"),
    settings=lambda recipe: [recipe.chains.reference, recipe.chains.marks],
    process=_references,
    most=_most_references,
    wing="chainwright.builders",
)

NEGATIVES = Stage(
    name="negatives",
    reads=("problems",),
    writes=("chains", "exact"),
    settings=lambda recipe: [recipe.negatives.exact, recipe.chains.marks, recipe.seed],
    process=_negatives,
    most=_most_negatives,
    wing="chainwright.builders",
)
