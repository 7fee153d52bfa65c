import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chainwright.llm.circuit import Pauses
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.meter import Meter, ModelTally
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Usage
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer, Seen, Served, chat, fault

IMPATIENT = Patience(
    timeout=5.0, connect_timeout=2.0, max_retries=2, backoff=0.001, busy=Pauses(1, 0.001, 0.001, 20)
)


def request(server: FaultServer, text: str = "hi", sample: int = 0) -> Request:
    model = ModelUri("compat", "m", f"{server.url}/v1")
    return Request(model, (Message("user", text),), sample=sample)


def ask(
    ledger: Ledger,
    *requests: Request,
    concurrency: int = 8,
    patience: Patience = IMPATIENT,
    deadline: float = 30.0,
    meter: Meter | None = None,
) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        async with Client(
            ledger, concurrency=concurrency, patience=patience, deadline=deadline, meter=meter
        ) as client:
            return list(await asyncio.gather(*map(client.ask, requests)))

    return asyncio.run(all_of_them())


def test_an_answer_with_all_that_belongs_to_it(server: FaultServer, ledger: Ledger) -> None:
    server.script.append(chat("42"))
    (answer,) = ask(ledger, request(server))
    assert (answer.status, answer.text, answer.finish_reason) == ("ok", "42", "stop")
    assert answer.usage == Usage(100, 30, 20)
    assert (answer.cost, answer.error, answer.from_ledger) == (None, None, False)
    assert server.seen[0].body == {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def test_nothing_is_sent_twice(server: FaultServer, ledger: Ledger) -> None:
    asked = [request(server, str(number)) for number in range(10)]
    first = ask(ledger, *asked)
    meter = Meter()
    again = ask(ledger, *asked, meter=meter)
    assert len(server.seen) == 10
    assert again == [replace(answer, from_ledger=True) for answer in first]
    assert meter.total == ModelTally(from_ledger=10)


def test_a_refusal_and_an_unusable_answer_are_final(server: FaultServer, ledger: Ledger) -> None:
    server.script += [chat(None, refusal="I will not."), chat("not JSON", "length"), chat("")]
    asked = [request(server, text) for text in "abc"]
    first = [ask(ledger, one)[0] for one in asked]
    assert [answer.status for answer in first] == ["refused", "ok", "ok"]
    assert [answer.text for answer in first] == ["I will not.", "not JSON", ""]
    assert all(answer.from_ledger for answer in ask(ledger, *asked))
    assert len(server.seen) == 3


def test_a_content_filter_is_a_refusal(server: FaultServer, ledger: Ledger) -> None:
    server.script += [
        chat("some", "content_filter"),
        fault(400, "The response was filtered", "content_filter"),
        fault(403, "Your input was flagged"),
    ]
    answers = [ask(ledger, request(server, text))[0] for text in "abc"]
    assert [answer.status for answer in answers] == ["refused"] * 3


def test_duplicates_under_way_share_one_request(server: FaultServer, ledger: Ledger) -> None:
    meter = Meter()
    answers = ask(ledger, *[request(server)] * 20, request(server, sample=1), meter=meter)
    assert len(server.seen) == 2
    assert [answer.from_ledger for answer in answers].count(False) == 2
    assert {answer.text for answer in answers} == {"hello"}
    assert (meter.total.sent, meter.total.from_ledger) == (2, 0)


def test_clients_and_loops_of_one_ledger_share_too(server: FaultServer, ledger: Ledger) -> None:
    server.latency = 0.05

    async def in_threads() -> None:
        calls = [asyncio.to_thread(ask, ledger, request(server)) for _ in range(4)]
        await asyncio.gather(*calls)

    asyncio.run(in_threads())
    assert len(server.seen) == 1


def test_concurrency_is_kept(server: FaultServer, ledger: Ledger) -> None:
    server.latency = 0.02
    ask(ledger, *[request(server, str(number)) for number in range(12)], concurrency=3)
    assert server.most_at_once == 3
    with pytest.raises(ValueError, match="found concurrency 0"):
        Client(ledger, concurrency=0)


def test_a_cancelled_leader_hands_over(server: FaultServer, ledger: Ledger) -> None:
    server.script.append(Served(how="hang"))

    async def cancel_the_first() -> Answer:
        async with Client(ledger, patience=IMPATIENT) as client:
            leader = asyncio.create_task(client.ask(request(server)))
            follower = asyncio.create_task(client.ask(request(server)))
            while not server.seen:
                await asyncio.sleep(0.01)
            leader.cancel()
            answer = await follower
            assert leader.cancelled()
            return answer

    assert asyncio.run(cancel_the_first()).text == "hello"
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    "step",
    [
        fault(429, "slow down"),
        fault(500),
        fault(503),
        Served(how="reset"),
        replace(chat("hello"), how="truncate"),
    ],
    ids=["429", "500", "503", "reset", "truncated"],
)
def test_what_passes_is_tried_again(server: FaultServer, ledger: Ledger, step: Served) -> None:
    meter = Meter()
    server.script += [step, step]
    (answer,) = ask(ledger, request(server), meter=meter)
    assert (answer.status, answer.text) == ("ok", "hello")
    assert len(server.seen) == 3
    assert (meter.total.sent, meter.total.attempts, meter.total.failed) == (1, 3, 0)
    stored = sqlite3.connect(ledger.path).execute("SELECT attempts FROM answers").fetchone()
    assert stored == (3,)


@pytest.mark.parametrize(
    ("step", "reason", "attempts"),
    [
        (fault(400, "bad request"), "answered 400: bad request", 1),
        (fault(422, "no such field"), "answered 422: no such field", 1),
        (fault(500, "oh no"), "answered 500: oh no", 3),
        (Served(how="reset"), "no answer from http://127.0.0.1", 3),
        (replace(chat("hello"), how="truncate"), "no answer from http://127.0.0.1", 3),
        (Served(body=b"<html>"), "something that is no JSON", 3),
        (Served(body={"choices": []}), "JSON without an answer in it", 3),
        (Served(body={"choices": [{"message": None}]}), "JSON without an answer in it", 3),
        (Served(body={"error": {"code": 502, "message": "upstream"}}), "502: upstream", 3),
    ],
)
def test_what_does_not_pass_is_a_failed_answer_and_asked_again(
    server: FaultServer, ledger: Ledger, step: Served, reason: str, attempts: int
) -> None:
    meter = Meter()
    server.script += [step] * attempts
    (answer,) = ask(ledger, request(server), meter=meter)
    assert (answer.status, answer.text, answer.from_ledger) == ("failed", "", False)
    assert answer.error is not None
    assert reason in answer.error
    assert "\n" not in answer.error
    assert len(server.seen) == attempts
    assert (meter.total.failed, meter.total.sent, meter.total.attempts) == (1, 0, attempts)
    assert ledger.totals()[0].failures == 1
    assert ask(ledger, request(server))[0].text == "hello"


def test_a_hanging_server_is_given_up(server: FaultServer, ledger: Ledger) -> None:
    server.script += [Served(how="hang")] * 2
    patience = replace(IMPATIENT, timeout=0.1, max_retries=1)
    (answer,) = ask(ledger, request(server), patience=patience)
    assert answer.error == f"time-out: {server.url}/v1 did not answer"
    server.script.append(Served(how="hang"))
    (answer,) = ask(ledger, request(server), deadline=0.1)
    assert answer.error == f"time-out: compat:m@{server.url}/v1 took over 0.1 s"


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (fault(401, "bad key"), r"refused the key for compat:m@.* \(401: bad key\): check CHAIN"),
        (fault(403, "not yours"), r"refused the key for compat:m@.* \(403: not yours\)"),
        (fault(404, "no m"), r"knows no model `m` \(404: no m\): check the name .* in /v1$"),
        (fault(400, "m is not a valid model ID"), "knows no model `m`"),
        (fault(402, "pay first"), r"no credit left at .* \(402: pay first\)"),
        (fault(429, "quota", "insufficient_quota"), r"no credit left at .* \(429: quota\)"),
        (Served(body={"error": {"code": 401, "message": "bad key"}}), "refused the key"),
    ],
)
def test_what_meets_every_request_stops_at_once(
    server: FaultServer, ledger: Ledger, step: Served, line: str
) -> None:
    server.default = lambda seen: step

    async def one_after_another() -> None:
        async with Client(ledger, patience=IMPATIENT) as client:
            for text in "abc":
                with pytest.raises(ModelUnavailable, match=line) as caught:
                    await client.ask(request(server, text))
                assert "\n" not in str(caught.value)
                assert caught.value.__cause__ is caught.value.__context__ is None

    asyncio.run(one_after_another())
    assert len(server.seen) == 1
    assert ledger.totals() == []


def test_a_refused_connection_stops_the_run(ledger: Ledger) -> None:
    with FaultServer() as gone:
        url = gone.url
    asked = Request(ModelUri("compat", "m", f"{url}/v1"), (Message("user", "hi"),))
    line = rf"cannot connect to {url}/v1 for compat:m@{url}/v1 \(tried 3 times\)"
    with pytest.raises(ModelUnavailable, match=line):
        ask(ledger, asked)


def test_models_of_one_server_fail_apart(server: FaultServer, ledger: Ledger) -> None:
    def only_m(seen: Seen) -> Served:
        return chat("hello") if seen.body["model"] == "m" else fault(404, "unknown")

    server.default = only_m
    other = replace(request(server), model=ModelUri("compat", "n", f"{server.url}/v1"))

    async def both() -> str:
        async with Client(ledger, patience=IMPATIENT) as client:
            with pytest.raises(ModelUnavailable, match="knows no model `n`"):
                await client.ask(other)
            return (await client.ask(request(server))).text

    assert asyncio.run(both()) == "hello"


def test_an_unkeepable_answer_stops_all_sending(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def three() -> None:
        with Ledger(tmp_path / "ledger.sqlite") as ledger:
            connection = sqlite3.connect(ledger.path)
            connection.execute("DROP TABLE answers")
            connection.execute("CREATE TABLE answers (key)")
            monkeypatch.setattr(ledger, "get", lambda key: None)
            async with Client(ledger, patience=IMPATIENT) as client:
                for text in "abc":
                    with pytest.raises(LedgerError, match="cannot be used"):
                        await client.ask(request(server, text))

    asyncio.run(three())
    assert len(server.seen) == 1


def test_a_closed_client_sends_nothing(server: FaultServer, ledger: Ledger) -> None:
    async def after_the_end() -> None:
        async with Client(ledger) as client:
            pass
        await client.ask(request(server))

    with pytest.raises(RuntimeError, match="the client is closed"):
        asyncio.run(after_the_end())
    assert server.seen == []


@pytest.mark.parametrize("text", ["half \ud83d", "null \0"])
def test_odd_characters_harm_nobody(server: FaultServer, ledger: Ledger, text: str) -> None:
    server.default = lambda seen: chat(text)
    (answer,) = ask(ledger, request(server, text))
    assert answer.status in ("ok", "failed")
    (plain,) = ask(ledger, request(server, "plain"))
    assert plain.text == text.replace("\ud83d", "?")
    found = ledger.get(plain.key)
    assert found is not None
    assert found.text == plain.text


def _parts(seen: Seen) -> Served:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "42"}]
    return chat(parts)  # type: ignore[arg-type]


def _no_usage(seen: Seen) -> Served:
    return Served(body={"choices": [{"message": {"content": "42"}}]})


@pytest.mark.parametrize("default", [_parts, _no_usage])
def test_dialects_are_read(
    server: FaultServer, ledger: Ledger, default: Callable[[Seen], Served]
) -> None:
    server.default = default
    assert ask(ledger, request(server))[0].text == "42"


def test_the_meter_adds_up(server: FaultServer, ledger: Ledger) -> None:
    meter = Meter()
    server.script += [chat("a"), fault(400), chat(None, refusal="no")]
    ask(ledger, *[request(server, text) for text in "abc"], concurrency=1, meter=meter)
    ask(ledger, request(server, "a"), meter=meter)  # a second time, which is not counted
    total = meter.total
    assert (total.sent, total.refused, total.failed, total.from_ledger) == (2, 1, 1, 0)
    assert (total.input_tokens, total.cached_tokens, total.output_tokens) == (200, 60, 40)
    assert (total.unpriced, total.cost_usd) == (2, 0.0)
    assert (meter.waiting, meter.in_flight, total.done) == (0, 0, 3)
    assert total.attempts == 3
