"""OpenAI's protocols through its SDK: OpenAI itself, Azure, compatible servers, the local model."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx2

from chainwright.llm.capabilities import Api, Capabilities, JsonMode, capabilities
from chainwright.llm.keys import conceal
from chainwright.llm.providers.failure import attempts_of, failed, failed_by_server, fault_of_body
from chainwright.llm.providers.json_modes import JsonModes
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.providers.responses import read_responses, responses_body
from chainwright.llm.providers.strict import is_strict
from chainwright.llm.providers.transport import http_client, json_bytes
from chainwright.llm.request import Request, Schema, Usage
from chainwright.llm.uri import ModelUri, Provider

if TYPE_CHECKING:
    from openai import AsyncOpenAI

AZURE_VERSION = "2025-04-01-preview"
"""The version of Azure's interface, unless OPENAI_API_VERSION names one: the last that is dated,
and the first good for reasoning models and Responses as well."""


class OpenAiCompatible:
    """One server that speaks OpenAI's protocol.

    Args:
        provider: `openai` sends what that SDK takes from the environment (organization, project,
            custom headers); the others send the key alone.
        connections: The most at once.
    """

    def __init__(
        self, provider: Provider, base_url: str, key: str, patience: Patience, connections: int
    ) -> None:
        self._base_url = base_url
        self._key = key
        self._by_deployment = provider == "azure"
        self._client = open_client(provider, base_url, key, patience, connections)
        self._modes = JsonModes(("json_schema", "json_object", "text"))

    async def send(self, request: Request) -> Reply:
        """The reply to a request (see `Connection`)."""
        from openai import OpenAIError

        try:
            return await self._modes.ask(request, self._send_in_mode)
        except (OpenAIError, httpx2.HTTPError) as error:
            caught = error
        # Out here, so that what is raised has no cause: the SDK's error holds the server's words
        # as they came, which may repeat the key.
        return failed(request.model, self._base_url, caught)

    async def close(self) -> None:
        """Close the SDK client."""
        await self._client.close()

    async def _send_in_mode(self, request: Request, mode: JsonMode) -> Reply:
        path, write, read = PROTOCOLS[capabilities(request.model).api]
        if self._by_deployment and path == "chat/completions":
            path = f"deployments/{quote(request.model.name, safe='')}/{path}"
        # The SDK's typed methods walk through each message and each answer, part by part, which
        # took half of the processor's time.
        raw = await self._client.post(
            f"{self._client.base_url}{path}",
            cast_to=httpx2.Response,
            content=json_bytes(write(request, mode)),
            options={"security": {"bearer_auth": True}},
        )
        reply = read(request.model, self._base_url, raw.content, attempts_of(raw))
        return replace(reply, text=conceal(reply.text, self._key))


def open_client(
    provider: Provider, url: str, key: str, patience: Patience, connections: int
) -> "AsyncOpenAI":
    """The SDK's client of one place; the key goes there and nowhere else."""
    from openai import AsyncAzureOpenAI, AsyncOpenAI

    settings: dict[str, Any] = {
        "api_key": key,
        "timeout": httpx2.Timeout(patience.timeout, connect=patience.connect_timeout),
        "max_retries": patience.max_retries,
        "http_client": http_client(url, patience, connections),
    }
    if provider == "openai":
        return AsyncOpenAI(base_url=url, **settings)
    client: AsyncOpenAI
    if provider == "azure":
        version = os.environ.get("OPENAI_API_VERSION", "").strip() or AZURE_VERSION
        headers = {**_no_custom_headers(), "api-key": key}
        client = AsyncAzureOpenAI(
            azure_endpoint=url.removesuffix("/openai"),
            api_version=version,
            default_headers=headers,
            **settings,
        )
    else:
        headers = {**_no_custom_headers(), "Authorization": f"Bearer {key}"}
        client = AsyncOpenAI(base_url=url, default_headers=headers, **settings)
    client.organization = client.project = None
    return client


def _no_custom_headers() -> dict[str, Any]:
    """Leaves out those of the environment: they may hold secrets that are meant for OpenAI."""
    from openai import Omit

    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    names = [line.partition(":")[0].strip() for line in lines]
    return {name: Omit() for name in names if name.lower() not in ("authorization", "api-key")}


def chat_body(request: Request, mode: JsonMode) -> dict[str, Any]:
    """A request as the protocol wants it, online and in a batch."""
    able = capabilities(request.model)
    body: dict[str, Any] = {
        "model": request.model.name,
        "messages": [
            {
                "role": able.system_role if message.role == "system" else message.role,
                "content": message.content,
            }
            for message in request.messages
        ],
    }
    _add_settings(body, request, able)
    if request.schema is not None and mode == "json_schema":
        body["response_format"] = _response_format(request.schema)
    elif mode == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _add_settings(body: dict[str, Any], request: Request, able: Capabilities) -> None:
    limit = request.max_tokens or able.default_max_tokens
    if limit is not None:
        body[able.token_limit] = limit
    if request.temperature is not None and able.temperature:
        body["temperature"] = request.temperature
    if request.seed is not None and able.seed:
        body["seed"] = request.seed


def _response_format(schema: Schema) -> dict[str, Any]:
    body = {
        "name": schema.name,
        "schema": dict(schema.schema),
        "strict": is_strict(schema.schema),
    }
    return {"type": "json_schema", "json_schema": body}


def read_chat(model: ModelUri, place: str, text: str | bytes, attempts: int) -> Reply:
    """The reply in the body of a successful answer, in any dialect of the protocol."""
    read = _choice(text)
    if read is None:
        return _unreadable(model, place, text, attempts)
    content, refusal, finish, usage = read
    if isinstance(refusal, str) and refusal:
        return Reply("refused", refusal, finish, usage, attempts, "the model refused the request")
    if finish == "content_filter":
        error = "the server's content filter stopped the answer"
        return Reply("refused", content, finish, usage, attempts, error)
    return Reply("ok", content, finish, usage, attempts)


def _choice(text: str | bytes) -> tuple[str, Any, str | None, Usage] | None:
    """Content, refusal, finish reason and usage of the first choice; None when there is none."""
    try:
        body = json.loads(text)
        choice = body["choices"][0]
        message = choice["message"]
        content = _content(message.get("content"))
        finish = choice.get("finish_reason")
        return content, message.get("refusal"), finish, _usage(body.get("usage"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _unreadable(model: ModelUri, place: str, text: str | bytes, attempts: int) -> Reply:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict) and body.get("error"):
        code = body["error"].get("code") if isinstance(body["error"], dict) else None
        status = code if isinstance(code, int) else 200
        return failed_by_server(model, place, fault_of_body(status, body, attempts=attempts))
    what = "JSON without an answer in it" if isinstance(body, dict) else "something that is no JSON"
    return Reply("failed", attempts=attempts, error=f"{place} answered with {what}")


def _content(content: Any) -> str:
    """Text as it is, or the text parts of a list (reasoning models put their thoughts beside)."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content if part.get("type") == "text")


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        int(usage.get("prompt_tokens") or 0),
        int(details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
    )


PROTOCOLS: dict[
    Api,
    tuple[
        str,
        Callable[[Request, JsonMode], dict[str, Any]],
        Callable[[ModelUri, str, str | bytes, int], Reply],
    ],
] = {
    "chat": ("chat/completions", chat_body, read_chat),
    "responses": ("responses", responses_body, read_responses),
}
