"""Selection pass: the first of two passes over the blocks, which selects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from chainwright.release.redaction import public_model
from chainwright.release.rows import label_fault
from chainwright.release.selection import Quotas, Selection, select
from chainwright.release.selection_candidates import Candidate, candidate
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import NATIVE_ERRORS

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.stage import Tables


def selected(
    blocks: Iterable[Tables],
    recipe: Recipe,
    left_out: Callable[[str], str | None] = lambda _: None,
) -> Selection | None:
    """The selection that the recipe asks for; None where it asks for none.

    Chains that cannot be released are no candidates; equal ids count once, in their block.

    Args:
        blocks: As for `write_release`.
        recipe: The recipe.
        left_out: Why a problem, by its id, is left out with its chains; None where it stays.

    Raises:
        TypeError: `blocks` is an iterator, which a second pass would find empty.
    """
    wanted = recipe.release.selection
    if wanted is None:
        return None
    if iter(blocks) is blocks:
        raise TypeError("blocks are gone through twice for a selection; an iterator is at its end")
    quotas = Quotas(
        per_category=wanted.train.per_category,
        per_generator=wanted.train.per_generator,
        hard=wanted.test.hard,
        random=wanted.test.random,
    )
    known: dict[str, Sequence[str]] = {"math": NATIVE_ERRORS}
    known |= {
        taxonomy.track: [category.name for category in taxonomy.categories]
        for taxonomy in recipe.annotation.taxonomy.taxonomies()
    }
    found = (one for tables in blocks for one in _candidates(tables, left_out))
    return select(found, quotas, recipe.seed, known)


def _candidates(tables: Tables, left_out: Callable[[str], str | None]) -> Iterator[Candidate]:
    problems: dict[str, Problem] = {}
    for problem in tables.get("problems", ()):
        problems.setdefault(problem.problem_id, problem)
    labels: dict[str, list[Label]] = defaultdict(list)
    for label in tables.get("labels", ()):
        labels[label.chain_id].append(label)
    seen: set[str] = set()
    for chain in tables.get("chains", ()):
        owner = problems.get(chain.problem_id)
        if owner is None or chain.chain_id in seen or left_out(owner.problem_id) is not None:
            continue
        if label_fault(chain, labels[chain.chain_id]) is None:
            seen.add(chain.chain_id)
            generator = public_model(chain.generator)
            parent = problems.get(owner.family)
            yield candidate(owner, chain, labels[chain.chain_id], generator, parent)
