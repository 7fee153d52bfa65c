"""Totals: a stage's counts over all its blocks, from its journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from chainwright.pipeline.journal import Entry


@dataclass(frozen=True)
class TableTotals:
    """What entered and left a stage on the way to one table."""

    table: str
    taken: int
    made: int
    rejected: dict[str, int]
    """By reason, the most frequent first."""

    @property
    def balanced(self) -> bool:
        """Whether in = out + rejects."""
        return self.taken == self.made + sum(self.rejected.values())


def stage_totals(entries: Iterable[Entry]) -> list[TableTotals]:
    """Sums blocks, table by table, in the order in which tables appear."""
    taken: Counter[str] = Counter()
    made: Counter[str] = Counter()
    rejected: dict[str, Counter[str]] = {}
    for entry in entries:
        made.update(entry.made)
        taken.update(entry.taken)
        for table, reasons in entry.rejected.items():
            rejected.setdefault(table, Counter()).update(reasons)
    tables = dict.fromkeys([*made, *taken, *rejected])
    return [
        TableTotals(
            table, taken[table], made[table], dict(rejected.get(table, Counter()).most_common())
        )
        for table in tables
    ]
