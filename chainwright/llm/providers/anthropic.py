"""Messages through the Anthropic SDK."""

import json
from typing import TYPE_CHECKING, Any

import httpx2

from chainwright.llm.capabilities import JsonMode, capabilities
from chainwright.llm.estimate import estimate_text
from chainwright.llm.keys import conceal
from chainwright.llm.providers.failure import attempts_of, failed
from chainwright.llm.providers.json_modes import JsonModes
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.providers.transport import http_client, json_bytes
from chainwright.llm.request import Message, Request, Schema, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

CACHEABLE = 1024
"""Tokens from which on a part of a prompt is marked for the cache. No model keeps shorter ones;
some keep only four times as much, and ignore the mark at no cost."""


class Anthropic:
    """Anthropic's Messages, or a server that speaks its protocol.

    Args:
        connections: The most at once.
    """

    def __init__(self, base_url: str, key: str, patience: Patience, connections: int) -> None:
        self._base_url = base_url
        self._key = key
        self._client = open_client(base_url, key, patience, connections)
        self._modes = JsonModes(("json_schema", "text"))

    async def send(self, request: Request) -> Reply:
        """The reply to a request (see `Connection`)."""
        from anthropic import AnthropicError

        try:
            return await self._modes.ask(request, self._send_in_mode)
        except (AnthropicError, httpx2.HTTPError) as error:
            caught = error
        # Out here, so that what is raised has no cause: the SDK's error holds the server's words
        # as they came, which may repeat the key.
        return failed(request.model, self._base_url, caught)

    async def close(self) -> None:
        """Close the SDK client."""
        await self._client.close()

    async def _send_in_mode(self, request: Request, mode: JsonMode) -> Reply:
        raw = await self._client.post(
            f"{self._base_url}/v1/messages",
            cast_to=httpx2.Response,
            content=json_bytes(message_body(request, mode)),
        )
        return read_message(self._base_url, raw.content, attempts_of(raw), self._key)


def open_client(url: str, key: str, patience: Patience, connections: int) -> "AsyncAnthropic":
    """The SDK's client of one place."""
    from anthropic import AsyncAnthropic

    return AsyncAnthropic(
        api_key=key,
        base_url=url,
        timeout=httpx2.Timeout(patience.timeout, connect=patience.connect_timeout),
        max_retries=patience.max_retries,
        http_client=http_client(url, patience, connections),
    )


def message_body(request: Request, mode: JsonMode) -> dict[str, Any]:
    """A request as Messages wants it, online and in a batch."""
    able = capabilities(request.model)
    system = [message.content for message in request.messages if message.role == "system"]
    told = "\n\n".join(system)
    body: dict[str, Any] = {
        "model": request.model.name,
        "max_tokens": request.max_tokens or able.default_max_tokens,
        "messages": [
            {"role": message.role, "content": _content(message, told)}
            for message in request.messages
            if message.role != "system"
        ],
    }
    if system:
        body["system"] = _cached(told) if _is_cacheable(told) else told
    if request.schema is not None and mode == "json_schema":
        body["output_config"] = {
            "format": {"type": "json_schema", "schema": _schema(request.schema)}
        }
    return body


def _content(message: Message, before: str) -> str | list[dict[str, Any]]:
    """The text; in two parts where its beginning is shared and, with what is before, long."""
    shared, own = message.content[: message.shared], message.content[message.shared :]
    if not shared or not own.strip() or not _is_cacheable(before + shared):
        return message.content
    return [*_cached(shared), {"type": "text", "text": own}]


def _cached(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]


def _is_cacheable(text: str) -> bool:
    # A token has a character at least, and most texts need no closer look.
    return len(text) >= CACHEABLE and estimate_text(text) >= CACHEABLE


def _schema(schema: Schema) -> dict[str, Any]:
    """The part of a schema that Messages can enforce; the rest becomes descriptions."""
    from anthropic import transform_schema

    spelled: dict[str, Any] = _without_type_lists(dict(schema.schema))
    return transform_schema(spelled)


def _without_type_lists(schema: Any) -> Any:
    """`type: [string, null]` spelled as `anyOf`, which the SDK's own transformation reads."""
    if isinstance(schema, list):
        return [_without_type_lists(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {name: _without_type_lists(part) for name, part in schema.items() if name != "type"}
    kinds = schema.get("type")
    if not isinstance(kinds, list):
        return rest if kinds is None else {"type": kinds, **rest}
    if "enum" in rest:
        return rest
    return {"anyOf": [{"type": kind, **(rest if kind != "null" else {})} for kind in kinds]}


def read_message(place: str, text: str | bytes, attempts: int, key: str) -> Reply:
    """The reply in the JSON of a message."""
    try:
        body = json.loads(text)
        said = "".join(
            part.get("text") or "" for part in body["content"] if part.get("type") == "text"
        )
        stop = body.get("stop_reason")
        usage = _usage(body.get("usage") or {})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        error = f"{place} answered with something that is no message"
        return Reply("failed", attempts=attempts, error=error)
    said = conceal(said, key)
    if stop == "refusal":
        return Reply("refused", said, stop, usage, attempts, "the model refused the request")
    return Reply("ok", said, stop, usage, attempts)


def _usage(usage: dict[str, Any]) -> Usage:
    """Anthropic counts what went through its cache apart from the input; here it is part of it."""
    cached = int(usage.get("cache_read_input_tokens") or 0)
    written = int(usage.get("cache_creation_input_tokens") or 0)
    fresh = int(usage.get("input_tokens") or 0)
    said = int(usage.get("output_tokens") or 0)
    return Usage(fresh + written + cached, cached, said, written)
