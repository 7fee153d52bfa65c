"""Figures: what the pages draw of all chains together, counted as they pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from chainwright.release.site.chain_view import ChainView
from chainwright.release.tally import UNDECIDED, by_split
from chainwright.schemas.words import SOUND, TIERS

ALL = "all"
"""In place of a split: a run that is not released yet has none."""

MOST_ROWS = 40
"""Rows of a heat map; the rarest are added up in a last one."""


@dataclass
class Figures:
    """Counts over a run, in memory that does not grow with its rows.

    Attributes:
        counts: Chains, steps, steps with a label, and edges of premise graphs.
        chains: Chains by `polarity`, `origin` and `tier`.
        steps: Steps by `outcome`, `tier` and `label_source`.
        errors: For each of `source` and `generator` steps by (its name, outcome).
        first: Chains by the tenth of the chain in which the first error is.
        evenly: The same, if each step of these chains were as likely to be the first in error.
    """

    counts: Counter[str] = field(default_factory=Counter)
    chains: dict[str, Counter[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    steps: dict[str, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))
    errors: dict[str, Counter[tuple[str, str]]] = field(
        default_factory=lambda: {"source": Counter(), "generator": Counter()}
    )
    first: Counter[int] = field(default_factory=Counter)
    evenly: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, view: ChainView) -> None:
        """Counts a chain."""
        outcomes = view.outcomes()
        self.counts["chains"] += 1
        self.counts["steps"] += len(outcomes)
        self.chains["polarity"][view.chain.polarity or UNDECIDED, ALL] += 1
        self.chains["origin"][view.chain.origin, ALL] += 1
        if view.tier is not None:
            self.counts["labelled_chains"] += 1
            self.chains["tier"][view.tier, ALL] += 1
        for label in view.labels.values():
            self.counts["labelled_steps"] += 1
            self.steps["tier"][label.tier, ALL] += 1
            self.steps["label_source"][label.label_source, ALL] += 1
        for outcome in outcomes:
            if outcome is not None:
                self.steps["outcome"][outcome, ALL] += 1
                self.errors["source"][view.problem.source, outcome] += 1
                self.errors["generator"][view.generator, outcome] += 1
        self._add_first(outcomes)

    def document(self) -> dict[str, Any]:
        """The figures as plain values: rows of names and counts, from frequent to rare."""
        return {
            "counts": dict(self.counts),
            "chains": {facet: _rows(found, facet) for facet, found in self.chains.items()},
            "steps": {facet: _rows(found, facet) for facet, found in self.steps.items()},
            "heat": [
                {"of": facet, **heat}
                for facet, counts in self.errors.items()
                if (heat := _heat(counts))
            ],
            "first": [self.first[tenth] for tenth in range(10)] if self.first else [],
            "evenly": [round(self.evenly[tenth], 3) for tenth in range(10)] if self.first else [],
        }

    def _add_first(self, outcomes: list[str | None]) -> None:
        """Counts where in its chain the first error is, unless an open step comes before it."""
        for place, outcome in enumerate(outcomes):
            if outcome is None or outcome == UNDECIDED:
                return
            if outcome not in SOUND:
                self.first[_tenth(place, len(outcomes))] += 1
                for other in range(len(outcomes)):
                    self.evenly[_tenth(other, len(outcomes))] += 1 / len(outcomes)
                return


def _tenth(place: int, steps: int) -> int:
    """The tenth of a chain that a step is in, from the first step, 0, to the last one, 9."""
    last = steps - 1
    return (2 * 9 * place + last) // (2 * last) if last else 0


def _rows(counts: Counter[tuple[str, str]], facet: str) -> list[list[Any]]:
    order = TIERS if facet == "tier" else SOUND
    return [[name, total] for name, (_, total) in by_split(counts, [ALL], order)]


def _heat(counts: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Steps by name and category of error: the names, the categories, the counts, all steps.

    Empty where no step is in error.
    """
    totals: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for (name, outcome), count in counts.items():
        totals[name] += count
        if outcome not in SOUND and outcome != UNDECIDED:
            errors[outcome] += count
    columns = [
        category for category, _ in sorted(errors.items(), key=lambda one: (-one[1], one[0]))
    ]
    if not columns:
        return {}
    names = sorted(totals, key=lambda name: (-totals[name], name))
    shown, rest = names[:MOST_ROWS], names[MOST_ROWS:]
    rows = [[counts[name, category] for category in columns] for name in shown]
    steps = [totals[name] for name in shown]
    if rest:
        shown = [*shown, f"{len(rest)} others"]
        rows.append([sum(counts[name, category] for name in rest) for category in columns])
        steps.append(sum(totals[name] for name in rest))
    return {"rows": shown, "columns": columns, "counts": rows, "steps": steps}
