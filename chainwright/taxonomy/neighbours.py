"""Neighbours: the nearest texts of every text, exactly, by cosine distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainwright.taxonomy.extra import Tell, load, silent

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

BLOCK = 2048
"""Rows of one block of products: 16 MB, whatever the number of texts."""

SPARE = 9
"""Candidates beyond the neighbours wanted, so that no rounding of a product decides."""


@dataclass(frozen=True)
class Neighbours:
    """For every row its nearest others, nearest first; equal distances by index.

    Attributes:
        indices: Shape (rows, neighbours), int32. Without the row itself.
        distances: One minus the cosine, float32, in the same order.
    """

    indices: npt.NDArray[np.int32]
    distances: npt.NDArray[np.float32]

    def with_self(self, count: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Each row first, then its `count - 1` nearest: what UMAP takes for `count` neighbours."""
        import numpy as np

        own = np.arange(len(self.indices), dtype=np.int32)[:, None]
        indices = np.hstack([own, self.indices[:, : count - 1]])
        distances = np.hstack([np.zeros_like(own, np.float32), self.distances[:, : count - 1]])
        return indices, distances


def nearest_neighbours(vectors: Vectors, count: int, tell: Tell = silent) -> Neighbours:
    """The `count` nearest others of every row, by comparing all pairs.

    Products of blocks name the candidates, and half of them suffice, since a pair has one distance.
    The candidates, nine more than wanted, are then ranked by distances summed up in a fixed order:
    the same to the last bit on any number of threads, unless more than nine lie within the rounding
    of a product around the last neighbour, which takes as many all but equal vectors.

    Args:
        vectors: Rows of length one.

    Raises:
        ValueError: when there are not more rows than neighbours.
    """
    import numpy as np

    rows = len(vectors)
    if rows <= count:
        raise ValueError(f"found {rows} rows, expected more than the {count} neighbours wanted")
    tell(f"comparing {rows:,} texts with one another")
    load("numba")
    from chainwright.taxonomy.kernels import keep_best, keep_best_across, rank

    kept = min(count + SPARE, rows - 1)
    scores = np.full((rows, kept), -2.0, np.float32)
    found = np.full((rows, kept), -1, np.int32)
    vectors = np.ascontiguousarray(vectors, np.float32)
    for own in range(0, rows, BLOCK):
        for first in range(own, rows, BLOCK):
            block = vectors[own : own + BLOCK] @ vectors[first : first + BLOCK].T
            keep_best(block, first, own, scores, found)
            if first > own:
                keep_best_across(block, first, own, scores, found)
    indices = np.full((rows, count), -1, np.int32)
    distances = np.full((rows, count), np.inf, np.float32)
    rank(vectors, found, indices, distances)
    return Neighbours(indices, distances)
