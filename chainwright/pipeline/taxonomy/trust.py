"""Trust: stability, projection and comparison of a taxonomy that was built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import write_json
from chainwright.pipeline.taxonomy.build import mistakes_told
from chainwright.pipeline.taxonomy.critiques_file import read_critiques
from chainwright.pipeline.taxonomy.draft import read_edited
from chainwright.pipeline.taxonomy.folder import Kept
from chainwright.pipeline.taxonomy.telling import Telling
from chainwright.pipeline.taxonomy.vector_cache import VectorFile
from chainwright.taxonomy.clustering import Engine
from chainwright.taxonomy.corpus import corpus_of
from chainwright.taxonomy.embedding import embed, sentence_embedder
from chainwright.taxonomy.inventories import Comparison, Inventory, compare
from chainwright.taxonomy.neighbours import Neighbours
from chainwright.taxonomy.portraits import centroids
from chainwright.taxonomy.projection import Projection, Reach, Shares, project, side_by_side
from chainwright.taxonomy.stability import Stability, stability

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Tried:
    """A taxonomy's stability; also written to `stability.json`."""

    folder: Path
    engine: str
    stability: Stability

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "folder": str(self.folder),
            "engine": self.engine,
            "mean_ari": self.stability.mean_ari,
            **asdict(self.stability),
        }


@dataclass(frozen=True)
class Projected:
    """Another critic's critiques in a taxonomy's categories; also written to `projection.json`."""

    folder: Path
    critiques: Path
    rejects: int
    texts: int
    known: int
    """Texts that are in the taxonomy's own corpus word by word: they prove nothing."""
    projection: Projection
    shares: list[Shares]
    distance: float | None

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        found = self.projection
        return {
            "folder": str(self.folder),
            "critiques": str(self.critiques),
            "rejects": self.rejects,
            "texts": self.texts,
            "known_texts": self.known,
            "mean_cosine": found.mean_cosine,
            "shuffled_cosine": found.shuffled,
            "mean_margin": found.margin,
            "rejected_share": found.rejected,
            "categories": [asdict(each) for each in self.shares],
            "total_variation": self.distance,
        }


@dataclass(frozen=True)
class Compared:
    """Two taxonomies side by side."""

    first: Path
    second: Path
    comparison: Comparison

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "first": str(self.first),
            "second": str(self.second),
            **asdict(self.comparison),
        }


def try_stability(
    where: Path,
    *,
    seeds: int = 5,
    resamples: int = 10,
    engine: Engine | None = None,
    quiet: bool = False,
) -> Tried:
    """Repeats a taxonomy's clustering with other seeds and on resamples.

    Args:
        engine: Another engine than the one it was built with; the reference is then its first run.

    Raises:
        InputMistake: when there is no taxonomy, or its file does not hold up.
    """
    tell = Telling(quiet=quiet)
    kept = Kept(where)
    settings = kept.record.used()
    same = engine is None or engine == settings.engine
    if engine is not None:
        settings = replace(settings, engine=engine)
    edited = read_edited(kept.folder.draft, kept.record)
    arrays = kept.arrays
    with mistakes_told():
        found = stability(
            _vectors(kept, tell),
            settings,
            edited.category_of(),
            reference=kept.labels if same else None,
            known=kept.labels,
            neighbours=Neighbours(arrays["indices"], arrays["distances"]),
            seeds=[settings.seed + number for number in range(seeds)],
            resamples=resamples,
            step=tell,
        )
    tried = Tried(kept.folder.path, settings.engine, found)
    write_json(kept.folder.path / "stability.json", tried.as_json())
    return tried


def project_critiques(where: Path, critiques: str, runs: Path, *, quiet: bool = False) -> Projected:
    """Assigns another critic's critiques to a taxonomy's categories by the nearest centroid.

    Raises:
        InputMistake: when the taxonomy or the critiques cannot be used.
    """
    tell = Telling(quiet=quiet)
    kept = Kept(where)
    edited = read_edited(kept.folder.draft, kept.record)
    given = read_critiques(critiques, runs)
    corpus = corpus_of(given.rows)
    arrays = kept.arrays
    with mistakes_told(), VectorFile(kept.folder.vectors) as cache:
        maker = sentence_embedder(kept.record.embedder, tell)
        vectors = embed(corpus.keys, corpus.texts, maker, cache, tell.embedded)
    found = project(vectors, Reach(arrays["centres"], arrays["thresholds"]))
    category_of = edited.category_of()
    shares, distance = side_by_side(
        [each.name for each in edited.categories],
        [category_of.get(row.cluster) for row in kept.rows],
        [category_of.get(int(found.clusters[text])) for text in corpus.text_index],
    )
    projected = Projected(
        folder=kept.folder.path,
        critiques=given.path,
        rejects=len(given.rejects),
        texts=len(corpus.texts),
        known=len(set(corpus.keys) & set(kept.corpus.keys)),
        projection=found,
        shares=shares,
        distance=distance,
    )
    write_json(kept.folder.path / "projection.json", projected.as_json())
    return projected


def compare_taxonomies(first: Path, second: Path, *, quiet: bool = False) -> Compared:
    """Matches the categories of two taxonomies that were built independently.

    Raises:
        InputMistake: when one cannot be read, or their embeddings are of different models.
    """
    tell = Telling(quiet=quiet)
    one, other = Kept(first), Kept(second)
    if one.record.embedder != other.record.embedder:
        raise InputMistake(
            f"found the embedding model `{one.record.embedder}` in {first} and "
            f"`{other.record.embedder}` in {second}, expected one and the same: vectors of two "
            "models cannot be compared"
        )
    with mistakes_told():
        comparison = compare(_inventory(one, tell), _inventory(other, tell))
    return Compared(first, second, comparison)


def _inventory(kept: Kept, tell: Telling) -> Inventory:
    import numpy as np

    edited = read_edited(kept.folder.draft, kept.record)
    names = [each.name for each in edited.categories if each.clusters]
    place = {each: at for at, each in enumerate(names)}
    category_of = edited.category_of()
    labels = np.array(
        [place.get(category_of.get(int(label), ""), -1) for label in kept.labels], np.int64
    )
    found: Sequence[str | None] = [category_of.get(row.cluster) for row in kept.rows]
    sizes = [sum(1 for each in found if each == name) for name in names]
    return Inventory(names, centroids(_vectors(kept, tell), labels), sizes)


def _vectors(kept: Kept, tell: Telling) -> Vectors:
    """The vectors of a taxonomy's texts, from its cache; what it lacks is embedded again."""
    corpus = kept.corpus
    with VectorFile(kept.folder.vectors) as cache:
        maker = sentence_embedder(kept.record.embedder, tell)
        return embed(corpus.keys, corpus.texts, maker, cache, tell.embedded)
