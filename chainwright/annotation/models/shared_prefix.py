"""Queries whose prompts begin alike, asked so that a provider's prefix cache serves most of them.

A prompt is cached once a request with it is under way or answered, so requests that start together
are computed each by itself. One goes ahead therefore: the longest, since its prompt holds the
others' question and steps. The rest then find all of theirs but the last line.

A provider that keeps only what is marked finds a beginning again only where it was marked before,
so what is marked is the beginning that all of them have: the question with its references.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeVar

from chainwright.annotation.models.query import Finding, Query, find, together
from chainwright.llm.request import Answer, Asker, Request

T = TypeVar("T")


async def find_led(
    asker: Asker, queries: Sequence[Query[T]], *, leads: bool = True
) -> list[Finding[T]]:
    """The findings of queries about one chain by one method, in the order of the queries.

    They are asked longest first, so that each begins like the one before it where a server
    remembers that one alone. What the ledger answers warms no cache: the lead passes on, until a
    model is asked. A lead that fails holds nobody up.

    Args:
        leads: Whether one goes ahead at all.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    queries = _marked(queries)
    order = sorted(range(len(queries)), key=lambda place: -_length(queries[place].request))
    starts = [asyncio.Event() for _ in [*order, None]]
    for start in starts[:1] if leads else starts:
        start.set()

    def started(answer: Answer) -> None:
        if not answer.from_ledger:
            for start in starts:
                start.set()

    watched = _Watched(asker, started)

    async def asked(rank: int) -> Finding[T]:
        await starts[rank].wait()
        found = await find(watched, queries[order[rank]])
        starts[rank + 1].set()
        return found

    found = await together([asked(rank) for rank in range(len(order))])
    by_place = dict(zip(order, found, strict=True))
    return [by_place[place] for place in range(len(queries))]


def _marked(queries: Sequence[Query[T]]) -> Sequence[Query[T]]:
    """The queries with the whole lines that all their prompts begin with marked as shared."""
    if len(queries) < 2:
        return queries  # whatever is written to a cache is read by nobody
    texts = [query.request.messages[-1].content.splitlines(keepends=True) for query in queries]
    alike = takewhile(lambda lines: len(set(lines)) == 1, zip(*texts, strict=False))
    shared = sum(len(lines[0]) for lines in alike)
    return [replace(query, request=_sharing(query.request, shared)) for query in queries]


def _sharing(request: Request, shared: int) -> Request:
    *before, last = request.messages
    return replace(request, messages=(*before, replace(last, shared=shared)))


@dataclass(frozen=True)
class _Watched:
    """An asker whose answers are told as they come."""

    asker: Asker
    tell: Callable[[Answer], None]

    async def ask(self, request: Request) -> Answer:
        answer = await self.asker.ask(request)
        self.tell(answer)
        return answer


def _length(request: Request) -> int:
    return sum(len(message.content) for message in request.messages)
