"""One question to a model judge, and what came of it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from chainwright.annotation.models.judge import ModelJudge
from chainwright.llm.prompts import prompt_version, render
from chainwright.llm.request import Asker, Message, Request, Schema
from chainwright.llm.structured import Structured, StructuredStatus, ask_structured
from chainwright.schemas.words import VoteStatus

T = TypeVar("T")
S = TypeVar("S")

STATUS: dict[StructuredStatus, VoteStatus] = {
    "ok": "ok",
    "malformed": "malformed",
    "refused": "refused",
    "failed": "missing",
}


@dataclass(frozen=True)
class Query(Generic[T]):
    """A request and how its answer is read."""

    request: Request
    read: Callable[[Any], T]


@dataclass(frozen=True)
class Finding(Generic[T]):
    """What came of a query.

    Attributes:
        value: Null iff the status is not `ok`.
        note: Why there is no value, with the raw answer where there is one.
        request_key: Of the request whose answer counted, which is the last one.
    """

    status: VoteStatus
    value: T | None
    note: str | None
    request_key: str | None

    def map(self, change: Callable[[T], S]) -> "Finding[S]":
        """The same finding with its value changed; an abstention stays the same abstention."""
        value = None if self.value is None else change(self.value)
        return Finding(self.status, value, self.note, self.request_key)


def query(
    judge: ModelJudge, template: str, schema: Schema, read: Callable[[Any], T], **values: object
) -> Query[T]:
    """A judge's query: the template's instructions and then its material, asked once."""
    messages = (
        Message("system", render(template, part="system", **values)),
        Message("user", render(template, part="user", **values)),
    )
    request = Request(
        model=judge.uri,
        messages=messages,
        schema=schema,
        temperature=judge.temperature,
        max_tokens=judge.max_tokens,
        seed=judge.seed,
    )
    return Query(request, read)


def versions(*templates: str) -> str:
    """The versions of the templates that a vote hangs on, joined by `+`."""
    return "+".join(prompt_version(template) for template in templates)


async def find(asker: Asker, query: Query[T]) -> Finding[T]:
    """The answer to a query, after one more try where it could not be read.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    said = await ask_structured(asker, query.request, query.read)
    key = said.keys[-1] if said.keys else None
    return Finding(STATUS[said.status], said.value, _note(said), key)


async def together(awaitables: Sequence[Awaitable[S]]) -> list[S]:
    """The results of all, in order; when one raises, the others are cancelled and it is raised."""

    async def waited(awaitable: Awaitable[S]) -> S:
        return await awaitable

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(waited(awaitable)) for awaitable in awaitables]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def _note(said: Structured[Any]) -> str | None:
    if said.status == "ok":
        return None
    raw = said.texts[-1] if said.status == "malformed" and said.texts else ""
    return "\n".join(part for part in (said.fault, raw) if part)
