"""Clustered: the vectors of a corpus and their clusters, made here or on a Ray cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chainwright.pipeline.taxonomy.telling import Telling
from chainwright.pipeline.taxonomy.vector_cache import VectorFile
from chainwright.taxonomy.clustering import Clustering, Settings, cluster
from chainwright.taxonomy.corpus import Corpus
from chainwright.taxonomy.embedding import embed, sentence_embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


def vectors_and_clusters(
    corpus: Corpus, embedder: str, kept: Path, settings: Settings, tell: Telling, ray: str | None
) -> tuple[Vectors, Clustering]:
    """One vector a text, and the clusters that they fall into, with a sweep.

    Args:
        kept: The file of vectors; what is in it is not embedded again.
        ray: Address of the Ray cluster that does the work; None for this process.

    Raises:
        InputMistake: when the cluster cannot be used.
        EmbedderError: when the model cannot be loaded.
        MissingExtra: when a library is missing, here or on a node.
        TooFewTexts: for fewer than 12 texts.
        RunStopped: when the file of vectors or the cluster cannot be used any more.
    """
    with VectorFile(kept) as cache:
        if ray is None:
            here = sentence_embedder(embedder, tell)
            vectors = embed(corpus.keys, corpus.texts, here, cache, tell.embedded)
            return vectors, cluster(vectors, settings, sweep=True, tell=tell)
        from chainwright.pipeline.cluster.ray_clustering import cluster_on_ray
        from chainwright.pipeline.cluster.ray_connection import connection
        from chainwright.pipeline.cluster.ray_embedding import RayEmbedder

        with connection(ray):
            there = RayEmbedder(embedder)
            vectors = embed(corpus.keys, corpus.texts, there, cache, tell.embedded, there.at_once)
            return vectors, cluster_on_ray(vectors, settings, tell)
