"""Stage: one link of the line, as the pipeline sees it.

A run is cut into blocks of problems. A stage turns the tables of one block into new rows of the
same block, so that any block can be redone, skipped or sent elsewhere by itself.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from chainwright.llm.budget import BudgetReached
from chainwright.llm.ledger import LedgerError
from chainwright.llm.request import ModelUnavailable
from chainwright.schemas.identity import place

if TYPE_CHECKING:
    from chainwright.llm.request import Asker, Request
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
    refused: dict[str, Counter[str]] = field(default_factory=dict)
    """By source the reasons of its rows that became no problem; of the stage that reads sources."""

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

Counts = Mapping[str, int]
"""How many rows of each table there are, of one source."""

STOPS = (ModelUnavailable, LedgerError, BudgetReached)
"""What ends a run while models are asked: no row is to blame, so none may be rejected for it."""

T = TypeVar("T")


def _always(recipe: Recipe) -> bool:
    return True


@dataclass(frozen=True)
class Stage:
    """A named step of the build, which makes the rows of a block from rows of the same block.

    It works in one of three ways. `process` is plain work. `ask` asks models on the way: what it
    awaits is answered from the ledger where it was asked before, so a block can be made again. And
    `sweep` goes through all blocks in order, for what is counted over the whole run: it makes one
    batch a block, and block i must follow from the blocks up to i alone, or from all blocks where
    the stage is `whole`; those may be gone through again and again.

    `settings` picks the part of the recipe the stage depends on: when it, the code or the
    block's input changes, the block is redone, and otherwise skipped.

    Raises:
        ValueError: for no way to work, or several.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    settings: Callable[[Recipe], Any]
    process: Callable[[Recipe, Tables], Batch] | None
    wing: str
    """Import name of the package whose code the stage runs, such as `chainwright.builders`."""
    ask: Callable[[Recipe, Tables, Asker], Awaitable[Batch]] | None = None
    sweep: Callable[[Recipe, Iterable[Tables]], Iterator[Batch]] | None = None
    plan: Callable[[Recipe, Tables], Iterable[Request]] | None = None
    """What `ask` would ask first for a block, without second tries; for dry runs."""
    most: Callable[[Recipe, Counts], Counts] | None = None
    """How many rows the stage makes at most; for dry runs, where the rows are not there yet."""
    whole: bool = False
    """Whether each batch of a sweep follows from all blocks: a change of one makes all again."""
    wanted: Callable[[Recipe], bool] = _always
    """Whether the recipe asks for the stage at all; if not, the line goes on without it."""
    own_code: Callable[[Recipe], Sequence[Any]] | None = None
    """Code of the user's that the recipe names, by version; none where it names none."""

    def __post_init__(self) -> None:
        ways = [way for way in (self.process, self.ask, self.sweep) if way is not None]
        if len(ways) != 1:
            raise ValueError(
                f"stage {self.name} has {len(ways)} ways to work, expected one of process, ask, "
                "sweep"
            )
        if self.whole and self.sweep is None:
            raise ValueError(f"stage {self.name} is whole, and only a sweep sees all blocks")


def is_drawn(problem_id: str, share: float, seed: int) -> bool:
    """Whether a problem falls into a share.

    A run draws the same ones everywhere, so the chains that a model writes for a share of the
    problems are among those that a judge of that share reads. A larger share only adds. The share
    is met in expectation alone.
    """
    return share >= 1 or place("share", seed, problem_id) < share


async def all_of(work: Iterable[Callable[[], Awaitable[T]]], at_once: int) -> list[T]:
    """The results of all, in order; so many are under way at once.

    When one raises, the others are cancelled and its exception is raised.

    Args:
        work: What is to be awaited, begun when it is called; taken as it is needed.
        at_once: Bounds what the requests of many rows take up in memory; at least 1.
    """
    results: dict[int, T] = {}
    left = enumerate(work)

    async def take_on(number: int, begin: Callable[[], Awaitable[T]]) -> None:
        results[number] = await begin()
        # Between two of them, next(left) is nobody else's: nothing is awaited there.
        for later, begin_later in left:
            results[later] = await begin_later()

    try:
        async with asyncio.TaskGroup() as group:
            for number, begin in islice(left, at_once):
                group.create_task(take_on(number, begin))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [results[number] for number in range(len(results))]
