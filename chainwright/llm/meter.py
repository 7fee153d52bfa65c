"""Meter: what models were asked, what came of it and what it cost, for screens and the manifest."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from chainwright.llm.request import Answer
from chainwright.llm.uri import ModelUri


@dataclass
class ModelTally:
    """Requests to one model, or to several.

    Tokens and cost are those of what was sent; the answers from the ledger cost nothing again.
    """

    sent: int = 0
    """Requests that a server answered, refusals among them."""
    from_ledger: int = 0
    """Requests whose answer was paid for before."""
    refused: int = 0
    failed: int = 0
    """Requests that got no answer."""
    too_long: int = 0
    """Those of the failed ones that their model cannot read, so that asking again is in vain."""
    input_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input tokens that a server had in its cache."""
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    """Sent requests whose price is not known; `cost_usd` leaves them out."""
    saved_usd: float = 0.0
    """What the answers from the ledger had cost."""
    attempts: int = 0
    """HTTP requests, further attempts among them."""

    @property
    def done(self) -> int:
        """Requests that came to an end, one way or the other."""
        return self.sent + self.from_ledger + self.failed

    @property
    def to_ask_again(self) -> int:
        """Failed requests that may get an answer another time."""
        return self.failed - self.too_long

    @property
    def cost_in_words(self) -> str:
        """`0.0123 USD`, with a word on what is not known."""
        if self.unpriced and not self.cost_usd:
            return "cost unknown"
        return f"{self.cost_usd:.4f} USD" + (" or more" if self.unpriced else "")

    def count_sent(self, answer: Answer, attempts: int) -> None:
        """Count an answer that a server gave, or failed to give."""
        self.attempts += attempts
        if answer.status == "failed":
            self.count_failed(answer)
            return
        self.sent += 1
        self.refused += answer.status == "refused"
        self.input_tokens += answer.usage.input_tokens
        self.cached_tokens += answer.usage.cached_tokens
        self.output_tokens += answer.usage.output_tokens
        self.cost_usd += answer.cost or 0.0
        self.unpriced += answer.cost is None

    def count_found(self, answer: Answer) -> None:
        """Count an answer for which nothing was sent."""
        if answer.status == "failed":
            self.count_failed(answer)
            return
        self.from_ledger += 1
        self.saved_usd += answer.cost or 0.0

    def count_failed(self, answer: Answer) -> None:
        """Count a request that got no answer."""
        self.failed += 1
        self.too_long += answer.too_long


@dataclass
class Meter:
    """Counts of one client, or of several that share it.

    A request that is made again after its answer came counts once.

    Attributes:
        models: What came of the requests so far, by the model's URI.
        waiting: Requests that wait for their turn, for a limit or for a pause to end.
        in_flight: Requests under way.
    """

    models: defaultdict[str, ModelTally] = field(default_factory=lambda: defaultdict(ModelTally))
    waiting: int = 0
    in_flight: int = 0
    _answered: set[str] = field(default_factory=set)

    @property
    def total(self) -> ModelTally:
        """The sum over the models."""
        return together(self.models.values())

    def count_sent(self, model: ModelUri, answer: Answer, attempts: int) -> None:
        """Count an answer that a server gave, or failed to give."""
        self._answered.add(answer.key)
        self.models[str(model)].count_sent(answer, attempts)

    def count_found(self, model: ModelUri, answer: Answer) -> None:
        """Count an answer for which nothing was sent."""
        if answer.status != "failed" and answer.key in self._answered:
            return
        self._answered.add(answer.key)
        self.models[str(model)].count_found(answer)

    def begin_anew(self) -> None:
        """Forget what came to an end; what is under way stays."""
        self.models = defaultdict(ModelTally)
        self._answered = set()


def together(tallies: Iterable[ModelTally]) -> ModelTally:
    """The sum of several."""
    total = ModelTally()
    for tally in tallies:
        for name, value in vars(tally).items():
            setattr(total, name, getattr(total, name) + value)
    return total
