"""Batch mode against llmock, another's idea of the batches of both providers."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from chainwright.llm.batches import overview
from chainwright.llm.batches.pace import Pace
from chainwright.llm.batches.records import BatchRecords
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, Request
from chainwright.llm.uri import ModelUri

pytest.importorskip("llmock")

from llmock.routers import batch as llmock_batches
from llmock.testing import LLMockServer

MODELS = [ModelUri("openai", "gpt-4o-mini"), ModelUri("anthropic", "claude-sonnet-5")]
PACE = Pace(quiet=0.05, first=0.05, most=0.1, doubt=0.0)
PATIENCE = Patience(max_retries=0)


@pytest.fixture(scope="module")
def running() -> Iterator[LLMockServer]:
    with LLMockServer() as server:
        yield server


@pytest.fixture
def mock(running: LLMockServer, monkeypatch: pytest.MonkeyPatch) -> LLMockServer:
    for provider in ("openai", "anthropic"):
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", running.base_url(provider))
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "llmock-test-key")
    monkeypatch.setattr(llmock_batches, "_BATCH_DELAY", 0.1)
    plain = llmock_batches._public_payload

    def with_a_whole_address(record: dict[str, Any], **settings: Any) -> dict[str, Any]:
        """Its own address of results is no address at all, where the real one is."""
        shown: dict[str, Any] = plain(record, **settings)
        if shown.get("results_url"):
            place = f"{running.base_url('anthropic')}/v1/messages/batches"
            shown["results_url"] = f"{place}/{record['id']}/results"
        return shown

    monkeypatch.setattr(llmock_batches, "_public_payload", with_a_whole_address)
    return running


def requests(model: ModelUri, more: int = 1) -> list[Request]:
    return [Request(model, (Message("user", f"What is {n} + {more}?"),)) for n in range(6)]


def leave_open(ledger: Ledger, asked: list[Request]) -> None:
    async def begin() -> None:
        async with Client(ledger, patience=PATIENCE, pace=PACE) as client:
            asking = [asyncio.create_task(client.ask(one)) for one in asked]
            while not [one for one in BatchRecords(ledger).all() if one.id]:
                await asyncio.sleep(0.01)
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)

    asyncio.run(begin())


def ask(ledger: Ledger, asked: list[Request]) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        async with Client(ledger, patience=PATIENCE, pace=PACE) as client:
            return list(await asyncio.gather(*map(client.ask, asked)))

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_batch(mock: LLMockServer, ledger: Ledger, model: ModelUri) -> None:
    answers = ask(ledger, requests(model))
    assert {one.status for one in answers} == {"ok"}
    assert all(one.text and one.usage.input_tokens > 0 and one.cost for one in answers)
    (record,) = BatchRecords(ledger).all()
    assert {one.batch for one in answers} == {record.id}
    assert all(one.from_ledger for one in ask(ledger, requests(model)))
    assert len(BatchRecords(ledger).all()) == 1


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_submission_whose_end_is_not_known_is_found(
    mock: LLMockServer, ledger: Ledger, model: ModelUri, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llmock_batches, "_BATCH_DELAY", 1.0)

    leave_open(ledger, requests(model, 2))
    (record,) = BatchRecords(ledger).all()
    ledger.submit(lambda connection: connection.execute("UPDATE batches SET id = NULL")).result()
    answers = ask(ledger, requests(model, 2))
    assert {one.batch for one in answers} == {record.id}


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_batch_is_cancelled(
    mock: LLMockServer, ledger: Ledger, model: ModelUri, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llmock_batches, "_BATCH_DELAY", 60.0)

    leave_open(ledger, requests(model, 3))
    (report,) = asyncio.run(overview.cancel(ledger, PATIENCE))
    assert report.note == "cancelled"
    (report,) = asyncio.run(overview.look(ledger, PATIENCE))
    assert report.state is not None
    assert report.state.ended
    monkeypatch.setattr(llmock_batches, "_BATCH_DELAY", 0.1)
    assert {one.status for one in ask(ledger, requests(model, 3))} == {"ok"}
    assert [one.waiting for one in BatchRecords(ledger).all()] == [0, 0]
