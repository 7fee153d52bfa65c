"""A chain whose labels are known, and what one judge said of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import Track


@dataclass(frozen=True)
class LabelledChain:
    """A chain of a labelled corpus.

    Attributes:
        labels: Gold word of each step (`correct`, `accumulation_error`, `faithful`, a category, or
            `error` where none is known); None = unknown.
        premises: Gold premises of each step; None = unknown.
        first_error: Gold first step in error, 0 for none; None = unknown.
        source: Part of the corpus that it comes from.
        polarity: `positive`, `negative`, `synthetic_negative` or `undecided`.
    """

    problem: Problem
    chain: Chain
    labels: tuple[str | None, ...]
    premises: tuple[tuple[int, ...] | None, ...]
    first_error: int | None
    source: str
    polarity: str

    @property
    def has_premises(self) -> bool:
        """Whether the premises of every step are known."""
        return all(premises is not None for premises in self.premises)


@dataclass(frozen=True)
class JudgedChain:
    """One judge on one labelled chain; a row of a scoring's `chains.jsonl`.

    Attributes:
        gold: Gold words, None = unknown.
        native: The judge's words on each step given its premises; None = an abstention.
        said: The same with inherited errors.
        inherits_by: Whose premises errors were inherited by: `own`, `gold`, or `none`.
        statuses: Status of each vote on a step.
        failure: What the judge failed with on this chain; None where it did not.
    """

    judge: str
    chain_id: str
    source: str
    polarity: str
    track: Track
    gold: list[str | None]
    native: list[str | None]
    said: list[str | None]
    gold_premises: list[list[int] | None]
    premises: list[list[int] | None] | None
    gold_first: int | None
    said_first: int | None
    inherits_by: str
    statuses: list[str]
    failure: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        return asdict(self)
