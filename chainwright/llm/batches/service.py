"""Service: what a provider's batches offer, in one shape for all of them."""

from collections.abc import AsyncIterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from chainwright.llm.capabilities import JsonMode
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import Request
from chainwright.llm.uri import ModelUri

CONNECTIONS = 8
"""To a provider at once: batches are few, and looked after one call at a time."""


class ItemFault(Exception):
    """What the server said of one request of a batch; it reads like an SDK's own error.

    Attributes:
        status_code: As if the request had been asked by itself.
        body: The server's own words.
    """

    def __init__(self, status_code: int, body: Any) -> None:
        super().__init__(f"status {status_code}")
        self.status_code, self.body = status_code, body

    @property
    def is_passing(self) -> bool:
        """Whether the same request may well be answered another time."""
        return self.status_code in (408, 409, 429) or self.status_code >= 500


class Unanswered(Exception):
    """A request that its batch left unanswered, unpaid; the message says why.

    Attributes:
        counts: Whether it counts as one of the tries of the request.
    """

    def __init__(self, why: str, *, counts: bool = True) -> None:
        super().__init__(why)
        self.counts = counts


class Cancelled(Unanswered):
    """A request that was left unanswered as somebody cancelled its batch."""


@dataclass(frozen=True)
class Item:
    """A request on its way into a batch.

    Attributes:
        key: Its key in the ledger, and its name in the batch.
        body: What would be posted if it was asked by itself.
        size: Bytes it takes in the batch, at most.
    """

    key: str
    body: dict[str, Any]
    size: int


@dataclass(frozen=True)
class Limits:
    """What fits into one batch."""

    requests: int
    bytes: int


@dataclass(frozen=True)
class BatchState:
    """How far a batch is.

    Attributes:
        word: The provider's own word for it.
        done: Requests that came to an end there, as far as the provider tells before all do.
        results: What `results` reads, in the provider's own way.
        refused: Why the batch was taken back as a whole; null where it was not.
        too_many: Whether that was for its length, together with what else was under way.
    """

    word: str
    ended: bool
    done: int
    total: int
    results: tuple[str, ...] = ()
    refused: str | None = None
    too_many: bool = False


@dataclass(frozen=True)
class Sought:
    """A batch that was submitted, perhaps: what is known of it.

    Attributes:
        keys: Its requests, as far as they are unanswered.
        others: Ids of batches that it can't be.
    """

    intent: str
    created: datetime
    requests: int
    keys: AbstractSet[str]
    others: AbstractSet[str]


Result = tuple[str, Reply | Exception]
"""A request's key and what came of it: a reply, `ItemFault`, `Unanswered` or an end of the run."""


class BatchService(Protocol):
    """The batches of one place; all that talks to it raises `errors`."""

    place: str
    limits: Limits

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the SDK raises."""
        ...

    @property
    def modes(self) -> tuple[JsonMode, ...]:
        """The JSON modes of the protocol, best first."""
        ...

    def item(self, key: str, request: Request, mode: JsonMode) -> Item:
        """A request as its batch holds it."""
        ...

    async def submit(self, model: ModelUri, intent: str, items: Sequence[Item]) -> str:
        """Hand a batch over, trying once; its id."""
        ...

    async def find(self, sought: Sought) -> str | None:
        """The id of a batch that may have been submitted; null where there is none."""
        ...

    async def state(self, batch: str) -> BatchState:
        """How far a batch is."""
        ...

    def results(self, model: ModelUri, batch: str, state: BatchState) -> AsyncIterator[Result]:
        """What came of the requests of a batch that has ended, in any order."""
        ...

    async def cancel(self, batch: str) -> None:
        """Ask that nothing more of a batch is answered."""
        ...

    async def close(self) -> None:
        """Give back the SDK client's connections."""
        ...
