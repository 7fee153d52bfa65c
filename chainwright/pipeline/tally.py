"""Tally: what a stage asked a model, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chainwright.llm.request import Answer


@dataclass
class ModelTally:
    """Requests to one model, or to several, within one stage of one build.

    Tokens and cost are those of what was sent; the answers from the ledger cost nothing again.
    """

    sent: int = 0
    """Requests that a server answered, refusals among them."""
    from_ledger: int = 0
    """Requests whose answer was paid for before."""
    refused: int = 0
    failed: int = 0
    """Requests that got no answer."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    saved_usd: float = 0.0
    """What the answers from the ledger had cost, as far as it is known."""
    unpriced: int = 0
    """Sent requests whose price is not known; `cost_usd` leaves them out."""

    @property
    def done(self) -> int:
        """Requests that came to an end, one way or the other."""
        return self.sent + self.from_ledger + self.failed

    def count(self, answer: Answer) -> None:
        """Counts one answer."""
        if answer.status == "failed":
            self.failed += 1
        elif answer.from_ledger:
            self.from_ledger += 1
            self.saved_usd += answer.cost or 0.0
        else:
            self.sent += 1
            self.refused += answer.status == "refused"
            self.input_tokens += answer.usage.input_tokens
            self.output_tokens += answer.usage.output_tokens
            self.cost_usd += answer.cost or 0.0
            self.unpriced += answer.cost is None

    @property
    def cost_in_words(self) -> str:
        """`0.0123 USD`, with a word on what is not known."""
        if self.unpriced and not self.cost_usd:
            return "cost unknown"
        return f"{self.cost_usd:.4f} USD" + (" or more" if self.unpriced else "")


def together(tallies: Iterable[ModelTally]) -> ModelTally:
    """The sum of several."""
    total = ModelTally()
    for tally in tallies:
        for name, value in vars(tally).items():
            setattr(total, name, getattr(total, name) + value)
    return total
