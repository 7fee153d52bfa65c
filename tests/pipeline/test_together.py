"""Blocks that are asked together: as many as there is room for, each written when it is made."""

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.batches.pace import Pace
from chainwright.llm.request import Asker, Message, ModelUnavailable, Request
from chainwright.llm.uri import ModelUri
from chainwright.pipeline.asking import Asking
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.together import Work, run_together
from chainwright.recipe import Recipe
from chainwright.stage import Batch, Stage, Tables
from tests.scripted_models import a_recipe

REQUEST = Request(ModelUri("local", "m"), (Message("user", "?"),))


@dataclass
class Under:
    """What is under way in a stage that asks nothing, but takes its time."""

    most: int = 0
    now: int = 0
    done: list[int] = field(default_factory=list)
    fails: Exception | None = None

    async def ask(self, recipe: Recipe, tables: Tables, asker: Asker) -> Batch:
        (block,) = tables["blocks"]
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(10 - block):  # later ones are quicker
            await asyncio.sleep(0)
        if self.fails is not None and block == 3:
            raise self.fails
        self.now -= 1
        return Batch()

    def run(self, folder: Path, most: int) -> None:
        def plan(recipe: Recipe, tables: Tables) -> list[Request]:
            return [REQUEST] * 4

        stage = Stage("s", (), (), lambda recipe: None, None, "w", ask=self.ask, plan=plan)
        asking = Asking(folder / "ledger.sqlite", 1, pace=Pace())
        try:
            run_together(stage, a_recipe(), map(self.work, range(8)), asking, self.tick, most)
        finally:
            asking.close()

    def work(self, block: int) -> Work:
        def done(batch: Batch) -> None:
            self.done.append(block)

        tables: dict[str, Any] = {"blocks": [block]}
        return Work(read=lambda: tables, done=done, guard=nullcontext)

    def tick(self, planned: int) -> None:
        assert planned % 4 == 0


@pytest.mark.parametrize(("room", "at_once"), [(1000, 8), (9, 2), (3, 1)])
def test_blocks_share_the_room_there_is(tmp_path: Path, room: int, at_once: int) -> None:
    under = Under()
    under.run(tmp_path, room)
    assert sorted(under.done) == list(range(8))
    assert under.most == at_once
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_block_that_fails_stops_all_but_those_that_are_done(tmp_path: Path) -> None:
    under = Under(fails=RunStopped("no"))
    with pytest.raises(RunStopped, match="no"):
        under.run(tmp_path, 1000)
    assert 7 in under.done
    assert 3 not in under.done


def test_a_model_that_cannot_be_asked_is_a_mistake_of_the_input(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="no key"):
        Under(fails=ModelUnavailable("no key")).run(tmp_path, 1000)
