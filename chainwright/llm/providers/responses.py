"""OpenAI's Responses: what is sent, and what comes back, for models without chat completions."""

import json
from typing import Any

from chainwright.llm.capabilities import JsonMode, capabilities
from chainwright.llm.providers.failure import failed_by_server, fault_of_body
from chainwright.llm.providers.reply import Reply
from chainwright.llm.providers.strict import is_strict
from chainwright.llm.request import Request, Usage
from chainwright.llm.uri import ModelUri


def responses_body(request: Request, mode: JsonMode) -> dict[str, Any]:
    """The body of a request; nothing of it is kept by the server for later turns."""
    able = capabilities(request.model)
    body: dict[str, Any] = {
        "model": request.model.name,
        "input": [
            {
                "role": able.system_role if message.role == "system" else message.role,
                "content": message.content,
            }
            for message in request.messages
        ],
        "store": False,
    }
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    if request.temperature is not None and able.temperature:
        body["temperature"] = request.temperature
    if request.schema is not None and mode == "json_schema":
        shape = dict(request.schema.schema)
        body["text"] = {
            "format": {
                "type": "json_schema",
                "name": request.schema.name,
                "schema": shape,
                "strict": is_strict(shape),
            }
        }
    elif mode == "json_object":
        body["text"] = {"format": {"type": "json_object"}}
    return body


def read_responses(model: ModelUri, place: str, text: str | bytes, attempts: int) -> Reply:
    """The reply in the body of a successful answer.

    Raises:
        ModelUnavailable: for a fault in it that would meet every request to this model.
    """
    try:
        body = json.loads(text)
        said, refusal = _parts(body["output"])
        finish = _finish(body)
        usage = _usage(body.get("usage") or {})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        error = f"{place} answered with something that is no response"
        return Reply("failed", attempts=attempts, error=error)
    if body.get("error"):
        return failed_by_server(model, place, fault_of_body(200, body, attempts=attempts))
    if refusal:
        return Reply("refused", refusal, finish, usage, attempts, "the model refused the request")
    if finish == "content_filter":
        why = "the server's content filter stopped the answer"
        return Reply("refused", said, finish, usage, attempts, why)
    if finish not in ("completed", "max_output_tokens"):
        error = f"{place} answered with a response that is {finish}"
        return Reply("failed", attempts=attempts, error=error)
    return Reply("ok", said, finish, usage, attempts)


def _parts(output: Any) -> tuple[str, str]:
    """What was said and what was refused, in all messages; thoughts and tools stand beside them."""
    parts = [
        part
        for item in output
        if item.get("type") == "message"
        for part in item.get("content") or ()
    ]
    said = "".join(part.get("text") or "" for part in parts if part.get("type") == "output_text")
    refused = "".join(part.get("refusal") or "" for part in parts if part.get("type") == "refusal")
    return said, refused


def _finish(body: Any) -> str:
    """Why it ended, as far as the server says so, else the status."""
    details = body.get("incomplete_details") or {}
    return str(details.get("reason") or body.get("status") or "completed")


def _usage(usage: dict[str, Any]) -> Usage:
    details = usage.get("input_tokens_details") or {}
    return Usage(
        int(usage.get("input_tokens") or 0),
        int(details.get("cached_tokens") or 0),
        int(usage.get("output_tokens") or 0),
    )
