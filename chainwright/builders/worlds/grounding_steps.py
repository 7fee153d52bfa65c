"""Steps of the grounding track: look something up in the passages, choose, compare, count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chainwright.builders.worlds.facts import Claim, Value, Way, best
from chainwright.builders.worlds.plan import DeadEndError, Plant, Said
from chainwright.builders.worlds.telling import Frame, WrongTelling, tell, wrong_tellings
from chainwright.builders.worlds.wording import listed, marks, said_in, shown, spelled
from chainwright.builders.worlds.words.grounding import Number, Relation

NOT_TOLD = "it cannot be told from the passages"
"""The final answer of a chain that has lost what it needs."""


@dataclass(frozen=True)
class Look:
    """Looks up a relation of an entity, which is named or the value of an earlier step."""

    frame: Frame
    relation: Relation
    entity: str | None
    described: str
    """The entity as the question leads to it, for when it is not known."""
    uses: tuple[int, ...] = ()
    style: int = 0
    sure: bool = False
    """Whether it says of what no note changes that none does."""
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """The value the passages give; None where the entity is not known, or they give none."""
        entity = self.entity if self.entity is not None else given[0]
        if entity is None:
            asked = self.relation.asked.format(e=self.described)
            return Said(None, f"Without that, it cannot be told {asked}.")
        told, value, cites, claims = tell(self.frame, self.relation, entity)
        key = (entity, self.relation.name)
        if self.sure and value is not None and key not in self.frame.table.changes:
            told, cites = f"{told} {marks(cites)}, and no later note changes that", ()
            claims = (*claims, Claim("unchanged", *key, value))
        return Said(value, said_in(told, cites, self.style), claims)

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """Another entity's value, an invented change, a negation, and evidence denied."""
        entity = self.entity if self.entity is not None else given[0]
        for wrong in wrong_tellings(self.frame, self.relation, entity):
            text = said_in(wrong.told, wrong.cites, self.style)
            if wrong.value is None:
                text = f"None of the passages says {self.relation.asked.format(e=entity)}."
            yield wrong.plant(Said(wrong.value, text, wrong.claims))


@dataclass(frozen=True)
class Each:
    """Looks up a number of every entity that an earlier step has left."""

    frame: Frame
    relation: Number
    uses: tuple[int, ...]
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """The values by entity."""
        return self._said(given[0], None)

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """One of the values goes wrong."""
        for entity in given[0]:
            for wrong in wrong_tellings(self.frame, self.relation, entity):
                yield wrong.plant(self._said(given[0], wrong))

    def _said(self, entities: Sequence[str], wrong: WrongTelling | None) -> Said:
        if not entities:
            raise DeadEndError("no_candidate", "no candidate is left to look at")
        parts: list[str] = []
        values: dict[str, int] = {}
        claims: list[Claim] = []
        for entity in entities:
            told, value, cites, its = tell(self.frame, self.relation, entity)
            if wrong is not None and wrong.entity == entity:
                told, value, cites, its = wrong.told, wrong.value, wrong.cites, wrong.claims
            if value is None:
                told = f"no passage says {self.relation.asked.format(e=entity)}"
            else:
                values[entity] = int(value)
            parts.append(f"{told} {marks(cites)}".rstrip())
            claims += its
        lead = "Of the one that is left: " if len(entities) == 1 else "Of these, "
        text = f"{lead}{'; '.join(parts)}."
        return Said(values, text, tuple(claims))


@dataclass(frozen=True)
class Keep:
    """Keeps the candidates of which something was found to hold."""

    candidates: tuple[str, ...]
    uses: tuple[int, ...]
    rests_on_context: bool = False

    def say(self, given: Sequence[Any]) -> Said:
        """The candidates that are left."""
        kept = tuple(
            name for name, holds in zip(self.candidates, given, strict=True) if holds is True
        )
        if not kept:
            raise DeadEndError("no_candidate", "no candidate is left")
        only = "only " if len(kept) == 1 else ""
        return Said(kept, f"This leaves {only}{listed(kept)}.")

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: what it says is of the steps alone."""
        yield from ()


@dataclass(frozen=True)
class Best:
    """Chooses the one with the least or most, of values by entity or of one value a candidate."""

    relation: Number
    way: Way
    uses: tuple[int, ...]
    candidates: tuple[str, ...] = ()
    last: bool = False
    rests_on_context: bool = False

    def say(self, given: Sequence[Any]) -> Said:
        """The one chosen."""
        values = given[0]
        if self.candidates:
            values = {
                name: value
                for name, value in zip(self.candidates, given, strict=True)
                if value is not None
            }
        first = best(values, self.way)
        most = self.relation.least if self.way == "least" else self.relation.most
        figures = listed([shown(self.relation, values[name]) for name in values])
        over = f"Comparing {figures}, the" if len(values) > 1 else "The"
        end = ", and that is the answer." if self.last else "."
        return Said(first, f"{over} one that {most} is {first}{end}")

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: what it says is of the steps alone."""
        yield from ()


@dataclass(frozen=True)
class Compare:
    """Which of two persons has the least or most, or how far they lie apart."""

    relation: Number
    way: Way | None
    uses: tuple[int, ...]
    """The two persons' steps, then the two values'."""
    rests_on_context: bool = False

    def say(self, given: Sequence[Any]) -> Said:
        """The person, the distance, or None where a value is missing."""
        one, two, first, second = given
        if one is not None and one == two:
            raise DeadEndError("tie", "both lead to the same person")
        if first is None or second is None:
            return Said(None, f"With one of the two missing, {NOT_TOLD}.")
        if self.way is None:
            low, high = sorted((first, second))
            apart = high - low
            text = f"{high} less {low} is {apart}, so the answer is {apart}."
            return Said(apart, text)
        name = best({one: first, two: second}, self.way)
        most = self.relation.least if self.way == "least" else self.relation.most
        figures = listed([shown(self.relation, value) for value in (first, second)])
        text = f"Between {figures}, it is {name} who {most}, so the answer is {name}."
        return Said(name, text)

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: what it says is of the steps alone."""
        yield from ()


@dataclass(frozen=True)
class Count:
    """Counts for how many candidates something was found to hold."""

    candidates: tuple[str, ...]
    uses: tuple[int, ...]
    rests_on_context: bool = False

    def say(self, given: Sequence[Any]) -> Said:
        """How many."""
        held = [n for n, holds in zip(self.candidates, given, strict=True) if holds is True]
        whom = f", namely {listed(held)}" if held else ""
        number, of = spelled(len(held)), spelled(len(self.candidates))
        return Said(len(held), f"That makes {number} of the {of}{whom}: the answer is {len(held)}.")

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: what it says is of the steps alone."""
        yield from ()


@dataclass(frozen=True)
class Conclude:
    """States the answer."""

    uses: tuple[int, ...]
    rests_on_context: bool = False

    def say(self, given: Sequence[Any]) -> Said:
        """The value of the step before."""
        (value,) = given
        if value is None:
            return Said(None, f"So of what the question asks, {NOT_TOLD}.")
        return Said(value, f"So the answer to the question is {answer_text(value)}.")

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: what it says is of the steps alone."""
        yield from ()


def answer_text(value: Value | None) -> str:
    """A value as the final answer states it."""
    if value is None:
        return NOT_TOLD
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
