"""Stage: one link of the line, as the pipeline sees it.

A run is cut into blocks of problems. A stage turns the tables of one block into new rows of the
same block, so that any block can be redone, skipped or sent elsewhere by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.schemas.record import Record
    from chainwright.schemas.reject import Reject


@dataclass
class Batch:
    """What a stage made of one block.

    For every table, `taken[table]` = rows made + rejects of that table: each item that enters
    comes out one way or the other.
    """

    rows: dict[str, list[Record]] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    taken: Counter[str] = field(default_factory=Counter)

    def unaccounted(self) -> dict[str, int]:
        """Items per table that vanished (positive) or appeared from nowhere (negative)."""
        out = Counter({table: len(rows) for table, rows in self.rows.items()})
        out.update(reject.table for reject in self.rejects)
        return {
            table: self.taken[table] - out[table]
            for table in self.taken | out
            if self.taken[table] != out[table]
        }


Tables = Mapping[str, Sequence[Any]]
"""One block's rows by table name."""


@dataclass(frozen=True)
class Stage:
    """A named step of the build that works block by block.

    `settings` picks the part of the recipe the stage depends on: when it, the code or the
    block's input changes, the block is redone, and otherwise skipped.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    settings: Callable[[Recipe], Any]
    process: Callable[[Recipe, Tables], Batch]
    wing: str
    """Import name of the package whose code the stage runs, such as `chainwright.builders`."""
