"""No key in the ledger, in an error or in the log, whatever a server sends back."""

import asyncio
import logging
import sqlite3
import traceback

import pytest

from chainwright.llm.client import Client
from chainwright.llm.endpoint import endpoint
from chainwright.llm.keys import api_key, conceal, redact
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Message, ModelUnavailable, Request
from chainwright.llm.uri import ModelUri, Provider
from tests.llm.fault_server import FaultServer, Seen, Served, anthropic_message, chat, fault

KEY = "sk-proj-a1B2c3D4e5F6g7H8"


def model(provider: Provider, server: FaultServer) -> ModelUri:
    return ModelUri(provider, "m", f"{server.url}/v1" if provider == "compat" else None)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "compat"])
@pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
def test_a_server_that_repeats_the_key(
    server: FaultServer,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    provider: Provider,
    status: int,
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CHAINWRIGHT_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)

    def repeat(seen: Seen) -> Served:
        said = f"You sent {seen.headers.get('authorization')} {seen.headers.get('x-api-key')}"
        if status != 200:
            return fault(status, said)
        return anthropic_message(said) if provider == "anthropic" else chat(said)

    server.default = repeat

    async def ask() -> str:
        request = Request(model(provider, server), (Message("user", "hi"),))
        async with Client(ledger, patience=Patience(max_retries=1, backoff=0.001)) as client:
            try:
                return repr(await client.ask(request))
            except ModelUnavailable:
                return traceback.format_exc()

    shown = asyncio.run(ask())
    assert any(KEY in value for value in server.seen[0].headers.values())
    dump = "\n".join(sqlite3.connect(ledger.path).iterdump())
    for text in (shown, dump, caplog.text):
        assert KEY not in text
        assert KEY[8:] not in text
    assert KEY.encode() not in b"".join(
        path.read_bytes() for path in ledger.path.parent.glob("ledger*")
    )


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_is_one_clear_line(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, provider: Provider, value: str | None
) -> None:
    name = f"{provider.upper()}_API_KEY"
    if value is not None:
        monkeypatch.setenv(name, value)

    async def ask() -> None:
        async with Client(ledger) as client:
            await client.ask(Request(ModelUri(provider, "m"), (Message("user", "hi"),)))

    line = f"^no key for {provider}: models: set {name} in the environment$"
    with pytest.raises(ModelUnavailable, match=line):
        asyncio.run(ask())


@pytest.mark.parametrize("value", ["sk-a b", "sk-“quoted”", "sk-\nx"])
def test_a_key_that_no_header_can_carry(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY holds a blank") as caught:
        api_key("openai")
    assert value not in str(caught.value)


def test_a_key_with_a_line_end_is_used_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    assert api_key("openai") == KEY
    assert api_key("compat") == "none"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"key {KEY}!", "key [OPENAI_API_KEY]!"),
        ("Incorrect API key provided: sk-abc****wxyz.", "Incorrect API key provided: [key]"),
        ("authorization: Bearer abcdef123456", "authorization: Bearer [key]"),
        ("the task-force asked about risk-free rates", None),
        ("none of 42", None),
    ],
)
def test_redaction(monkeypatch: pytest.MonkeyPatch, text: str, expected: str | None) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("CHAINWRIGHT_API_KEY", "none")
    assert redact(text) == (text if expected is None else expected)


def test_a_short_word_is_no_secret() -> None:
    assert conceal("none at all", "none") == "none at all"
    assert conceal(f"<{KEY}>", KEY) == "<[key]>"


def test_an_address_with_a_secret_never_reaches_the_ledger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for url in ("https://user:pass@host/v1", "https://host/v1?key=pass"):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        with pytest.raises(ModelUnavailable, match="user, password, query") as caught:
            endpoint(ModelUri("openai", "m"))
        assert "pass@" not in str(caught.value)
    monkeypatch.setenv("OPENAI_BASE_URL", "api.host/v1")
    with pytest.raises(ModelUnavailable, match=r"found `api\.host/v1` in OPENAI_BASE_URL"):
        endpoint(ModelUri("openai", "m"))
