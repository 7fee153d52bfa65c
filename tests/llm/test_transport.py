"""The two transports under the SDKs: what each makes of a server that fails."""

import asyncio
import gzip
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import httpx2
import pytest

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers import transport
from chainwright.llm.providers.reply import Patience
from chainwright.llm.providers.transport import AiohttpTransport, http_client, json_bytes
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer, Served, chat

PATIENCE = Patience(timeout=0.3, connect_timeout=0.3, max_retries=0)


@pytest.fixture(params=["aiohttp", "httpx2"])
def _transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "httpx2":
        monkeypatch.setattr(transport, "find_spec", lambda name: None)


def ask(ledger: Ledger, url: str, patience: Patience = PATIENCE, count: int = 1) -> list[Answer]:
    model = ModelUri("compat", "m", url)

    async def all_of_them() -> list[Answer]:
        async with Client(ledger, patience=patience, concurrency=4) as client:
            requests = [Request(model, (Message("user", "hi"),), sample=n) for n in range(count)]
            return list(await asyncio.gather(*map(client.ask, requests)))

    return asyncio.run(all_of_them())


def test_which_transport_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(url: str) -> type[httpx2.AsyncBaseTransport]:
        return type(http_client(url, PATIENCE, 4)._transport)

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("all_proxy", raising=False)
    assert kind("https://api.example.com/v1") is AiohttpTransport
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert kind("https://api.example.com/v1") is httpx2.AsyncHTTPTransport
    assert kind("http://localhost:8000/v1") is AiohttpTransport
    monkeypatch.setattr(transport, "find_spec", lambda name: None)
    assert kind("http://localhost:8000/v1") is httpx2.AsyncHTTPTransport


@pytest.mark.usefixtures("_transport")
@pytest.mark.parametrize(
    ("step", "error"),
    [
        (Served(how="reset"), "no answer from "),
        (replace(chat("hello"), how="truncate"), "no answer from "),
        (Served(how="hang"), "time-out: "),
        (Served(body=b"no gzip", headers={"content-encoding": "gzip"}), "no answer from "),
    ],
    ids=["reset", "truncated", "hanging", "garbled"],
)
def test_a_fault_on_the_way_fails_that_request_alone(
    server: FaultServer, ledger: Ledger, step: Served, error: str
) -> None:
    server.script.append(step)
    (answer,) = ask(ledger, f"{server.url}/v1")
    assert answer.status == "failed"
    assert (answer.error or "").startswith(error)
    assert ask(ledger, f"{server.url}/v1")[0].text == "hello"


@pytest.mark.usefixtures("_transport")
def test_nobody_there_stops_the_run(ledger: Ledger) -> None:
    with pytest.raises(ModelUnavailable, match="cannot connect to"):
        ask(ledger, f"{_free_address()}/v1")
    with pytest.raises(ModelUnavailable, match="cannot connect to"):
        ask(ledger, "http://no-such-host.invalid/v1")


@pytest.mark.usefixtures("_transport")
def test_a_server_that_accepts_nobody_is_a_lost_connection(ledger: Ledger) -> None:
    with _deaf() as url, pytest.raises(ModelUnavailable, match="cannot connect to"):
        ask(ledger, f"{url}/v1")


@pytest.mark.usefixtures("_transport")
def test_a_server_that_closes_idle_connections(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: replace(chat("hello"), headers={"connection": "close"})
    found = ask(ledger, f"{server.url}/v1", Patience(max_retries=2), count=12)
    assert {answer.text for answer in found} == {"hello"}


@pytest.mark.usefixtures("_transport")
def test_packed_answers_and_redirections(server: FaultServer, ledger: Ledger) -> None:
    packed = gzip.compress(json_bytes(chat("packed").body))
    server.script.append(Served(307, {}, {"location": f"{server.url}/v2/chat/completions"}))
    server.script.append(Served(307, {}, {"location": f"{server.url}/v2/chat/completions"}))
    server.script.append(Served(body=packed, headers={"content-encoding": "gzip"}))
    server.default = lambda seen: Served(body=packed, headers={"content-encoding": "gzip"})
    (answer,) = ask(ledger, f"{server.url}/v1")
    assert (answer.status, answer.text) == ("ok", "packed")
    assert server.seen[-1].path == "/v2/chat/completions" or len(server.seen) == 4
    assert "gzip" in server.seen[0].headers["accept-encoding"]


def test_half_a_surrogate_pair_cannot_be_sent() -> None:
    assert json_bytes({"a": ["é", 1.0]}) == '{"a":["é",1.0]}'.encode()
    with pytest.raises(ValueError, match="surrogates"):
        json_bytes({"a": "\ud83d"})
    with pytest.raises(ValueError, match="Out of range"):
        json_bytes({"a": float("nan")})


def _free_address() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{found.getsockname()[1]}"


@contextmanager
def _deaf() -> Iterator[str]:
    """A server whose queue of connections is full."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        found.listen(0)
        address = found.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        try:
            yield f"http://127.0.0.1:{address[1]}"
        finally:
            for one in waiting:
                one.close()
