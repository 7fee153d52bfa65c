"""Clustering: vectors to labelled clusters, by the default recipe or the quick one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from chainwright.taxonomy.densities import (
    NOISE,
    Dense,
    hdbscan_clusters,
    quick_clusters,
    settled,
)
from chainwright.taxonomy.extra import Tell, name_and_version, silent
from chainwright.taxonomy.layouts import quick_layout, umap_layout
from chainwright.taxonomy.neighbours import Neighbours, nearest_neighbours

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

Engine = Literal["default", "quick"]

FEWEST = 12
"""Distinct texts below which there is nothing to cluster."""

FULL = 3000
"""Distinct texts from which the paper's cluster size holds; below it shrinks in proportion."""

SMALLEST_CLUSTER = 5
SWEEP = (0.5, 0.75, 1.0, 1.5, 2.0)
"""Multiples of the cluster size that a sweep tries."""


class TooFewTexts(ValueError):
    """Too few distinct texts to cluster."""


@dataclass(frozen=True)
class Settings:
    """How texts are clustered; the defaults are those of GRACE (arXiv 2606.16151).

    Attributes:
        engine: `default`: umap-learn and hdbscan; `quick`: the same steps, sooner.
        dims: Dimensions of the layout that is clustered.
        neighbours: Neighbours of a text in UMAP's graph, itself among them.
        min_cluster_size: The fewest distinct texts of a cluster.
        min_samples: The larger, the more texts are noise.
        seed: The same seed gives the same labels.
    """

    engine: Engine = "default"
    dims: int = 10
    neighbours: int = 15
    min_cluster_size: int = 50
    min_samples: int = 10
    seed: int = 0


@dataclass(frozen=True)
class Sweep:
    """What another smallest cluster would give on the same layout."""

    min_cluster_size: int
    clusters: int
    noise_share: float


@dataclass(frozen=True)
class Clustering:
    """Texts in clusters.

    Attributes:
        labels: Per text its cluster, the largest one first; -1 for noise.
        strength: Per text 0 to 1; 0 for noise.
        layout: Where each text was drawn, shape (texts, dims).
        settings: As used, after scaling down.
        scaled: What was scaled down, in words; empty where nothing was.
        libraries: What made layout and labels, with versions, the labels' library last.
        sweep: How the number of clusters depends on the smallest cluster.
    """

    labels: npt.NDArray[np.int64]
    strength: npt.NDArray[np.float64]
    layout: Vectors
    neighbours: Neighbours
    settings: Settings
    scaled: tuple[str, ...]
    libraries: tuple[str, ...]
    sweep: tuple[Sweep, ...] = ()

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max(initial=NOISE)) + 1

    @property
    def noise_share(self) -> float:
        """The share of texts in no cluster."""
        return float((self.labels == NOISE).mean())


def cluster(
    vectors: Vectors,
    settings: Settings | None = None,
    *,
    neighbours: Neighbours | None = None,
    sweep: bool = False,
    tell: Tell = silent,
) -> Clustering:
    """The clusters of texts.

    The same vectors in the same order and the same seed give the same labels, on one thread or
    more and in another process, as long as the libraries are the same. (`Corpus` keeps an order.)

    Args:
        vectors: Rows of length one, one a text.
        neighbours: Those of an earlier call with the same vectors, which saves finding them.
        sweep: Whether to try other smallest clusters on the same layout.

    Raises:
        TooFewTexts: for fewer than 12 rows.
    """
    settings, scaled = fitted(settings or Settings(), len(vectors))
    neighbours = neighbours or nearest_neighbours(vectors, settings.neighbours - 1, tell)
    lay_out = umap_layout if settings.engine == "default" else quick_layout
    layout = lay_out(
        vectors,
        neighbours,
        dims=settings.dims,
        count=settings.neighbours,
        seed=settings.seed,
        tell=tell,
    )
    dense = densities(layout, neighbours, settings, tell)
    return Clustering(
        labels=dense.labels,
        strength=dense.strength,
        layout=layout,
        neighbours=neighbours,
        settings=settings,
        scaled=scaled,
        libraries=(name_and_version("umap-learn"), dense.library),
        sweep=_swept(layout, neighbours, settings, tell) if sweep else (),
    )


def densities(
    layout: Vectors, neighbours: Neighbours, settings: Settings, tell: Tell = silent
) -> Dense:
    """The clusters of a layout, by the library of the engine."""
    sizes = settings.min_cluster_size, settings.min_samples
    if settings.engine == "default":
        return hdbscan_clusters(layout, *sizes, tell)
    return settled(quick_clusters(layout, *sizes, tell), neighbours)


def fitted(settings: Settings, texts: int) -> tuple[Settings, tuple[str, ...]]:
    """The settings scaled down to so many texts, and what was scaled, in words.

    Raises:
        TooFewTexts: for fewer than 12 texts.
    """
    if texts < FEWEST:
        raise TooFewTexts(f"found {texts} distinct critiques, expected at least {FEWEST}")
    share = min(1.0, texts / FULL)
    size = min(
        settings.min_cluster_size,
        max(SMALLEST_CLUSTER, round(settings.min_cluster_size * share)),
    )
    small = replace(
        settings,
        dims=min(settings.dims, texts - 3),
        neighbours=min(settings.neighbours, texts - 1),
        min_cluster_size=size,
        min_samples=min(settings.min_samples, max(2, size // 3))
        if share < 1
        else settings.min_samples,
    )
    words = tuple(
        f"{name} {getattr(small, name)} instead of {getattr(settings, name)}"
        for name in ("dims", "neighbours", "min_cluster_size", "min_samples")
        if getattr(small, name) != getattr(settings, name)
    )
    return small, words


def _swept(
    layout: Vectors, neighbours: Neighbours, settings: Settings, tell: Tell
) -> tuple[Sweep, ...]:
    sizes = sorted({max(2, round(settings.min_cluster_size * factor)) for factor in SWEEP})
    tried = (replace(settings, min_cluster_size=size) for size in sizes)
    return tuple(_trial(layout, neighbours, one, tell) for one in tried)


def _trial(layout: Vectors, neighbours: Neighbours, settings: Settings, tell: Tell) -> Sweep:
    labels = densities(layout, neighbours, settings, tell).labels
    noise = float((labels == NOISE).mean())
    return Sweep(settings.min_cluster_size, int(labels.max(initial=NOISE)) + 1, noise)


def cliffs(sweep: Sequence[Sweep]) -> list[tuple[Sweep, Sweep]]:
    """Neighbouring sizes of a sweep between which the number of clusters more than halves."""
    pairs = pairwise(sweep)
    return [(small, large) for small, large in pairs if large.clusters * 2 < small.clusters]
