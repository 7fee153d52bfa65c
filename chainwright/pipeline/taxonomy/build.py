"""Building a taxonomy: critiques are read, embedded, clustered, named and gathered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright import __version__
from chainwright.pipeline.asking import Asking
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import file_hash, write_atomically, write_json
from chainwright.pipeline.tables import write_table
from chainwright.pipeline.taxonomy.clustered import vectors_and_clusters
from chainwright.pipeline.taxonomy.critiques_file import Given, read_critiques
from chainwright.pipeline.taxonomy.draft import draft_text
from chainwright.pipeline.taxonomy.folder import (
    BuildRecord,
    ClusteredCritique,
    ClusterRecord,
    Kept,
    SweepRecord,
    TaxonomyFolder,
    write_arrays,
)
from chainwright.pipeline.taxonomy.telling import Telling
from chainwright.schemas.identity import content_hash
from chainwright.schemas.reject import Reject
from chainwright.taxonomy.clustering import Clustering, Settings, TooFewTexts
from chainwright.taxonomy.consolidation import Consolidation, merge_by_centroids, merge_by_model
from chainwright.taxonomy.corpus import Corpus, corpus_of
from chainwright.taxonomy.embedding import EmbedderError
from chainwright.taxonomy.extra import MissingExtra
from chainwright.taxonomy.naming import Named, name_by_model, name_by_terms
from chainwright.taxonomy.portraits import Portrait, centroids, portraits
from chainwright.taxonomy.projection import reach
from chainwright.taxonomy.tracks import TrackSplit, split_tracks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from chainwright.llm.request import Asker
    from chainwright.llm.uri import ModelUri

    Vectors = npt.NDArray[np.float32]

CONCURRENCY = 16


@dataclass(frozen=True)
class Built:
    """A taxonomy as built, before a person has looked at it."""

    folder: TaxonomyFolder
    record: BuildRecord
    consolidation: Consolidation
    split: TrackSplit

    def as_json(self) -> dict[str, Any]:
        """The build as plain values."""
        return {
            "folder": str(self.folder.path),
            "build": self.record.model_dump(),
            "categories": [asdict(each) for each in self.consolidation.proposals],
            "tracks": asdict(self.split),
            "draft": str(self.folder.draft),
        }


def build_taxonomy(
    where: str,
    runs: Path,
    *,
    settings: Settings,
    embedder: str,
    out: Path | None = None,
    model: str | None = None,
    categories: int | None = None,
    track: str | None = None,
    quiet: bool = False,
    ray: str | None = None,
) -> Built:
    """Builds a taxonomy of a run's critiques, or of a file's.

    Args:
        where: A run, its name, or a file of critiques.
        out: The folder to write; by default `taxonomy` in the run, or beside the file.
        model: URI of the model that names and merges; None does without.
        categories: How many categories to aim for.
        track: The track of all categories, where the sources don't tell it.
        ray: Address of the Ray cluster that embeds and clusters; None for this process.

    Raises:
        InputMistake: when the critiques, the model, the cluster or the folder cannot be used, or
            the extra is missing.
        RunStopped: when the cache or the ledger cannot be used.
    """
    tell = Telling(quiet=quiet)
    uri = _uri(model)
    given = read_critiques(where, runs)
    folder = TaxonomyFolder(out or _beside(given))
    refuse_edited(folder)
    ledger = (given.run.ledger if given.run else folder.path / "ledger.sqlite") if uri else None
    if uri is not None and ledger is not None and not ledger.is_file():
        _refuse_unasked(uri)
    corpus = corpus_of(given.rows)
    tell(f"{given.taken:,} rows, {len(given.rejects):,} rejects, {len(corpus.texts):,} texts")
    with mistakes_told():
        vectors, found = vectors_and_clusters(corpus, embedder, folder.vectors, settings, tell, ray)
        return finish(
            folder, given, corpus, vectors, found, embedder, uri, ledger, categories, track, tell
        )


def finish(
    folder: TaxonomyFolder,
    given: Given,
    corpus: Corpus,
    vectors: Vectors,
    found: Clustering,
    embedder: str,
    uri: ModelUri | None,
    ledger: Path | None,
    categories: int | None,
    track: str | None,
    tell: Telling,
) -> Built:
    """Names clusters, gathers them into categories and writes the folder."""
    shown = portraits(corpus, vectors, found.labels)
    centres = centroids(vectors, found.labels)
    tell(f"{len(shown)} clusters, {found.noise_share:.1%} of the texts in none; naming them")
    names, merged = _named(shown, centres, uri, ledger, categories, tell)
    category_of = {
        number: proposal.name for proposal in merged.proposals for number in proposal.clusters
    }
    split = split_tracks(
        [proposal.name for proposal in merged.proposals],
        [
            (category_of.get(int(found.labels[text])), background)
            for text, background in zip(corpus.text_index, corpus.backgrounds, strict=True)
        ],
    )
    tracks = {name: track or split.track[name] for name in split.track}
    build = content_hash(
        corpus.keys, found.labels.tolist(), asdict(found.settings), list(found.libraries), embedder
    )[:16]
    clusters = [_cluster(portrait, named) for portrait, named in zip(shown, names, strict=True)]
    text = draft_text(build, merged.proposals, tracks, clusters)
    record = BuildRecord(
        build=build,
        chainwright=__version__,
        input=str(given.path),
        embedder=embedder,
        settings=asdict(found.settings),
        scaled=list(found.scaled),
        libraries=list(found.libraries),
        rows=given.taken,
        rejects=len(given.rejects),
        critiques=len(corpus.critiques),
        texts=len(corpus.texts),
        noise_texts=int((found.labels < 0).sum()),
        noise_critiques=sum(1 for each in corpus.text_index if found.labels[each] < 0),
        sweep=[SweepRecord(**asdict(each)) for each in found.sweep],
        clusters=clusters,
        merged_by=merged.by,
        merge_fault=merged.fault,
        draft=hashlib.sha256(text.encode()).hexdigest(),
    )
    limits = reach(vectors, found.labels, centres)
    # The record comes when all but the draft is there, and the draft last: whatever a kill leaves
    # behind can be built over, and is no build.
    folder.draft.unlink(missing_ok=True)
    folder.record.unlink(missing_ok=True)
    write_table(folder.clustered, _rows(corpus, found), ClusteredCritique)
    write_table(folder.rejects, given.rejects, Reject)
    write_arrays(
        folder.arrays,
        layout=found.layout,
        indices=found.neighbours.indices,
        distances=found.neighbours.distances,
        centres=limits.centres,
        thresholds=limits.thresholds,
    )
    write_json(folder.record, record.model_dump())
    write_atomically(folder.draft, text)
    return Built(folder, record, merged, split)


def refuse_edited(folder: TaxonomyFolder) -> None:
    """Protects the work of a person.

    Raises:
        InputMistake: when the folder holds a taxonomy file that was edited since it was drafted.
    """
    if not folder.draft.is_file():
        return
    drafted = Kept(folder.path).record.draft if folder.record.is_file() else None
    if file_hash(folder.draft) != drafted:
        raise InputMistake(
            f"{folder.draft} has been edited, and a new build would number its clusters anew; "
            "move it away, or build into another folder with --out"
        )


@contextmanager
def mistakes_told() -> Iterator[None]:
    """Turns what a user can put right into an InputMistake."""
    try:
        yield
    except (MissingExtra, EmbedderError, TooFewTexts) as error:
        raise InputMistake(str(error)) from error


def _uri(model: str | None) -> ModelUri | None:
    if model is None:
        return None
    from chainwright.llm.uri import ModelUriError, missing_extra, parse_model_uri

    try:
        uri = parse_model_uri(model)
    except ModelUriError as error:
        raise InputMistake(f"--model: {error}") from error
    if uri.provider == "program":
        raise InputMistake(f"--model: found `{model}`, expected a model that writes text")
    if command := missing_extra(uri):
        raise InputMistake(f"--model: `{model}` needs a part that is not installed: {command}")
    return uri


def _refuse_unasked(uri: ModelUri) -> None:
    """Tells before minutes of clustering what would stop the naming after them."""
    from chainwright.llm.endpoint import endpoint
    from chainwright.llm.keys import NAMES, api_key
    from chainwright.llm.request import ModelUnavailable

    try:
        endpoint(uri)
        if uri.provider in NAMES:
            api_key(uri.provider)
    except ModelUnavailable as error:
        raise InputMistake(f"--model: {error}") from error


def _beside(given: Given) -> Path:
    if given.run is not None:
        return given.run.path / "taxonomy"
    return given.path.with_name(f"{given.path.name.partition('.')[0]}-taxonomy")


def _named(
    shown: Sequence[Portrait],
    centres: Vectors,
    uri: ModelUri | None,
    ledger: Path | None,
    categories: int | None,
    tell: Telling,
) -> tuple[list[Named], Consolidation]:
    if uri is None or ledger is None or not shown:
        names = name_by_terms(shown)
        return names, merge_by_centroids(shown, names, centres, categories)

    async def ask(asker: Asker) -> tuple[list[Named], Consolidation]:
        names = await name_by_model(shown, asker, uri)
        return names, await merge_by_model(shown, names, centres, asker, uri, categories)

    asking = Asking(ledger, CONCURRENCY)
    asking.begin()
    try:
        return asking.run(ask, lambda: tell.answered(sum(t.sent for t in asking.tallies.values())))
    finally:
        asking.close()


def _cluster(portrait: Portrait, named: Named) -> ClusterRecord:
    return ClusterRecord(
        name=named.name,
        definition=named.definition,
        named_by=named.by,
        fault=named.fault,
        **asdict(portrait),
    )


def _rows(corpus: Corpus, found: Clustering) -> list[ClusteredCritique]:
    parts = zip(corpus.critiques, corpus.backgrounds, corpus.text_index, strict=True)
    return [
        ClusteredCritique(
            chain_id=critique.chain_id,
            step=critique.step,
            critic=critique.critic,
            description=critique.description,
            tags=critique.tags,
            source=where.source,
            track=where.track,
            generator=where.generator,
            cluster=int(found.labels[text]),
            strength=float(found.strength[text]),
        )
        for critique, where, text in parts
    ]
