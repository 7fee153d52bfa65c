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

_MUSEUM = GroundingDomain(
    name="museum archive",
    items=tuple(
        "the brass sextant|the walnut cradle|the tin lantern|the Ordell loom|the ivory chess set|"
        "the painted sledge|the harbour bell|the glass barometer|the leather atlas|the oak font|"
        "the silver inkstand|the ship's figurehead".split("|")
    ),
    places=tuple(
        "the north store|the annexe|the tower room|the print room|the old chapel|the dye house|"
        "the lower vault|the garden wing".split("|")
    ),
    person=Link(
        "keeper",
        ("{e} is in the care of {v}.", "{e} is looked after by {v}."),
        "{e} is in the care of {v}",
        "who looks after {e}",
        "the keeper of {e}",
        "{e} has since passed into the care of {v}",
        "are in the care of someone who",
    ),
    place=Link(
        "room",
        ("{e} works in {v}.", "{e} has a desk in {v}."),
        "{e} works in {v}",
        "where {e} works",
        "the room in which {e} works",
        "{e} has since moved to {v}",
    ),
    item_numbers=(
        Number(
            "made",
            ("{e} was made in {v}.", "{e} dates from {v}."),
            "{e} dates from {v}",
            "when {e} was made",
            "the date of {e} has since been corrected to {v}",
            "was made first",
            "was made last",
            1702,
            1898,
        ),
        Number(
            "weight",
            ("{e} weighs {v} kilograms.", "{e} comes to {v} kilograms on the scales."),
            "{e} weighs {v} kilograms",
            "how much {e} weighs",
            "{e} has since been weighed again, at {v} kilograms",
            "is the lightest",
            "is the heaviest",
            3,
            90,
        ),
    ),
    item_flags=(
        Flag(
            "shown",
            "is on display",
            "is not on display",
            "are on display",
            "whether {e} is on display",
            "Is {e} on display?",
            "has since been put on display",
            "has since been taken off display",
        ),
        Flag(
            "travels",
            "may travel",
            "may not travel",
            "may travel",
            "whether {e} may travel",
            "May {e} travel?",
            "has since been cleared for travel",
            "has since been barred from travel",
        ),
    ),
    person_number=Number(
        "joined",
        ("{e} joined the museum in {v}.", "{e} has been with the museum since {v}."),
        "{e} joined the museum in {v}",
        "when {e} joined the museum",
        "the year in which {e} joined has since been corrected to {v}",
        "joined first",
        "joined last",
        1978,
        2019,
        "How many years lie between the years in which {a} and {b} joined the museum?",
        "years",
    ),
    person_flag=Flag(
        "certified",
        "holds a handling certificate",
        "does not hold a handling certificate",
        "hold a handling certificate",
        "whether {e} holds a handling certificate",
        "Does {e} hold a handling certificate?",
        "has since gained a handling certificate",
        "has since given up the handling certificate",
    ),
    place_flags=(
        Flag(
            "cooled",
            "is climate-controlled",
            "is not climate-controlled",
            "are climate-controlled",
            "whether {e} is climate-controlled",
            "Is {e} climate-controlled?",
            "has since been given climate control",
            "has since lost its climate control",
        ),
        Flag(
            "ramp",
            "can be reached without stairs",
            "cannot be reached without stairs",
            "can be reached without stairs",
            "whether {e} can be reached without stairs",
            "Can {e} be reached without stairs?",
            "has since been given a ramp, so that it can be reached without stairs",
            "has since lost its ramp, so that it cannot be reached without stairs",
        ),
    ),
    place_number=Number(
        "shelves",
        ("{e} has {v} shelves.",),
        "{e} has {v} shelves",
        "how many shelves {e} has",
        "{e} has since been refitted with {v} shelves",
        "has the fewest shelves",
        "has the most shelves",
        12,
        95,
    ),
    asides=(
        "{e} came with no papers.",
        "{e} is a favourite of school parties.",
        "{e} was photographed for the catalogue.",
        "{e} shows traces of an old repair.",
    ),
    notes="Later entries in the register",
)

_FERRY = GroundingDomain(
    name="ferry timetable",
    items=tuple(
        "the Petrel|the Marigold|the Osprey|the Lady Brun|the Kestrel|the Tern|the Silver Eel|"
        "the Halcyon|the Dunlin|the Rosalind|the Skerry|the Merganser".split("|")
    ),
    places=tuple(
        "Hollin Quay|Port Brannock|Saltmouth|Eastnes|Cray Harbour|Muckle Pier|Thornhaven|"
        "Wick Landing".split("|")
    ),
    person=Link(
        "skipper",
        ("{e} is skippered by {v}.", "{e} sails under {v}."),
        "{e} is skippered by {v}",
        "who skippers {e}",
        "the skipper of {e}",
        "{e} has since been handed over to {v} as skipper",
        "are skippered by someone who",
    ),
    place=Link(
        "home",
        ("{e} lives at {v}.", "{e} has a house at {v}."),
        "{e} lives at {v}",
        "where {e} lives",
        "the place where {e} lives",
        "{e} has since moved to {v}",
    ),
    item_numbers=(
        Number(
            "leaves",
            ("{e} leaves at {v}.", "{e} casts off at {v}."),
            "{e} leaves at {v}",
            "when {e} leaves",
            "the departure of {e} has since been moved to {v}",
            "leaves first",
            "leaves last",
            365,
            1175,
            clock=True,
        ),
        Number(
            "seats",
            ("{e} has {v} seats.", "{e} carries up to {v} people."),
            "{e} carries up to {v} people",
            "how many people {e} carries",
            "{e} has since been cleared for {v} people",
            "carries the fewest people",
            "carries the most people",
            24,
            310,
        ),
    ),
    item_flags=(
        Flag(
            "bicycles",
            "takes bicycles",
            "does not take bicycles",
            "take bicycles",
            "whether {e} takes bicycles",
            "Does {e} take bicycles?",
            "has since begun to take bicycles",
            "has since stopped taking bicycles",
        ),
        Flag(
            "winter",
            "runs in winter",
            "does not run in winter",
            "run in winter",
            "whether {e} runs in winter",
            "Does {e} run in winter?",
            "has since been put on the winter service",
            "has since been taken off the winter service",
        ),
    ),
    person_number=Number(
        "years",
        ("{e} has been at sea for {v} years.", "{e} has {v} years at sea."),
        "{e} has been at sea for {v} years",
        "how long {e} has been at sea",
        "the record of {e} has since been corrected to {v} years at sea",
        "has been at sea for the shorter time",
        "has been at sea for the longer time",
        3,
        44,
        "By how many years do the times that {a} and {b} have been at sea differ?",
        "years",
    ),
    person_flag=Flag(
        "night",
        "holds a night licence",
        "does not hold a night licence",
        "hold a night licence",
        "whether {e} holds a night licence",
        "Does {e} hold a night licence?",
        "has since gained a night licence",
        "has since given up the night licence",
    ),
    place_flags=(
        Flag(
            "crane",
            "has a crane",
            "does not have a crane",
            "have a crane",
            "whether {e} has a crane",
            "Does {e} have a crane?",
            "has since been given a crane",
            "has since lost its crane",
        ),
        Flag(
            "waiting",
            "has a heated waiting room",
            "does not have a heated waiting room",
            "have a heated waiting room",
            "whether {e} has a heated waiting room",
            "Does {e} have a heated waiting room?",
            "has since opened a heated waiting room",
            "has since closed its heated waiting room",
        ),
    ),
    place_number=Number(
        "berths",
        ("{e} has {v} berths.",),
        "{e} has {v} berths",
        "how many berths {e} has",
        "{e} has since been extended to {v} berths",
        "has the fewest berths",
        "has the most berths",
        2,
        28,
    ),
    asides=(
        "{e} was repainted last spring.",
        "{e} has a small galley.",
        "{e} burns less fuel than it used to.",
        "{e} has a deck bench for six.",
    ),
    notes="Changes since printing",
)
