"""Plans of the grounding track: the steps that lead from the passages to a query's answer."""

from dataclasses import dataclass, field

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.facts import Query
from chainwright.builders.worlds.grounding_steps import (
    Best,
    Compare,
    Conclude,
    Count,
    Each,
    Keep,
    Look,
)
from chainwright.builders.worlds.plan import Step
from chainwright.builders.worlds.questions import flag_of, number_of
from chainwright.builders.worlds.telling import Frame
from chainwright.builders.worlds.words.grounding import GroundingDomain, Relation


def plan_of(frame: Frame, domain: GroundingDomain, query: Query, draw: Draw) -> tuple[Step, ...]:
    """The steps in the order of a reader who looks things up one by one."""
    plan = _Plan(frame, domain, query, draw)
    match query.pattern:
        case "filter_best":
            plan.filter_best()
        case "hop_flag":
            plan.hop_flag()
        case "hop_compare" | "gap":
            plan.two_persons()
        case "best_hop":
            plan.best_hop()
        case "count":
            plan.count()
    return tuple(plan.steps)


@dataclass
class _Plan:
    frame: Frame
    domain: GroundingDomain
    query: Query
    draw: Draw
    steps: list[Step] = field(default_factory=list)

    def add(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def look(self, relation: Relation, entity: str) -> int:
        """A fact of an entity that is named."""
        style, sure = self.style()
        return self.add(Look(self.frame, relation, entity, entity, style=style, sure=sure))

    def look_on(self, relation: Relation, step: int, described: str) -> int:
        """A fact of the entity that a step has found."""
        style, sure = self.style()
        return self.add(Look(self.frame, relation, None, described, (step,), style, sure))

    def style(self) -> tuple[int, bool]:
        """How a fact is worded, and whether it is said that no note changes it."""
        return self.draw.below(3), bool(self.frame.notes) and self.draw.chance(0.2)

    def person(self, name: str) -> str:
        return self.domain.person.noun.format(e=name)

    def filter_best(self) -> None:
        names = self.query.candidates
        flag, number = flag_of(self.domain, self.query), number_of(self.domain, self.query)
        flags = tuple(self.look(flag, name) for name in names)
        kept = self.add(Keep(names, flags))
        each = self.add(Each(self.frame, number, (kept,)))
        self.add(Best(number, self.query.way, (each,), last=True))

    def hop_flag(self) -> None:
        (name,) = self.query.candidates
        person = self.look(self.domain.person, name)
        place = self.look_on(self.domain.place, person, self.person(name))
        described = self.domain.place.noun.format(e=self.person(name))
        flag = self.look_on(flag_of(self.domain, self.query), place, described)
        self.add(Conclude((flag,)))

    def two_persons(self) -> None:
        names, number = self.query.candidates, self.domain.person_number
        persons: list[int] = []
        values: list[int] = []
        one_by_one = self.draw.chance(0.5)
        for name in names:
            persons.append(self.look(self.domain.person, name))
            if one_by_one:
                values.append(self.look_on(number, persons[-1], self.person(name)))
        if not one_by_one:
            values = [
                self.look_on(number, person, self.person(name))
                for person, name in zip(persons, names, strict=True)
            ]
        way = self.query.way if self.query.pattern == "hop_compare" else None
        self.add(Compare(number, way, (*persons, *values)))

    def best_hop(self) -> None:
        names, number = self.query.candidates, number_of(self.domain, self.query)
        values = tuple(self.look(number, name) for name in names)
        first = self.add(Best(number, self.query.way, values, names))
        chosen = "the one chosen"
        person = self.look_on(self.domain.person, first, chosen)
        place = self.look_on(self.domain.place, person, self.person(chosen))
        self.add(Conclude((place,)))

    def count(self) -> None:
        names, flag = self.query.candidates, self.domain.person_flag
        flags: list[int] = []
        for name in names:
            person = self.look(self.domain.person, name)
            flags.append(self.look_on(flag, person, self.person(name)))
        self.add(Count(names, tuple(flags)))
