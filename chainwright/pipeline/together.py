"""Together: the blocks of a stage that asks in batches, many of them under way at once.

One block asks for a few hundred answers; a batch holds tens of thousands, and takes as long for
few as for many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chainwright.pipeline.asking import ends_of_a_run

if TYPE_CHECKING:
    from chainwright.llm.request import Asker
    from chainwright.pipeline.asking import Asking
    from chainwright.recipe import Recipe
    from chainwright.stage import Batch, Stage, Tables

MOST_REQUESTS = 100_000
"""Requests of blocks under way at once: two batches of OpenAI, one of Anthropic."""


@dataclass(frozen=True)
class Work:
    """A block that is to be made.

    Attributes:
        read: Reads its tables.
        done: Given the batch, writes it.
        guard: What the making of the block is done in; says where a fault happened.
    """

    read: Callable[[], Tables]
    done: Callable[[Batch], None]
    guard: Callable[[], AbstractContextManager[None]]


def run_together(
    stage: Stage,
    recipe: Recipe,
    blocks: Iterable[Work],
    asking: Asking,
    tick: Callable[[int], None],
    most: int = MOST_REQUESTS,
) -> None:
    """Makes blocks, as many at once as their requests allow, and each is done when it is made.

    Raises:
        Exception: what the first block to fail raises; the others are given up.
    """
    room = _Room(most)

    async def all_blocks(asker: Asker) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for block in blocks:
                    with asking.hold, block.guard():
                        tables = block.read()
                        planned = sum(1 for _ in stage.plan(recipe, tables)) if stage.plan else 1
                    await room.take(planned)
                    group.create_task(_made(stage, recipe, block, tables, asker, room, planned))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    asking.run(all_blocks, lambda: tick(room.taken))


async def _made(
    stage: Stage,
    recipe: Recipe,
    block: Work,
    tables: Tables,
    asker: Asker,
    room: _Room,
    planned: int,
) -> None:
    with block.guard(), ends_of_a_run():
        if stage.ask is None:
            raise ValueError(f"stage {stage.name} asks no models")
        block.done(await stage.ask(recipe, tables, asker))
    await room.give(planned)


@dataclass
class _Room:
    """Counts requests; a block larger than all the room gets in when it is empty."""

    most: int
    taken: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, requests: int) -> None:
        async with self._changed:
            await self._changed.wait_for(
                lambda: self.taken == 0 or self.taken + requests <= self.most
            )
            self.taken += requests

    async def give(self, requests: int) -> None:
        async with self._changed:
            self.taken -= requests
            self._changed.notify_all()
