"""Words of the inference track: an allotment society."""

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
)

ALLOTMENT = InferenceDomain(
    name="allotment society",
    noun="tenant",
    nouns="tenants",
    who="who",
    names=("Bea Colley", "Victor Hahn", "Asta Moen", "Leo Brandt", "Rosa Iyer", "Sam Tully"),
    speakers=("the chair", "the neighbour", "the clerk", "the warden"),
    tests=(
        done("dug a trial bed"),
        did("came", "come", "off the waiting list"),
        done("attended two work days"),
    ),
    standings=(
        has("a settled tenancy"),
        has("full gardener's standing"),
    ),
    dues=(
        done("paid the water charge"),
        does("keeps", "keep", "a compost heap"),
        done("returned the census form"),
    ),
    permits=(
        may("put up a shed"),
        may("keep hens"),
        may("take on a second plot"),
    ),
    flaws=(
        done("let weeds cross the path"),
        does("owns", "own", "a petrol mower"),
    ),
    bar_signs=(
        Sign(
            be("in dispute with the society"),
            does("gets", "get", "post by registered mail"),
        ),
        Sign(
            be("under notice"),
            has("a black peg at the gate"),
        ),
    ),
    bar_loose=(
        Loose(
            does("rents", "rent", "by the stream"),
            does("lies", "lie", "within the flood line"),
        ),
        Loose(
            does("shares", "share", "a plot"),
            be("listed among the helpers"),
        ),
    ),
    bar_limits=(
        Limit("complaints on file", be("bound over"), 3, 6),
        Limit(
            "unworked months",
            done("forfeited extras"),
            3,
            7,
        ),
    ),
    free_signs=(
        Sign(
            does("sits", "sit", "on the committee"),
            has("a key to the pump house"),
        ),
        Sign(
            does("keeps", "keep", "bees for the society"),
            does("wears", "wear", "a veil on Mondays"),
        ),
    ),
    free_loose=(
        Loose(
            did("won", "win", "a prize at the show"),
            does("enjoys", "enjoy", "the founder's privilege"),
        ),
        Loose(
            does("gardens", "garden", "with a school class"),
            has("a promise in writing"),
        ),
    ),
    free_limits=(
        Limit(
            "years on the site",
            be("an elder of the site"),
            8,
            20,
        ),
        Limit(
            "shared harvest days",
            be("in the chair's good books"),
            4,
            9,
        ),
    ),
    titles=("Rules of tenancy", "Other rules", "The plot register", "By the water tank"),
)
