"""Tally: every figure of the card that comes from the rows, counted as they pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chainwright.release.redaction import public_model
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.release import ReleasedChain, ReleasedStep

UNDECIDED = "undecided"

Facets = dict[str, Counter[tuple[str, str]]]
"""For each facet, such as `polarity`, how often each (value, split) was met."""


@dataclass
class TrackTally:
    """Tiers within a track.

    Attributes:
        chains: Chains by (tier, split).
        steps: Steps by (tier, split).
        panel: Steps with an exact label by (tier, `right`, `wrong` or `undecided`): how the
            panel's outcome, label and category together, compares with the truth.
        judged: Whether a vote of anybody entered a label.
    """

    chains: Counter[tuple[str, str]] = field(default_factory=Counter)
    steps: Counter[tuple[str, str]] = field(default_factory=Counter)
    panel: Counter[tuple[str, str]] = field(default_factory=Counter)
    judged: bool = False


@dataclass
class Tally:
    """Counts over a release, in memory that does not grow with its rows.

    Attributes:
        chains: Chains by `polarity`, `origin`, `verdict`, `generator` and `track`; those whose
            first error is known also by its `place`.
        last_by_chance: How many of these would have it in their last step, if each of a chain's
            steps were as likely.
        steps: Steps of these chains by `outcome` and `label_source`.
        tiers: Tiers of chains and steps, by track.
        problems: Problems by source.
        chains_by_source: Released chains by source.
        licences: Problems by licence, for each source; None where none is stated.
        source_splits: Problems by the source's own split, for each source; None where not stated.
        tracks: Problems by track.
        judges: Votes that entered a label, by judge.
        exact: Steps with an exact label, by track.
    """

    chains: Facets = field(default_factory=lambda: defaultdict(Counter))
    steps: Facets = field(default_factory=lambda: defaultdict(Counter))
    tiers: dict[str, TrackTally] = field(default_factory=lambda: defaultdict(TrackTally))
    problems: Counter[str] = field(default_factory=Counter)
    chains_by_source: Counter[str] = field(default_factory=Counter)
    licences: dict[str, Counter[str | None]] = field(default_factory=lambda: defaultdict(Counter))
    source_splits: dict[str, Counter[str | None]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    tracks: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    exact: Counter[str] = field(default_factory=Counter)
    last_by_chance: float = 0.0

    def add_problem(self, problem: Problem) -> None:
        """Count a problem."""
        self.problems[problem.source] += 1
        self.licences[problem.source][problem.licence] += 1
        self.source_splits[problem.source][problem.split] += 1
        self.tracks[problem.track] += 1

    def add_chain(self, split: str, chain: ReleasedChain, labels: Iterable[Label]) -> None:
        """Count a released chain, its steps and what the panel said of them."""
        self.chains_by_source[chain.source] += 1
        facets = {
            "polarity": chain.polarity or UNDECIDED,
            "origin": chain.origin,
            "verdict": verdict(chain),
            "generator": public_model(chain.generator),
            "track": chain.track,
        }
        for facet, value in facets.items():
            self.chains[facet][value, split] += 1
        if chain.first_error is not None:
            self.chains["place"][_place(chain.first_error, len(chain.steps)), split] += 1
            self.last_by_chance += 1 / len(chain.steps)
        of_track = self.tiers[chain.track]
        of_track.chains[chain.tier, split] += 1
        for step in chain.steps:
            self.steps["outcome"][outcome(step), split] += 1
            self.steps["label_source"][step.label_source, split] += 1
            of_track.steps[step.tier, split] += 1
            self.exact[chain.track] += step.label_source == "exact"
        for label in labels:
            of_track.judged = of_track.judged or bool(label.votes)
            self.judges.update(public_model(vote.judge) for vote in label.votes)
            if label.label_source == "exact" and label.votes:
                of_track.panel[label.tier, _panel_outcome(label)] += 1


def outcome(step: ReleasedStep) -> str:
    """A step's label in one word: undecided, correct or faithful, or the category of its error.

    An error whose category no majority named goes by its label, `error` or `unfaithful`.
    """
    if step.label is None:
        return UNDECIDED
    return step.category or step.label


def verdict(chain: ReleasedChain) -> str:
    """A chain in one word: `first error known`, `no error`, or undecided."""
    if chain.first_error is not None:
        return "first error known"
    return UNDECIDED if any(step.label is None for step in chain.steps) else "no error"


LAST, ONLY = "last step", "only step"


def _place(step: int, steps: int) -> str:
    if steps == 1:
        return ONLY
    return {1: "first step", steps: LAST}.get(step, "a step between")


def by_split(
    counts: Counter[tuple[str, str]], splits: Sequence[str], order: Sequence[str] = ()
) -> list[tuple[str, list[int]]]:
    """A facet as rows: each value with its count in each split and, last, in all.

    Args:
        counts: One facet of a tally.
        splits: The splits, in the order of the columns.
        order: Values that come first, in this order where they occur; the others follow from
            frequent to rare.
    """
    totals: Counter[str] = Counter()
    for (value, _), count in counts.items():
        totals[value] += count
    first = [value for value in order if value in totals]
    rest = sorted(set(totals) - set(first), key=lambda value: (-totals[value], value))
    return [
        (value, [*(counts[value, split] for split in splits), totals[value]])
        for value in [*first, *rest]
    ]


def _panel_outcome(label: Label) -> str:
    if label.panel_label is None:
        return UNDECIDED
    if (label.panel_label, label.panel_category) == (label.label, label.category):
        return "right"
    return "wrong"
