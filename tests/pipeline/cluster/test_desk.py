"""The desk, asked by several workers of one event loop: no cluster is needed for that."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.budget import Amount, BudgetReached, Limits
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.limits import Limit
from chainwright.llm.meter import ModelTally
from chainwright.llm.request import Answer, Message, Request
from chainwright.llm.uri import ModelUri, parse_model_uri
from chainwright.pipeline.cluster.desk import Desk
from chainwright.pipeline.cluster.desk_client import DeskAnswers, DeskBudget, DeskTurns
from chainwright.pipeline.cluster.desk_messages import Denial, Elsewhere
from tests.llm.fault_server import FaultServer


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        running.latency = 0.02
        yield running


@dataclass
class SameLoop:
    """The way to a desk in the same event loop."""

    desk: Desk
    told: set[asyncio.Task[Any]] = field(default_factory=set)

    def ask(self, method: str, *values: Any) -> Awaitable[Any]:
        asked: Awaitable[Any] = getattr(self.desk, method)(*values)
        return asked

    def tell(self, method: str, *values: Any) -> None:
        self.told.add(asyncio.create_task(getattr(self.desk, method)(*values)))


def worker(desk: Desk, who: str, most: Limits | None = None) -> Client:
    post = SameLoop(desk)
    return Client(
        DeskAnswers(post, who), turns=DeskTurns(post, who, ()), budget=DeskBudget(post, who, most)
    )


def model(server: FaultServer) -> ModelUri:
    return parse_model_uri(f"compat:m@{server.url}/v1")


def questions(server: FaultServer, numbers: range) -> list[Request]:
    return [Request(model(server), [Message("user", f"{n}?")], max_tokens=5) for n in numbers]


def at_desk(desk: Desk, work: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        try:
            await work()
        finally:
            await desk.close()

    asyncio.run(whole())


def test_workers_share_turns_and_ask_each_thing_once(tmp_path: Path, server: FaultServer) -> None:
    desk = Desk(tmp_path / "ledger.sqlite", concurrency=3)

    async def work() -> None:
        async with worker(desk, "one") as one, worker(desk, "two") as two:
            asked = [
                client.ask(request)
                for client in (one, two)
                for request in questions(server, range(9))
            ]
            answers = await asyncio.gather(*asked)
        assert {answer.status for answer in answers} == {"ok"}
        assert [answer.key for answer in answers[:9]] == [answer.key for answer in answers[9:]]

    at_desk(desk, work)
    assert len(server.seen) == 9
    assert server.most_at_once == 3
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert ledger.spent().requests == 9


def test_a_budget_is_one_for_all_workers(tmp_path: Path, server: FaultServer) -> None:
    most = Limits(requests=7)
    desk = Desk(tmp_path / "ledger.sqlite", concurrency=4, most=most)

    async def work() -> None:
        async with worker(desk, "one", most) as one, worker(desk, "two", most) as two:
            asked = [one.ask(each) for each in questions(server, range(6))]
            asked += [two.ask(each) for each in questions(server, range(6, 12))]
            found = await asyncio.gather(*asked, return_exceptions=True)
        stopped = [each for each in found if isinstance(each, BudgetReached)]
        assert len(stopped) == 5
        assert "7 of 7 requests spent" in str(stopped[0])
        state = await desk.look()
        assert state.spent is not None
        assert state.spent.requests == 7

    at_desk(desk, work)
    assert len(server.seen) == 7


def test_what_a_lost_worker_held_is_free_again(tmp_path: Path, server: FaultServer) -> None:
    most = Limits(requests=1)
    desk = Desk(tmp_path / "ledger.sqlite", concurrency=1, most=most)
    asks = model(server)

    async def work() -> None:
        assert await desk.find("lost", ["key"]) == [None]
        assert await desk.find("next", ["key"]) == [Elsewhere()]
        turn = await desk.enter("lost", asks, 0)
        hold = await desk.hold("lost", asks, Amount(requests=1))
        assert isinstance(turn, int)
        assert isinstance(hold, int)
        waiting = asyncio.gather(
            desk.wait("next", "key"),
            desk.enter("next", asks, 0),
            desk.hold("next", asks, Amount(requests=1)),
        )
        await asyncio.sleep(0)
        assert not waiting.done()
        await desk.forget("lost")
        claim, other_turn, other_hold = await waiting
        assert claim is None
        assert isinstance(other_turn, int)
        assert isinstance(other_hold, int)
        # It may not be dead at all, and come back: there is nothing for it any more.
        await desk.leave("lost", turn)
        await desk.release("lost", hold, Amount(), 0)
        refused = [await desk.enter("lost", asks, 0), *await desk.find("lost", ["other"])]
        refused.append(await desk.hold("lost", asks, Amount(requests=1)))
        assert all(isinstance(each, Denial) for each in refused)

    at_desk(desk, work)


def test_who_is_lost_while_it_waits_takes_no_turn(tmp_path: Path, server: FaultServer) -> None:
    desk = Desk(tmp_path / "ledger.sqlite", concurrency=1)
    asks = model(server)

    async def work() -> None:
        first = await desk.enter("first", asks, 0)
        assert isinstance(first, int)
        lost = asyncio.create_task(desk.enter("lost", asks, 0))
        await asyncio.sleep(0)
        await desk.forget("lost")
        await desk.leave("first", first)
        assert isinstance(await lost, Denial)
        assert isinstance(await desk.enter("next", asks, 0), int)

    at_desk(desk, work)


def test_a_limit_on_requests_holds_for_all_workers(tmp_path: Path, server: FaultServer) -> None:
    desk = Desk(tmp_path / "ledger.sqlite", 8, [Limit(None, requests_per_minute=60)])
    asks = model(server)

    async def work() -> None:
        first = await desk.enter("one", asks, 0)
        second = asyncio.create_task(desk.enter("two", asks, 0))
        await asyncio.sleep(0.02)
        assert isinstance(first, int)
        assert not second.done()
        (holdup,) = (await desk.look()).holdups
        assert "limit of 60 requests a minute" in holdup
        second.cancel()

    at_desk(desk, work)


def test_a_server_that_asks_to_wait_for_hours_stops_every_worker(
    tmp_path: Path, server: FaultServer
) -> None:
    from chainwright.llm.request import ModelAway
    from tests.llm.fault_server import Served

    server.default = lambda seen: Served(429, {"error": {"message": "no"}}, {"retry-after": "7200"})
    desk = Desk(tmp_path / "ledger.sqlite", concurrency=4)

    async def work() -> None:
        async with worker(desk, "one") as one:
            with pytest.raises(ModelAway, match="asks to wait 120 min"):
                await one.ask(questions(server, range(1))[0])

    at_desk(desk, work)


def test_counts_of_workers_add_up(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ledger.sqlite", concurrency=1)

    async def work() -> None:
        await desk.report("one", {"m": ModelTally(sent=2)}, 5, ["a word of warning"])
        await desk.forget("one")
        await desk.report("two", {"m": ModelTally(sent=3)}, 4, ["a word of warning"])
        state = await desk.look()
        assert (state.tallies["m"].sent, state.planned) == (5, 4)
        assert state.news == ["a word of warning"]
        await desk.report("three", {}, 6)
        assert (await desk.look()).planned == 5  # of a block, however many are under way
        await desk.forget("three")
        assert (await desk.look()).news == []
        await desk.forget("two")
        await desk.begin()
        assert (await desk.look()).tallies == {}

    at_desk(desk, work)


def test_a_ledger_that_cannot_be_used_stops_workers(tmp_path: Path, server: FaultServer) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"no ledger " * 200)
    desk = Desk(tmp_path / "ledger.sqlite", concurrency=1)

    async def work() -> None:
        async with worker(desk, "one") as one:
            with pytest.raises(LedgerError, match="damaged or no SQLite file"):
                await one.ask(questions(server, range(1))[0])

    at_desk(desk, work)
    assert not server.seen


def test_no_way_to_the_desk_is_a_fault_of_the_ledger(server: FaultServer) -> None:
    class NoWay:
        async def ask(self, method: str, *values: Any) -> Any:
            raise LedgerError("the process that keeps the ledger cannot be reached")

        def tell(self, method: str, *values: Any) -> None:
            """Nobody hears it."""

    async def work() -> None:
        post = NoWay()
        client = Client(DeskAnswers(post, "w"), turns=DeskTurns(post, "w", ()))
        async with client:
            with pytest.raises(LedgerError, match="cannot be reached"):
                await client.ask(questions(server, range(1))[0])

    asyncio.run(work())
    assert not server.seen


def test_a_key_is_asked_by_one_until_its_answer_is_there(tmp_path: Path) -> None:
    """Whoever comes second waits, and gets the first one's answer as one of the ledger."""
    from chainwright.llm.request_key import key_request
    from chainwright.pipeline.cluster.desk_messages import Kept

    desk = Desk(tmp_path / "ledger.sqlite", concurrency=1)
    request = Request(parse_model_uri("openai:m"), [Message("user", "hi")])
    keyed = key_request(request, None)
    answer = Answer(keyed.key, "ok", "there", "stop")

    async def work() -> None:
        assert await desk.find("one", [keyed.key]) == [None]
        second = asyncio.create_task(desk.wait("two", keyed.key))
        await asyncio.sleep(0)
        assert await desk.keep("one", [Kept(keyed, answer, 1)]) == [answer]
        found = await second
        assert isinstance(found, Answer)
        assert (found.text, found.from_ledger) == ("there", True)

    at_desk(desk, work)
