"""Pace: how long a batch is gathered, how often it is asked after, how often it is tried again."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """The waiting of batch mode; seconds, but for the last two.

    Attributes:
        quiet: Without a new request, after which those gathered are sent as a batch.
        first: From one look at a batch to the next, at first; it grows by `growth` each time.
        most: What that waiting grows to.
        doubt: Age from which a submission that no list of batches shows never arrived.
        tries: Lost connections in a row, while one batch is looked after, before the run stops.
        resends: How often a request is sent once more that its batch left unanswered.
    """

    quiet: float = 5.0
    first: float = 5.0
    growth: float = 1.5
    most: float = 300.0
    doubt: float = 60.0
    tries: int = 12
    resends: int = 2

    def after(self, wait: float) -> float:
        """The waiting that follows a waiting."""
        return min(wait * self.growth, self.most)


PACE = Pace()
"""What builds go by."""
