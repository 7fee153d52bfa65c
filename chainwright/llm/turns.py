"""Turns: the one place of a run that says when which request may be sent.

`Lanes` is that place within one process. Where requests leave from several machines, another
object stands in its stead, so that the same limits and pauses hold for all of them together.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from chainwright.llm.circuit import Circuit
from chainwright.llm.lane import Lane, Pass
from chainwright.llm.limits import Allowance, Limit, limit_of
from chainwright.llm.providers.connect import place
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.uri import ModelUri

Place = tuple[str, str | None]
"""What models that share a connection have in common."""


class Turns(Protocol):
    """Grants turns; what `enter` gives is the turn, and means something to its giver alone."""

    @property
    def holdups(self) -> list[str]:
        """What requests wait for other than a turn: limits and pauses, one line each."""
        ...

    def counts_tokens(self, model: ModelUri) -> bool:
        """Whether it matters how many tokens a request to this model takes."""
        ...

    async def enter(self, model: ModelUri, tokens: int) -> Any:
        """Wait until a request of so many tokens may go.

        Raises:
            ModelUnavailable: when no further request is to go to the model.
        """
        ...

    async def note(self, turn: Any, reply: Reply) -> None:
        """Draw the conclusions of a reply for the requests to come.

        Raises:
            ModelUnavailable: when it is the last of more failures than are worth waiting for.
        """
        ...

    def leave(self, turn: Any) -> None:
        """Give the turn back."""
        ...


@dataclass(frozen=True)
class _Turn:
    lane: Lane
    own: Pass


class Lanes:
    """The turns of one event loop: a lane for each model it is asked about.

    Args:
        concurrency: Requests in flight at once, over all models; a local model takes fewer.
        limits: What may be sent to which model each minute.
    """

    def __init__(self, concurrency: int, limits: Iterable[Limit], patience: Patience) -> None:
        self._limits = tuple(limits)
        self._patience = patience
        self._turns = asyncio.Semaphore(concurrency)
        self._local_turns = asyncio.Semaphore(min(concurrency, _local_concurrency()))
        self._lanes: dict[ModelUri, Lane] = {}
        self._circuits: dict[Place, Circuit] = {}

    @property
    def holdups(self) -> list[str]:
        """See `Turns`."""
        found = (lane.holdup for lane in self._lanes.values())
        return list(dict.fromkeys(why for why in found if why is not None))

    def counts_tokens(self, model: ModelUri) -> bool:
        """See `Turns`."""
        return self._lane(model).counts_tokens

    async def enter(self, model: ModelUri, tokens: int) -> _Turn:
        """See `Turns`."""
        lane = self._lane(model)
        return _Turn(lane, await lane.enter(tokens))

    async def note(self, turn: _Turn, reply: Reply) -> None:
        """See `Turns`."""
        turn.lane.note(turn.own, reply)

    def leave(self, turn: _Turn) -> None:
        """See `Turns`."""
        turn.lane.leave(turn.own)

    def _lane(self, model: ModelUri) -> Lane:
        if model not in self._lanes:
            where = place(model)
            circuit = self._circuits.setdefault(where, Circuit(self._patience.trouble))
            turns = self._local_turns if model.provider == "local" else self._turns
            allowance = Allowance(limit_of(model, self._limits))
            name = where[1] if model.provider != "local" else None
            self._lanes[model] = Lane(
                model, name or str(model), turns, allowance, circuit, self._patience
            )
        return self._lanes[model]


def _local_concurrency() -> int:
    from chainwright.llm.providers.local import CONCURRENCY

    return CONCURRENCY
