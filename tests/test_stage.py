import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from chainwright.recipe import Recipe
from chainwright.stage import Batch, Stage, Tables, all_of


def process(recipe: Recipe, tables: Tables) -> Batch:
    return Batch()


def a_stage(**ways: Any) -> Stage:
    given: dict[str, Any] = {"process": None} | ways
    return Stage("s", (), (), lambda recipe: None, wing="chainwright.schemas", **given)


def test_a_stage_works_in_exactly_one_way() -> None:
    assert a_stage(process=process).wanted is not None
    assert a_stage(sweep=lambda recipe, blocks: iter(())).process is None
    with pytest.raises(ValueError, match="stage s has 0 ways to work"):
        a_stage()
    with pytest.raises(ValueError, match="stage s has 2 ways to work"):
        a_stage(process=process, ask=process)


class Work:
    """Counts how much of it is under way at once."""

    def __init__(self) -> None:
        self.now = self.most = self.cancelled = 0

    async def do(self, number: int) -> int:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            for _ in range(10 - number):
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.now -= 1
        return number

    async def fail(self) -> int:
        await asyncio.sleep(0)
        raise ZeroDivisionError("now")


@pytest.mark.parametrize("at_once", [1, 3, 50])
def test_results_come_in_order_with_so_many_under_way(at_once: int) -> None:
    work = Work()
    found = asyncio.run(all_of([partial(work.do, number) for number in range(9)], at_once))
    assert found == list(range(9))
    assert work.most == min(at_once, 9)
    assert asyncio.run(all_of([], at_once)) == []


def test_when_one_raises_the_others_are_cancelled_and_those_behind_do_not_begin() -> None:
    work = Work()
    ok: Callable[[], Awaitable[int]] = partial(work.do, 0)
    with pytest.raises(ZeroDivisionError, match="now"):
        asyncio.run(all_of([ok, work.fail, *[ok] * 6], 3))
    assert (work.cancelled, work.most, work.now) == (2, 2, 0)
