"""A focused second pass: the critiques of one cluster, clustered by themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.taxonomy.build import Built, finish, mistakes_told, refuse_edited
from chainwright.pipeline.taxonomy.critiques_file import Given
from chainwright.pipeline.taxonomy.folder import Kept, TaxonomyFolder
from chainwright.pipeline.taxonomy.telling import Telling
from chainwright.pipeline.taxonomy.vector_cache import VectorFile
from chainwright.taxonomy.clustering import cluster
from chainwright.taxonomy.densities import NOISE
from chainwright.taxonomy.embedding import embed, sentence_embedder


def focus_taxonomy(
    where: Path,
    name: str,
    *,
    min_cluster_size: int | None = None,
    out: Path | None = None,
    quiet: bool = False,
) -> Built:
    """Clusters the critiques of one cluster anew, in a layout of their own.

    The folder that comes of it is a taxonomy like any other, named by terms.

    Args:
        where: The folder of the first pass.
        name: The number of a cluster of it; `noise` for what is in none.
        min_cluster_size: By default that of the first pass, scaled to the number of texts.
        out: By default `focus-NAME` in the folder.

    Raises:
        InputMistake: when there is no such cluster, or it is too small to be cut up.
    """
    tell = Telling(quiet=quiet)
    kept = Kept(where)
    numbers = {str(each.cluster): each.cluster for each in kept.record.clusters}
    if name not in numbers and name != "noise":
        expected = f"0 to {len(numbers) - 1}, or noise" if numbers else "noise, as there is none"
        raise InputMistake(f"{where}: found the cluster {name}, expected {expected}")
    number = numbers.get(name, NOISE)
    folder = TaxonomyFolder(out or kept.folder.path / f"focus-{name}")
    refuse_edited(folder)
    part = kept.corpus.part(text for text, label in enumerate(kept.labels) if label == number)
    rows = list(zip(part.critiques, part.backgrounds, strict=True))
    given = Given(kept.folder.clustered, None, rows)
    settings = kept.record.used()
    if min_cluster_size is not None:
        settings = replace(settings, min_cluster_size=min_cluster_size)
    tell(f"cluster {name}: {len(rows):,} critiques, {len(part.texts):,} texts")
    with mistakes_told():
        with VectorFile(kept.folder.vectors) as cache:
            maker = sentence_embedder(kept.record.embedder, tell)
            vectors = embed(part.keys, part.texts, maker, cache, tell.embedded)
        found = cluster(vectors, settings, sweep=True, tell=tell)
        return finish(
            folder,
            given,
            part,
            vectors,
            found,
            kept.record.embedder,
            None,
            None,
            None,
            None,
            tell,
        )
