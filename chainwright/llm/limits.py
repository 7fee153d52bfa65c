"""Limits: how many requests and tokens a minute a model may be sent.

Buckets of our own rather than aiolimiter's: the tokens of a request are only known from its answer,
so what was taken has to be corrected afterwards, a request may be larger than the bucket, and
requests and tokens have to be taken together or not at all.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chainwright.llm.uri import ModelUri

TOKEN_BURST = 10.0
"""Seconds of tokens that may gather. Enough for what comes back from answers that were shorter than
the room asked for; small beside a minute, since servers count in shorter spans too."""


@dataclass(frozen=True)
class Limit:
    """What a model may be sent each minute; null = any number.

    Attributes:
        model: A model's URI, with or without its address, or a provider; null = every model that
            no other limit names. Each model has the limit for itself.
    """

    model: str | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


def limit_of(model: ModelUri, limits: Iterable[Limit]) -> Limit:
    """The limit that names a model most closely; one without numbers where none does.

    >>> from chainwright.llm.uri import parse_model_uri
    >>> limits = [Limit(None, 60), Limit("openai", 500), Limit("openai:gpt-4o", 100)]
    >>> limit_of(parse_model_uri("openai:o3"), limits).requests_per_minute
    500
    """
    by_name = {limit.model: limit for limit in limits}
    for name in (str(model), model.model, model.provider, None):
        if name in by_name:
            return by_name[name]
    return Limit()


class Bucket:
    """So many a minute, which trickle in evenly.

    Args:
        per_minute: How many; above 0.
        burst: How many may gather while none is taken.
        start: How many are there at first.
    """

    def __init__(
        self,
        per_minute: float,
        burst: float,
        start: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = per_minute / 60
        self._burst = burst
        self._level = start
        self._clock = clock
        self._then = clock()

    def delay(self, amount: float) -> float:
        """Seconds until so many may be taken. More than the bucket holds wait until it is full."""
        lacking = min(amount, self._burst) - self._now()
        return max(0.0, lacking / self._rate)

    def take(self, amount: float) -> None:
        """Take so many, which may leave a debt; a negative number is given back."""
        self._level = min(self._now() - amount, self._burst)

    def _now(self) -> float:
        now = self._clock()
        self._level = min(self._level + (now - self._then) * self._rate, self._burst)
        self._then = now
        return self._level


class Allowance:
    """What one model may still be sent, in requests and in tokens."""

    def __init__(self, limit: Limit, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._requests = self._tokens = None
        if limit.requests_per_minute:
            number = limit.requests_per_minute
            # One at once keeps any minute within the limit; above 60, a second's worth.
            second = max(1.0, number / 60)
            self._requests = Bucket(number, second, second, clock)
        if limit.tokens_per_minute:
            number = limit.tokens_per_minute
            self._tokens = Bucket(number, number / 60 * TOKEN_BURST, number / 60, clock)

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are limited."""
        return self._tokens is not None

    def delay(self, tokens: int) -> tuple[float, str]:
        """Seconds until a request of so many tokens may go, and by which limit."""
        found = (0.0, "")
        for bucket, amount, number, what in (
            (self._requests, 1, self._limit.requests_per_minute, "requests"),
            (self._tokens, tokens, self._limit.tokens_per_minute, "tokens"),
        ):
            if bucket is not None:
                # Below a millisecond no sleep is exact.
                seconds = bucket.delay(amount)
                if seconds > 0.001 and seconds > found[0]:
                    found = (seconds, f"limit of {number} {what} a minute")
        return found

    def take(self, tokens: int) -> None:
        """A request of so many tokens goes."""
        if self._requests is not None:
            self._requests.take(1)
        if self._tokens is not None:
            self._tokens.take(tokens)

    def correct(self, tokens: int, used: int) -> None:
        """A request that was taken for so many tokens has used others."""
        if self._tokens is not None:
            self._tokens.take(used - tokens)
