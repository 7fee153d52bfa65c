import asyncio
from dataclasses import replace
from typing import Any

import pytest

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Schema, Usage
from chainwright.llm.structured import CUT
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer, Seen, Served, fault

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
    ModelUri("openai", "o3-pro"),
    (Message("system", "Judge."), Message("user", "1 + 1 = 2"), Message("assistant", "?")),
    temperature=0.0,
    max_tokens=50,
    seed=7,
)


def response(text: str, status: str = "completed", **more: Any) -> Served:
    """An answer of Responses."""
    output: list[dict[str, Any]] = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        },
    ]
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 30},
        "output_tokens": 20,
        "total_tokens": 120,
    }
    body = {"id": "resp_1", "object": "response", "status": status, "output": output}
    return Served(body={**body, "usage": usage, "error": None, **more})


@pytest.fixture(autouse=True)
def _openai_here(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.default = lambda seen: response("hello")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1/")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-of-openai")


def ask(ledger: Ledger, *requests: Request) -> list[Answer]:
    async def in_turn() -> list[Answer]:
        async with Client(ledger, patience=Patience(max_retries=0)) as client:
            return [await client.ask(request) for request in requests]

    return asyncio.run(in_turn())


def test_a_model_without_chat_completions(
    server: FaultServer, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    (answer,) = ask(ledger, replace(ASKED, schema=SCHEMA))
    assert (answer.status, answer.text, answer.finish_reason) == ("ok", "hello", "completed")
    assert answer.usage == Usage(100, 30, 20)
    assert server.seen[0].path == "/v1/responses"
    assert server.seen[0].headers["authorization"] == "Bearer sk-test-of-openai"
    assert server.seen[0].body == {
        "model": "o3-pro",
        "input": [
            {"role": "developer", "content": "Judge."},
            {"role": "user", "content": "1 + 1 = 2"},
            {"role": "assistant", "content": "?"},
        ],
        "store": False,
        "max_output_tokens": 50,
        "text": {
            "format": {
                "type": "json_schema",
                "name": "vote",
                "schema": dict(SCHEMA.schema),
                "strict": True,
            }
        },
    }
    assert "temperature 0, seed 7 is not sent to openai:o3-pro" in caplog.text


def test_json_modes_go_down(server: FaultServer, ledger: Ledger) -> None:
    def kind(seen: Seen) -> str:
        return str(seen.body.get("text", {}).get("format", {}).get("type", "text"))

    def refusing(seen: Seen) -> Served:
        if kind(seen) == "json_schema":
            return fault(400, "text.format of type json_schema is not supported")
        return response("{}")

    server.default = refusing
    (answer,) = ask(ledger, replace(ASKED, schema=SCHEMA))
    assert answer.text == "{}"
    assert [kind(seen) for seen in server.seen] == ["json_schema", "json_object"]
    assert '"required": ["label"]' in server.seen[1].body["input"][1]["content"]


REFUSED = {"type": "message", "content": [{"type": "refusal", "refusal": "I will not."}]}


@pytest.mark.parametrize(
    ("step", "status", "finish"),
    [
        (response("", output=[REFUSED]), "refused", "completed"),
        (response("", "incomplete", incomplete_details={"reason": "content_filter"}), "refused", 0),
        (response("ha", "incomplete", incomplete_details={"reason": "max_output_tokens"}), "ok", 0),
        (response("", "completed", output=[]), "ok", "completed"),
        (response("", "queued", output=[]), "failed", None),
        (response("", "failed", error={"code": "server_error", "message": "oh"}), "failed", None),
        (Served(body={"output": None}), "failed", None),
        (Served(body=b"<html>"), "failed", None),
        (Served(body=[]), "failed", None),
    ],
)
def test_ends_of_an_answer(
    server: FaultServer, ledger: Ledger, step: Served, status: str, finish: str | int | None
) -> None:
    server.script.append(step)
    (answer,) = ask(ledger, ASKED)
    reason = step.body["incomplete_details"]["reason"] if finish == 0 else finish
    assert (answer.status, answer.finish_reason) == (status, reason)


def test_out_of_room_is_seen_as_cut(server: FaultServer, ledger: Ledger) -> None:
    cut = {"reason": "max_output_tokens"}
    server.script.append(response("half", "incomplete", incomplete_details=cut))
    assert ask(ledger, ASKED)[0].finish_reason in CUT


def test_an_overload_is_tried_again_and_a_bad_key_stops(
    server: FaultServer, ledger: Ledger
) -> None:
    server.script.append(fault(503, "overloaded"))
    assert ask(ledger, ASKED)[0].text == "hello"
    assert len(server.seen) == 2
    server.default = lambda seen: fault(401, "bad key")
    with pytest.raises(ModelUnavailable, match="check OPENAI_API_KEY"):
        ask(ledger, replace(ASKED, sample=1))
