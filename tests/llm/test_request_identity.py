"""Any field of a request, changed alone, makes a request that is really sent."""

import asyncio
from dataclasses import fields, replace
from typing import Any

import pytest

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.request import Message, Request, Schema
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer

CHANGES: dict[tuple[type, str], Any] = {
    (ModelUri, "provider"): "openai",
    (ModelUri, "name"): "n",
    (ModelUri, "base_url"): "{url}/v2",
    (Message, "role"): "assistant",
    (Message, "content"): "Judge kindly.",
    (Schema, "name"): "label",
    (Schema, "schema"): {"type": "object", "properties": {"b": {}}},
    (Request, "temperature"): 0.25,
    (Request, "max_tokens"): 101,
    (Request, "seed"): 8,
    (Request, "sample"): 1,
}
"""Another value for each field; a field that is a part itself has its own fields here."""

PARTS = {"model": ModelUri, "messages": Message, "schema": Schema}
"""The fields of a request that are parts, or lists of them."""

WITHOUT_EFFECT: set[tuple[type, str]] = {(Message, "shared")}
"""Fields that change no answer, and so no key."""


def base(server: FaultServer) -> Request:
    return Request(
        model=ModelUri("compat", "m", f"{server.url}/v1"),
        messages=(Message("system", "Judge."), Message("user", "1 + 1 = 2")),
        schema=Schema("vote", {"type": "object", "properties": {"a": {}}}),
        temperature=0.5,
        max_tokens=100,
        seed=7,
        sample=0,
    )


def changed(request: Request, part: type, field: str, value: Any) -> Request:
    if part is Request:
        return replace(request, **{field: value})
    if part is Message:
        first, *others = request.messages
        return replace(request, messages=(replace(first, **{field: value}), *others))
    if part is Schema:
        assert request.schema is not None
        return replace(request, schema=replace(request.schema, **{field: value}))
    return replace(request, model=replace(request.model, **{field: value}))


def test_no_field_is_left_out() -> None:
    """A new field of a request needs a value in `CHANGES`, or a reason to be without effect."""
    known = {
        (part, field.name)
        for part in (Request, *PARTS.values())
        for field in fields(part)
        if not (part is Request and field.name in PARTS)
    }
    assert set(CHANGES) | WITHOUT_EFFECT == known


@pytest.mark.parametrize(
    ("part", "field"), list(CHANGES), ids=lambda value: getattr(value, "__name__", value)
)
def test_a_change_of_one_field_is_sent(
    server: FaultServer,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
    part: type,
    field: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-one")
    value = CHANGES[part, field]
    if isinstance(value, str):
        value = value.format(url=server.url)
    first = base(server)
    second = changed(first, part, field, value)

    async def ask_each_twice() -> list[bool]:
        async with Client(ledger) as client:
            answers = [await client.ask(one) for one in (first, second, first, second)]
        return [answer.from_ledger for answer in answers]

    assert second != first
    assert asyncio.run(ask_each_twice()) == [False, False, True, True]
    assert len(server.seen) == 2


def test_another_address_of_the_same_provider_is_another_request(
    server: FaultServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-one")
    asked = replace(base(server), model=ModelUri("openai", "m"))

    async def ask(place: str) -> bool:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}{place}")
        async with Client(ledger) as client:
            return (await client.ask(asked)).from_ledger

    found = [asyncio.run(ask(place)) for place in ("/v1", "/v2", "/v1")]
    assert found == [False, False, True]
