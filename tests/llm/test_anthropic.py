import asyncio
from dataclasses import replace
from typing import Any

import pytest

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Schema, Usage
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer, Served, anthropic_message, fault

ASKED = Request(
    ModelUri("anthropic", "claude-sonnet-5"),
    (
        Message("system", "Judge."),
        Message("user", "1 + 1 = 2"),
        Message("assistant", "?"),
        Message("user", "Well?"),
    ),
)
SCHEMA = Schema(
    "vote",
    {
        "type": "object",
        "properties": {
            "label": {"enum": ["a", "b"]},
            "category": {"type": ["string", "null"], "minLength": 2},
            "premises": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        },
        "required": ["label", "category", "premises"],
        "additionalProperties": False,
    },
)


@pytest.fixture(autouse=True)
def _anthropic_here(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.default = lambda seen: anthropic_message("hello")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")


def ask(ledger: Ledger, *requests: Request) -> list[Answer]:
    async def in_turn() -> list[Answer]:
        async with Client(ledger, patience=Patience(max_retries=1, backoff=0.001)) as client:
            return [await client.ask(request) for request in requests]

    return asyncio.run(in_turn())


def test_system_goes_apart_and_a_limit_is_set(server: FaultServer, ledger: Ledger) -> None:
    (answer,) = ask(ledger, replace(ASKED, temperature=0.0, seed=1))
    assert (answer.status, answer.text, answer.finish_reason) == ("ok", "hello", "end_turn")
    assert answer.usage == Usage(100, 30, 20)
    assert answer.cost is not None
    assert server.seen[0].path == "/v1/messages"
    assert server.seen[0].body == {
        "model": "claude-sonnet-5",
        "max_tokens": 8192,
        "system": "Judge.",
        "messages": [
            {"role": "user", "content": "1 + 1 = 2"},
            {"role": "assistant", "content": "?"},
            {"role": "user", "content": "Well?"},
        ],
    }


def test_a_long_answer_may_be_asked_for(server: FaultServer, ledger: Ledger) -> None:
    ask(ledger, replace(ASKED, max_tokens=60_000))
    assert server.seen[0].body["max_tokens"] == 60_000


def test_a_schema_goes_into_output_config(server: FaultServer, ledger: Ledger) -> None:
    ask(ledger, replace(ASKED, schema=SCHEMA))
    sent: dict[str, Any] = server.seen[0].body["output_config"]["format"]
    assert sent["type"] == "json_schema"
    properties = sent["schema"]["properties"]
    assert properties["label"] == {"enum": ["a", "b"]}
    assert [part["type"] for part in properties["category"]["anyOf"]] == ["string", "null"]
    assert "minimum" not in properties["premises"]["items"]
    assert sent["schema"]["required"] == ["label", "category", "premises"]


def test_a_model_without_schemas_is_told_in_words(server: FaultServer, ledger: Ledger) -> None:
    server.script.append(fault(400, "output_config.format: not supported by this model"))
    answers = ask(ledger, *(replace(ASKED, schema=SCHEMA, sample=sample) for sample in (0, 1)))
    assert [answer.status for answer in answers] == ["ok", "ok"]
    assert ["output_config" in seen.body for seen in server.seen] == [True, False, False]
    assert '"required"' in server.seen[2].body["messages"][-1]["content"]


def test_a_schema_that_cannot_be_sent_fails_alone(server: FaultServer, ledger: Ledger) -> None:
    odd = Schema("odd", {"type": "object", "properties": {"anything": {}}})
    first, second = ask(ledger, replace(ASKED, schema=odd), ASKED)
    assert (first.status, second.status) == ("failed", "ok")
    assert (first.error or "").startswith("not sendable: Schema must have a 'type'")


LONG = "A rule that holds for every step. " * 150
"""Over a thousand tokens."""


def test_a_long_shared_beginning_is_marked_for_the_cache(
    server: FaultServer, ledger: Ledger
) -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    told, asked = Message("system", LONG), Message("user", "The chain. Step 2?", shared=10)
    short = Message("system", "Judge.")
    long = Message("user", f"{LONG}Step 2?", shared=len(LONG))
    cases = ((told, asked), (short, asked), (short, long), (short, replace(long, shared=0)))
    ask(ledger, *(replace(ASKED, messages=messages) for messages in cases))
    first, second, third = (seen.body for seen in server.seen)
    assert first["system"] == [{"type": "text", "text": LONG, **mark}]
    assert first["messages"][0]["content"] == [
        {"type": "text", "text": "The chain.", **mark},
        {"type": "text", "text": " Step 2?"},
    ]
    assert (second["system"], second["messages"][0]["content"]) == ("Judge.", asked.content)
    assert third["messages"][0]["content"] == [
        {"type": "text", "text": LONG, **mark},
        {"type": "text", "text": "Step 2?"},
    ]


@pytest.mark.parametrize(
    ("step", "status", "finish"),
    [
        (anthropic_message("No.", "refusal"), "refused", "refusal"),
        (anthropic_message("", "end_turn"), "ok", "end_turn"),
        (anthropic_message("half", "max_tokens"), "ok", "max_tokens"),
        (Served(body={"content": None}), "failed", None),
        (Served(body=b"<html>"), "failed", None),
        (fault(400, "prompt is too long"), "failed", None),
    ],
)
def test_ends_of_an_answer(
    server: FaultServer, ledger: Ledger, step: Served, status: str, finish: str | None
) -> None:
    server.script += [step, step]
    (answer,) = ask(ledger, ASKED)
    assert (answer.status, answer.finish_reason) == (status, finish)


def test_an_overload_is_tried_again_by_the_sdk(server: FaultServer, ledger: Ledger) -> None:
    server.script.append(fault(529, "overloaded"))
    assert ask(ledger, ASKED)[0].text == "hello"
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (fault(401, "invalid key"), "refused the key .* check ANTHROPIC_API_KEY"),
        (fault(404, "model: claude-sonnet-5"), "knows no model `claude-sonnet-5`"),
        (fault(400, "Your credit balance is too low"), "no credit left"),
    ],
)
def test_what_meets_every_request_stops(
    server: FaultServer, ledger: Ledger, step: Served, line: str
) -> None:
    server.default = lambda seen: step
    with pytest.raises(ModelUnavailable, match=line):
        ask(ledger, ASKED)
