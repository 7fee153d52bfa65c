"""Listing: what a page needs to list, filter and search every chain, a few bytes each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from chainwright.release.site.chain_view import ChainView
from chainwright.release.tally import UNDECIDED
from chainwright.schemas.words import SOUND

PER_SHARD = 2_000
"""Chains in one file of the listing, and of the texts that are searched."""

FACETS = (
    "source",
    "track",
    "generator",
    "origin",
    "polarity",
    "tier",
    "label",
    "category",
    "votes",
)
"""What chains are filtered by, in the order of the page."""

UNLABELLED = "not labelled"
_PLAIN = ("id", "question", "steps", "errors", "first", "parent", "outline")
_MANY = ("label", "category", "votes")
"""Facets of which a chain has any number of values."""


class Facets:
    """The values of each facet, numbered as they are met, with the chains that have each."""

    def __init__(self) -> None:
        self._codes: dict[str, dict[str, int]] = {facet: {} for facet in FACETS}
        self._chains: dict[str, list[int]] = {facet: [] for facet in FACETS}

    def code(self, facet: str, value: str) -> int:
        """The number of a value, which a chain is found to have."""
        codes, chains = self._codes[facet], self._chains[facet]
        if value not in codes:
            codes[value] = len(codes)
            chains.append(0)
        chains[codes[value]] += 1
        return codes[value]

    def document(self) -> list[dict[str, Any]]:
        """The facets in order, each with its values and how many chains have each."""
        return [
            {"facet": facet, "values": list(codes), "chains": self._chains[facet]}
            for facet, codes in self._codes.items()
        ]


class Shard:
    """A part of the listing, column by column, and the texts that go with it."""

    def __init__(self, facets: Facets) -> None:
        self._facets = facets
        self._questions: dict[str, int] = {}
        self._columns: dict[str, list[Any]] = {name: [] for name in (*_PLAIN, *FACETS)}
        self._texts: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, view: ChainView) -> None:
        """Takes a chain in."""
        question = view.problem.question
        outcomes = view.outcomes()
        errors = [number for number, one in enumerate(outcomes, 1) if _is_error(one)]
        row: dict[str, Any] = {
            "id": view.chain.chain_id,
            "question": self._questions.setdefault(question, len(self._questions)),
            "steps": len(view.chain.steps),
            "errors": len(errors),
            "first": errors[0] if errors else 0,
            "parent": view.chain.parent_id,
            "outline": outline(view, outcomes),
        }
        for facet, values in facets_of(view, outcomes).items():
            codes = [self._facets.code(facet, value) for value in values]
            row[facet] = codes if facet in _MANY else codes[0]
        for name, column in self._columns.items():
            column.append(row[name])
        self._texts.append("\n".join(view.chain.steps))

    def document(self) -> dict[str, Any]:
        """The columns as plain values."""
        return {"questions": list(self._questions), **self._columns}

    def texts(self) -> list[str]:
        """The steps of each chain as one text."""
        return self._texts


def outline(view: ChainView, outcomes: Sequence[str | None]) -> str:
    """The steps of a chain, a letter each.

    `c` is sound, `n` wrong by itself, `a` goes on from a wrong step, `u` is undecided, and `-` is
    not labelled.
    """
    pairs = zip(outcomes, view.propagated(), strict=True)
    return "".join(_letter(outcome, propagated) for outcome, propagated in pairs)


def facets_of(view: ChainView, outcomes: Iterable[str | None]) -> dict[str, list[str]]:
    """The values of a chain in each facet; one value where a chain can only have one."""
    known = [one for one in outcomes if one is not None]
    return {
        "source": [view.problem.source],
        "track": [view.problem.track],
        "generator": [view.generator],
        "origin": [view.chain.origin],
        "polarity": [view.chain.polarity or UNDECIDED],
        "tier": [view.tier or UNLABELLED],
        "label": _labels(view),
        "category": sorted({one for one in known if one not in SOUND and one != UNDECIDED}),
        "votes": _votes(view),
    }


def _labels(view: ChainView) -> list[str]:
    steps = [view.known(step) for step in range(1, len(view.chain.steps) + 1)]
    return sorted({UNLABELLED if one is None else one.label or UNDECIDED for one in steps})


def _votes(view: ChainView) -> list[str]:
    """How the judges of a chain stand to each other, and to what holds by construction."""
    split = abstained = missed = False
    judged = False
    for label in view.labels.values():
        valid = {(vote.label, vote.category) for vote in label.votes if vote.status == "ok"}
        judged = judged or bool(valid)
        split = split or len(valid) > 1
        abstained = abstained or any(vote.status not in ("ok", "missing") for vote in label.votes)
        if label.label_source != "panel" and label.panel_label is not None:
            said = (label.panel_label, label.panel_category)
            missed = missed or said != (label.label, label.category)
    if not judged:
        return ["no votes"]
    found = {"judges differ": split, "a judge abstained": abstained, "panel misses": missed}
    return [word for word, is_so in found.items() if is_so] or ["all agree"]


def _letter(outcome: str | None, propagated: bool | None) -> str:
    if outcome is None:
        return "-"
    if propagated or outcome == "accumulation_error":
        return "a"
    if outcome == UNDECIDED:
        return "u"
    return "c" if outcome in SOUND else "n"


def _is_error(outcome: str | None) -> bool:
    return outcome is not None and outcome not in SOUND and outcome != UNDECIDED
