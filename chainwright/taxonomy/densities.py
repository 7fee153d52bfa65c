"""Densities: dense regions of a layout become clusters, the rest is noise (HDBSCAN)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from chainwright.taxonomy.extra import Tell, load, name_and_version, silent
from chainwright.taxonomy.neighbours import Neighbours

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

NOISE = -1

ENOUGH = 0.4
"""The share of a text's neighbours, in one cluster, that draws it out of the noise."""

ROUNDS = 5
"""Who has joined a cluster may draw others after it; hardly any do after so many rounds."""


@dataclass(frozen=True)
class Dense:
    """Clusters of a layout.

    Attributes:
        labels: Per row its cluster, -1 for noise. Cluster 0 is the largest; of two clusters of one
            size the one whose first row comes first has the lower number.
        strength: Per row how firmly it belongs to its cluster, 0 to 1; 0 for noise.
        library: What gave the labels: the libraries disagree on one and the same layout.
    """

    labels: npt.NDArray[np.int64]
    strength: npt.NDArray[np.float64]
    library: str


def hdbscan_clusters(
    layout: Vectors, min_cluster_size: int, min_samples: int, tell: Tell = silent
) -> Dense:
    """HDBSCAN by the library hdbscan."""
    import numpy as np

    library = load("hdbscan", tell)
    tell("HDBSCAN")
    model = library.HDBSCAN(
        min_cluster_size=min_cluster_size, min_samples=min_samples, core_dist_n_jobs=1
    ).fit(layout.astype(np.float64))
    return Dense(by_size(model.labels_), model.probabilities_, name_and_version("hdbscan"))


def quick_clusters(
    layout: Vectors, min_cluster_size: int, min_samples: int, tell: Tell = silent
) -> Dense:
    """HDBSCAN by the library fast_hdbscan, in its reproducible way and on one thread.

    More threads cost it more than they save: they meet after every few hundred rows. A tree over
    the 30 nearest neighbours alone takes a third of the time, but agrees less between seeds.
    """
    library = load("fast_hdbscan", tell)
    tell("fast HDBSCAN")
    threads = load("numba")
    before = threads.get_num_threads()
    threads.set_num_threads(1)
    try:
        labels, strength, *_ = library.fast_hdbscan(
            layout, min_samples=min_samples, min_cluster_size=min_cluster_size, reproducible=True
        )
    finally:
        threads.set_num_threads(before)
    return Dense(by_size(labels), strength, name_and_version("fast_hdbscan"))


def settled(dense: Dense, neighbours: Neighbours) -> Dense:
    """Noise that lies in a cluster all the same: enough of its nearest neighbours are in it.

    A layout of few epochs leaves texts between clusters that the vectors themselves put in one.
    Which they are changes with the seed, and the exact neighbours do not. A text without such
    neighbours stays noise. Of equally many the larger cluster draws.

    Args:
        neighbours: Of the rows that were laid out.

    Returns:
        The same clusters or larger ones; the strength of a text that joined is its neighbours'
        share.
    """
    import numpy as np

    labels, strength = dense.labels.copy(), dense.strength.copy()
    count = neighbours.indices.shape[1]
    clusters = int(labels.max(initial=NOISE)) + 1
    for _ in range(ROUNDS if clusters else 0):
        noise = np.flatnonzero(labels == NOISE)
        near = labels[neighbours.indices[noise]]
        votes = np.zeros((len(noise), clusters + 1), np.int64)
        np.add.at(votes, (np.arange(len(noise))[:, None], near), 1)  # noise in the last column
        best = votes[:, :-1].argmax(axis=1)
        most = votes[np.arange(len(noise)), best]
        joins = most >= ceil(ENOUGH * count)
        if not joins.any():
            break
        labels[noise[joins]] = best[joins]
        strength[noise[joins]] = most[joins] / count
    return replace(dense, labels=by_size(labels), strength=strength)


def by_size(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The labels renumbered, the largest cluster first; noise stays.

    >>> import numpy as np
    >>> by_size(np.array([1, -1, 0, 0, 2])).tolist()
    [1, -1, 0, 0, 2]
    """
    import numpy as np

    names, first, counts = np.unique(labels, return_index=True, return_counts=True)
    order = sorted(
        (-int(count), int(place), int(name))
        for name, place, count in zip(names, first, counts, strict=True)
        if name != NOISE
    )
    number = {name: place for place, (_, _, name) in enumerate(order)} | {NOISE: NOISE}
    return np.array([number[int(label)] for label in labels], np.int64)
