"""Fact tables: entities with one value a relation, and questions answered from them.

The table is closed: what it does not list, the passages do not say. A later note may change a
fact; then both are listed and the change counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chainwright.builders.worlds.plan import DeadEndError
from chainwright.schemas.words import FaithfulnessError

Value = str | int | bool
Key = tuple[str, str]
"""Entity and relation."""


@dataclass(frozen=True)
class Claim:
    """What a step states of one entity and relation.

    `current`: the value is this, changes included. `base`: it was this before any change.
    `changed`: a later note makes it this. `unchanged`: no later note makes it another than this.
    `silent`: no passage gives a value.
    """

    about: Literal["current", "base", "changed", "unchanged", "silent"]
    entity: str
    relation: str
    value: Value | None = None

    @property
    def key(self) -> Key:
        """Entity and relation."""
        return self.entity, self.relation


@dataclass(frozen=True)
class FactTable:
    """What the passages of a problem say."""

    facts: Mapping[Key, Value]
    changes: Mapping[Key, Value]

    def value(self, entity: str | None, relation: str) -> Value | None:
        """The current value; None where the passages are silent, or nothing is asked about."""
        key = (entity or "", relation)
        return self.changes.get(key, self.facts.get(key))

    def supports(self, claim: Claim) -> bool:
        """Whether the passages bear a claim out."""
        match claim.about:
            case "current":
                return self.value(*claim.key) == claim.value
            case "base":
                return self.facts.get(claim.key) == claim.value
            case "changed":
                return claim.key in self.changes and self.changes[claim.key] == claim.value
            case "unchanged":
                return claim.key not in self.changes and self.facts.get(claim.key) == claim.value
            case "silent":
                return claim.key not in self.facts and claim.key not in self.changes

    def assuming(self, claim: Claim) -> "FactTable":
        """The table in which a claim holds that does not hold here."""
        facts, changes = dict(self.facts), dict(self.changes)
        if claim.about == "changed" and claim.value is not None:
            changes[claim.key] = claim.value
        else:
            changes.pop(claim.key, None)
            facts.pop(claim.key, None)
            if claim.value is not None:
                facts[claim.key] = claim.value
        return replace(self, facts=facts, changes=changes)

    def is_a_case(self, category: FaithfulnessError, claim: Claim) -> bool:
        """Whether a claim is wrong in the way the category means; see `docs/exact-context.md`."""
        if self.supports(claim):
            return False
        here = self.value(*claim.key)
        match category:
            case "groundedness_violation":
                invented = claim.about == "changed" and claim.key not in self.changes
                return invented or (claim.about == "current" and here is None)
            case "contradiction":
                return claim.about == "current" and isinstance(here, bool) and claim.value != here
            case "confusion":
                others = {
                    self.value(entity, relation)
                    for entity, relation in self.facts
                    if relation == claim.relation and entity != claim.entity
                }
                stated = claim.about == "current" and not isinstance(claim.value, bool)
                return stated and here is not None and claim.value in others
            case "evidence_neglect":
                if claim.about == "silent":
                    return here is not None
                denied = claim.about == "unchanged" and claim.key in self.changes
                return denied and self.facts.get(claim.key) == claim.value
            case _:
                return False


Pattern = Literal["filter_best", "hop_flag", "hop_compare", "best_hop", "count", "gap"]
Way = Literal["least", "most"]


@dataclass(frozen=True)
class Query:
    """What is asked of a table, in terms of its relations.

    `filter_best`: of the candidates with the flag, the one with the least or most `number`.
    `hop_flag`: whether the place of the candidate's person has the flag. `hop_compare`: which of
    the candidates' persons has the least or most `number`. `best_hop`: the place of the person of
    the candidate with the least or most. `count`: how many candidates have a person with the
    flag. `gap`: how far the `number` of two candidates' persons lie apart.
    """

    pattern: Pattern
    candidates: tuple[str, ...]
    person: str = ""
    place: str = ""
    flag: str = ""
    number: str = ""
    way: Way = "least"


def solve(table: FactTable, query: Query) -> Value | None:
    """The answer, straight from the table; None where the passages don't tell.

    Raises:
        DeadEndError: `tie` where two candidates share the first place, `no_candidate` where none
            is left.
    """
    return _SOLVERS[query.pattern](table, query)


def best(values: Mapping[str, int], way: Way) -> str:
    """The one with the least or most.

    Raises:
        DeadEndError: `no_candidate` or `tie`.
    """
    if not values:
        raise DeadEndError("no_candidate", "no candidate is left to choose from")
    end = min(values.values()) if way == "least" else max(values.values())
    first = [name for name, value in values.items() if value == end]
    if len(first) > 1:
        raise DeadEndError("tie", f"{' and '.join(first)} share the first place")
    return first[0]


def _filter_best(table: FactTable, query: Query) -> Value:
    kept = [name for name in query.candidates if table.value(name, query.flag) is True]
    return best(_numbers(table, kept, query.number), query.way)


def _hop_flag(table: FactTable, query: Query) -> Value | None:
    return table.value(_place(table, query, query.candidates[0]), query.flag)


def _hop_compare(table: FactTable, query: Query) -> Value | None:
    persons = [_text(table.value(name, query.person)) for name in query.candidates]
    numbers = _numbers(table, [name for name in persons if name], query.number)
    if len(set(persons)) < len(persons):
        raise DeadEndError("tie", "both lead to the same person")
    return best(numbers, query.way) if len(numbers) == len(persons) else None


def _best_hop(table: FactTable, query: Query) -> Value | None:
    first = best(_numbers(table, query.candidates, query.number), query.way)
    return _place(table, query, first)


def _count(table: FactTable, query: Query) -> Value:
    persons = [_text(table.value(name, query.person)) for name in query.candidates]
    return sum(table.value(name, query.flag) is True for name in persons)


def _gap(table: FactTable, query: Query) -> Value | None:
    persons = [_text(table.value(name, query.person)) for name in query.candidates]
    if persons[0] is not None and persons[0] == persons[1]:
        raise DeadEndError("tie", "both lead to the same person")
    one, two = (table.value(name, query.number) for name in persons)
    return abs(int(one) - int(two)) if one is not None and two is not None else None


def _numbers(table: FactTable, names: Sequence[str], relation: str) -> dict[str, int]:
    values = {name: table.value(name, relation) for name in names}
    return {name: int(value) for name, value in values.items() if value is not None}


def _place(table: FactTable, query: Query, name: str) -> str | None:
    return _text(table.value(_text(table.value(name, query.person)), query.place))


def _text(value: Value | None) -> str | None:
    return None if value is None else str(value)


_SOLVERS: dict[Pattern, Callable[[FactTable, Query], Value | None]] = {
    "filter_best": _filter_best,
    "hop_flag": _hop_flag,
    "hop_compare": _hop_compare,
    "best_hop": _best_hop,
    "count": _count,
    "gap": _gap,
}
