"""Room: how much a model can read at once, and whether a request is surely longer than that."""

import asyncio
import json
import re
from typing import Any

from chainwright.llm.endpoint import is_loopback
from chainwright.llm.keys import NO_KEY, api_key
from chainwright.llm.prices import listed_window
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import ModelUnavailable, Request
from chainwright.llm.uri import ModelUri

SMALLEST_WINDOW = 1024
"""Tokens that any model can read: shorter requests need no look at its window."""

SURE = 0.75
"""Tokenizers take fewer tokens than words where formulas and fixed phrases are words of theirs."""

ASK_SECONDS = 5.0
LONGEST_LIST = 10_000_000

WINDOW_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""How servers call a model's window in `/models`: vLLM, OpenRouter, Groq, Mistral."""

_PIECE = re.compile(r"[A-Za-z]+|[0-9]{1,3}|[^\sA-Za-z0-9\x80-\U0010ffff]+|[\x80-\U0010ffff]{1,6}")


class Rooms:
    """What is known of the windows of models; each is looked up once."""

    def __init__(self) -> None:
        self._windows: dict[ModelUri, int | None] = {}
        self._asking = asyncio.Lock()

    async def refusal(self, request: Request) -> Reply | None:
        """The reply to a request that is surely too long for its model; None for all others.

        Only what cannot fit by any count is refused here. The rest is left to the server, which
        knows its tokens.
        """
        characters = sum(len(message.content) for message in request.messages)
        if characters <= SMALLEST_WINDOW:
            return None  # no text has more tokens, counted low, than characters
        window = await self._window(request.model)
        if window is None or characters <= window:
            return None
        least = least_tokens(request)
        if least <= window:
            return None
        error = (
            f"longer than the context of {request.model}: at least {least} tokens, "
            f"where {window} fit; it was not sent"
        )
        return Reply("failed", attempts=0, error=error, fault="too_long")

    async def _window(self, model: ModelUri) -> int | None:
        async with self._asking:
            if model not in self._windows:
                self._windows[model] = listed_window(model) or await served_window(model)
            return self._windows[model]


def least_tokens(request: Request) -> int:
    """Tokens that the messages take at the very least, by any tokenizer of today.

    >>> from chainwright.llm.request import Message
    >>> from chainwright.llm.uri import parse_model_uri
    >>> least_tokens(Request(parse_model_uri("openai:o3"), [Message("user", "one two " * 8)]))
    12
    """
    pieces = sum(1 for message in request.messages for _ in _PIECE.finditer(message.content))
    return int(SURE * pieces)


async def served_window(model: ModelUri) -> int | None:
    """The window of a model by the list that its server gives at `/models`; None where unknown."""
    import httpx2

    try:
        url, key = await _address(model)
        if url is None:
            return None
        headers = {} if key == NO_KEY else {"authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(timeout=ASK_SECONDS, trust_env=not is_loopback(url)) as web:
            answer = await web.get(f"{url}/models", headers=headers)
        if answer.status_code != 200 or len(answer.content) > LONGEST_LIST:
            return None
        return window_in(json.loads(answer.text), model.name)
    except (httpx2.HTTPError, httpx2.InvalidURL, ModelUnavailable, ValueError, RecursionError):
        return None


def window_in(listed: Any, name: str) -> int | None:
    """The window of a model in an answer of `/models`; None where it isn't told.

    A server with one model answers for it under any name.
    """
    models = listed.get("data") if isinstance(listed, dict) else None
    if not isinstance(models, list):
        return None
    found = [model for model in models if isinstance(model, dict)]
    own = [model for model in found if model.get("id") == name] or found
    if len(own) != 1:
        return None
    meta = own[0].get("meta")
    told = [own[0].get(key) for key in WINDOW_KEYS]
    told.append(meta.get("n_ctx") if isinstance(meta, dict) else None)
    return next((int(each) for each in told if isinstance(each, int) and each > 0), None)


async def _address(model: ModelUri) -> tuple[str | None, str]:
    if model.provider == "local":
        from chainwright.llm.providers.local import local_base_url

        return await asyncio.to_thread(local_base_url, model), NO_KEY
    if model.provider == "compat":
        return model.base_url, api_key("compat")
    return None, NO_KEY
