import asyncio
import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.llm.budget import MARGIN, Amount, Budget, BudgetReached, Limits, Reservation
from chainwright.llm.client import Client
from chainwright.llm.estimate import estimate_tokens
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, Request, Schema, Usage
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer, fault

PATIENCE = Patience(timeout=5.0, max_retries=0)
TOKENS = 120
"""What an answer of the server takes."""


def request(server: FaultServer, text: str = "hi", max_tokens: int | None = 20) -> Request:
    model = ModelUri("compat", "m", f"{server.url}/v1")
    return Request(model, (Message("user", text),), max_tokens=max_tokens)


def ask(
    ledger: Ledger, budget: Budget, requests: Iterable[Request], concurrency: int = 4
) -> list[Answer | BaseException]:
    async def all_of_them() -> list[Answer | BaseException]:
        async with Client(
            ledger, concurrency=concurrency, patience=PATIENCE, budget=budget
        ) as client:
            return await asyncio.gather(*map(client.ask, requests), return_exceptions=True)

    return asyncio.run(all_of_them())


def counts(found: list[Answer | BaseException]) -> tuple[int, int]:
    """Answers, and requests that the budget stopped; there is nothing else."""
    stopped = sum(isinstance(one, BudgetReached) for one in found)
    answers = sum(isinstance(one, Answer) for one in found)
    assert stopped + answers == len(found)
    return answers, stopped


def test_so_many_requests_and_no_more(server: FaultServer, ledger: Ledger) -> None:
    server.latency = 0.01
    budget = Budget(Limits(requests=10))
    found = ask(ledger, budget, [request(server, str(n)) for n in range(30)])
    assert counts(found) == (10, 20)
    assert len(server.seen) == 10
    assert server.most_at_once > 1
    assert ledger.totals()[0].ok == 10
    assert budget.spent == ledger.spent() == Amount(0.0, 10 * TOKENS, 10)
    words = {str(one) for one in found if isinstance(one, BudgetReached)}
    assert words == {"10 of 10 requests spent, and the next request would take one more"}


def test_tokens_are_reserved_before_and_counted_after(server: FaultServer, ledger: Ledger) -> None:
    """Near the end requests go one by one, since each may take what it is allowed to write."""
    asked = [request(server, f"{n} {'word ' * 80}", 60) for n in range(30)]
    most = Budget(Limits(tokens=0)).most(asked[0]).tokens
    assert most > TOKENS
    limit = 10 * TOKENS
    budget = Budget(Limits(tokens=limit))
    answers, stopped = counts(ask(ledger, budget, asked, concurrency=8))
    assert answers == len(server.seen) == (limit - most) // TOKENS + 1
    assert budget.spent.tokens == answers * TOKENS <= limit
    assert stopped == 30 - answers


def test_money_is_counted_by_price(
    server: FaultServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-one")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    model = ModelUri("openai", "gpt-4o-mini")
    asked = [Request(model, (Message("user", str(n)),), max_tokens=100) for n in range(50)]
    each = (70 * 0.15 + 30 * 0.075 + 20 * 0.6) / 1e6
    budget = Budget(Limits(usd=20 * each))
    answers, _ = counts(ask(ledger, budget, asked))
    most = budget.most(asked[0]).usd
    assert answers == len(server.seen) == math.floor((20 * each - most) / each) + 1
    assert budget.spent.usd == pytest.approx(answers * each)
    assert ledger.spent().usd == pytest.approx(answers * each)


def test_what_the_ledger_answers_is_free(server: FaultServer, ledger: Ledger) -> None:
    asked = [request(server, str(n)) for n in range(5)]
    ask(ledger, Budget(), asked)
    assert counts(ask(ledger, Budget(Limits(requests=0, tokens=0)), asked * 2)) == (10, 0)
    more = [*asked, request(server, "new")]
    assert counts(ask(ledger, Budget(Limits(requests=0)), more)) == (5, 1)
    assert len(server.seen) == 5


def test_what_was_spent_before_counts(server: FaultServer, ledger: Ledger) -> None:
    asked = [request(server, str(n)) for n in range(20)]
    ask(ledger, Budget(), asked[:6])
    budget = Budget(Limits(requests=10), ledger.spent())
    assert counts(ask(ledger, budget, asked)) == (10, 10)
    larger = Budget(Limits(requests=20), ledger.spent())
    assert counts(ask(ledger, larger, asked)) == (20, 0)
    assert len(server.seen) == 20


def test_failures_count_as_requests_unless_nothing_was_sent(
    server: FaultServer, ledger: Ledger
) -> None:
    server.script += [fault(400)] * 2
    odd = Request(request(server).model, (Message("user", "half \ud83d"),))
    budget = Budget(Limits(requests=3))
    asked = [request(server, str(n)) for n in range(5)]
    found = ask(ledger, budget, [odd, *asked], concurrency=1)
    assert counts(found) == (4, 2)
    assert len(server.seen) == 3
    assert budget.spent == ledger.spent() == Amount(0.0, TOKENS, 3)


def test_nothing_under_way_is_lost_by_the_stop(server: FaultServer, ledger: Ledger) -> None:
    """The stop waits for the last answer, which is kept."""
    server.latency = 0.02

    async def until_the_first_stop() -> None:
        budget = Budget(Limits(requests=6))
        async with (
            Client(ledger, patience=PATIENCE, budget=budget) as client,
            asyncio.TaskGroup() as group,
        ):
            for n in range(20):
                group.create_task(client.ask(request(server, str(n))))

    with pytest.raises(ExceptionGroup):
        asyncio.run(until_the_first_stop())
    assert len(server.seen) == ledger.totals()[0].ok == 6


def test_the_most_that_a_request_may_take() -> None:
    messages = (Message("user", "word " * 100),)
    schema = Schema("s", {"type": "object"})
    model = ModelUri("compat", "m", "http://localhost:1/v1")
    budget = Budget(Limits(tokens=1))
    plain = budget.most(Request(model, messages, max_tokens=50))
    assert plain == Amount(0.0, math.ceil(MARGIN * estimate_tokens(messages)) + 50, 1)
    assert budget.most(Request(model, messages, schema, max_tokens=50)).tokens > plain.tokens
    unlimited = budget.most(Request(model, messages)).tokens - plain.tokens + 50
    assert unlimited == 4096


def test_the_longest_answer_so_far_is_reserved_where_there_is_no_limit() -> None:
    asked = Request(ModelUri("compat", "m", "http://localhost:1/v1"), (Message("user", "hi"),))
    budget = budget_of(100_000)
    before = budget.most(asked).tokens
    hold = budget.try_hold(asked)
    assert hold is not None
    hold.count(Usage(10, 0, 5000), 1)
    budget.release(hold)
    assert budget.most(asked).tokens - before == 5000 - 4096
    assert budget.spent.tokens == 5010


def test_a_batch_costs_less() -> None:
    asked = Request(ModelUri("openai", "gpt-4o-mini"), (Message("user", "hi"),), max_tokens=10)
    budget = Budget(Limits(usd=1))
    assert budget.most(asked, batch=True).usd == pytest.approx(budget.most(asked).usd / 2)


def budget_of(tokens: int) -> Budget:
    return Budget(Limits(tokens=tokens))


@given(
    st.integers(0, 2000),
    st.lists(st.tuples(st.integers(1, 200), st.floats(0, 1)), max_size=40),
)
def test_what_stays_within_its_reservation_never_passes_the_limit(
    limit: int, requests: list[tuple[int, float]]
) -> None:
    budget = budget_of(limit)
    model = ModelUri("compat", "m", "http://localhost:1/v1")
    holds: list[tuple[Reservation, float]] = []
    for room, share in requests:
        hold = budget.try_hold(Request(model, (Message("user", "hi"),), max_tokens=room))
        if hold is not None:
            holds.append((hold, share))
        under_way = sum(one.reserved.tokens for one, _ in holds)
        assert budget.spent.tokens + under_way <= limit
        if holds and share > 0.5:
            ended, part = holds.pop(0)
            ended.count(Usage(0, 0, int(part * ended.reserved.tokens)), 1)
            budget.release(ended)
    assert budget.spent.tokens <= limit


def test_limits_in_words() -> None:
    assert Limits().in_words(Amount()) == ""
    assert Limits(usd=2, tokens=9000).in_words(Amount(1, 4500, 3)) == (
        "1.0000 of 2.00 USD, 4,500 of 9,000 tokens"
    )
    assert Limits(usd=1, requests=2).passed_by(Amount(1.0, 10**9, 2)) is None
    assert Limits(usd=1, requests=2).passed_by(Amount(0.5, 0, 3)) == "requests"
