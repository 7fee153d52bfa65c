"""Words of the grounding track: a museum's archive."""

from chainwright.builders.worlds.words.grounding import Flag, GroundingDomain, Link, Number

MUSEUM = GroundingDomain(
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
