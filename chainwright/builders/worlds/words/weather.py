"""Words of the grounding track: weather stations."""

from chainwright.builders.worlds.words.grounding import Flag, GroundingDomain, Link, Number

WEATHER = GroundingDomain(
    name="weather stations",
    items=tuple(
        "the Corrie mast|the Fenside gauge|the Beacon station|the Loch gauge|the Moor mast|"
        "the Cathedral station|the Saddle mast|the Weir gauge|the Airfield station|"
        "the Pinewood mast|the Cliff gauge|the Chapel station".split("|")
    ),
    places=tuple(
        "Upper Sallow|Kettleby|Stonecross|Ash Hollow|Marrow Bridge|Tarn End|Little Orme|"
        "Dunfall".split("|")
    ),
    person=Link(
        "observer",
        ("{e} is read by {v}.", "{e} is visited each morning by {v}."),
        "{e} is read by {v}",
        "who reads {e}",
        "the observer of {e}",
        "{e} has since been assigned to {v}",
        "are read by someone who",
    ),
    place=Link(
        "village",
        ("{e} comes from {v}.", "{e} grew up in {v}."),
        "{e} comes from {v}",
        "where {e} comes from",
        "the village from which {e} comes",
        "the birthplace of {e} has since been corrected to {v}",
    ),
    item_numbers=(
        Number(
            "set_up",
            ("{e} was set up in {v}.", "{e} has been running since {v}."),
            "{e} was set up in {v}",
            "when {e} was set up",
            "the setting up of {e} has since been dated to {v}",
            "was set up first",
            "was set up last",
            1932,
            2011,
        ),
        Number(
            "rain",
            ("{e} recorded {v} millimetres of rain in June.",),
            "{e} recorded {v} millimetres of rain in June",
            "how much rain {e} recorded in June",
            "the June reading of {e} has since been corrected to {v} millimetres",
            "recorded the least rain in June",
            "recorded the most rain in June",
            18,
            190,
        ),
    ),
    item_flags=(
        Flag(
            "radio",
            "reports by radio",
            "does not report by radio",
            "report by radio",
            "whether {e} reports by radio",
            "Does {e} report by radio?",
            "has since been fitted out to report by radio",
            "has since stopped reporting by radio",
        ),
        Flag(
            "wind",
            "measures wind",
            "does not measure wind",
            "measure wind",
            "whether {e} measures wind",
            "Does {e} measure wind?",
            "has since been fitted out to measure wind",
            "has since lost its wind vane and no longer measures wind",
        ),
    ),
    person_number=Number(
        "readings",
        ("{e} has sent in {v} monthly sheets.", "{e} has {v} monthly sheets on file."),
        "{e} has sent in {v} monthly sheets",
        "how many monthly sheets {e} has sent in",
        "the sheets of {e} have since been counted again, and there are {v}",
        "has sent in fewer monthly sheets",
        "has sent in more monthly sheets",
        9,
        210,
        "By how many monthly sheets do {a} and {b} differ?",
        "sheets",
    ),
    person_flag=Flag(
        "paid",
        "is paid for the work",
        "is not paid for the work",
        "are paid for the work",
        "whether {e} is paid for the work",
        "Is {e} paid for the work?",
        "has since been put on the payroll, and is paid for the work",
        "has since been taken off the payroll, and is not paid for the work",
    ),
    place_flags=(
        Flag(
            "bus",
            "has a bus stop",
            "does not have a bus stop",
            "have a bus stop",
            "whether {e} has a bus stop",
            "Does {e} have a bus stop?",
            "has since been given a bus stop",
            "has since lost its bus stop",
        ),
        Flag(
            "school",
            "has a school",
            "does not have a school",
            "have a school",
            "whether {e} has a school",
            "Does {e} have a school?",
            "has since been given a school",
            "has since lost its school",
        ),
    ),
    place_number=Number(
        "houses",
        ("{e} has {v} houses.",),
        "{e} has {v} houses",
        "how many houses {e} has",
        "{e} has since grown to {v} houses",
        "has the fewest houses",
        "has the most houses",
        21,
        640,
    ),
    asides=(
        "{e} was struck by lightning once.",
        "{e} has a wooden fence around it.",
        "{e} is repainted white every other summer.",
        "{e} can be seen from the railway.",
    ),
    notes="Errata",
)
