"""Graphs: the premise graphs of a corpus measured by PERL's definitions, and its label counts.

PERL (arXiv 2502.02362) tells how many chains it holds and how many of their steps are correct.
`PAPER` has those figures; `in_paper` is the reading of the twelve released files that gives them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from chainwright.annotation.graph_statistics import (
    GraphStatistics,
    graph_statistics,
    summarise_graphs,
)
from chainwright.audit.derived import derived_labels
from chainwright.audit.record import AuditRecord
from chainwright.formats.record import type_name
from chainwright.schemas.words import NATIVE_ERRORS

PAPER: dict[str, int] = {
    "chains": 607,
    "positive": 203,
    "negative": 214,
    "synthetic_negative": 190,
    "correct_steps": 2134,
}
"""What the paper counts, over GSM8K, MATH, Orca-Math and MetaMath together."""

_SOURCES = ("gsm8k", "math", "orcamath", "metamathqa")
_CUT_SOURCES = ("orcamath", "metamathqa")
_CUT = 50


def in_paper(record: AuditRecord) -> bool:
    """Whether a released chain is among those that the paper counts.

    That is every chain but those behind the first 50 of each file of positives and of perturbed
    chains of Orca-Math and MetaMath.
    """
    if record.polarity == "negative" or paper_source(record.place.file) not in _CUT_SOURCES:
        return True
    return record.place.index < _CUT


def paper_source(file: str) -> str | None:
    """Which of the paper's four sources a file of PERL is of, by its name."""
    name = file.rpartition("/")[2].lower().replace("orca_math", "orcamath")
    return next((source for source in _SOURCES if name.startswith(source)), None)


@dataclass
class GraphTally:
    """Counts and graphs of some chains.

    Attributes:
        counts: Chains, by polarity too, and steps.
        all_types: Errors by type, each error of a step counted.
        first_type: Steps by the type that stands first; correct ones by `correct`.
        native_first: Steps by their native type where they have one, else by accumulation.
        derived: Steps by what the premise graph makes of them.
        unreadable: Chains without a graph: a premise is no earlier step, or premises are lacking.
    """

    counts: Counter[str] = field(default_factory=Counter)
    all_types: Counter[str] = field(default_factory=Counter)
    first_type: Counter[str] = field(default_factory=Counter)
    native_first: Counter[str] = field(default_factory=Counter)
    derived: Counter[str] = field(default_factory=Counter)
    graphs: list[GraphStatistics] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def add(self, record: AuditRecord) -> None:
        """Count one chain."""
        self.counts["chains"] += 1
        self.counts[record.polarity or "undecided"] += 1
        self.counts["steps"] += len(record.steps)
        for label in record.labels or ():
            if label.wrong is None:
                self.counts["open_steps"] += 1
                continue
            types = [type_name(one) for one in label.types] or ["untyped"]
            if not label.wrong:
                types = ["correct"]
                self.counts["correct_steps"] += 1
            native = [one for one in types if one in NATIVE_ERRORS]
            self.all_types.update(types)
            self.first_type[types[0]] += 1
            self.native_first[(native or types)[0]] += 1
        self.derived.update(one or "open" for one in derived_labels(record).values())
        self._add_graph(record)

    def as_json(self) -> dict[str, Any]:
        """The tally as plain values, with the spread of each graph statistic."""
        return {
            "counts": dict(self.counts),
            "steps_by_type": {
                "each_error": dict(self.all_types),
                "first_error": dict(self.first_type),
                "native_before_accumulation": dict(self.native_first),
                "derived": dict(self.derived),
            },
            "graphs": asdict(summarise_graphs(self.graphs)),
            "without_graph": self.unreadable,
        }

    def _add_graph(self, record: AuditRecord) -> None:
        if record.premises is None:
            return
        listed = {entry.step: entry.premises for entry in reversed(record.premises)}
        try:
            premises = [listed[step] for step in range(1, len(record.steps) + 1)]
            self.graphs.append(graph_statistics(premises))
        except (KeyError, ValueError):
            self.unreadable.append(f"{record.place.file}:{record.place.row}")
