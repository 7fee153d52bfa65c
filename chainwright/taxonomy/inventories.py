"""Inventories: do two independent taxonomies hold the same categories? GRACE's Table 12."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainwright.taxonomy.extra import load

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Inventory:
    """The categories of one taxonomy.

    Attributes:
        names: In the order of the centroids.
        centres: A centroid a category, rows of length one.
        sizes: Critiques in each.
    """

    names: Sequence[str]
    centres: Vectors
    sizes: Sequence[int]


@dataclass(frozen=True)
class Match:
    """A category of the first inventory with its partner in the second.

    Attributes:
        second: None where the second inventory has fewer categories and none is left.
        cosine: Of the two centroids.
        lead: By how much the partner is closer than the best other category of the second; below
            zero where another one is closer but is taken; None where there is no other.
        mutual: Whether each is the other's nearest.
    """

    first: str
    second: str | None
    cosine: float | None
    lead: float | None
    mutual: bool


@dataclass(frozen=True)
class Comparison:
    """Two inventories matched one to one.

    Attributes:
        matches: One a category of the first inventory, in its order.
        only_second: Categories of the second without a partner.
        mean_cosine: Over the matched pairs; None where there is none.
        any_pair: The mean cosine of any category with any: what a match by chance would have.
        mutual: The share of both inventories' critiques in categories whose match is mutual.
    """

    matches: list[Match]
    only_second: list[str]
    mean_cosine: float | None
    any_pair: float | None
    mutual: float


def compare(first: Inventory, second: Inventory) -> Comparison:
    """Matches two inventories so that the sum of the cosines is largest (Hungarian method)."""
    import numpy as np

    if not len(first.names) or not len(second.names):
        alone = [Match(name, None, None, None, False) for name in first.names]
        return Comparison(alone, list(second.names), None, None, 0.0)
    cosines = (first.centres @ second.centres.T).astype(np.float64)
    rows, columns = load("scipy.optimize").linear_sum_assignment(-cosines)
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    matches = [_match(at, partner.get(at), cosines, first, second) for at in range(len(cosines))]
    mutual = [at for at, match in enumerate(matches) if match.mutual]
    inside = sum(first.sizes[at] for at in mutual) + sum(second.sizes[partner[at]] for at in mutual)
    every = sum(first.sizes) + sum(second.sizes)
    return Comparison(
        matches=matches,
        only_second=[
            name for at, name in enumerate(second.names) if at not in set(partner.values())
        ],
        mean_cosine=float(cosines[rows, columns].mean()),
        any_pair=float(cosines.mean()),
        mutual=inside / every if every else 0.0,
    )


def _match(
    at: int,
    partner: int | None,
    cosines: npt.NDArray[np.float64],
    first: Inventory,
    second: Inventory,
) -> Match:
    import numpy as np

    if partner is None:
        return Match(first.names[at], None, None, None, False)
    others = np.delete(cosines[at], partner)
    return Match(
        first=first.names[at],
        second=second.names[partner],
        cosine=float(cosines[at, partner]),
        lead=float(cosines[at, partner] - others.max()) if len(others) else None,
        mutual=bool(cosines[at].argmax() == partner and cosines[:, partner].argmax() == at),
    )
