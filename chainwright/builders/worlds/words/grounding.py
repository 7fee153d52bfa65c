"""Words of the grounding track: what entities are called, and how their relations are worded.

In all texts `{e}` is the entity that the sentence is about and `{v}` the value.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["item", "person", "place"]


@dataclass(frozen=True)
class Link:
    """A relation whose values are entities."""

    name: str
    said: tuple[str, ...]
    claim: str
    asked: str
    noun: str
    changed: str
    their: str = ""
    """For several items: that they are so related to one of whom more is said."""


@dataclass(frozen=True)
class Number:
    """A relation whose values are whole numbers from `low` to `high`."""

    name: str
    said: tuple[str, ...]
    claim: str
    asked: str
    changed: str
    least: str
    most: str
    low: int
    high: int
    gap: str = ""
    """The question how far two values lie apart, of `{a}` and `{b}`; persons only."""
    unit: str = ""
    clock: bool = False
    """Values are minutes since midnight."""


@dataclass(frozen=True)
class Flag:
    """A relation that holds or does not."""

    name: str
    yes: str
    no: str
    plural: str
    asked: str
    ask: str
    on: str
    off: str


Relation = Link | Number | Flag


@dataclass(frozen=True)
class GroundingDomain:
    """A corner of the world: items that have a person, persons that have a place."""

    name: str
    items: tuple[str, ...]
    places: tuple[str, ...]
    person: Link
    place: Link
    item_numbers: tuple[Number, ...]
    item_flags: tuple[Flag, ...]
    person_number: Number
    person_flag: Flag
    place_flags: tuple[Flag, ...]
    place_number: Number
    asides: tuple[str, ...]
    """Sentences about an item that no question asks for."""
    notes: str
    """Title of the passage with later changes."""
    item_pronoun: str = "it"


PERSONS: tuple[str, ...] = tuple(
    "Ada Renn|Ines Falk|Tomas Brey|Mara Oduya|Piet Holloway|Sunniva Lark|Ivo Castellan|Noor Haddad|"
    "Greta Munk|Felix Aram|Odile Penhart|Ruben Sato|Wanda Quill|Elias Thorne|Lena Vasko|"
    "Caspar Idowu|Hanne Brisk|Milo Trevanion|Yara Nwosu|Jonas Pell|Thea Garrow|Anton Zielke|"
    "Beatrix Lowe|Karim Dessai".split("|")
)
