"""OpenAI's batches: a file of requests goes up, files of answers and of errors come down."""

import json
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from chainwright.llm.batches.json_lines import json_lines
from chainwright.llm.batches.service import (
    CONNECTIONS,
    BatchState,
    Cancelled,
    Item,
    ItemFault,
    Limits,
    Result,
    Sought,
    Unanswered,
)
from chainwright.llm.capabilities import JsonMode, capabilities
from chainwright.llm.keys import conceal
from chainwright.llm.providers.failure import one_line
from chainwright.llm.providers.openai_compatible import PROTOCOLS, open_client
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.request import ModelUnavailable, Request
from chainwright.llm.uri import ModelUri, Provider

if TYPE_CHECKING:
    from openai.types import Batch

INTENT = "chainwright_intent"
"""The metadata that names a batch in this side's words."""

CLOCKS = timedelta(hours=1)
"""How far two clocks may be apart."""

_ENDED = ("completed", "failed", "expired", "cancelled")


class OpenAiBatches:
    """The batches of OpenAI's protocol (see `BatchService`)."""

    limits = Limits(requests=50_000, bytes=200_000_000)
    modes: tuple[JsonMode, ...] = ("json_schema", "json_object", "text")

    def __init__(self, provider: Provider, base_url: str, key: str, patience: Patience) -> None:
        self.place = base_url
        self._key = key
        self._client = open_client(provider, base_url, key, patience, CONNECTIONS)

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the SDK raises."""
        from httpx2 import HTTPError
        from openai import OpenAIError

        return (OpenAIError, HTTPError)

    def item(self, key: str, request: Request, mode: JsonMode) -> Item:
        """A request as its batch holds it."""
        protocol = _protocol(request.model)
        body = protocol.write(request, mode)
        return Item(key, body, len(_line(protocol.path, key, body)))

    async def submit(self, model: ModelUri, intent: str, items: Sequence[Item]) -> str:
        """Upload the file, then hand it over as a batch; its id."""
        path = _protocol(model).path
        with tempfile.TemporaryFile() as file:
            for item in items:
                file.write(_line(path, item.key, item.body))
            file.seek(0)
            upload = await self._client.files.create(
                file=(f"{intent}.jsonl", file, "application/jsonl"), purpose="batch"
            )
        endpoint: Any = path  # Azure's are not among those that the SDK lists
        # One try: a second one, after a lost answer, could make a second batch.
        batch = await self._client.with_options(max_retries=0).batches.create(
            completion_window="24h",
            endpoint=endpoint,
            input_file_id=upload.id,
            metadata={INTENT: intent},
        )
        return batch.id

    async def find(self, sought: Sought) -> str | None:
        """The id of the batch that carries an intent; the list has the newest first."""
        earliest = (sought.created - CLOCKS).timestamp()
        async for batch in self._client.batches.list(limit=100):
            if (batch.metadata or {}).get(INTENT) == sought.intent:
                return batch.id
            if batch.created_at < earliest:
                break
        return None

    async def state(self, batch: str) -> BatchState:
        """How far a batch is."""
        found = await self._client.batches.retrieve(batch)
        counts = found.request_counts
        refused, too_many = _refusal(found)
        return BatchState(
            word=found.status,
            ended=found.status in _ENDED,
            done=counts.completed + counts.failed if counts else 0,
            total=counts.total if counts else 0,
            results=tuple(file for file in (found.output_file_id, found.error_file_id) if file),
            refused=refused,
            too_many=too_many,
        )

    async def results(
        self, model: ModelUri, batch: str, state: BatchState
    ) -> AsyncIterator[Result]:
        """The lines of both files."""
        for file in state.results:
            content = self._client.files.with_streaming_response.content(file)
            async with content as response:
                async for line in json_lines(response.iter_bytes()):
                    if isinstance(line.get("custom_id"), str):
                        yield line["custom_id"], self._result(model, line)

    async def cancel(self, batch: str) -> None:
        """Ask that nothing more of a batch is answered."""
        await self._client.batches.cancel(batch)

    async def close(self) -> None:
        """Close the SDK client."""
        await self._client.close()

    def _result(self, model: ModelUri, line: dict[str, Any]) -> Reply | Exception:
        response, error = line.get("response"), line.get("error")
        if not isinstance(response, dict) or not response:
            error = error if isinstance(error, dict) else {}
            code = str(error.get("code") or "no answer")
            if code == "batch_cancelled":
                return Cancelled("its batch was cancelled")
            said = error.get("message")
            return Unanswered(one_line(f"{code}: {said}" if said else code))
        status = response.get("status_code")
        body = response.get("body")
        if isinstance(status, int) and status != 200:
            return ItemFault(status, body)
        try:
            reply = _protocol(model).read(model, self.place, json.dumps(body), 1)
        except ModelUnavailable as stop:
            return stop
        return replace(reply, text=conceal(reply.text, self._key))


@dataclass(frozen=True)
class _Protocol:
    """What a model is asked by: the path that all requests of a batch share, and its words."""

    path: str
    write: Callable[[Request, JsonMode], dict[str, Any]]
    read: Callable[[ModelUri, str, str, int], Reply]


def _protocol(model: ModelUri) -> _Protocol:
    version = "" if model.provider == "azure" else "/v1"
    path, write, read = PROTOCOLS[capabilities(model).api]
    return _Protocol(f"{version}/{path}", write, read)


def _line(path: str, key: str, body: dict[str, Any]) -> bytes:
    line = {"custom_id": key, "method": "POST", "url": path, "body": body}
    return f"{json.dumps(line, separators=(',', ':'), allow_nan=False)}\n".encode()


def _refusal(batch: "Batch") -> tuple[str | None, bool]:
    """Why a batch was not begun, and whether it was for its length."""
    if batch.status != "failed" or batch.output_file_id or batch.error_file_id:
        return None, False
    faults = (batch.errors.data if batch.errors else None) or []
    words = "; ".join(
        f"{fault.code or 'error'}: {fault.message or ''}"
        + (f" (line {fault.line})" if fault.line else "")
        for fault in faults[:3]
    )
    too_many = any(fault.code == "token_limit_exceeded" for fault in faults)
    return one_line(words or "no reason given"), too_many
