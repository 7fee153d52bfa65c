import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.reply import Patience
from chainwright.llm.providers.strict import is_strict
from chainwright.llm.request import Answer, Message, Request, Schema
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer, Seen, Served, chat, fault

SCHEMA = Schema(
    "vote",
    {
        "type": "object",
        "properties": {"label": {"type": "string"}},
        "required": ["label"],
        "additionalProperties": False,
    },
)
ASKED = Request(
    ModelUri("openai", "gpt-4o-mini"),
    (Message("system", "Judge."), Message("user", "1 + 1 = 2")),
    temperature=0.0,
    max_tokens=50,
    seed=7,
)


@pytest.fixture(autouse=True)
def _openai_here(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1/")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-of-openai")


def ask(ledger: Ledger, *requests: Request) -> list[Answer]:
    async def in_turn() -> list[Answer]:
        async with Client(ledger, patience=Patience(max_retries=0)) as client:
            return [await client.ask(request) for request in requests]

    return asyncio.run(in_turn())


def body_of(server: FaultServer, ledger: Ledger, model: str, **changes: Any) -> dict[str, Any]:
    ask(ledger, replace(ASKED, model=ModelUri("openai", model), **changes))
    return server.seen[-1].body


def test_a_classic_model_gets_all_settings(server: FaultServer, ledger: Ledger) -> None:
    body = body_of(server, ledger, "gpt-4o-mini", schema=SCHEMA)
    assert body == {
        "model": "gpt-4o-mini",
        "messages": [
            {"role": "system", "content": "Judge."},
            {"role": "user", "content": "1 + 1 = 2"},
        ],
        "max_completion_tokens": 50,
        "temperature": 0.0,
        "seed": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "vote", "schema": dict(SCHEMA.schema), "strict": True},
        },
    }
    assert server.seen[-1].path == "/v1/chat/completions"
    assert server.seen[-1].headers["authorization"] == "Bearer sk-test-of-openai"


@pytest.mark.parametrize("model", ["o3", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.2"])
def test_a_reasoning_model_gets_no_temperature(
    server: FaultServer, ledger: Ledger, model: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = body_of(server, ledger, model)
    assert body["messages"][0]["role"] == "developer"
    assert body["max_completion_tokens"] == 50
    assert not {"temperature", "seed", "max_tokens"} & body.keys()
    assert f"temperature 0, seed 7 is not sent to openai:{model}" in caplog.text


def test_an_unknown_model_gets_the_safest_request(server: FaultServer, ledger: Ledger) -> None:
    assert body_of(server, ledger, "next-1").keys() == {
        *("model", "messages", "max_completion_tokens")
    }


def test_a_compatible_server_gets_the_classic_fields(server: FaultServer, ledger: Ledger) -> None:
    ask(ledger, replace(ASKED, model=ModelUri("compat", "o3", f"{server.url}/v1")))
    body = server.seen[-1].body
    assert (body["max_tokens"], body["temperature"], body["seed"]) == (50, 0.0, 7)


def refusing(*kinds: str) -> Any:
    """A server that takes some kinds of response format, and only those."""

    def answer(seen: Seen) -> Served:
        kind = seen.body.get("response_format", {}).get("type", "text")
        if kind in kinds:
            return fault(400, f"response_format {kind} is not supported")
        return chat('{"label": "correct"}')

    return answer


def kinds_sent(server: FaultServer) -> list[str]:
    return [seen.body.get("response_format", {}).get("type", "text") for seen in server.seen]


def with_schema(server: FaultServer, text: str, schema: Schema = SCHEMA) -> Request:
    model = ModelUri("compat", "m", f"{server.url}/v1")
    return Request(model, (Message("user", text), Message("assistant", "?")), schema)


def test_json_modes_go_down_once(server: FaultServer, ledger: Ledger) -> None:
    server.default = refusing("json_schema")
    answers = ask(ledger, with_schema(server, "a"), with_schema(server, "b"))
    assert [answer.status for answer in answers] == ["ok", "ok"]
    assert kinds_sent(server) == ["json_schema", "json_object", "json_object"]
    asked = server.seen[1].body["messages"][0]["content"]
    assert asked.startswith("a\n\n")
    assert '"required": ["label"]' in asked
    assert server.seen[0].body["messages"][0]["content"] == "a"


def test_json_modes_end_with_words(server: FaultServer, ledger: Ledger) -> None:
    server.default = refusing("json_schema", "json_object")
    ask(ledger, with_schema(server, "a"), with_schema(server, "b"))
    assert kinds_sent(server) == ["json_schema", "json_object", "text", "text"]


def test_a_fault_that_is_not_about_the_mode_changes_nothing(
    server: FaultServer, ledger: Ledger
) -> None:
    server.script += [
        fault(400, "the request exceeds the available context size", "exceed_context_size_error"),
        chat("{}"),
        fault(400, "temperature must be positive"),
        fault(500, "json broke"),
    ]
    answers = ask(ledger, *(with_schema(server, text) for text in "abcd"))
    assert [answer.status for answer in answers] == ["failed", "ok", "failed", "failed"]
    assert kinds_sent(server) == ["json_schema"] * 4


def test_one_refused_schema_does_not_spoil_the_mode(server: FaultServer, ledger: Ledger) -> None:
    odd = Schema("odd", {"type": "object"})
    server.script += [chat("{}"), fault(400, "Invalid schema for response_format 'odd'")]
    ask(
        ledger,
        with_schema(server, "a"),
        with_schema(server, "b", odd),
        with_schema(server, "c"),
    )
    assert kinds_sent(server) == ["json_schema", "json_schema", "json_object", "json_schema"]
    assert server.seen[1].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (dict(SCHEMA.schema), True),
        ({"type": "array", "items": dict(SCHEMA.schema)}, True),
        ({"type": "array", "items": {"type": "object"}}, False),
        ({**SCHEMA.schema, "required": []}, False),
        ({**SCHEMA.schema, "additionalProperties": True}, False),
        ({"anyOf": [dict(SCHEMA.schema), {"type": "null"}]}, True),
    ],
)
def test_strict_schemas(schema: dict[str, Any], strict: bool) -> None:
    assert is_strict(schema) == strict


def test_another_address_is_another_request(
    server: FaultServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(ledger, ASKED)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v2")
    ask(ledger, ASKED)
    assert [seen.path for seen in server.seen] == ["/v1/chat/completions", "/v2/chat/completions"]


def test_what_the_environment_holds_for_openai_goes_nowhere_else(
    server: FaultServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: team-secret\nauthorization: Bearer s3cret")
    model = ModelUri("compat", "m", f"{server.url}/v1")
    ask(ledger, replace(ASKED, model=model))
    headers = server.seen[-1].headers
    assert headers["authorization"] == "Bearer none"
    assert not [value for value in headers.values() if "secret" in value or "sk-" in value]
    monkeypatch.setenv("CHAINWRIGHT_API_KEY", "key-of-compat")
    ask(ledger, replace(ASKED, model=model, sample=1))
    assert server.seen[-1].headers["authorization"] == "Bearer key-of-compat"


def test_no_proxy_stands_before_this_machine(
    server: FaultServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(ledger, ASKED)[0].text == "hello"


def test_a_price_is_put_on_it(ledger: Ledger, tmp_path: Path) -> None:
    (answer,) = ask(ledger, ASKED)
    assert answer.cost is not None
    assert 0 < answer.cost < 0.001
    assert ledger.totals()[0].cost == answer.cost
