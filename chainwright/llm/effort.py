"""Effort: what one request has taken so far, and whether it is worth another attempt."""

import random
from dataclasses import dataclass, replace

from chainwright.llm.providers.reply import Fault, Patience, Reply

MOST_WAITS = 100
"""Times that one request is told to wait, until it counts as failed."""

MOST_GARBLED = 2
"""Further attempts after answers that cannot be read: each may have been paid for."""

MOST_UNREACHED = 2
"""Further attempts to connect to a place that was never reached."""

_PASSING: frozenset[Fault] = frozenset({"server", "away", "garbled"})


@dataclass
class Effort:
    """The attempts of one request.

    Attributes:
        tries: Attempts that failed in a way that is the request's own as much as the server's.
        waits: Attempts that the server put off, which count for nothing else.
        attempts: HTTP requests.
        spent: Seconds under way, without all waiting.
    """

    patience: Patience
    tries: int = 0
    waits: int = 0
    attempts: int = 0
    spent: float = 0.0

    def add(self, reply: Reply, seconds: float) -> Reply:
        """Count an attempt; the reply comes back with the HTTP requests of all of them."""
        self.attempts += reply.attempts
        self.spent += seconds
        if reply.fault == "busy":
            self.waits += 1
        else:
            self.tries += 1
        return replace(reply, attempts=self.attempts)

    def goes_on(self, reply: Reply, reached: bool = True) -> bool:
        """Whether the request is to be sent again after this reply.

        Args:
            reached: Whether its place was connected to before.
        """
        if reply.status != "failed":
            return False
        fault = reply.fault or "garbled"
        if fault == "busy":
            return self.waits <= MOST_WAITS
        most = self.patience.max_retries
        if fault == "garbled":
            most = min(most, MOST_GARBLED)
        if not reached:
            most = min(most, MOST_UNREACHED)
        return fault in _PASSING and self.tries <= most

    def backoff(self, reply: Reply) -> float:
        """Seconds to wait before the next attempt, on top of pauses that hold for all."""
        if reply.fault == "busy":
            return 0.0
        longest = self.patience.longest_backoff
        seconds = min(self.patience.backoff * 2.0 ** min(self.tries - 1, 60), longest)
        seconds *= random.uniform(0.75, 1.0)  # so that not all come at once
        return max(seconds, min(reply.retry_after or 0.0, self.patience.longest_wait))
