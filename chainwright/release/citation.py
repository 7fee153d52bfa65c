"""Citation: a release's `CITATION.cff`, in the Citation File Format 1.2.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chainwright import __version__
from chainwright.release.licences import HUB_LICENCES
from chainwright.release.markdown import one_line
from chainwright.release.metadata import title_of
from chainwright.release.tally import Tally
from chainwright.release.works import works_of


def citation(recipe: Mapping[str, Any], tally: Tally) -> dict[str, Any]:
    """The content of `CITATION.cff` as plain values.

    The licence is named where all rows have one SPDX licence, or the recipe names one. Who is to be
    cited is not ours to guess: without `release.authors` it is the makers, by the release's title.

    Args:
        recipe: The recipe as published.
        tally: Counts over the rows.
    """
    release = recipe["release"]
    title = title_of(recipe)
    authors = release.get("authors") or [f"The makers of {title}"]
    stated = {one for counts in tally.licences.values() for one in counts}
    only = release.get("licence") or (next(iter(stated)) if len(stated) == 1 else None)
    version = release.get("version")
    return {
        "cff-version": "1.2.0",
        "message": "Please cite this dataset, and the work that it rests on.",
        "type": "dataset",
        "title": title,
        "authors": [{"name": one_line(author)} for author in authors],
        **({"version": version} if version else {}),
        **({"date-released": release["date"]} if release.get("date") else {}),
        **({"license": only} if only and only.lower() in HUB_LICENCES else {}),
        "abstract": "Reasoning chains, labelled step by step, with tiers and premises, "
        f"built with chainwright {__version__}.",
        "references": [
            {
                "type": "article",
                "title": work.title or f"{work.name}, arXiv {work.arxiv}",
                "authors": [{"name": work.by or f"The authors of {work.name}"}],
                "year": work.year,
                "url": work.url,
            }
            for work in works_of(recipe, tally.tracks)
        ],
    }
