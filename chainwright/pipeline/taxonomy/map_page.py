"""Map page: all critiques as one HTML file that needs no network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.taxonomy.build import mistakes_told
from chainwright.pipeline.taxonomy.draft import read_edited
from chainwright.pipeline.taxonomy.folder import Kept
from chainwright.pipeline.taxonomy.telling import Telling
from chainwright.pipeline.taxonomy.vector_cache import VectorFile
from chainwright.taxonomy.embedding import embed, sentence_embedder
from chainwright.taxonomy.layouts import quick_layout
from chainwright.taxonomy.neighbours import Neighbours

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TEMPLATE = Path(__file__).parent / "map.html"
SIDE = 10_000
"""Places are whole numbers from 0 to this: a page of 30,000 texts stays at some 7 MB."""

NONE = "(none)"


@dataclass(frozen=True)
class Mapped:
    """A page that was written."""

    page: Path
    texts: int
    size: int

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        return {"page": str(self.page), "texts": self.texts, "bytes": self.size}


def write_map(where: Path, out: Path | None = None, *, quiet: bool = False) -> Mapped:
    """Draws a taxonomy's critiques in two dimensions and writes the page.

    Raises:
        InputMistake: when there is no taxonomy.
        RecipeError: when its file does not hold up.
    """
    tell = Telling(quiet=quiet)
    kept = Kept(where)
    edited = read_edited(kept.folder.draft, kept.record)
    corpus, arrays = kept.corpus, kept.arrays
    with mistakes_told():
        with VectorFile(kept.folder.vectors) as cache:
            maker = sentence_embedder(kept.record.embedder, tell)
            vectors = embed(corpus.keys, corpus.texts, maker, cache, tell.embedded)
        plane = quick_layout(
            vectors,
            Neighbours(arrays["indices"], arrays["distances"]),
            dims=2,
            count=kept.record.used().neighbours,
            seed=kept.record.used().seed,
            tell=tell,
        )
    page = map_page(map_data(kept, plane, edited.category_of()))
    path = out or kept.folder.page
    write_atomically(path, page)
    return Mapped(path, len(corpus.texts), len(page.encode(errors="replace")))


def map_page(data: Mapping[str, Any]) -> str:
    """The page for its data; no text in it can end the element that holds it."""
    # `<` is all that HTML looks for inside a script element.
    document = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    return TEMPLATE.read_text(encoding="utf-8").replace("__DATA__", document)


def map_data(
    kept: Kept, plane: npt.NDArray[np.float32], category_of: Mapping[int, str]
) -> dict[str, Any]:
    """What the page shows, one entry a distinct text.

    A text that several critiques say is shown with the source and the generator of the first.
    """
    corpus = kept.corpus
    first: dict[int, int] = {}
    for at, text in enumerate(corpus.text_index):
        first.setdefault(text, at)
    rows = [first[text] for text in range(len(corpus.texts))]
    names = {each.cluster: f"{each.cluster} {each.name}" for each in kept.record.clusters}
    labels = [int(label) for label in kept.labels]
    where = [corpus.backgrounds[row] for row in rows]
    spread = plane - plane.min(axis=0)
    places = (spread / max(float(spread.max()), 1e-9) * SIDE).round().astype(int)
    return {
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "text": [corpus.critiques[row].description for row in rows],
        "tags": [", ".join(corpus.critiques[row].tags) for row in rows],
        "count": corpus.counts(),
        "noise": sum(1 for label in labels if label < 0),
        "none": NONE,
        "groups": {
            "category": _group([category_of.get(label) for label in labels]),
            "cluster": _group([names.get(label) for label in labels]),
            "source": _group([each.source for each in where]),
            "generator": _group([each.generator for each in where]),
        },
    }


def _group(values: Sequence[str | None]) -> dict[str, Any]:
    """The groups by size, what has none last, and the group of each text."""
    counts: dict[str, int] = {}
    for value in values:
        counts[value or NONE] = counts.get(value or NONE, 0) + 1
    names = sorted(counts, key=lambda name: (name == NONE, -counts[name], name))
    place = {name: at for at, name in enumerate(names)}
    return {
        "names": names,
        "sizes": [counts[name] for name in names],
        "of": [place[value or NONE] for value in values],
    }
