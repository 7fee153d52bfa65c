"""Words of the inference track: freight on a ferry."""

from chainwright.builders.worlds.words.inference import (
    InferenceDomain,
    Limit,
    Loose,
    Sign,
    be,
    did,
    does,
    done,
    has,
    may,
    was,
)

FREIGHT = InferenceDomain(
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
        was("weighed ashore"),
        was("packed by the line"),
        did("came", "come", "with a packing list"),
    ),
    standings=(
        does("counts", "count", "as cleared cargo"),
        does("ranks", "rank", "as first-class freight"),
    ),
    dues=(
        be("insured"),
        does("bears", "bear", "two labels"),
        done("been paid for"),
    ),
    permits=(
        may("travel on the car deck"),
        may("go on the morning boat"),
        may("be stored overnight"),
    ),
    flaws=(
        has("a broken seal"),
        does("exceeds", "exceed", "the size chart"),
    ),
    bar_signs=(
        Sign(
            does("holds", "hold", "a dangerous substance"),
            has("a red stripe"),
        ),
        Sign(
            be("under customs hold"),
            does("stands", "stand", "in bay nine"),
        ),
    ),
    bar_loose=(
        Loose(
            did("came", "come", "by rail"),
            be("awaiting inspection"),
        ),
        Loose(
            does("belongs", "belong", "to the circus"),
            be("reserved for the night boat"),
        ),
    ),
    bar_limits=(
        Limit("damage reports", be("written off"), 3, 6),
        Limit(
            "missed sailings",
            be("returned to sender"),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            does("holds", "hold", "medical goods"),
            has("a green tag"),
        ),
        Sign(
            does("belongs", "belong", "to the post office"),
            be("tied with blue cord"),
        ),
    ),
    free_loose=(
        Loose(
            be("addressed to the island school"),
            be("covered by the mayor's letter"),
        ),
        Loose(
            does("holds", "hold", "live plants"),
            has("a waiver from the line"),
        ),
    ),
    free_limits=(
        Limit("priority stamps", be("sent ahead"), 3, 6),
        Limit(
            "days in store",
            does("counts", "count", "as stranded"),
            6,
            15,
        ),
    ),
    titles=("Freight rules", "Standing orders", "The loading book", "On the quay"),
)
