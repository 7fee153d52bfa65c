"""Desk messages: what the desk of a cluster hands to workers, takes from them, and shows.

All of it is plain values, since it goes from one process to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chainwright.llm.budget import Amount
from chainwright.llm.meter import ModelTally
from chainwright.llm.request import Answer
from chainwright.llm.request_key import KeyedRequest

Reason = Literal["away", "budget", "ledger"]


@dataclass(frozen=True)
class Denial:
    """Why a worker does not get what it came for; it raises what belongs to the reason.

    Errors are handed over as values: what becomes of an exception on its way from one process to
    another is not ours to say.
    """

    reason: Reason
    text: str


@dataclass(frozen=True)
class Elsewhere:
    """Another worker is asking this very thing; see `Desk.wait`."""


Found = Answer | Elsewhere | Denial | None
"""What there is for a key; None where it has to be asked."""


@dataclass(frozen=True)
class Kept:
    """A final answer on its way into the ledger."""

    request: KeyedRequest
    answer: Answer
    attempts: int


@dataclass(frozen=True)
class State:
    """What a build shows of its requests while they are under way.

    Attributes:
        tallies: What came of the requests of the stage, by model.
        planned: Requests that a block under way makes at first, on average.
        spent: Over the run's life; null as long as no model was asked.
        news: What has not been told yet.
    """

    tallies: dict[str, ModelTally]
    planned: int
    holdups: list[str]
    spent: Amount | None
    news: list[str]
