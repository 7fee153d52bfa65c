"""Lane: where the requests to one model wait until they may be sent."""

import asyncio
import logging
import math
import time
from dataclasses import dataclass

from chainwright.llm.circuit import Circuit, Ticket
from chainwright.llm.limits import Allowance
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.request import ModelAway
from chainwright.llm.uri import ModelUri

log = logging.getLogger(__name__)

WORTH_SAYING = 5.0
"""Seconds of a pause from which it goes into the log."""

MOST_REFUSED = 100
"""Requests in a row that a server does not take, until no further one is sent."""


@dataclass(frozen=True)
class Pass:
    """A request that has a turn, and the tokens that it was taken for."""

    busy: Ticket
    trouble: Ticket
    tokens: int


class Lane:
    """The queue in front of one model.

    The first in the queue waits for the model's limits and pauses, and only then for one of the
    client's turns: so whoever waits for a limit holds up no other model.

    Args:
        turns: The turns that all lanes share.
        trouble: The circuit of the model's place, which lanes of other models there share.
        place: What that place is called in messages.
    """

    def __init__(
        self,
        model: ModelUri,
        place: str,
        turns: asyncio.Semaphore,
        allowance: Allowance,
        trouble: Circuit,
        patience: Patience,
    ) -> None:
        self._model = model
        self._place = place
        self._turns = turns
        self._allowance = allowance
        self._trouble = trouble
        self._patience = patience
        self._busy = Circuit(patience.busy)
        self._front = asyncio.Lock()
        self._refused = 0
        self._held: tuple[str, float] | None = None

    @property
    def holdup(self) -> str | None:
        """What the first in the queue waits for, other than a turn; None where it does not."""
        if self._held is None:
            return None
        why, until = self._held
        left = until - time.monotonic()
        return f"{why}, {left:.0f} s left" if 1 <= left < math.inf else why

    @property
    def counts_tokens(self) -> bool:
        """Whether it matters how many tokens a request takes."""
        return self._allowance.counts_tokens

    async def enter(self, tokens: int) -> Pass:
        """Wait until a request of so many tokens may go; it has a turn then, until `leave`.

        Raises:
            ModelAway: when the model or its place was given up.
        """
        # Where nothing holds the queue up, all wait for turns together: one behind the other, each
        # would start in a round of the event loop of its own, and be committed by itself.
        if not self._front.locked() and self._delay(tokens)[0] <= 0:
            self._check()
            own = await self._take_turn(tokens)
            if own is not None:
                return own
        async with self._front:
            while True:
                await self._wait(tokens)
                own = await self._take_turn(tokens)
                if own is not None:
                    return own

    def note(self, own: Pass, reply: Reply) -> None:
        """Draw the conclusions of a reply for the requests to come.

        Raises:
            ModelAway: when it is the last of more failures than are worth waiting for.
        """
        if reply.status != "failed":
            self._refused = 0
            self._busy.succeed(own.busy)
            self._trouble.succeed(own.trouble)
            used = reply.usage.input_tokens + reply.usage.output_tokens
            if used:
                self._allowance.correct(own.tokens, used)
        elif reply.fault == "busy":
            self._pause_model(own, reply)
        elif reply.fault == "request":
            self._refused += 1
            if self._refused >= MOST_REFUSED:
                raise ModelAway(
                    f"the last {self._refused} requests to {self._model} were all refused, the "
                    f"last one so: {reply.error}"
                )
        elif reply.fault != "too_long":
            self._pause_place(own, reply)

    def leave(self, own: Pass) -> None:
        """Give the turn back."""
        self._busy.leave(own.busy)
        self._trouble.leave(own.trouble)
        self._turns.release()

    def _pause_model(self, own: Pass, reply: Reply) -> None:
        asked = reply.retry_after
        if asked is not None and asked > self._patience.longest_wait:
            raise ModelAway(
                f"{self._place} asks to wait {_time(asked)} before {self._model} is asked again, "
                f"which is too long to wait here: {reply.error}"
            )
        length = self._busy.fail(own.busy, reply.error or "", asked)
        if length is not None and length >= WORTH_SAYING:
            log.warning("no request to %s for %s: %s", self._model, _time(length), reply.error)
        self._check()

    def _pause_place(self, own: Pass, reply: Reply) -> None:
        length = self._trouble.fail(own.trouble, reply.error or "")
        if length is not None and not self._trouble.is_given_up and length >= WORTH_SAYING:
            log.warning("no request to %s for %s: %s", self._place, _time(length), reply.error)
        self._check()

    def _check(self) -> None:
        for circuit, what in ((self._busy, str(self._model)), (self._trouble, self._place)):
            if circuit.is_given_up:
                raise ModelAway(
                    f"{what} gave no answer in {circuit.pauses.rounds} pauses, the last failure "
                    f"was: {circuit.why}"
                )

    async def _take_turn(self, tokens: int) -> Pass | None:
        """Wait for a turn; None when a pause or a limit has come before it."""
        await self._turns.acquire()
        # It may have taken so long to get that a pause began meanwhile.
        if self._delay(tokens)[0] <= 0:
            self._allowance.take(tokens)
            return Pass(self._busy.enter(), self._trouble.enter(), tokens)
        self._turns.release()
        return None

    async def _wait(self, tokens: int) -> None:
        try:
            while True:
                self._check()
                delay, why, circuit = self._delay(tokens)
                if delay <= 0:
                    return
                self._held = (why, time.monotonic() + delay)
                if circuit is not None and delay == math.inf:
                    await circuit.changes()
                else:
                    await asyncio.sleep(delay)
        finally:
            self._held = None

    def _delay(self, tokens: int) -> tuple[float, str, Circuit | None]:
        """The longest of the delays: of the place, of the model, of its limits."""
        limited, limit = self._allowance.delay(tokens)
        reasons = [
            (self._trouble.delay(), f"{self._place} is paused: {self._trouble.why}", self._trouble),
            (self._busy.delay(), f"{self._model} is paused: {self._busy.why}", self._busy),
            (limited, f"{self._model} waits for its {limit}", None),
        ]
        return max(reasons, key=lambda reason: reason[0])


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
