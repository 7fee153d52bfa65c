"""Plans: a derivation as a list of steps that can be said, broken, and said again from there on.

A step says a value from the values of earlier steps and from the world of its problem. When one
step is replaced by a planted one, the later steps are said again by the same rules from the wrong
value, so that the consequence carries on and each of them holds given its premises.
"""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from chainwright.schemas.words import FaithfulnessError


class DeadEndError(ValueError):
    """A value from which the derivation can't go on; `reason` is a code for rejects."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True)
class Said:
    """What a step says.

    Attributes:
        value: What later steps take from it.
        text: The step as it is read; it cites passages as `[1]`.
        claims: What it states of the world, which the world supports or does not.
    """

    value: Any
    text: str
    claims: tuple[Hashable, ...] = ()

    @property
    def citations(self) -> list[int]:
        """Numbers of the passages it cites."""
        return sorted({int(ref) for ref in re.findall(r"\[(\d+)\]", self.text)})


@dataclass(frozen=True)
class Plant:
    """One way to make a step unfaithful.

    Attributes:
        category: The category whose mechanism it is.
        kind: How it is done, such as `entity_swapped`.
        said: What the step says now; exactly one of its claims is not supported, `wrong`.
        wrong: That claim.
        before: What the world holds instead, as a clause.
        after: What the step states instead, as a clause.
        uses: Places of the steps it uses; None = those of the step it replaces.
    """

    category: FaithfulnessError
    kind: str
    said: Said
    wrong: Hashable
    before: str
    after: str
    uses: tuple[int, ...] | None = None


class World(Protocol):
    """What a problem's context establishes, closed: nothing else holds."""

    def supports(self, claim: Any) -> bool:
        """Whether a claim holds in this world."""
        ...

    def assuming(self, claim: Any) -> Self:
        """The world in which a claim that does not hold is taken to hold."""
        ...

    def is_a_case(self, category: FaithfulnessError, claim: Any) -> bool:
        """Whether a claim that does not hold is wrong in the way the category means."""
        ...


class Step(Protocol):
    """One step of a plan."""

    @property
    def uses(self) -> tuple[int, ...]:
        """Places of the earlier steps whose values it takes, from 0."""
        ...

    @property
    def rests_on_context(self) -> bool:
        """Whether it uses question or passages too."""
        ...

    def say(self, given: Sequence[Any]) -> Said:
        """What it says given the values of the steps it uses.

        Raises:
            DeadEndError: where nothing can be said from them.
        """
        ...

    def plants(self, given: Sequence[Any]) -> Iterable[Plant]:
        """All ways to make it unfaithful, given the right values."""
        ...


def run(steps: Sequence[Step], at: int | None = None, plant: Plant | None = None) -> list[Said]:
    """What every step says; with a plant, from the wrong value on.

    Args:
        steps: The plan.
        at: Place of the step that the plant replaces.
        plant: What it is replaced by.

    Raises:
        DeadEndError: where a later step can't go on from the wrong value.
    """
    said: list[Said] = []
    for place, step in enumerate(steps):
        if plant is not None and place == at:
            said.append(plant.said)
        else:
            said.append(step.say([said[used].value for used in step.uses]))
    return said


def uses_of(steps: Sequence[Step], at: int | None = None, plant: Plant | None = None) -> list[Any]:
    """The places that every step uses; the planted one may use fewer than the one it replaces."""
    uses = [step.uses for step in steps]
    if plant is not None and at is not None and plant.uses is not None:
        uses[at] = plant.uses
    return uses


def premises_of(
    steps: Sequence[Step], at: int | None = None, plant: Plant | None = None
) -> list[list[int]]:
    """The premises of every step by number: earlier steps from 1, and 0 for the context."""
    numbered = [sorted(place + 1 for place in uses) for uses in uses_of(steps, at, plant)]
    return [
        [0, *numbers] if step.rests_on_context or not numbers else numbers
        for step, numbers in zip(steps, numbered, strict=True)
    ]
