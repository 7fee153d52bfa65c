"""Meter: what a client has asked, got and paid so far, for a progress bar and a closing note."""

from dataclasses import dataclass, field, replace

from chainwright.llm.request import Answer, Usage


@dataclass
class Meter:
    """Counts of one client, or of several that share it.

    Attributes:
        sent: Requests that got an answer from a server, refusals among them.
        from_ledger: Requests whose answer was there already, or came with an equal request.
        refused: Sent requests that the model refused.
        failed: Requests that got no answer.
        attempts: HTTP requests, the SDK's own retries among them.
        waiting: Requests that wait for their turn.
        in_flight: Requests under way.
        usage: Tokens of what was sent.
        cost: US dollars of what was sent, as far as its price is known.
        unpriced: Sent requests whose price is unknown.
        saved: US dollars that the answers from the ledger had cost.
    """

    sent: int = 0
    from_ledger: int = 0
    refused: int = 0
    failed: int = 0
    attempts: int = 0
    waiting: int = 0
    in_flight: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    unpriced: int = 0
    saved: float = 0.0

    @property
    def done(self) -> int:
        """Requests that came to an end, one way or the other."""
        return self.sent + self.from_ledger + self.failed

    def count_sent(self, answer: Answer, attempts: int) -> None:
        """Count an answer that a server gave, or failed to give."""
        self.attempts += attempts
        if answer.status == "failed":
            self.failed += 1
            return
        self.sent += 1
        self.refused += answer.status == "refused"
        self.usage = Usage(
            self.usage.input_tokens + answer.usage.input_tokens,
            self.usage.cached_tokens + answer.usage.cached_tokens,
            self.usage.output_tokens + answer.usage.output_tokens,
            self.usage.cache_write_tokens + answer.usage.cache_write_tokens,
        )
        self.cost += answer.cost or 0.0
        self.unpriced += answer.cost is None

    def count_found(self, answer: Answer) -> None:
        """Count an answer for which nothing was sent."""
        if answer.status == "failed":
            self.failed += 1
            return
        self.from_ledger += 1
        self.saved += answer.cost or 0.0

    def snapshot(self) -> "Meter":
        """The counts as they are now."""
        return replace(self)
