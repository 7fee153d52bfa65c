"""Against llmock, another's idea of how the two providers answer and fail."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from chainwright.llm.circuit import Pauses
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.meter import Meter
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Schema
from chainwright.llm.uri import ModelUri

pytest.importorskip("llmock")

from llmock.ratelimit import LimitSettings
from llmock.scenarios import Fail, Reply
from llmock.testing import LLMockServer
from llmock.verdict import judge

SCHEMA = Schema(
    "vote",
    {
        "type": "object",
        "properties": {"label": {"enum": ["correct", "wrong"]}, "step": {"type": "integer"}},
        "required": ["label", "step"],
        "additionalProperties": False,
    },
)
MODELS = [ModelUri("openai", "gpt-4o-mini"), ModelUri("anthropic", "claude-sonnet-5")]


@pytest.fixture(scope="module")
def running() -> Iterator[LLMockServer]:
    with LLMockServer() as server:
        yield server


@pytest.fixture
def mock(running: LLMockServer, monkeypatch: pytest.MonkeyPatch) -> LLMockServer:
    running.state.reset()
    for provider in ("openai", "anthropic"):
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", running.base_url(provider))
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "llmock-test-key")
    return running


def ask(ledger: Ledger, *requests: Request, meter: Meter | None = None) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        patience = Patience(max_retries=3, backoff=0.001, busy=Pauses(1, 0.001, 0.001))
        async with Client(ledger, patience=patience, meter=meter) as client:
            return list(await asyncio.gather(*map(client.ask, requests)))

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_an_answer_under_a_schema(mock: LLMockServer, ledger: Ledger, model: ModelUri) -> None:
    (answer,) = ask(ledger, Request(model, (Message("user", "1 + 1 = 2"),), SCHEMA))
    assert answer.status == "ok"
    assert answer.usage.input_tokens > 0
    if model.provider == "openai":
        assert json.loads(answer.text)["label"] in ("correct", "wrong")


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("status", [429, 500, 503])
def test_faults_that_pass(mock: LLMockServer, ledger: Ledger, model: ModelUri, status: int) -> None:
    meter = Meter()
    mock.state.scenarios.add(Fail(status, retry_after=0.001, times=2))
    mock.state.scenarios.add(Reply(text="42"))
    (answer,) = ask(ledger, Request(model, (Message("user", "6 * 7"),)), meter=meter)
    assert (answer.status, answer.text) == ("ok", "42")
    assert meter.total.attempts == 3


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("status", [401, 404])
def test_faults_that_stop(mock: LLMockServer, ledger: Ledger, model: ModelUri, status: int) -> None:
    mock.state.scenarios.add(Fail(status, times=None))
    with pytest.raises(ModelUnavailable, match=f"{status}"):
        ask(ledger, Request(model, (Message("user", "6 * 7"),)))


def test_many_at_once(mock: LLMockServer, ledger: Ledger) -> None:
    asked = [
        Request(model, (Message("user", str(number)),)) for number in range(25) for model in MODELS
    ]
    meter = Meter()
    assert {answer.status for answer in ask(ledger, *asked, *asked, meter=meter)} == {"ok"}
    assert (meter.total.sent, meter.total.from_ledger, meter.in_flight) == (50, 0, 0)


def test_a_limit_by_the_minute_is_met_as_the_server_asks(
    mock: LLMockServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [Request(MODELS[0], (Message("user", str(number)),)) for number in range(62)]
    meter = Meter()
    mock.state.limiter.configure(LimitSettings(rpm=60))
    try:
        answers = ask(ledger, *asked, meter=meter)
    finally:
        mock.state.limiter.configure(LimitSettings())
    assert {answer.status for answer in answers} == {"ok"}
    # on a slow machine they come slowly enough by themselves
    assert meter.total.attempts >= meter.total.sent == 62
    judge(mock.state.journal.records()).assert_ok(strict=True)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_it_finds_no_fault_with_how_faults_are_met(
    mock: LLMockServer, ledger: Ledger, model: ModelUri
) -> None:
    for status in (500, 429, 400):
        mock.state.scenarios.add(Fail(status, times=2))
    patience = Patience(max_retries=2, backoff=0.06)

    async def in_turn() -> list[str]:
        async with Client(ledger, patience=patience) as client:
            asked = (Request(model, (Message("user", text),)) for text in "abcd")
            return [(await client.ask(request)).status for request in asked]

    # the first meets all but the last fault, and the second that one
    assert asyncio.run(in_turn()) == ["failed", "failed", "ok", "ok"]
    verdict = judge(mock.state.journal.records())
    assert (verdict.attempts, verdict.faults) == (8, 6)
    verdict.assert_ok(strict=True)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_its_word_for_a_prompt_that_is_too_long(
    mock: LLMockServer, ledger: Ledger, model: ModelUri
) -> None:
    mock.state.limiter.configure(LimitSettings(context_window=100))
    try:
        (answer,) = ask(ledger, Request(model, (Message("user", "word " * 300),)))
    finally:
        mock.state.limiter.configure(LimitSettings())
    assert answer.too_long, answer.error
    assert len(mock.state.journal.records()) == 1
