"""The folder of a taxonomy: what a build leaves, and how the other commands find it again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.tables import read_table
from chainwright.schemas.critique import Critique
from chainwright.schemas.record import Record
from chainwright.taxonomy.clustering import Settings
from chainwright.taxonomy.corpus import Background, Corpus, corpus_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class ClusteredCritique(Record):
    """One row of `clustered.parquet`: a critique, where it comes from, and its cluster."""

    chain_id: str
    step: int
    critic: str
    description: str
    tags: list[str]
    source: str | None
    track: str | None
    generator: str | None
    cluster: int
    strength: float


class ClusterRecord(BaseModel):
    """A cluster as `build.json` tells of it."""

    model_config = ConfigDict(extra="ignore")

    cluster: int
    name: str
    definition: str
    named_by: str
    fault: str | None
    texts: int
    critiques: int
    central: list[str]
    edge: list[str]
    tags: list[tuple[str, int]]
    terms: list[str]
    siblings: list[int]


class SweepRecord(BaseModel):
    """What another smallest cluster would have given."""

    min_cluster_size: int
    clusters: int
    noise_share: float


class BuildRecord(BaseModel):
    """The content of `build.json`."""

    model_config = ConfigDict(extra="ignore")

    build: str
    """Hash of texts, labels and settings: a taxonomy file says which build its numbers are of."""
    chainwright: str
    input: str
    embedder: str
    settings: dict[str, Any]
    scaled: list[str]
    libraries: list[str]
    rows: int
    rejects: int
    critiques: int
    texts: int
    noise_texts: int
    noise_critiques: int
    sweep: list[SweepRecord]
    clusters: list[ClusterRecord]
    merged_by: str
    merge_fault: str | None
    draft: str
    """Hash of the taxonomy file as drafted; another one means that a person has edited it."""

    def used(self) -> Settings:
        """The settings as used, after scaling down."""
        return Settings(**self.settings)


@dataclass(frozen=True)
class TaxonomyFolder:
    """The paths of one taxonomy. Nothing need exist yet."""

    path: Path

    @property
    def record(self) -> Path:
        """What was done, and the clusters."""
        return self.path / "build.json"

    @property
    def clustered(self) -> Path:
        """Every critique with its cluster."""
        return self.path / "clustered.parquet"

    @property
    def arrays(self) -> Path:
        """Layout, neighbours, centroids."""
        return self.path / "arrays.npz"

    @property
    def vectors(self) -> Path:
        """The cache of embeddings."""
        return self.path / "embeddings.sqlite"

    @property
    def draft(self) -> Path:
        """The file that a person edits."""
        return self.path / "taxonomy.yaml"

    @property
    def table(self) -> Path:
        """The taxonomy as a table."""
        return self.path / "taxonomy-00000.parquet"

    @property
    def document(self) -> Path:
        """The taxonomy as JSON."""
        return self.path / "taxonomy.json"

    @property
    def part(self) -> Path:
        """The taxonomy as the part of a recipe by which judges use it."""
        return self.path / "annotation.yaml"

    @property
    def rejects(self) -> Path:
        """Rows that are no critiques."""
        return self.path / "rejects-00000.parquet"

    @property
    def page(self) -> Path:
        """The interactive map."""
        return self.path / "map.html"


class Kept:
    """A build read back; each part when it is asked for.

    Raises:
        InputMistake: when the folder holds no build, or a part of it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.folder = TaxonomyFolder(path)
        file = self.folder.record
        if not file.is_file():
            inner = path / "taxonomy" / "build.json"
            hint = (
                f"did you mean {inner.parent}?"
                if inner.is_file()
                else "it is made by `chainwright taxonomy build`"
            )
            raise InputMistake(f"{path}: found no taxonomy (build.json); {hint}")
        try:
            self.record = BuildRecord.model_validate_json(file.read_bytes())
        except (ValidationError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise InputMistake(f"{file}: unreadable ({reason}); build it again") from error

    @cached_property
    def rows(self) -> list[ClusteredCritique]:
        """Every critique with its cluster."""
        return read_table(self.folder.clustered, ClusteredCritique)

    @cached_property
    def corpus(self) -> Corpus:
        """The critiques in the order of the build."""
        return corpus_of(
            (
                Critique(
                    chain_id=row.chain_id,
                    step=row.step,
                    critic=row.critic,
                    description=row.description,
                    tags=row.tags,
                ),
                Background(row.source, row.track, row.generator),
            )
            for row in self.rows
        )

    @cached_property
    def labels(self) -> npt.NDArray[np.int64]:
        """The cluster of each distinct text."""
        import numpy as np

        labels = np.full(len(self.corpus.texts), -1, np.int64)
        clusters = {(row.chain_id, row.step, row.critic): row.cluster for row in self.rows}
        for critique, text in zip(self.corpus.critiques, self.corpus.text_index, strict=True):
            labels[text] = clusters[critique.chain_id, critique.step, critique.critic]
        return labels

    @cached_property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Layout, neighbours and centroids."""
        import numpy as np

        try:
            with np.load(self.folder.arrays, allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        except (OSError, ValueError) as error:
            raise InputMistake(f"{self.folder.arrays}: unreadable ({error})") from error


def write_arrays(path: Path, **arrays: npt.NDArray[Any]) -> None:
    """Writes arrays such that readers meet the old file or the new, never a part."""
    import numpy as np

    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.tmp")
    try:
        with draft.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]  # none is its flag
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
