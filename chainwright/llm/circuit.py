"""Circuit: keeps requests away from a place that fails, and lets them go again when it recovers."""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Pauses:
    """When and for how long nothing is sent.

    Attributes:
        after: Failures in a row that make a pause.
        first: Seconds of the first pause; each further one in a row is twice as long.
        longest: Seconds of a pause at most.
        rounds: Pauses in a row, with no success after them, before it is given up.
        alone_from: From which pause in a row one request goes ahead, and the others wait for what
            becomes of it.
    """

    after: int = 10
    first: float = 15.0
    longest: float = 300.0
    rounds: int = 6
    alone_from: int = 1

    def length(self, number: int) -> float:
        """Seconds of the n-th pause in a row, from 1."""
        return min(self.first * 2.0 ** min(number - 1, 60), self.longest)


@dataclass(eq=False)
class Ticket:
    """A request that the circuit let through, and before which pause that was."""

    era: int


class Circuit:
    """The state of one place: whether requests may go to it.

    Every request takes a ticket with `enter` and ends it with `succeed`, `fail` or `leave`. What
    becomes of requests that were under way when a pause began is no news: many fail together, and
    are one failure. After a pause one request goes ahead; when it succeeds, all may go.
    """

    def __init__(self, pauses: Pauses, clock: Callable[[], float] = time.monotonic) -> None:
        self.pauses = pauses
        self.why = ""
        """What the last failure was."""
        self._clock = clock
        self._era = 0
        self._row = 0
        self._rounds = 0
        self._until = -math.inf
        self._ahead: Ticket | None = None
        self._changed = asyncio.Event()

    @property
    def is_given_up(self) -> bool:
        """Whether there were more pauses in a row than are worth waiting for."""
        return self._rounds > self.pauses.rounds

    def delay(self) -> float:
        """Seconds until a request may go; infinite while another one goes ahead."""
        left = self._until - self._clock()
        if left > 0:
            return left
        return 0.0 if self._ahead is None else math.inf

    async def changes(self) -> None:
        """Wait until the request that goes ahead has come to an end."""
        await self._changed.wait()

    def enter(self) -> Ticket:
        """A request goes; `delay` has to be 0."""
        ticket = Ticket(self._era)
        if self._rounds >= self.pauses.alone_from:
            self._ahead = ticket
        return ticket

    def succeed(self, ticket: Ticket) -> None:
        """The place answered. An answer from before the pause shows that it can, no more."""
        self._row = 0
        self._rounds = 0 if ticket.era == self._era else min(self._rounds, 1)
        self.leave(ticket)

    def fail(self, ticket: Ticket, why: str, pause: float | None = None) -> float | None:
        """The place failed.

        Args:
            pause: Seconds that the place asked to wait; null = by the number of the pause.

        Returns:
            The seconds of the pause that begins with this failure; None where none begins.
        """
        if ticket.era != self._era:
            if pause is not None:
                self._until = max(self._until, self._clock() + pause)
            return None
        self.why = why
        self._row += 1
        if self._row < self.pauses.after and ticket is not self._ahead:
            return None
        self._era += 1
        self._rounds += 1
        length = self.pauses.length(self._rounds) if pause is None else pause
        self._until = self._clock() + length
        self.leave(ticket)
        return length

    def leave(self, ticket: Ticket) -> None:
        """The request ended in a way that says nothing of the place; again does nothing."""
        if ticket is self._ahead:
            self._ahead = None
            self._changed.set()
            self._changed = asyncio.Event()
