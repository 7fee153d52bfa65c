"""Trace: a chain with its problem and what is known of each step, as every format sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import SOUND, Binary, LabelSource, Tier, lowest_tier

_NUMBERED = re.compile(r"step \d+\s*[:.]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StepLabel:
    """What is known of a step; what a format does not say is null.

    Attributes:
        label: Null = undecided.
        category: Kind of error; null for a sound step, and where no kind is named.
        premises: Earlier steps it rests on, 0 = the question; null = not said.
        explanation: Why the label is what it is.
        tier: The panel's agreement; null where no panel is known.
        verbatim: The label in the words of the format it was read from; null for our own.
        source: Who a label of ours is from: exact, panel or people; null where that is not said.
    """

    label: Binary | None
    category: str | None = None
    premises: tuple[int, ...] | None = None
    explanation: str | None = None
    tier: Tier | None = None
    verbatim: str | None = None
    source: LabelSource | None = None

    @property
    def is_error(self) -> bool:
        """Whether the step is known to be in error, or unfaithful."""
        return self.label is not None and self.label not in SOUND


@dataclass(frozen=True, slots=True)
class Trace:
    """A chain with its problem, and one label a step, in order.

    Attributes:
        parent: The positive that a synthetic negative came from, where it is at hand.

    Raises:
        ValueError: for more or fewer labels than steps.
    """

    problem: Problem
    chain: Chain
    labels: tuple[StepLabel, ...]
    parent: Chain | None = None

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.chain.steps):
            raise ValueError(
                f"chain {self.chain.chain_id} has {len(self.chain.steps)} steps and "
                f"{len(self.labels)} labels; expected one each"
            )

    @property
    def first_error(self) -> int | None:
        """The first step in error, 1-based; null where none is, or an undecided one may be."""
        for number, label in enumerate(self.labels, 1):
            if label.label is None:
                return None
            if label.is_error:
                return number
        return None

    @property
    def tier(self) -> Tier | None:
        """The lowest of the steps' tiers; null where a step has none."""
        tiers = [label.tier for label in self.labels if label.tier is not None]
        return lowest_tier(tiers) if len(tiers) == len(self.labels) else None


class Unfit(Exception):
    """A format cannot hold a trace, or a row is none of the format.

    Attributes:
        reason: A code that can be counted.
        detail: What was found, what was expected.
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{detail} ({reason})")


def decided_steps(trace: Trace) -> int:
    """How many steps, from the first on, a format gives that has a label for every step.

    All of them where all are decided. Steps undecided behind the first error are left out, as
    PRM800K and ProcessBench do, which label no step behind it.

    Raises:
        Unfit: `undecided_step` where no error comes before the first undecided step.
    """
    for place, label in enumerate(trace.labels):
        if label.label is None:
            if any(before.is_error for before in trace.labels[:place]):
                return place
            raise Unfit("undecided_step", f"step {place + 1} has no label, nor is one before wrong")
    return len(trace.labels)


def question_text(problem: Problem) -> str:
    """The question as one text: passages with their numbers, the question, lettered options."""
    passages = [f"[{one.ref}] {one.title}: {one.text}" for one in problem.context]
    options = [f"{chr(ord('A') + place)}. {text}" for place, text in enumerate(problem.options)]
    return "\n".join([*passages, problem.question, *options])


def numbered(number: int, step: str) -> str:
    """A step with `Step k: ` in front, unless it has a number of its own, whichever."""
    return step if _NUMBERED.match(step) else f"Step {number}: {step}"


def solution_text(chain: Chain) -> str:
    """The steps and the final answer as one text, a line each."""
    answer = [] if chain.final_answer is None else [f"The answer is: {chain.final_answer}"]
    return "\n".join([*chain.steps, *answer])


def needed(value: str | None, reason: str, what: str) -> str:
    """A text that a format cannot do without.

    Raises:
        Unfit: with that reason where there is none.
    """
    if value is None:
        raise Unfit(reason, f"{what}, and the format needs it")
    return value


def is_correct(trace: Trace) -> bool:
    """Whether the chain is correct.

    Raises:
        Unfit: `undecided_polarity` where that is not known.
    """
    if trace.chain.is_correct is None:
        raise Unfit("undecided_polarity", "whether the chain is correct is undecided")
    return trace.chain.is_correct
