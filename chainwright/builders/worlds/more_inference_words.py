"""More words of the inference track: freight, loans of a museum, and an allotment society."""

from chainwright.builders.worlds.inference_words import (
    READING_ROOM,
    ROWING,
    InferenceDomain,
    Limit,
    Loose,
    Sign,
    be,
    has,
    may,
    words,
)

_FREIGHT = InferenceDomain(
    name="ferry freight",
    noun="crate",
    nouns="crates",
    who="that",
    names=(
        "the cedar crate",
        "the long crate",
        "the crate from Saltmouth",
        "the tarred crate",
        "the crate marked R",
        "the small crate",
    ),
    speakers=("the mate", "the purser", "the harbour master", "the agent"),
    tests=(
        words("was weighed ashore | was not weighed ashore | were weighed ashore"),
        words("was packed by the line | was not packed by the line | were packed by the line"),
        words(
            "came with a packing list | did not come with a packing list | came with packing lists"
        ),
    ),
    standings=(
        words("counts as cleared cargo | does not count as cleared cargo | count as cleared cargo"),
        words(
            "ranks as first-class freight | does not rank as first-class freight | rank as first-class freight"
        ),
    ),
    dues=(
        be("insured"),
        words("bears two labels | does not bear two labels | bear two labels"),
        words("has been paid for | has not been paid for | have been paid for"),
    ),
    permits=(
        may("travel on the car deck"),
        may("go on the morning boat"),
        may("be stored overnight"),
    ),
    flaws=(
        words("has a broken seal | does not have a broken seal | have broken seals"),
        words("exceeds the size chart | does not exceed the size chart | exceed the size chart"),
    ),
    bar_signs=(
        Sign(
            words(
                "holds a dangerous substance | does not hold a dangerous substance | hold dangerous substances"
            ),
            words("has a red stripe | does not have a red stripe | have red stripes"),
        ),
        Sign(
            be("under customs hold"),
            words("stands in bay nine | does not stand in bay nine | stand in bay nine"),
        ),
    ),
    bar_loose=(
        Loose(
            words("came by rail | did not come by rail | came by rail"),
            be("awaiting inspection"),
        ),
        Loose(
            words("belongs to the circus | does not belong to the circus | belong to the circus"),
            be("reserved for the night boat"),
        ),
    ),
    bar_limits=(
        Limit(
            "damage reports", words("is written off | is not written off | are written off"), 2, 5
        ),
        Limit(
            "missed sailings",
            words("is returned to sender | is not returned to sender | are returned to sender"),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            words("holds medical goods | does not hold medical goods | hold medical goods"),
            words("has a green tag | does not have a green tag | have green tags"),
        ),
        Sign(
            words(
                "belongs to the post office | does not belong to the post office | belong to the post office"
            ),
            words("is tied with blue cord | is not tied with blue cord | are tied with blue cord"),
        ),
    ),
    free_loose=(
        Loose(
            words(
                "is addressed to the island school | is not addressed to the island school | are addressed to the island school"
            ),
            be("covered by the mayor's letter"),
        ),
        Loose(
            words("holds live plants | does not hold live plants | hold live plants"),
            has("a waiver from the line"),
        ),
    ),
    free_limits=(
        Limit("priority stamps", words("is sent ahead | is not sent ahead | are sent ahead"), 3, 6),
        Limit(
            "days in store",
            words("counts as stranded | does not count as stranded | count as stranded"),
            6,
            15,
        ),
    ),
    titles=("Freight rules", "Standing orders", "The loading book", "On the quay"),
)

_LOANS = InferenceDomain(
    name="museum loans",
    noun="object",
    nouns="objects",
    who="that",
    names=(
        "the brass astrolabe",
        "the lace fan",
        "the copper kettle",
        "the carved mask",
        "the sea chest",
        "the paper theatre",
    ),
    speakers=("the registrar", "the guard", "the curator", "the carpenter"),
    tests=(
        words("has been photographed | has not been photographed | have been photographed"),
        words("was cleaned last year | was not cleaned last year | were cleaned last year"),
        words("has a full provenance | does not have a full provenance | have full provenances"),
    ),
    standings=(
        words(
            "counts as ready for travel | does not count as ready for travel | count as ready for travel"
        ),
        words(
            "belongs to the lending stock | does not belong to the lending stock | belong to the lending stock"
        ),
    ),
    dues=(
        words("has a fitted case | does not have a fitted case | have fitted cases"),
        be("valued for insurance"),
        words(
            "has been asked for in writing | has not been asked for in writing | have been asked for in writing"
        ),
    ),
    permits=(
        may("go out on loan"),
        may("be shown in the glass hall"),
        may("be handled by students"),
    ),
    flaws=(
        words("shows traces of worm | does not show traces of worm | show traces of worm"),
        words("is made partly of ivory | is not made partly of ivory | are made partly of ivory"),
    ),
    bar_signs=(
        Sign(
            be("claimed by another owner"),
            words("has a grey card | does not have a grey card | have grey cards"),
        ),
        Sign(
            be("sensitive to light"),
            words("lies under a cloth | does not lie under a cloth | lie under cloths"),
        ),
    ),
    bar_loose=(
        Loose(
            words(
                "came with the Harcourt gift | did not come with the Harcourt gift | came with the Harcourt gift"
            ),
            words(
                "is bound to the house by will | is not bound to the house by will | are bound to the house by will"
            ),
        ),
        Loose(
            words(
                "was repaired in the war years | was not repaired in the war years | were repaired in the war years"
            ),
            be("too weak to be moved"),
        ),
    ),
    bar_limits=(
        Limit(
            "loans since spring",
            words("is being rested | is not being rested | are being rested"),
            3,
            6,
        ),
        Limit(
            "open repairs",
            words(
                "is kept in the workshop | is not kept in the workshop | are kept in the workshop"
            ),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            words(
                "belongs to the teaching set | does not belong to the teaching set | belong to the teaching set"
            ),
            words("has a white number | does not have a white number | have white numbers"),
        ),
        Sign(
            be("on a director's list"),
            words("has its own lamp | does not have its own lamp | have their own lamps"),
        ),
    ),
    free_loose=(
        Loose(
            words("was bought before 1950 | was not bought before 1950 | were bought before 1950"),
            has("a permit from the ministry"),
        ),
        Loose(
            words("was treated with gas | was not treated with gas | were treated with gas"),
            be("certified as sound"),
        ),
    ),
    free_limits=(
        Limit(
            "inspection marks",
            words("is passed as stable | is not passed as stable | are passed as stable"),
            3,
            7,
        ),
        Limit(
            "guarantors",
            words(
                "is specially vouched for | is not specially vouched for | are specially vouched for"
            ),
            3,
            6,
        ),
    ),
    titles=("Loan policy", "House rules", "Condition notes", "In the corridor"),
)

_ALLOTMENT = InferenceDomain(
    name="allotment society",
    noun="tenant",
    nouns="tenants",
    who="who",
    names=("Bea Colley", "Victor Hahn", "Asta Moen", "Leo Brandt", "Rosa Iyer", "Sam Tully"),
    speakers=("the chair", "the neighbour", "the clerk", "the warden"),
    tests=(
        words("has dug a trial bed | has not dug a trial bed | have dug trial beds"),
        words(
            "came off the waiting list | did not come off the waiting list | came off the waiting list"
        ),
        words(
            "has attended two work days | has not attended two work days | have attended two work days"
        ),
    ),
    standings=(
        words(
            "counts as a settled tenant | does not count as a settled tenant | count as settled tenants"
        ),
        words(
            "has full gardener's standing | does not have full gardener's standing | have full gardener's standing"
        ),
    ),
    dues=(
        words(
            "has paid the water charge | has not paid the water charge | have paid the water charge"
        ),
        words("keeps a compost heap | does not keep a compost heap | keep compost heaps"),
        words(
            "has returned the census form | has not returned the census form | have returned the census form"
        ),
    ),
    permits=(
        may("put up a shed"),
        may("keep hens"),
        may("take on a second plot"),
    ),
    flaws=(
        words(
            "has let weeds cross the path | has not let weeds cross the path | have let weeds cross the path"
        ),
        words("owns a petrol mower | does not own a petrol mower | own petrol mowers"),
    ),
    bar_signs=(
        Sign(
            be("in dispute with the society"),
            words(
                "gets post by registered mail | does not get post by registered mail | get post by registered mail"
            ),
        ),
        Sign(
            be("under notice"),
            words(
                "has a black peg at the gate | does not have a black peg at the gate | have black pegs at their gates"
            ),
        ),
    ),
    bar_loose=(
        Loose(
            words("rents by the stream | does not rent by the stream | rent by the stream"),
            words(
                "lies within the flood line | does not lie within the flood line | lie within the flood line"
            ),
        ),
        Loose(
            words("shares a plot | does not share a plot | share plots"),
            be("listed as a helper only"),
        ),
    ),
    bar_limits=(
        Limit(
            "complaints on file", words("is bound over | is not bound over | are bound over"), 3, 6
        ),
        Limit(
            "unworked months",
            words("has forfeited extras | has not forfeited extras | have forfeited extras"),
            3,
            7,
        ),
    ),
    free_signs=(
        Sign(
            words("sits on the committee | does not sit on the committee | sit on the committee"),
            words(
                "has a key to the pump house | does not have a key to the pump house | have keys to the pump house"
            ),
        ),
        Sign(
            words(
                "keeps bees for the society | does not keep bees for the society | keep bees for the society"
            ),
            words(
                "wears a veil on Mondays | does not wear a veil on Mondays | wear veils on Mondays"
            ),
        ),
    ),
    free_loose=(
        Loose(
            words(
                "won a prize at the show | did not win a prize at the show | won prizes at the show"
            ),
            words(
                "enjoys the founder's privilege | does not enjoy the founder's privilege | enjoy the founder's privilege"
            ),
        ),
        Loose(
            words(
                "gardens with a school class | does not garden with a school class | garden with school classes"
            ),
            has("a promise in writing"),
        ),
    ),
    free_limits=(
        Limit(
            "years on the site",
            words("is an elder of the site | is not an elder of the site | are elders of the site"),
            8,
            20,
        ),
        Limit(
            "shared harvest days",
            words(
                "is in the chair's good books | is not in the chair's good books | are in the chair's good books"
            ),
            4,
            9,
        ),
    ),
    titles=("Rules of tenancy", "Other rules", "The plot register", "By the water tank"),
)

INFERENCE_DOMAINS: tuple[InferenceDomain, ...] = (
    ROWING,
    READING_ROOM,
    _FREIGHT,
    _LOANS,
    _ALLOTMENT,
)
