"""Anthropic's Message Batches: all requests go up in one body, the results come as a stream."""

import json
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

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
from chainwright.llm.capabilities import JsonMode
from chainwright.llm.providers.anthropic import message_body, open_client, read_message
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.request import Request
from chainwright.llm.uri import ModelUri

if TYPE_CHECKING:
    from anthropic.types.messages import MessageBatch
    from anthropic.types.messages.batch_create_params import Request as Params

BEFORE, AFTER = timedelta(minutes=2), timedelta(minutes=30)
"""Around a submission, when its batch may have been made, however the two clocks differ."""

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status that each type of error has where a message is asked for by itself."""


class AnthropicBatches:
    """The batches of Messages (see `BatchService`)."""

    limits = Limits(requests=100_000, bytes=256_000_000)
    modes: tuple[JsonMode, ...] = ("json_schema", "text")

    def __init__(self, base_url: str, key: str, patience: Patience) -> None:
        self.place = base_url
        self._key = key
        self._client = open_client(base_url, key, patience, CONNECTIONS)

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the SDK raises."""
        from anthropic import AnthropicError
        from httpx2 import HTTPError

        return (AnthropicError, HTTPError)

    def item(self, key: str, request: Request, mode: JsonMode) -> Item:
        """A request as its batch holds it."""
        body = message_body(request, mode)
        return Item(key, body, len(json.dumps(_params(key, body), allow_nan=False)) + 1)

    async def submit(self, model: ModelUri, intent: str, items: Sequence[Item]) -> str:
        """Hand a batch over; its id. There is no metadata that could carry the intent."""
        requests = cast("list[Params]", [_params(item.key, item.body) for item in items])
        # One try: a second one, after a lost answer, could make a second batch.
        once = self._client.with_options(max_retries=0)
        return (await once.messages.batches.create(requests=requests)).id

    async def find(self, sought: Sought) -> str | None:
        """The id of a batch of about that time and of that length, which is of no other intent.

        Of one that has ended the results tell whose it is. One that goes on is taken to be the
        one, the nearest in time of several: where its results will name none of the requests,
        they are sent anew.
        """
        first, last = sought.created - BEFORE, sought.created + AFTER
        alike = []
        async for batch in self._client.messages.batches.list(limit=100):
            if batch.created_at < first:
                break
            if (
                batch.created_at <= last
                and batch.id not in sought.others
                and sum(_counts(batch)) == sought.requests
            ):
                alike.append(batch)
        under_way = None
        for batch in sorted(alike, key=lambda one: abs(one.created_at - sought.created)):
            if batch.processing_status != "ended":
                under_way = under_way or batch.id
            elif batch.results_url and await self._first_key(batch.id) in sought.keys:
                return batch.id
        return under_way

    async def state(self, batch: str) -> BatchState:
        """How far a batch is; the counts stand still until all of it has ended."""
        found = await self._client.messages.batches.retrieve(batch)
        processing, *done = _counts(found)
        ended = found.processing_status == "ended"
        return BatchState(
            word=found.processing_status,
            ended=ended,
            done=sum(done),
            total=processing + sum(done),
            results=(found.results_url,) if found.results_url else (),
        )

    async def results(
        self, model: ModelUri, batch: str, state: BatchState
    ) -> AsyncIterator[Result]:
        """The results; none where they are archived, 29 days after the batch was made."""
        if not state.results:
            return
        stream = self._client.messages.batches.with_streaming_response.results(batch)
        async with stream as response:
            async for line in json_lines(response.iter_bytes()):
                if isinstance(line.get("custom_id"), str):
                    yield line["custom_id"], self._result(line.get("result"))

    async def cancel(self, batch: str) -> None:
        """Ask that nothing more of a batch is answered."""
        await self._client.messages.batches.cancel(batch)

    async def close(self) -> None:
        """Close the SDK client."""
        await self._client.close()

    async def _first_key(self, batch: str) -> str | None:
        stream = self._client.messages.batches.with_streaming_response.results(batch)
        async with stream as response:
            async for line in json_lines(response.iter_bytes()):
                return str(line.get("custom_id"))
        return None

    def _result(self, result: Any) -> Reply | Exception:
        match result:
            case {"type": "succeeded", "message": message}:
                return read_message(self.place, json.dumps(message), 1, self._key)
            case {"type": "errored", "error": {"error": {"type": kind} as error}}:
                return ItemFault(_STATUS.get(kind, 500), {"error": error})
            case {"type": "canceled"}:
                return Cancelled("its batch was cancelled")
            case {"type": "expired"}:
                return Unanswered("its batch expired before its turn came")
        return Unanswered("the result has a form that is not known")


def _params(key: str, body: dict[str, Any]) -> dict[str, Any]:
    return {"custom_id": key, "params": body}


def _counts(batch: "MessageBatch") -> tuple[int, int, int, int, int]:
    counts = batch.request_counts
    return (
        counts.processing,
        counts.succeeded,
        counts.errored,
        counts.canceled,
        counts.expired,
    )
