"""Portraits: what stands for a cluster when it is named: exemplars, tags, terms, its neighbours."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainwright.taxonomy.corpus import Corpus
from chainwright.taxonomy.terms import class_terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Labels = npt.NDArray[np.int64]

EXEMPLARS = 6
SIBLINGS = 3
TAGS = 8


@dataclass(frozen=True)
class Portrait:
    """A cluster in short.

    Attributes:
        cluster: Its number.
        texts: Distinct texts in it.
        critiques: Critiques that say them.
        central: Descriptions closest to its centroid, closest first.
        edge: Descriptions of members that are nearly as close to another cluster.
        tags: Its most frequent tags, lower case, with their counts.
        terms: Words that set it apart.
        siblings: The clusters closest to it, closest first.
    """

    cluster: int
    texts: int
    critiques: int
    central: list[str]
    edge: list[str]
    tags: list[tuple[str, int]]
    terms: list[str]
    siblings: list[int]


def portraits(corpus: Corpus, vectors: Vectors, labels: Labels) -> list[Portrait]:
    """One portrait a cluster, by number; none where all is noise."""
    import numpy as np

    count = int(labels.max(initial=-1)) + 1
    if count == 0:
        return []
    centres = centroids(vectors, labels)
    described = _descriptions(corpus)
    said: list[Counter[str]] = [Counter() for _ in range(count)]
    spoken = [0] * count
    for critique, text in zip(corpus.critiques, corpus.text_index, strict=True):
        label = int(labels[text])
        if label >= 0:
            spoken[label] += 1
            said[label].update({tag.strip().lower() for tag in critique.tags})
    members = [np.flatnonzero(labels == number) for number in range(count)]
    terms = class_terms([[corpus.texts[place] for place in rows] for rows in members])
    close = centres @ centres.T
    made = []
    for number, rows in enumerate(members):
        nearness = vectors[rows] @ centres.T
        own = nearness[:, number]
        others = np.delete(nearness, number, axis=1)
        pull = others.max(axis=1) - own if count > 1 else -own
        ranked = [other for other in np.argsort(-close[number], kind="stable") if other != number]
        made.append(
            Portrait(
                cluster=number,
                texts=len(rows),
                critiques=spoken[number],
                central=_first(rows, -own, described),
                edge=_first(rows, -pull, described),
                tags=sorted(said[number].items(), key=lambda item: (-item[1], item[0]))[:TAGS],
                terms=terms[number],
                siblings=[int(other) for other in ranked[:SIBLINGS]],
            )
        )
    return made


def centroids(vectors: Vectors, labels: Labels) -> Vectors:
    """Each cluster's mean vector at length one, shape (clusters, dimensions)."""
    import numpy as np

    count = int(labels.max(initial=-1)) + 1
    sums = np.zeros((count, vectors.shape[1]), np.float64)
    inside = labels >= 0
    np.add.at(sums, labels[inside], vectors[inside])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    unit: Vectors = (sums / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit


def _descriptions(corpus: Corpus) -> list[str]:
    """A description for each distinct text."""
    found = [""] * len(corpus.texts)
    for critique, text in zip(corpus.critiques, corpus.text_index, strict=True):
        found[text] = critique.description
    return found


def _first(rows: Labels, rank: npt.NDArray[np.float32], described: list[str]) -> list[str]:
    import numpy as np

    best: list[str] = []
    for place in np.argsort(np.round(rank, 5), kind="stable"):
        text = described[int(rows[place])]
        if text not in best:
            best.append(text)
        if len(best) == EXEMPLARS:
            break
    return best
