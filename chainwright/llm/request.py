"""What is asked of a model and what comes back: the one vocabulary of every provider.

Nothing here talks to anyone; `chainwright.llm.client` does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from chainwright.llm.uri import ModelUri

AnswerStatus = Literal["ok", "refused", "failed"]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation.

    `shared` says how many characters at its beginning other requests have as well, for providers
    that keep only what is marked in their prompt cache. It changes no answer and no request key.
    """

    role: Literal["system", "user", "assistant"]
    content: str
    shared: int = 0


@dataclass(frozen=True)
class Schema:
    """The JSON Schema an answer has to satisfy, and the name providers ask for it."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """One request; all of it, with the provider, makes the ledger's key.

    `sample` tells apart the n samples of one question: the same request with another sample is
    another request. A None leaves the choice to the provider's default.
    """

    model: ModelUri
    messages: Sequence[Message]
    schema: Schema | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    sample: int = 0


@dataclass(frozen=True)
class Usage:
    """Tokens a request took, as the provider counted them.

    `cached_tokens` (read from a cache) and `cache_write_tokens` are part of `input_tokens`.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True)
class Answer:
    """What a model answered, or why it did not.

    `text` is the raw answer, kept also where it is unusable. `finish_reason` is the provider's
    own word (`stop`, `length`, …). `from_ledger` says that nothing was sent this time. A failed
    request has an empty text and its reason in `error`; with `too_long` it is longer than what its
    model can read, so that asking again is in vain. `batch` is the provider's id of the batch it
    came in, at the price of batches; null where it was asked by itself.
    """

    key: str
    status: AnswerStatus
    text: str
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    from_ledger: bool = False
    error: str | None = None
    too_long: bool = False
    batch: str | None = None


class Asker(Protocol):
    """Anything that can be asked: the client of a build, or a double in a test."""

    async def ask(self, request: Request) -> Answer:
        """The answer to a request; a failed one is an answer too, with its reason.

        Raises:
            ModelUnavailable: when no request to this model can succeed (a bad key, an unknown
                model, a refused connection): the run stops.
        """
        ...


class ModelUnavailable(RuntimeError):
    """No request to a model can succeed; the message is one clear line that says what to do."""


class ModelAway(ModelUnavailable):
    """A model did answer or should, and does not now: nothing is wrong with what it was asked."""
