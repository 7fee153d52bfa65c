"""Stability: how far clusters depend on the seed and on the sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from chainwright.taxonomy.clustering import Settings, cluster
from chainwright.taxonomy.densities import NOISE
from chainwright.taxonomy.neighbours import Neighbours

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Labels = npt.NDArray[np.int64]

NOISE_SHARE = "(noise)"
DRAWN = 0.632
"""The share of distinct rows in a bootstrap sample of large size, 1 - 1/e."""


@dataclass(frozen=True)
class Agreement:
    """Two clusterings of the same texts.

    Attributes:
        ari: Adjusted Rand index, noise as one more group; 1 where they are the same, about 0 by
            chance.
        ari_inside: The same over the texts that neither calls noise; None where there are none.
        inside: The share of those texts.
    """

    ari: float
    ari_inside: float | None
    inside: float


@dataclass(frozen=True)
class Interval:
    """A share and where 95% of the resamples find it."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Stability:
    """What repetition finds.

    Attributes:
        seeds: The seeds tried, the reference first.
        between_seeds: Every two seeds.
        samples: Each resample against the reference, on its own texts.
        clusters: Number of clusters: of each seed, then of each resample.
        noise: Share of noise, in the same order.
        shares: By category, and for noise: its share of the texts, with the resamples' interval.
        lost: By category: in how many resamples no cluster falls to it.
    """

    seeds: list[int]
    between_seeds: list[Agreement]
    samples: list[Agreement]
    clusters: list[int]
    noise: list[float]
    shares: dict[str, Interval]
    lost: dict[str, int]

    @property
    def mean_ari(self) -> float | None:
        """Mean over every two seeds; None for one seed."""
        values = [each.ari for each in self.between_seeds]
        return sum(values) / len(values) if values else None


def agreement(one: Labels, other: Labels) -> Agreement:
    """How far two clusterings of the same texts agree; -1 is noise."""
    inside = (one != NOISE) & (other != NOISE)
    return Agreement(
        ari=adjusted_rand(one, other),
        ari_inside=adjusted_rand(one[inside], other[inside]) if inside.any() else None,
        inside=float(inside.mean()) if len(inside) else 0.0,
    )


def adjusted_rand(one: Labels, other: Labels) -> float:
    """The adjusted Rand index (Hubert and Arabie 1985).

    1 for two equal partitions, also where both are one group or all single; 0 on average by chance.
    """
    import numpy as np

    _, first = np.unique(one, return_inverse=True)
    _, second = np.unique(other, return_inverse=True)
    cells = np.unique(first * (second.max(initial=0) + 1) + second, return_counts=True)[1]

    def pairs(counts: npt.NDArray[np.int64]) -> float:
        return float((counts.astype(np.float64) * (counts - 1) / 2).sum())

    both = pairs(cells)
    rows, columns = pairs(np.bincount(first)), pairs(np.bincount(second))
    every = len(one) * (len(one) - 1) / 2
    chance = rows * columns / every if every else 0.0
    most = (rows + columns) / 2
    return 1.0 if most == chance else (both - chance) / (most - chance)


def stability(
    vectors: Vectors,
    settings: Settings,
    category_of: Mapping[int, str],
    *,
    known: Labels | None = None,
    reference: Labels | None = None,
    neighbours: Neighbours | None = None,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    resamples: int = 10,
    step: Callable[[str], None] = lambda _words: None,
) -> Stability:
    """Clusters again with other seeds and on resamples of the texts.

    A resample holds the distinct texts of a bootstrap sample, 63% of them, since a text drawn twice
    would be its own neighbour. There, the smallest cluster shrinks in proportion. A cluster found
    again counts for the category that most of its texts have in the reference.

    Args:
        category_of: The category of each cluster that was built.
        known: The clusters that were built; by default those of the first seed.
        reference: The labels that the first seed gives, where they need not be found again.
        step: Told what is tried next.
    """
    import numpy as np

    found = []
    for number, seed in enumerate(seeds):
        if number == 0 and reference is not None:
            found.append(reference)
            continue
        step(f"seed {seed}")
        again = cluster(vectors, replace(settings, seed=seed), neighbours=neighbours)
        neighbours = again.neighbours
        found.append(again.labels)
    base = found[0]
    names = [*sorted(set(category_of.values())), NOISE_SHARE]
    built = np.array(
        [_place(label, category_of, names) for label in (base if known is None else known)]
    )
    samples, counts, noise = [], [_count(each) for each in found], [_noise(each) for each in found]
    drawn: list[npt.NDArray[np.float64]] = []
    smaller = replace(settings, min_cluster_size=max(2, round(settings.min_cluster_size * DRAWN)))
    for number in range(resamples):
        step(f"resample {number + 1} of {resamples}")
        rng = np.random.default_rng((settings.seed, number))
        rows = np.unique(rng.integers(0, len(vectors), len(vectors)))
        labels = cluster(vectors[rows], smaller).labels
        samples.append(agreement(base[rows], labels))
        counts.append(_count(labels))
        noise.append(_noise(labels))
        drawn.append(_shares(labels, built[rows], len(names)))
    whole = np.bincount(built, minlength=len(names)) / max(1, len(built))
    spread = np.array(drawn) if drawn else whole[None]
    low, high = np.percentile(spread, [2.5, 97.5], axis=0)
    return Stability(
        seeds=list(seeds),
        between_seeds=[agreement(a, b) for a, b in combinations(found, 2)],
        samples=samples,
        clusters=counts,
        noise=noise,
        shares={
            name: Interval(float(whole[at]), float(low[at]), float(high[at]))
            for at, name in enumerate(names)
        },
        lost={
            name: int((spread[:, at] == 0).sum()) if drawn else 0
            for at, name in enumerate(names[:-1])
        },
    )


def _place(label: int, category_of: Mapping[int, str], names: Sequence[str]) -> int:
    """The place of a cluster's category; clusters left out count as noise."""
    return names.index(category_of.get(int(label), NOISE_SHARE))


def _count(labels: Labels) -> int:
    return int(labels.max(initial=NOISE)) + 1


def _noise(labels: Labels) -> float:
    return float((labels == NOISE).mean())


def _shares(labels: Labels, known: Labels, names: int) -> npt.NDArray[np.float64]:
    """Shares of the categories after each cluster went to the one that most of its texts have."""
    import numpy as np

    shares = np.zeros(names)
    for label in np.unique(labels):
        rows = labels == label
        votes = np.bincount(known[rows], minlength=names)
        at = names - 1 if label == NOISE else int(votes.argmax())
        shares[at] += rows.mean()
    return shares
