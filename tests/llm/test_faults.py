"""Faults of servers, by a real one: what waits, what is sent again, what stops, and how often."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate

import pytest

from chainwright.llm.circuit import Pauses
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.limits import Limit
from chainwright.llm.meter import Meter
from chainwright.llm.providers.failure import retry_after
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, ModelAway, ModelUnavailable, Request
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import Answering, FaultServer, Seen, Served, chat, fault
from tests.llm.test_client import ask, request

QUICK = Patience(
    timeout=2.0,
    max_retries=2,
    backoff=0.001,
    busy=Pauses(after=1, first=0.01, longest=0.02, rounds=4, alone_from=2),
    trouble=Pauses(after=4, first=0.05, longest=0.1, rounds=3),
)


def busy(**headers: str) -> Served:
    """A 429 with these headers alone."""
    return replace(
        fault(429, "slow down"), headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def many(server: FaultServer, count: int) -> list[Request]:
    return [request(server, str(number)) for number in range(count)]


def other(server: FaultServer, asked: Request) -> Request:
    """The same of another model there."""
    return replace(asked, model=ModelUri("compat", "n", f"{server.url}/v1"))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "inf"}, float("inf")),
    ],
)
def test_waits_that_servers_ask_for(headers: dict[str, str], expected: float) -> None:
    assert retry_after(headers) == expected


def test_a_wait_until_a_date() -> None:
    seconds = retry_after({"retry-after": formatdate(time.time() + 3000, usegmt=True)})
    assert seconds is not None
    assert 2000 <= seconds <= 3000


@pytest.mark.parametrize("value", ["soon", "", "nan", "21 Oct 99999999999 07:28:00 GMT"])
def test_waits_that_cannot_be_read(value: str) -> None:
    assert retry_after({"retry-after": value}) is None
    assert retry_after({}) is None


def test_a_wait_that_is_asked_for_holds_for_all_requests_to_the_model(
    server: FaultServer, ledger: Ledger
) -> None:
    server.script.append(busy(retry_after="0.3"))
    arrived: list[float] = []

    def answer(seen: Seen) -> Served:
        arrived.append(time.monotonic())
        return chat("hello")

    server.default = answer
    start = time.monotonic()
    meter = Meter()
    answers = ask(ledger, *many(server, 5), concurrency=1, patience=QUICK, meter=meter)
    assert {answer.status for answer in answers} == {"ok"}
    assert len(server.seen) == 6
    assert min(arrived) - start >= 0.3
    assert (meter.total.sent, meter.total.attempts) == (5, 6)


def test_another_model_goes_on_meanwhile(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: (
        busy(retry_after="3600") if seen.body["model"] == "m" else chat("hello")
    )

    async def both() -> tuple[str, list[str], bool]:
        async with Client(ledger, concurrency=1, patience=QUICK) as client:
            waiting = [asyncio.create_task(client.ask(one)) for one in many(server, 3)]
            while not client.holdups:
                await asyncio.sleep(0.005)
            answers = [await client.ask(other(server, one)) for one in many(server, 3)]
            holdups, done = client.holdups, any(task.done() for task in waiting)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return answers[-1].text, holdups, done

    text, (holdup,), done = asyncio.run(both())
    assert (text, done) == ("hello", False)
    assert holdup.startswith("compat:m@")
    assert "is paused: " in holdup
    assert "slow down, 3" in holdup
    assert [seen.body["model"] for seen in server.seen].count("m") == 1


@pytest.mark.parametrize("seconds", ["3601", "inf", "99999999"])
def test_a_wait_of_hours_stops_the_run(server: FaultServer, ledger: Ledger, seconds: str) -> None:
    server.default = lambda seen: busy(retry_after=seconds)
    with pytest.raises(ModelAway, match=r"asks to wait .* min before compat:m@.* is asked again"):
        ask(ledger, *many(server, 5), concurrency=1)
    assert len(server.seen) == 1


def test_a_wait_beyond_the_sdks_two_minutes_is_kept(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: busy(retry_after="121")

    async def look() -> list[str]:
        async with Client(ledger) as client:
            waiting = asyncio.create_task(client.ask(request(server)))
            while not client.holdups:
                await asyncio.sleep(0.005)
            found = client.holdups
            waiting.cancel()
            return found

    (holdup,) = asyncio.run(look())
    assert holdup.endswith((", 121 s left", ", 120 s left"))
    assert len(server.seen) == 1


def test_an_overload_that_names_a_wait_is_one(server: FaultServer, ledger: Ledger) -> None:
    server.script += [replace(fault(503), headers={"retry-after": "0.05"})] * 4
    (answer,) = ask(ledger, request(server), patience=QUICK)
    assert answer.text == "hello"
    assert len(server.seen) == 5


def test_a_model_that_is_always_busy_is_given_up(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: busy()
    with pytest.raises(ModelAway, match=r"compat:m@.* gave no answer in 4 pauses, .* slow down"):
        ask(ledger, *many(server, 50), concurrency=4, patience=QUICK)
    assert len(server.seen) <= 4 + 4 + 3


def test_a_request_above_the_limit_of_a_minute_does_not_wait_for_ever(
    server: FaultServer, ledger: Ledger
) -> None:
    server.script.append(fault(429, "Request too large for m on tokens per min (TPM)"))
    (answer,) = ask(ledger, request(server), patience=QUICK)
    assert answer.status == "failed"
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("step", "attempts"),
    [
        (fault(500), 3),
        (fault(408), 3),
        (fault(409), 3),
        (replace(fault(529), headers={}), 3),
        (fault(400), 1),
        (fault(422), 1),
        (fault(500, x_should_retry="false"), 1),
        (fault(400, x_should_retry="true"), 3),
        (Served(how="reset"), 3),
        (replace(chat("hello"), how="truncate"), 3),
        (Served(body=b'{"choices": [{"mess'), 3),
    ],
)
def test_attempts_are_made_by_one_alone(
    server: FaultServer, ledger: Ledger, step: Served, attempts: int
) -> None:
    server.default = lambda seen: step
    (answer,) = ask(ledger, request(server), patience=QUICK)
    assert answer.status == "failed"
    assert len(server.seen) == attempts


def test_a_slow_drip_ends_at_the_deadline(server: FaultServer, ledger: Ledger) -> None:
    server.script.append(replace(chat("hello"), how="drip"))
    (answer,) = ask(ledger, request(server), patience=QUICK, deadline=0.3)
    assert answer.error == f"time-out: compat:m@{server.url}/v1 took over 0.3 s"
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "step",
    [
        fault(400, "This model's maximum context length is 4096 tokens. However, you requested"),
        fault(400, "too much", "context_length_exceeded"),
        fault(400, "the request exceeds the available context size. try increasing the context"),
        fault(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        fault(500, "context size has been exceeded"),
    ],
)
def test_what_is_too_long_says_so_and_is_sent_once(
    server: FaultServer, ledger: Ledger, step: Served
) -> None:
    server.script.append(step)
    meter = Meter()
    (answer,) = ask(ledger, request(server), patience=QUICK, meter=meter)
    assert (answer.status, answer.too_long) == ("failed", True)
    assert (answer.error or "").startswith("longer than the context of compat:m@")
    assert len(server.seen) == 1
    assert (meter.total.failed, meter.total.too_long, meter.total.to_ask_again) == (1, 1, 0)


def failing_until(end: float, step: Served) -> Answering:
    return lambda seen: step if time.monotonic() < end else chat("hello")


@pytest.mark.parametrize("step", [fault(500), Served(how="reset")], ids=["500", "reset"])
def test_a_place_that_recovers_is_waited_for(
    server: FaultServer, ledger: Ledger, step: Served
) -> None:
    patience = replace(QUICK, max_retries=5, trouble=Pauses(after=4, first=0.1, rounds=10))
    server.default = failing_until(time.monotonic() + 0.4, step)
    answers = ask(ledger, *many(server, 60), patience=patience)
    assert [answer.status for answer in answers].count("ok") == 60
    # eight were under way, then one at a time tried in vain
    assert len(server.seen) <= 60 + 8 + 5


@pytest.mark.parametrize("step", [fault(500), Served(how="reset")], ids=["500", "reset"])
def test_a_place_that_does_not_recover_is_given_up(
    server: FaultServer, ledger: Ledger, step: Served, caplog: pytest.LogCaptureFixture
) -> None:
    server.default = lambda seen: step
    patience = replace(QUICK, trouble=replace(QUICK.trouble, first=0.01))
    with pytest.raises(ModelAway) as caught:
        ask(ledger, *many(server, 1000), patience=patience)
    assert str(caught.value).startswith(f"{server.url}/v1 gave no answer in 3 pauses, the last")
    assert "\n" not in str(caught.value)
    # eight at once, three that take the turns of the failures before the fourth, which makes the
    # first pause, and one ahead of the others after each of the three pauses
    assert len(server.seen) <= 8 + 3 + 3


def test_a_long_pause_is_in_the_log(
    server: FaultServer, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    server.default = lambda seen: fault(500, "engine is dead")

    async def until_it_pauses() -> str:
        async with Client(ledger, patience=replace(QUICK, trouble=Pauses(after=4))) as client:
            waiting = [asyncio.create_task(client.ask(one)) for one in many(server, 9)]
            while not client.holdups:
                await asyncio.sleep(0.005)
            (holdup,) = client.holdups
            for task in waiting:
                task.cancel()
            return holdup

    holdup = asyncio.run(until_it_pauses())
    assert holdup.startswith(f"{server.url}/v1 is paused: ")
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith(f"no request to {server.url}/v1 for 15 s: ")


def test_a_server_that_dies_and_comes_back(ledger: Ledger) -> None:
    patience = replace(QUICK, trouble=Pauses(after=2, first=0.05, longest=0.1, rounds=50))

    async def through_its_death() -> list[str]:
        first = FaultServer()
        port = int(first.url.rpartition(":")[2])
        async with Client(ledger, concurrency=4, patience=patience) as client:
            with first:
                before = await client.ask(request(first, "before"))
            waiting = [asyncio.create_task(client.ask(request(first, t))) for t in "abcdefgh"]
            while not client.holdups:
                await asyncio.sleep(0.005)
            with FaultServer(port=port):
                answers = [before, *[await task for task in waiting]]
        return [answer.text for answer in answers]

    assert asyncio.run(through_its_death()) == ["hello"] * 9


def test_a_server_that_dies_for_good_stops_the_run(ledger: Ledger) -> None:
    patience = replace(QUICK, trouble=replace(QUICK.trouble, first=0.01))

    async def to_its_death() -> None:
        async with Client(ledger, concurrency=4, patience=patience) as client:
            with FaultServer() as server:
                await client.ask(request(server, "before"))
            async with asyncio.TaskGroup() as group:
                for text in "abcdefgh":
                    group.create_task(client.ask(request(server, text)))

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(to_its_death())
    error = caught.value.exceptions[0]
    assert isinstance(error, ModelAway)
    assert "gave no answer in 3 pauses, the last failure was: cannot connect to" in str(error)


def test_requests_that_no_server_takes_end_the_run(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: fault(400, "no such field: messages")
    with pytest.raises(ModelAway, match=r"the last 100 requests to compat:m@.* no such field"):
        ask(ledger, *many(server, 500), patience=QUICK)
    assert 100 <= len(server.seen) <= 108


def test_some_that_are_refused_between_others_end_nothing(
    server: FaultServer, ledger: Ledger
) -> None:
    server.default = lambda seen: (
        fault(400) if int(seen.body["messages"][0]["content"]) % 9 else chat("hello")
    )
    answers = ask(ledger, *many(server, 300), patience=QUICK)
    assert [answer.status for answer in answers].count("ok") == 34
    assert len(server.seen) == 300


def texts_of(seen: list[Seen]) -> list[str]:
    return [one.body["model"] for one in seen]


def test_a_limit_holds_up_its_own_model_alone(server: FaultServer, ledger: Ledger) -> None:
    limits = [Limit(f"compat:m@{server.url}/v1", requests_per_minute=1)]

    async def both() -> tuple[list[Answer], list[str]]:
        async with Client(ledger, concurrency=1, limits=limits, patience=QUICK) as client:
            waiting = [asyncio.create_task(client.ask(one)) for one in many(server, 4)]
            while not client.holdups:
                await asyncio.sleep(0.005)
            answers = [await client.ask(other(server, one)) for one in many(server, 4)]
            holdups = client.holdups
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            assert (client.meter.waiting, client.meter.in_flight) == (0, 0)
            return answers, holdups

    answers, (holdup,) = asyncio.run(both())
    assert {answer.text for answer in answers} == {"hello"}
    assert "waits for its limit of 1 requests a minute" in holdup
    assert sorted(texts_of(server.seen)) == ["m", "n", "n", "n", "n"]


def timed(server: FaultServer, ledger: Ledger, limit: Limit, count: int) -> float:
    """Seconds that so many requests take under a limit."""

    async def all_of_them() -> float:
        async with Client(ledger, limits=[limit], patience=QUICK) as client:
            start = time.monotonic()
            asked = (replace(one, max_tokens=1000) for one in many(server, count))
            await asyncio.gather(*map(client.ask, asked))
            return time.monotonic() - start

    return asyncio.run(all_of_them())


@pytest.mark.parametrize(
    ("limit", "count", "least"),
    [
        # a second's worth goes at once: 10 of 16
        (Limit(None, requests_per_minute=600), 16, 0.6),
        # 1005 tokens each, 20,000 a second: 20 at once, and of the other 20 each takes 0.05 s
        (Limit("compat", tokens_per_minute=1_200_000), 40, 0.5),
    ],
    ids=["requests", "tokens"],
)
def test_limits_are_kept(
    server: FaultServer, ledger: Ledger, limit: Limit, count: int, least: float
) -> None:
    if limit.tokens_per_minute:
        server.default = _uses(1000)
    assert timed(server, ledger, limit, count) >= least
    assert len(server.seen) == count


def _uses(tokens: int) -> Callable[[Seen], Served]:
    served = chat("hello")
    served.body["usage"] = {"prompt_tokens": 5, "completion_tokens": tokens}
    return lambda seen: served


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [401, 403, 404, 402])
def test_what_no_request_can_change_stops_at_the_first_with_one_line(
    server: FaultServer,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    status: int,
) -> None:
    base = f"{server.url}/v1" if provider == "openai" else server.url
    monkeypatch.setenv(f"{provider.upper()}_BASE_URL", base)
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "test-key-0123456789")
    server.default = lambda seen: fault(status, "line one\nline two")
    uri = ModelUri("openai" if provider == "openai" else "anthropic", "m")
    with pytest.raises(ModelUnavailable) as caught:
        ask(ledger, *(replace(one, model=uri) for one in many(server, 20)), concurrency=1)
    assert not isinstance(caught.value, ModelAway)
    assert "\n" not in str(caught.value)
    assert len(server.seen) == 1
