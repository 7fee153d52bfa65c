"""Densities: dense regions of a layout become clusters, the rest is noise (HDBSCAN)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainwright.taxonomy.extra import Tell, load, name_and_version, silent

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

NOISE = -1


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
