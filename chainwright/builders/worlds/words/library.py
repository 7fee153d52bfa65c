"""Words of the grounding track: the collections of a library."""

from chainwright.builders.worlds.words.grounding import Flag, GroundingDomain, Link, Number

LIBRARY = GroundingDomain(
    name="library collections",
    items=tuple(
        "the Brandt letters|the Corvin maps|the tide ledgers|the Amsel songbooks|the parish rolls|"
        "the Yarrow diaries|the mill accounts|the Dunmore plates|the school primers|"
        "the theatre bills|the Okell notebooks|the bridge drawings".split("|")
    ),
    places=tuple(
        "the Castle Street branch|the harbour branch|the Elm Road branch|the music library|"
        "the market branch|the college library|the Southgate branch|the reading house".split("|")
    ),
    person=Link(
        "librarian",
        ("Questions about {e} go to {v}.", "Whoever asks for {e} is sent to {v}."),
        "questions about {e} go to {v}",
        "who answers questions about {e}",
        "the librarian in charge of {e}",
        "questions about {e} have since been passed to {v}",
        "are in the charge of someone who",
    ),
    place=Link(
        "branch",
        ("{e} is based at {v}.", "{e} sits at {v}."),
        "{e} is based at {v}",
        "where {e} is based",
        "the library at which {e} is based",
        "{e} has since been posted to {v}",
    ),
    item_numbers=(
        Number(
            "boxes",
            ("It takes {v} boxes to hold {e}.",),
            "it takes {v} boxes to hold {e}",
            "how many boxes hold {e}",
            "the boxes of {e} have since been counted again, and there are {v}",
            "fills the fewest boxes",
            "fills the most boxes",
            3,
            74,
        ),
        Number(
            "arrived",
            ("The library was given {e} in {v}.", "The gift of {e} was made in {v}."),
            "the library was given {e} in {v}",
            "when the library was given {e}",
            "the gift of {e} has since been dated to {v}",
            "was given first",
            "was given last",
            1911,
            1996,
        ),
    ),
    item_flags=(
        Flag(
            "listed",
            "have been catalogued",
            "have not been catalogued",
            "have been catalogued",
            "whether {e} have been catalogued",
            "Have {e} been catalogued?",
            "have since been catalogued",
            "have since been withdrawn from the catalogue, and no longer count as catalogued",
        ),
        Flag(
            "scanned",
            "can be read on a screen",
            "cannot be read on a screen",
            "can be read on a screen",
            "whether {e} can be read on a screen",
            "Can {e} be read on a screen?",
            "have since been scanned, and can be read on a screen",
            "have since been taken offline, and cannot be read on a screen",
        ),
    ),
    person_number=Number(
        "began",
        ("{e} began at the library in {v}.", "{e} took up the post in {v}."),
        "{e} began in {v}",
        "when {e} began",
        "the year in which {e} began has since been corrected to {v}",
        "began first",
        "began last",
        1981,
        2021,
        "How many years lie between the years in which {a} and {b} began?",
        "years",
    ),
    person_flag=Flag(
        "latin",
        "reads Latin",
        "does not read Latin",
        "read Latin",
        "whether {e} reads Latin",
        "Does {e} read Latin?",
        "has since passed the examination and reads Latin",
        "has since owned to not reading Latin",
    ),
    place_flags=(
        Flag(
            "lift",
            "has a lift",
            "does not have a lift",
            "have a lift",
            "whether {e} has a lift",
            "Does {e} have a lift?",
            "has since been given a lift",
            "has since lost its lift",
        ),
        Flag(
            "sunday",
            "opens on Sundays",
            "does not open on Sundays",
            "open on Sundays",
            "whether {e} opens on Sundays",
            "Does {e} open on Sundays?",
            "has since begun to open on Sundays",
            "has since stopped opening on Sundays",
        ),
    ),
    place_number=Number(
        "desks",
        ("{e} has {v} desks.",),
        "{e} has {v} desks",
        "how many desks {e} has",
        "{e} has since been refurnished with {v} desks",
        "has the fewest desks",
        "has the most desks",
        6,
        120,
    ),
    asides=(
        "A scholar from abroad once copied out {e} by hand.",
        "The reading group spent a winter on {e}.",
        "There is a story about {e} that nobody can confirm.",
        "Mice once got at {e}, though little was lost.",
    ),
    notes="Notices to readers",
    item_pronoun="these holdings",
)
