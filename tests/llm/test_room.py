"""Windows of models, and requests that are surely longer."""

import asyncio
from typing import Any

import pytest

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.prices import listed_window
from chainwright.llm.request import Answer, Message, Request
from chainwright.llm.room import least_tokens, window_in
from chainwright.llm.uri import ModelUri, parse_model_uri
from tests.llm.fault_server import FaultServer, Served
from tests.llm.test_client import ask, request

LONG = "word " * 4000


@pytest.mark.parametrize(
    ("listed", "window"),
    [
        ({"data": [{"id": "n"}, {"id": "m", "max_model_len": 4096}]}, 4096),
        ({"data": [{"id": "weights.gguf", "meta": {"n_ctx": 2048, "n_ctx_train": 8192}}]}, 2048),
        ({"data": [{"id": "m", "context_length": 100}]}, 100),
        ({"data": [{"id": "m"}]}, None),
        ({"data": [{"id": "a", "max_model_len": 1}, {"id": "b", "max_model_len": 2}]}, None),
        ({"data": [{"id": "m", "max_model_len": "many"}]}, None),
        ({"data": [{"id": "m", "max_model_len": -1, "meta": []}]}, None),
        ({"data": ["m"]}, None),
        ({"data": {}}, None),
        ([], None),
    ],
)
def test_windows_in_the_lists_of_servers(listed: Any, window: int | None) -> None:
    assert window_in(listed, "m") == window


def test_windows_that_are_listed() -> None:
    assert listed_window(parse_model_uri("openai:gpt-4o")) == 128_000
    assert listed_window(parse_model_uri("openai:never-heard-of")) is None
    assert listed_window(parse_model_uri("compat:gpt-4o@http://localhost/v1")) is None


def test_a_request_that_is_surely_too_long_is_not_sent(server: FaultServer, ledger: Ledger) -> None:
    server.listed = lambda seen: Served(body={"data": [{"id": "m", "max_model_len": 2000}]})
    long, short = ask(ledger, request(server, LONG), request(server, "short"))
    assert (long.status, long.too_long, short.text) == ("failed", True, "hello")
    assert (long.error or "").endswith("at least 3000 tokens, where 2000 fit; it was not sent"), (
        long.error
    )
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "listed",
    [
        Served(404, {}),
        Served(body=b"<html>"),
        Served(body={"data": [{"id": "m", "max_model_len": 4000}]}),
        Served(how="reset"),
    ],
)
def test_without_a_window_the_server_decides(
    server: FaultServer, ledger: Ledger, listed: Served
) -> None:
    asked = []

    def answer(seen: Any) -> Served:
        asked.append(seen.path)
        return listed

    server.listed = answer
    answers = ask(ledger, *(request(server, f"{LONG}{number}") for number in range(3)))
    assert {one.status for one in answers} == {"ok"}
    assert asked == ["/v1/models"]


def test_a_listed_window_needs_no_server(server: FaultServer, ledger: Ledger) -> None:
    async def too_long() -> Answer:
        async with Client(ledger) as client:
            model = ModelUri("openai", "gpt-4")
            return await client.ask(Request(model, (Message("user", "7 x " * 10_000),)))

    answer = asyncio.run(too_long())
    assert answer.too_long
    assert "8192 fit" in (answer.error or "")


def test_the_least_is_below_any_estimate() -> None:
    def least(text: str) -> int:
        return least_tokens(Request(ModelUri("openai", "o3"), (Message("user", text),)))

    assert least("internationalization " * 100) == 75
    assert least("123456789" * 100) == 225
    assert least("======" * 100) == 0
    assert least("привет " * 100) == 75
    assert least("") == 0
