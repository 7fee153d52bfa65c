"""Projection: do the categories hold for critiques of another critic? GRACE's Table 11."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Labels = npt.NDArray[np.int64]

REJECTED = -1
TAIL = 5.0
"""Per cent of a cluster's own texts that lie further out than its threshold."""

SHUFFLES = 20


@dataclass(frozen=True)
class Reach:
    """The centroids of a clustering, and how far each reaches.

    Attributes:
        centres: Shape (clusters, dimensions), rows of length one.
        thresholds: The least cosine to a centroid that still belongs to its cluster.
    """

    centres: Vectors
    thresholds: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Projection:
    """Texts assigned to clusters by the nearest centroid.

    A mean cosine says little by itself: texts of one field all point the same way. The baselines
    say what no agreement would look like.

    Attributes:
        clusters: Per text the nearest cluster, -1 where it is out of reach.
        cosines: Per text the cosine to the nearest centroid, rejected or not.
        mean_cosine: Over the assigned texts; None where there are none.
        shuffled: The same with the assignment dealt out anew at random, mean over 20 shuffles.
        margin: Mean lead of the nearest centroid over the second; None for one cluster.
        rejected: Share of the texts that are out of reach.
    """

    clusters: Labels
    cosines: npt.NDArray[np.float32]
    mean_cosine: float | None
    shuffled: float | None
    margin: float | None
    rejected: float


@dataclass(frozen=True)
class Shares:
    """A category's share among the first and the second critic's critiques that have a category."""

    category: str
    first: float
    second: float
    second_count: int


def reach(vectors: Vectors, labels: Labels, centres: Vectors) -> Reach:
    """How far each centroid reaches: 95% of its own texts are closer than its threshold."""
    import numpy as np

    own = [vectors[labels == number] @ centre for number, centre in enumerate(centres)]
    limits = [np.percentile(cosines, TAIL) if len(cosines) else 1.0 for cosines in own]
    return Reach(centres, np.array(limits, np.float32))


def project(vectors: Vectors, within: Reach, seed: int = 0) -> Projection:
    """The clusters of texts that were not part of the clustering.

    By centroid, and not by HDBSCAN's own prediction, which moves even texts it was trained on into
    noise.
    """
    import numpy as np

    count = len(vectors)
    if not count or not len(within.centres):
        return Projection(
            clusters=np.full(count, REJECTED),
            cosines=np.zeros(count, np.float32),
            mean_cosine=None,
            shuffled=None,
            margin=None,
            rejected=1.0 if count else 0.0,
        )
    cosines = vectors @ within.centres.T
    nearest = cosines.argmax(axis=1)
    best = cosines[np.arange(count), nearest]
    inside = best >= within.thresholds[nearest]
    mean, shuffled = None, None
    if inside.any():
        mean = float(best[inside].mean())
        rng = np.random.default_rng(seed)
        rows = np.flatnonzero(inside)
        shuffled = float(
            np.mean([cosines[rows, rng.permutation(nearest[rows])].mean() for _ in range(SHUFFLES)])
        )
    margin = None
    if len(within.centres) > 1:
        second = np.partition(cosines, -2, axis=1)[:, -2]
        margin = float((best - second).mean())
    return Projection(
        clusters=np.where(inside, nearest, REJECTED),
        cosines=best,
        mean_cosine=mean,
        shuffled=shuffled,
        margin=margin,
        rejected=float(1.0 - inside.mean()),
    )


def side_by_side(
    names: Sequence[str], first: Sequence[str | None], second: Sequence[str | None]
) -> tuple[list[Shares], float | None]:
    """Each category's share with both critics, and the total variation distance of the two.

    Critiques without a category are left out of the shares. The distance is 0 for equal
    distributions and 1 for disjoint ones; None where a critic has no critique in any category.
    """
    counts = [{name: said.count(name) for name in names} for said in (list(first), list(second))]
    totals = [sum(each.values()) for each in counts]
    rows = [
        Shares(
            name,
            counts[0][name] / totals[0] if totals[0] else 0.0,
            counts[1][name] / totals[1] if totals[1] else 0.0,
            counts[1][name],
        )
        for name in names
    ]
    if not all(totals):
        return rows, None
    return rows, sum(abs(row.first - row.second) for row in rows) / 2
