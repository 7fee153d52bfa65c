"""Batch mode against a server with both protocols: all in one batch, nothing paid twice."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.batches.pace import Pace
from chainwright.llm.batches.records import BatchRecords
from chainwright.llm.batches.service import Limits
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.meter import Meter
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Schema
from chainwright.llm.uri import ModelUri
from tests.llm.batch_server import Batch, BatchServer, Outcome, answer
from tests.llm.fault_server import fault

FAST = Pace(quiet=0.02, first=0.01, most=0.02, doubt=0.0, tries=4)
GPT = ModelUri("openai", "gpt-4o-mini")
CLAUDE = ModelUri("anthropic", "claude-sonnet-5")
BOTH = pytest.mark.parametrize("model", [GPT, CLAUDE], ids=str)
SCHEMA = Schema("vote", {"type": "object", "properties": {}, "additionalProperties": False})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, _no_waiting: None) -> Iterator[BatchServer]:
    with BatchServer() as running:
        running.say = said
        monkeypatch.setenv("OPENAI_BASE_URL", running.openai)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.anthropic)
        for provider in ("OPENAI", "ANTHROPIC"):
            monkeypatch.setenv(f"{provider}_API_KEY", "key-for-batches")
        yield running


def said(body: dict[str, Any]) -> str:
    return f"answer to {body['messages'][0]['content']}"


def requests(model: ModelUri, count: int = 5) -> list[Request]:
    return [Request(model, (Message("user", f"question {n}"),)) for n in range(count)]


def client(ledger: Ledger, pace: Pace = FAST, meter: Meter | None = None) -> Client:
    return Client(ledger, concurrency=2, patience=Patience(max_retries=0), meter=meter, pace=pace)


def ask(
    ledger: Ledger, asked: list[Request], pace: Pace = FAST, meter: Meter | None = None
) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        async with client(ledger, pace, meter) as asker:
            return list(await asyncio.gather(*map(asker.ask, asked)))

    return asyncio.run(all_of_them())


def ask_and_leave(ledger: Ledger, asked: list[Request], server: BatchServer) -> None:
    """Ask, and go away as soon as the batch is at the provider and written down."""

    async def begin() -> None:
        async with client(ledger) as asker:
            asking = [asyncio.create_task(asker.ask(one)) for one in asked]
            while not [one for one in BatchRecords(ledger).all() if one.id]:
                await asyncio.sleep(0.005)
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)

    asyncio.run(begin())


def only_once(server: BatchServer) -> bool:
    return set(Counter(server.submitted).values()) <= {1}


@BOTH
def test_all_requests_land_in_one_batch_and_get_their_own_answers(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    meter = Meter()
    asked = requests(model, 40)
    answers = ask(ledger, [*asked, *asked], meter=meter)
    assert [one.text for one in answers[:40]] == [f"answer to question {n}" for n in range(40)]
    assert answers[40].text == answers[0].text
    (batch,) = server.batches.values()
    assert {one.batch for one in answers} == {batch.id}
    assert sorted(batch.keys) == sorted({one.key for one in answers})
    total = meter.total
    assert (total.sent, total.from_ledger, total.failed, meter.in_flight) == (40, 0, 0, 0)
    assert server.online == []
    kept = ledger.get(answers[0].key)
    assert kept == replace(answers[0], from_ledger=True)
    (record,) = BatchRecords(ledger).all()
    assert (record.id, record.requests, record.waiting) == (batch.id, 40, 0)
    assert record.ended is not None


@BOTH
def test_an_answer_costs_half(server: BatchServer, ledger: Ledger, model: ModelUri) -> None:
    (batched,) = ask(ledger, requests(model, 1))
    (alone,) = online(ledger.path.with_name("other"), requests(model, 1))
    # what comes from a prompt cache is not cheaper everywhere
    assert batched.cost == pytest.approx((alone.cost or 0) / 2, rel=0.1)
    assert alone.batch is None


def online(path: Path, asked: list[Request]) -> list[Answer]:
    async def all_of_them(ledger: Ledger) -> list[Answer]:
        async with Client(ledger, patience=Patience(max_retries=0)) as asker:
            return list(await asyncio.gather(*map(asker.ask, asked)))

    with Ledger(path) as ledger:
        return asyncio.run(all_of_them(ledger))


def test_what_has_no_batches_is_asked_online(server: BatchServer, ledger: Ledger) -> None:
    compat = ModelUri("compat", "m", server.openai)
    answers = ask(ledger, [*requests(GPT, 3), *requests(compat, 3)])
    assert [bool(one.batch) for one in answers] == [True] * 3 + [False] * 3
    assert len(server.online) == 3


@BOTH
def test_a_batch_holds_what_fits(
    server: BatchServer, ledger: Ledger, model: ModelUri, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("openai_batches.OpenAiBatches", "anthropic_batches.AnthropicBatches"):
        monkeypatch.setattr(f"chainwright.llm.batches.{name}.limits", Limits(4, 10_000))
    assert len(ask(ledger, requests(model, 10))) == 10
    assert sorted(len(batch.requests) for batch in server.batches.values()) == [2, 4, 4]
    long = [Request(model, (Message("user", f"{n}" + 4000 * "é"),)) for n in range(2)]
    ask(ledger, long)
    assert len(server.batches) == 5
    assert only_once(server)


@BOTH
def test_a_second_run_finds_its_requests_in_the_open_batch(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    server.hold = True
    ask_and_leave(ledger, requests(model), server)
    server.release()
    meter = Meter()
    answers = ask(ledger, [*requests(model), *requests(model, 7)[5:]], meter=meter)
    assert [one.text for one in answers] == [f"answer to question {n}" for n in range(7)]
    assert sorted(len(batch.requests) for batch in server.batches.values()) == [2, 5]
    assert only_once(server)
    assert (meter.total.sent, meter.total.failed) == (7, 0)
    assert [one.waiting for one in BatchRecords(ledger).all()] == [0, 0]


@BOTH
def test_answers_that_nobody_asks_for_any_more_are_kept(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    server.hold = True
    ask_and_leave(ledger, requests(model), server)
    server.release()
    ask(ledger, requests(model, 1))
    meter = Meter()
    answers = ask(ledger, requests(model), meter=meter)
    assert (meter.total.from_ledger, only_once(server), len(server.batches)) == (5, True, 1)
    assert all(one.batch and one.cost for one in answers)


def test_who_comes_after_another_left_with_the_reply_gets_it_too(
    server: BatchServer, ledger: Ledger
) -> None:
    (one,) = requests(GPT, 1)

    async def left() -> Answer:
        async with client(ledger) as asker:
            first = asyncio.create_task(asker.ask(one))
            await asyncio.sleep(0)
            second = asyncio.create_task(asker.ask(one))
            while not BatchRecords(ledger).all():
                await asyncio.sleep(0.001)
            first.cancel()
            return await second

    assert asyncio.run(left()).text == "answer to question 0"
    assert only_once(server)


Fate = Callable[[Batch, str, dict[str, Any]], Outcome]


def first_time(outcome: Outcome, number: int = 2) -> Fate:
    """A request fares badly in the first batch that it is in."""

    def fate(batch: Batch, key: str, body: dict[str, Any]) -> Outcome:
        if said(body) == f"answer to question {number}" and len(batch.requests) > 1:
            return outcome
        return answer(batch.protocol, body, said(body))

    return fate


@BOTH
@pytest.mark.parametrize(
    "outcome", ["expired", "missing", fault(500, "overloaded", "overloaded_error")]
)
def test_what_a_batch_left_unanswered_is_sent_in_a_further_one(
    server: BatchServer, ledger: Ledger, model: ModelUri, outcome: Outcome
) -> None:
    server.outcome = first_time(outcome)
    answers = ask(ledger, requests(model))
    assert [one.text for one in answers] == [f"answer to question {n}" for n in range(5)]
    assert sorted(len(batch.requests) for batch in server.batches.values()) == [1, 5]


@BOTH
def test_it_is_not_sent_for_ever(server: BatchServer, ledger: Ledger, model: ModelUri) -> None:
    server.outcome = lambda batch, key, body: "expired"
    meter = Meter()
    (failed,) = ask(ledger, requests(model, 1), replace(FAST, resends=1), meter)
    assert (failed.status, meter.total.failed, meter.total.attempts) == ("failed", 1, 2)
    assert "no answer in 2 batches" in (failed.error or "")
    assert len(server.batches) == 2
    assert ledger.get(failed.key) is None
    assert [one.waiting for one in BatchRecords(ledger).all()] == [0, 0]


@BOTH
def test_faults_of_a_request_are_those_it_has_online(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    faults = {
        "answer to question 1": fault(400, "prompt is too long", "invalid_request_error"),
        "answer to question 2": fault(400, "flagged by moderation", "invalid_request_error"),
    }
    server.outcome = lambda batch, key, body: faults.get(
        said(body), answer(batch.protocol, body, said(body))
    )
    answers = ask(ledger, requests(model, 4))
    assert [one.status for one in answers] == ["ok", "failed", "refused", "ok"]
    assert "too long" in (answers[1].error or "")
    assert len(server.batches) == 1


@BOTH
def test_a_fault_of_the_model_stops_the_run_and_keeps_the_other_answers(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    server.outcome = first_time(fault(404, "model not found", "not_found_error"))
    with pytest.raises(ModelUnavailable, match="knows no model"):
        ask(ledger, requests(model))
    server.outcome = None
    ask(ledger, requests(model))
    assert sorted(len(batch.requests) for batch in server.batches.values()) == [1, 5]


@BOTH
def test_a_refused_json_mode_leads_to_the_next_one_down(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    def refusing(batch: Batch, key: str, body: dict[str, Any]) -> Outcome:
        if "response_format" in body or "output_config" in body:
            return fault(400, "no json schema here", "invalid_request_error")
        return answer(batch.protocol, body, "{}")

    server.outcome = refusing
    answers = ask(ledger, [replace(one, schema=SCHEMA) for one in requests(model, 3)])
    assert {one.status for one in answers} == {"ok"}
    assert len(server.batches) == (3 if model is GPT else 2)


@pytest.mark.parametrize("way", ["reset", 503, 429])
@BOTH
def test_a_connection_lost_while_waiting_is_made_again(
    server: BatchServer, ledger: Ledger, model: ModelUri, way: Any
) -> None:
    at = "/batches/ID" if model is GPT else "/messages/batches/ID"
    server.failing[f"GET {at}"] = [way, way]
    assert len(ask(ledger, requests(model))) == 5
    assert len(server.batches) == 1


@pytest.mark.parametrize("way", ["reset", "cut", 503])
@BOTH
def test_a_connection_lost_while_results_are_read_is_made_again(
    server: BatchServer, ledger: Ledger, model: ModelUri, way: Any
) -> None:
    at = "/files/ID/content" if model is GPT else "/messages/batches/ID/results"
    server.failing[f"GET {at}"] = [way, way]
    answers = ask(ledger, requests(model))
    assert [one.text for one in answers] == [f"answer to question {n}" for n in range(5)]
    assert len(server.batches) == 1


@BOTH
def test_a_provider_that_stays_away_stops_the_run_and_nothing_is_lost(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    at = "/batches/ID" if model is GPT else "/messages/batches/ID"
    server.failing[f"GET {at}"] = ["reset"] * 20  # aiohttp tries a connection that it reuses twice
    with pytest.raises(ModelUnavailable, match="goes on at the provider"):
        ask(ledger, requests(model))
    server.failing.clear()
    assert len(ask(ledger, requests(model))) == 5
    assert len(server.batches) == 1


@pytest.mark.parametrize("way", ["reset_after", "reset", 500])
@BOTH
def test_a_submission_whose_answer_was_lost_makes_no_second_batch(
    server: BatchServer, ledger: Ledger, model: ModelUri, way: Any
) -> None:
    at = "/batches" if model is GPT else "/messages/batches"
    server.failing[f"POST {at}"] = [way]
    assert len(ask(ledger, requests(model))) == 5
    assert len(server.batches) == 1


@pytest.mark.parametrize(("status", "words"), [(401, "refused the key"), (400, "no batch was")])
@BOTH
def test_a_refused_submission_stops_the_run_with_one_line(
    server: BatchServer, ledger: Ledger, model: ModelUri, status: int, words: str
) -> None:
    at = "/batches" if model is GPT else "/messages/batches"
    server.failing[f"POST {at}"] = [status]
    with pytest.raises(ModelUnavailable, match=words) as stop:
        ask(ledger, requests(model))
    assert "\n" not in str(stop.value)
    assert BatchRecords(ledger).all() == []


@BOTH
def test_a_crash_between_submission_and_commit_pays_once(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    server.hold = True
    ask_and_leave(ledger, requests(model), server)
    # As the process would have left it.
    ledger.submit(lambda connection: connection.execute("UPDATE batches SET id = NULL")).result()
    server.release()
    assert len(ask(ledger, requests(model))) == 5
    assert len(server.batches) == 1


@BOTH
def test_a_crash_before_the_submission_leaves_nothing_to_wait_for(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    server.hold = True
    ask_and_leave(ledger, requests(model), server)
    ledger.submit(lambda connection: connection.execute("UPDATE batches SET id = NULL")).result()
    server.batches.clear()
    server.hold = False
    assert len(ask(ledger, requests(model))) == 5
    assert len(server.batches) == 1


def interrupted(ledger: Ledger, server: BatchServer) -> Batch:
    """A batch of whose submission the ledger doesn't know, and a like one of somebody else."""
    server.hold = True
    ask_and_leave(ledger, requests(CLAUDE), server)
    ledger.submit(lambda connection: connection.execute("UPDATE batches SET id = NULL")).result()
    (ours,) = server.batches.values()
    others = [(f"other-{key}"[:64], body) for key, body in ours.requests]
    return server.made(Batch("batch_other", "anthropic", others, created=ours.created))


def test_of_anthropic_the_results_tell_whose_a_batch_is(
    server: BatchServer, ledger: Ledger
) -> None:
    other = interrupted(ledger, server)
    server.release()
    answers = ask(ledger, requests(CLAUDE))
    assert other.id not in {one.batch for one in answers}
    assert len(server.batches) == 2


def test_of_anthropic_a_batch_of_somebody_else_is_found_out_at_last(
    server: BatchServer, ledger: Ledger
) -> None:
    other = interrupted(ledger, server)
    server.batches = {other.id: other}

    async def waited() -> list[Answer]:
        async with client(ledger) as asker:
            asking = asyncio.gather(*map(asker.ask, requests(CLAUDE)))
            while not other.looks:
                await asyncio.sleep(0.005)
            server.release()
            return list(await asking)

    answers = asyncio.run(waited())
    assert [one.text for one in answers] == [f"answer to question {n}" for n in range(5)]
    assert other.id not in {one.batch for one in answers}


@BOTH
def test_a_batch_cancelled_under_way_stops_the_run_and_the_next_one_sends_the_rest(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    async def cancelled() -> None:
        server.hold = True
        async with client(ledger) as asker:
            asking = asyncio.gather(*map(asker.ask, requests(model)))
            while not any(batch.looks for batch in server.batches.values()):
                await asyncio.sleep(0.005)
            for batch in server.batches.values():
                batch.ended = batch.cancelled = True
            await asking

    with pytest.raises(ModelUnavailable, match="was cancelled"):
        asyncio.run(cancelled())
    server.hold = False
    assert len(ask(ledger, requests(model))) == 5
    assert [len(batch.requests) for batch in server.batches.values()] == [5, 5]


def test_a_batch_too_long_for_the_account_is_cut_until_it_is_not(
    server: BatchServer, ledger: Ledger
) -> None:
    server.refuse = lambda batch: "token_limit_exceeded" if len(batch.requests) > 2 else None
    assert len(ask(ledger, requests(GPT, 6))) == 6
    sizes = [len(batch.requests) for batch in server.batches.values() if not batch.refused]
    assert (sum(sizes), max(sizes) <= 2) == (6, True)
    assert only_once(server)


def test_a_batch_taken_back_for_another_reason_stops_the_run(
    server: BatchServer, ledger: Ledger
) -> None:
    server.refuse = lambda batch: "model_not_supported"
    with pytest.raises(ModelUnavailable, match=r"took back batch .* model_not_supported"):
        ask(ledger, requests(GPT))
    assert BatchRecords(ledger).all() == []


@BOTH
def test_what_follows_from_answers_makes_a_batch_of_its_own(
    server: BatchServer, ledger: Ledger, model: ModelUri
) -> None:
    async def twice() -> None:
        async with client(ledger) as asker:

            async def one(request: Request) -> None:
                first = await asker.ask(request)
                turns = (*request.messages, Message("assistant", first.text), Message("user", "?"))
                await asker.ask(replace(request, messages=turns))

            await asyncio.gather(*map(one, requests(model, 30)))

    asyncio.run(twice())
    assert [len(batch.requests) for batch in server.batches.values()] == [30, 30]


def test_the_board_says_what_goes_on(server: BatchServer, ledger: Ledger) -> None:
    shown: list[str] = []

    async def watched() -> list[str]:
        server.hold = True
        async with client(ledger) as asker:
            assert asker.batches is not None
            board = asker.batches.board
            asking = asyncio.gather(*map(asker.ask, requests(GPT)))
            while not any(batch.looks for batch in server.batches.values()):
                await asyncio.sleep(0.001)
                shown.append(str(board))
            shown.append(str(board))
            server.release()
            await asking
            return board.told()

    news = asyncio.run(watched())
    (batch,) = server.batches.values()
    assert "5 gathered for the next" in shown
    assert shown[-1] == "1 batch at the provider, 0 of 5 requests done there"
    assert news == [
        f"{GPT}: batch {batch.id} with 5 requests is at the provider and goes on there, "
        "whatever happens here",
        f"{GPT}: batch {batch.id} has ended (completed) with 5 of 5 requests answered",
    ]


def test_the_key_is_nowhere(server: BatchServer, ledger: Ledger) -> None:
    server.say = lambda body: "you came with key-for-batches"
    for model in (GPT, CLAUDE):
        (found,) = ask(ledger, requests(model, 1))
        assert found.text == "you came with [key]"
    ledger.close()
    assert b"key-for-batches" not in ledger.path.read_bytes()
