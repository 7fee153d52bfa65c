"""Reply: what a provider got for a request, before it is priced and kept."""

from dataclasses import dataclass, field
from typing import Protocol

from chainwright.llm.request import AnswerStatus, Request, Usage


@dataclass(frozen=True)
class Reply:
    """An answer as it came, or the reason why none did.

    `attempts` counts HTTP requests, the SDK's retries among them; of a reply that came in a batch,
    the batches it was sent in. `batch` is that batch's id at the provider.
    """

    status: AnswerStatus
    text: str = ""
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    attempts: int = 1
    error: str | None = None
    batch: str | None = None


class Connection(Protocol):
    """One place that serves models, with an SDK client behind it."""

    async def send(self, request: Request) -> Reply:
        """The reply to a request; one that failed is a reply too.

        Raises:
            ModelUnavailable: when no request to this model can succeed.
        """
        ...

    async def close(self) -> None:
        """Give back the SDK client's connections."""
        ...


@dataclass(frozen=True)
class Patience:
    """How long and how often the SDK tries.

    Attributes:
        timeout: Seconds without a byte after which one attempt is given up.
        connect_timeout: Seconds to wait for a connection.
        max_retries: Further attempts after the first; the SDK makes them, and nobody else.
    """

    timeout: float = 300.0
    connect_timeout: float = 15.0
    max_retries: int = 5
