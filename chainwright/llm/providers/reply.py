"""Reply: what a provider got for a request, before it is priced and kept."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from chainwright.llm.circuit import Pauses
from chainwright.llm.request import AnswerStatus, Request, Usage

Fault = Literal["busy", "away", "server", "garbled", "deadline", "request", "too_long"]
"""Why a request got no answer.

- busy: the server asks to wait (429, or an overload that says for how long).
- away: no connection came about.
- server: it failed, cut the answer off, or fell silent; that may pass.
- garbled: it answered with something that cannot be read.
- deadline: it took longer than any answer is worth.
- request: it will not have this request, which is not sent again.
- too_long: the request does not fit into what the model can read.
"""


@dataclass(frozen=True)
class Reply:
    """An answer as it came, or the reason why none did.

    `attempts` counts HTTP requests. `fault` says what kind of failure a failed one is; null stands
    for `garbled`. `retry_after` is the wait in seconds that the server asked for, if it did.
    `batch` is the provider's id of the batch it came in; `attempts` then counts batches.
    """

    status: AnswerStatus
    text: str = ""
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    attempts: int = 1
    error: str | None = None
    fault: Fault | None = None
    retry_after: float | None = None
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
    """How long and how often a request is tried.

    Attributes:
        timeout: Seconds without a byte after which one attempt is given up.
        connect_timeout: Seconds to wait for a connection.
        max_retries: Further attempts after the first, of a request that failed in a way that may
            pass. The client makes them, and nobody else: the SDKs are told to make none.
        backoff: Seconds before the second attempt; twice as many before each further one.
        longest_backoff: Seconds between two attempts at most.
        longest_wait: Seconds that a server may ask to wait; when it asks for more, the run stops.
        busy: Pauses of a model whose server says that it is asked too much.
        trouble: Pauses of a place where one request after the other fails.
    """

    timeout: float = 300.0
    connect_timeout: float = 15.0
    max_retries: int = 5
    backoff: float = 0.5
    longest_backoff: float = 8.0
    longest_wait: float = 3600.0
    busy: Pauses = field(
        default_factory=lambda: Pauses(after=1, first=1.0, longest=60.0, rounds=20, alone_from=2)
    )
    trouble: Pauses = field(default_factory=Pauses)
