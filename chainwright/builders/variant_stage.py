"""The stage `variants`: problems of sources that ask for them, with their numbers drawn anew."""

from typing import TYPE_CHECKING

from chainwright.builders.variants.variants import variants
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.stage import Batch, Counts, Stage, Tables

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

STAGE = "variants"


def wanted_of(recipe: "Recipe") -> dict[str, int]:
    """How many variants a problem of each source is to have, by the source's name."""
    return {source.known_as: source.variants for source in recipe.sources if source.variants}


def _variants(recipe: "Recipe", tables: Tables) -> Batch:
    """Each variant that was wanted is a problem or a reject; the parents stay as they are."""
    batch = Batch(rows={"problems": []})
    wanted = wanted_of(recipe)
    known = {problem.problem_id for problem in tables["problems"]}
    for problem in tables["problems"]:
        number = 0
        for made in variants(problem, wanted.get(problem.source, 0), seed=recipe.seed):
            number += 1
            batch.taken["problems"] += 1
            item = f"{problem.problem_id} variant {number}"
            if not isinstance(made, Problem):
                reason, detail = made.reason, str(made)
            elif made.problem_id in known:
                reason, detail = "duplicate", f"the question is that of {made.problem_id} already"
            else:
                known.add(made.problem_id)
                batch.rows["problems"].append(made)
                continue
            batch.rejects.append(Reject.because(STAGE, "problems", item, reason, detail))
    return batch


def _most(recipe: "Recipe", counts: Counts) -> Counts:
    return {"problems": counts["problems"] * max(wanted_of(recipe).values(), default=0)}


VARIANTS = Stage(
    name=STAGE,
    reads=("problems",),
    writes=("problems",),
    settings=lambda recipe: [wanted_of(recipe), recipe.seed],
    process=_variants,
    most=_most,
    wanted=lambda recipe: bool(wanted_of(recipe)),
    wing="chainwright.builders",
)
