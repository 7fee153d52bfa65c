"""Wording: values, claims, lists and sentences as they are read."""

from collections.abc import Sequence

from chainwright.builders.worlds.facts import Value
from chainwright.builders.worlds.words.grounding import Flag, Number, Relation

_SPELLED = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def shown(relation: Relation, value: Value) -> str:
    """A value as a sentence states it; times of day as `8:40`."""
    if isinstance(relation, Number) and relation.clock:
        return f"{int(value) // 60}:{int(value) % 60:02d}"
    return str(value)


def claim(relation: Relation, entity: str, value: Value) -> str:
    """The clause that a relation of an entity has a value."""
    if isinstance(relation, Flag):
        return f"{entity} {relation.yes if value else relation.no}"
    return relation.claim.format(e=entity, v=shown(relation, value))


def changed(relation: Relation, entity: str, value: Value) -> str:
    """The clause that a relation of an entity has come to have a value."""
    if isinstance(relation, Flag):
        return f"{entity} {relation.on if value else relation.off}"
    return relation.changed.format(e=entity, v=shown(relation, value))


def sentence(clause: str) -> str:
    """A clause as a sentence: with a capital and a full stop."""
    text = f"{clause[:1].upper()}{clause[1:]}"
    return text if text.endswith((".", "?", ":")) else f"{text}."


def said_in(clause: str, cites: Sequence[int], style: int) -> str:
    """A clause with its references as a step, in one of three styles."""
    if not cites:
        return sentence(clause)
    if style % 3 == 0 or "[" in clause:
        return sentence(f"{clause} {marks(cites)}")
    if style % 3 == 1:
        return f"Passage {marks(cites)} says that {clause}."
    return f"According to {marks(cites)}, {clause}."


def marks(cites: Sequence[int]) -> str:
    """References as `[1]` or `[1][3]`."""
    return "".join(f"[{ref}]" for ref in cites)


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a list in words: `A`, `A and B`, `A, B and C`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def spelled(number: int) -> str:
    """A small number in words; 0 is `none`."""
    return _SPELLED[number] if 0 <= number < len(_SPELLED) else str(number)
