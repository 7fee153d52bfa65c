"""Selection: which of the models' chains are kept, and which positives are to be broken."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.stage import Batch, Counts, Tables

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.recipe_parts.writers import ModelNegatives


def select(recipe: "Recipe", blocks: Iterable[Tables]) -> Iterator[Batch]:
    """The models' chains within the quotas of their source, and the positives to be broken.

    Quotas count over the whole run, in the order of the problems: a larger one only adds.
    """
    selection = _Selection(recipe)
    for tables in blocks:
        yield selection.batch(tables)


def most_selected(recipe: "Recipe", counts: Counts) -> Counts:
    """How many chains and parents one source gives at most."""
    generated, keep = counts.get("generated", 0), recipe.chains.keep
    quotas = [generated if quota is None else quota for quota in (keep.positive, keep.negative)]
    positives = min(generated, quotas[0]) if recipe.chains.model else counts.get("chains", 0)
    breaker = recipe.negatives.model
    limit = breaker.limit if breaker and breaker.limit is not None else positives
    return {
        "chains": min(generated, sum(quotas)),
        "parents": min(positives, limit) if breaker else 0,
    }


class _Selection:
    """What has been selected so far, by source."""

    def __init__(self, recipe: "Recipe") -> None:
        keep = recipe.chains.keep
        self.quotas = {"positive": keep.positive, "negative": keep.negative}
        self.keeps_all = keep.is_all
        self.of_models = recipe.chains.model is not None
        self.breaker = recipe.negatives.model
        self.kept: Counter[tuple[str, str]] = Counter()
        self.parents: Counter[str] = Counter()

    def batch(self, tables: Tables) -> Batch:
        batch = Batch(rows={"chains": [], "parents": []})
        problems = {problem.problem_id: problem for problem in tables["problems"]}
        known = {chain.chain_id for chain in tables["chains"]}
        for chain in tables["generated"]:
            batch.taken["chains"] += 1
            fault = self.fault(chain, problems[chain.problem_id].source, known)
            if fault is None:
                batch.rows["chains"].append(chain)
            else:
                batch.rejects.append(_reject("chains", chain, *fault))
        if self.breaker is not None:
            candidates: Sequence[Any] = tables["chains"]
            if self.of_models:
                candidates = batch.rows["chains"]
            self.choose_parents(batch, candidates, problems, self.breaker)
        return batch

    def fault(self, chain: Chain, source: str, known: set[str]) -> tuple[str, str] | None:
        """Why a chain is not kept: a reason and a detail; None where it is, and counts then."""
        if chain.chain_id in known:
            return "duplicate_chain", "the source's rows brought the same chain along"
        if chain.polarity is None:
            if self.keeps_all:
                return None
            return "undecided", "its answer could not be decided, and quotas are by polarity"
        quota = self.quotas[chain.polarity]
        if quota is not None and self.kept[source, chain.polarity] >= quota:
            return "over_quota", f"{source} has its {quota} {chain.polarity} chains already"
        self.kept[source, chain.polarity] += 1
        return None

    def choose_parents(
        self,
        batch: Batch,
        chains: Iterable[Chain],
        problems: Mapping[str, Problem],
        breaker: "ModelNegatives",
    ) -> None:
        origin = "model" if self.of_models else "reference"
        for chain in chains:
            if chain.polarity != "positive" or chain.origin != origin:
                continue
            batch.taken["parents"] += 1
            problem = problems[chain.problem_id]
            if problem.answer is None:
                detail = "without a gold answer there is nothing to tell a broken chain by"
                batch.rejects.append(_reject("parents", chain, "no_answer", detail))
            elif breaker.limit is not None and self.parents[problem.source] >= breaker.limit:
                detail = f"{problem.source} has its {breaker.limit} positives to be broken already"
                batch.rejects.append(_reject("parents", chain, "over_limit", detail))
            else:
                self.parents[problem.source] += 1
                batch.rows["parents"].append(chain)


def _reject(table: str, chain: Chain, reason: str, detail: str) -> Reject:
    return Reject.because("selection", table, chain.chain_id, reason, detail)
