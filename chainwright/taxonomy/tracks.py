"""Tracks: which categories belong together, read off how often each source shows them.

GRACE (arXiv 2606.16151) finds that deductive sources and evidence sources fail in different ways,
and gives each of the two a taxonomy of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainwright.taxonomy.corpus import Background

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FIRST, SECOND = "group_1", "group_2"
"""Names of tracks that the sources do not tell."""


@dataclass(frozen=True)
class TrackSplit:
    """Categories by track.

    Attributes:
        table: Category by source, numbers of critiques.
        track: For each category its track; None where no critique of it has a known source.
        purity: For each category the share of its track among its critiques, every track's
            sources weighing the same; 0.5 of two tracks is no separation at all.
        source_track: The track of each source.
        declared: Whether the sources said their tracks; else both sides are read off the table.
    """

    table: dict[str, dict[str, int]]
    track: dict[str, str | None]
    purity: dict[str, float | None]
    source_track: dict[str, str]
    declared: bool


def split_tracks(
    categories: Sequence[str], backgrounds: Sequence[tuple[str | None, Background]]
) -> TrackSplit:
    """The track of each category.

    A category belongs to the track whose sources show it at the highest rate. Where no source says
    its track and there are two or more, sources and categories are cut in two by the first axis of
    a correspondence analysis of the table.

    Args:
        categories: All categories, also those without a critique.
        backgrounds: For each critique its category (None: in none) and where it comes from.
    """
    counted: dict[str, Counter[str]] = {category: Counter() for category in categories}
    declared: dict[str, str] = {}
    for category, where in backgrounds:
        if where.source is not None:
            if where.track is not None:
                declared[where.source] = where.track
            if category is not None:
                counted[category][where.source] += 1
        elif where.track is not None:
            # no source, but a track: the track stands in for it
            name = f"({where.track})"
            declared[name] = where.track
            if category is not None:
                counted[category][name] += 1
    sources = sorted({source for counts in counted.values() for source in counts})
    table = {
        category: {source: counts[source] for source in sources}
        for category, counts in counted.items()
    }
    side = declared or _two_sides(table, sources)
    track, purity = {}, {}
    for category, rates in _rates(table, side).items():
        total = sum(rates.values())
        best = max(sorted(rates), key=lambda name: rates[name]) if total > 0 else None
        track[category] = best
        purity[category] = rates[best] / total if best is not None else None
    return TrackSplit(table, track, purity, side, bool(declared))


def _rates(
    table: Mapping[str, Mapping[str, int]], side: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """How large a share of each track's critiques every category is."""
    totals: Counter[str] = Counter()
    by_track: dict[str, Counter[str]] = {}
    for category, counts in table.items():
        by_track[category] = Counter()
        for source, number in counts.items():
            if source in side:
                by_track[category][side[source]] += number
                totals[side[source]] += number
    return {
        category: {name: counts[name] / totals[name] for name in totals if totals[name]}
        for category, counts in by_track.items()
    }


def _two_sides(table: Mapping[str, Mapping[str, int]], sources: Sequence[str]) -> dict[str, str]:
    """Two sides of the sources by their place on the first axis; one where there is no axis."""
    import numpy as np

    filled = [list(counts.values()) for counts in table.values() if sum(counts.values())]
    if len(sources) < 2 or len(filled) < 2:
        return dict.fromkeys(sources, FIRST)
    axis = _first_axis(np.array(filled, np.float64))
    if axis is None:
        return dict.fromkeys(sources, FIRST)
    if axis[0] < 0:
        axis = -axis
    return {
        source: FIRST if place >= 0 else SECOND for source, place in zip(sources, axis, strict=True)
    }


def _first_axis(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    """The columns' places on the first axis; None where rows do not differ."""
    import numpy as np

    share = counts / counts.sum()
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    expected = np.outer(rows, columns)
    _, strength, axes = np.linalg.svd((share - expected) / np.sqrt(expected))
    return axes[0] / np.sqrt(columns) if strength[0] > 1e-9 else None
