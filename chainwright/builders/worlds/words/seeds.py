"""Words of the grounding track: a seed bank."""

from chainwright.builders.worlds.words.grounding import Flag, GroundingDomain, Link, Number

SEEDS = GroundingDomain(
    name="seed bank",
    items=tuple(
        "the Harrow pea|the blue lentil|the Sorrel oat|the dwarf barley|the Penny bean|"
        "the red amaranth|the Castle rye|the winter cress|the Tolland kale|the flat onion|"
        "the speckled maize|the Abbot's leek".split("|")
    ),
    places=tuple(
        "the hill garden|the walled plot|Quarry Field|the river terrace|the school garden|"
        "Mill Acre|the glasshouse yard|Long Meadow".split("|")
    ),
    person=Link(
        "grower",
        ("{e} is grown on by {v}.", "{e} is entrusted to {v}."),
        "{e} is entrusted to {v}",
        "to whom {e} is entrusted",
        "the grower of {e}",
        "{e} has since been entrusted to {v}",
        "are entrusted to someone who",
    ),
    place=Link(
        "garden",
        ("{e} sows in {v}.", "{e} tends a bed in {v}."),
        "{e} sows in {v}",
        "where {e} sows",
        "the ground in which {e} sows",
        "{e} has since changed over to {v}",
    ),
    item_numbers=(
        Number(
            "collected",
            ("{e} was collected in {v}.", "{e} entered the bank in {v}."),
            "{e} entered the bank in {v}",
            "when {e} entered the bank",
            "the year in which {e} entered the bank has since been corrected to {v}",
            "entered the bank first",
            "entered the bank last",
            1951,
            2014,
        ),
        Number(
            "packets",
            ("There are {v} packets of {e}.",),
            "there are {v} packets of {e}",
            "how many packets of {e} there are",
            "the packets of {e} have since been counted again, and there are {v}",
            "fills the fewest packets",
            "fills the most packets",
            11,
            240,
        ),
    ),
    item_flags=(
        Flag(
            "sprouted",
            "sprouted in the last test",
            "did not sprout in the last test",
            "sprouted in the last test",
            "whether {e} sprouted in the last test",
            "Did {e} sprout in the last test?",
            "has since been entered among those that sprouted in the last test",
            "has since been struck from those that sprouted in the last test",
        ),
        Flag(
            "frost",
            "stands frost",
            "does not stand frost",
            "stand frost",
            "whether {e} stands frost",
            "Does {e} stand frost?",
            "has since been found to stand frost",
            "has since been found not to stand frost",
        ),
    ),
    person_number=Number(
        "beds",
        ("{e} keeps {v} beds.", "{e} has charge of {v} beds."),
        "{e} keeps {v} beds",
        "how many beds {e} keeps",
        "{e} has since been allotted {v} beds in all",
        "keeps fewer beds",
        "keeps more beds",
        4,
        39,
        "By how many beds do {a} and {b} differ?",
        "beds",
    ),
    person_flag=Flag(
        "dries",
        "is trained in drying",
        "is not trained in drying",
        "are trained in drying",
        "whether {e} is trained in drying",
        "Is {e} trained in drying?",
        "has since been trained in drying",
        "has since been struck off the list of those trained in drying",
    ),
    place_flags=(
        Flag(
            "fenced",
            "is fenced",
            "is not fenced",
            "are fenced",
            "whether {e} is fenced",
            "Is {e} fenced?",
            "has since been fenced",
            "has since lost its fence",
        ),
        Flag(
            "water",
            "has running water",
            "does not have running water",
            "have running water",
            "whether {e} has running water",
            "Does {e} have running water?",
            "has since been given running water",
            "has since been cut off from running water",
        ),
    ),
    place_number=Number(
        "height",
        ("{e} lies {v} metres above the sea.",),
        "{e} lies {v} metres above the sea",
        "how high {e} lies",
        "{e} has since been measured at {v} metres above the sea",
        "lies lowest",
        "lies highest",
        15,
        480,
    ),
    asides=(
        "{e} was once sold at the autumn fair.",
        "{e} has a page of its own in the seed list.",
        "{e} is said to taste of smoke.",
        "{e} is kept in paper, not in tin.",
    ),
    notes="Amendments to the seed list",
)
