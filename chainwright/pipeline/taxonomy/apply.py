"""Applying an edited taxonomy file: checked, then written as the table that annotation reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import write_atomically, write_json
from chainwright.pipeline.tables import write_table
from chainwright.pipeline.taxonomy.draft import Edited, quoted, read_edited
from chainwright.pipeline.taxonomy.folder import Kept, TaxonomyFolder
from chainwright.recipe_parts.taxonomies import TaxonomyPart
from chainwright.schemas.taxonomy import Category, Taxonomy
from chainwright.taxonomy.tracks import TrackSplit, split_tracks


@dataclass(frozen=True)
class Applied:
    """A taxonomy that was written.

    Attributes:
        counts: Critiques by category.
        left_out: Critiques in clusters that are left out.
        noise: Critiques in no cluster.
    """

    folder: TaxonomyFolder
    taxonomies: list[Taxonomy]
    counts: dict[str, int]
    left_out: int
    noise: int
    split: TrackSplit

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "table": str(self.folder.table),
            "document": str(self.folder.document),
            "part": str(self.folder.part),
            "taxonomies": [each.model_dump() for each in self.taxonomies],
            "critiques": self.counts,
            "left_out": self.left_out,
            "noise": self.noise,
            "tracks": asdict(self.split),
        }


def apply_taxonomy(file: Path, build: Path | None = None) -> Applied:
    """Checks a taxonomy file and writes the taxonomy of each of its tracks.

    Args:
        file: A taxonomy file.
        build: The folder whose clusters it places; by default the one the file lies in.

    Raises:
        RecipeError: with every problem of the file, each at its line and key.
        InputMistake: when there is no build beside the file.
    """
    if file.is_dir():
        file = file / "taxonomy.yaml"
    if not file.is_file():
        raise InputMistake(f"{file}: found no such file, expected a taxonomy file")
    kept = Kept(build or file.parent)
    edited = read_edited(file, kept.record)
    taxonomies = _taxonomies(edited)
    category_of = edited.category_of()
    placed = [(row, category_of.get(row.cluster)) for row in kept.rows]
    names = [each.name for each in edited.categories]
    split = split_tracks(
        names,
        [
            (category_of.get(int(kept.labels[text])), where)
            for text, where in zip(kept.corpus.text_index, kept.corpus.backgrounds, strict=True)
        ],
    )
    write_table(kept.folder.table, taxonomies, Taxonomy)
    write_json(kept.folder.document, [each.model_dump() for each in taxonomies])
    write_atomically(kept.folder.part, recipe_part(taxonomies))
    outside = set(edited.left_out)
    return Applied(
        folder=kept.folder,
        taxonomies=taxonomies,
        counts={name: sum(1 for _, found in placed if found == name) for name in names},
        left_out=sum(1 for row, _ in placed if row.cluster in outside),
        noise=sum(1 for row, _ in placed if row.cluster < 0),
        split=split,
    )


def recipe_part(taxonomies: Sequence[Taxonomy]) -> str:
    """The categories as a recipe names them, of the tracks that judges of faithfulness vote on."""
    judged = [each for each in taxonomies if each.track in TaxonomyPart.model_fields]
    lines = ["# For a recipe: its judges vote by these categories in place of the built-in ones."]
    lines += ["annotation:", "  taxonomy:" if judged else "  taxonomy: {}"]
    for taxonomy in judged:
        lines.append(f"    {taxonomy.track}:")
        for category in taxonomy.categories:
            lines.append(f"      - name: {category.name}")
            lines.append(f"        definition: {quoted(category.definition)}")
    return "\n".join([*lines, ""])


def _taxonomies(edited: Edited) -> list[Taxonomy]:
    """One taxonomy a track, in the order in which the file names the tracks first."""
    tracks = dict.fromkeys(each.track for each in edited.categories)
    return [
        Taxonomy(
            track=track,
            categories=[
                Category(name=each.name, definition=each.definition, clusters=each.clusters)
                for each in edited.categories
                if each.track == track
            ],
        )
        for track in tracks
    ]
