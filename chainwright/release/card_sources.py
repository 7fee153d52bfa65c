"""Card, sources: where the problems were read, under which licences, and what these ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from chainwright.release.licences import stated_licences, what_follows
from chainwright.release.markdown import code
from chainwright.release.tally import Tally


def source_rows(recipe: Mapping[str, Any], tally: Tally) -> list[list[Any]]:
    """Rows of (source, place, licences, problems, chains)."""
    places = {one.get("name") or one["kind"]: _read_from(one) for one in recipe["sources"]}
    return [
        [
            code(source),
            places.get(source),
            ", ".join(stated_licences(tally.licences[source])),
            problems,
            tally.chains_by_source[source],
        ]
        for source, problems in sorted(tally.problems.items())
    ]


def what_is_asked(recipe: Mapping[str, Any], tally: Tally) -> list[Markup]:
    """What the licences ask of who uses the whole, a sentence each; names escaped."""
    by_source = {source: list(counts) for source, counts in tally.licences.items()}
    return [
        Markup(before) + (code(named) if named else "") + Markup(after)  # noqa: S704 - ours
        for before, named, after in what_follows(by_source, recipe["release"].get("licence"))
    ]


def _read_from(source: Mapping[str, Any]) -> Markup:
    if hub := source.get("hub"):
        revision = source.get("revision")
        return code(f"{hub}@{revision}" if revision else hub) + Markup(" on the Hub")
    place = str(source.get("path") or "")
    if place.startswith("builtin:"):
        return code(place) + Markup(" of chainwright")
    return Markup("file ") + code(place)
