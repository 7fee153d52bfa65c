"""Words of the inference track: the bylaws of a rowing club."""

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

ROWING = InferenceDomain(
    name="rowing club bylaws",
    noun="member",
    nouns="members",
    who="who",
    names=("Nell Parry", "Ivo Dane", "Sanna Holt", "Rafe Okoro", "Mina Voss", "Jude Farrow"),
    speakers=("the boatman", "the treasurer", "the captain", "the secretary"),
    tests=(
        done("passed the river test"),
        done("rowed two full seasons"),
        did("came", "come", "in from a partner club"),
    ),
    standings=(
        has("the standing of an able hand"),
        has("the rank of a full oar"),
    ),
    dues=(
        done("paid this year's dues"),
        done("signed the safety sheet"),
        does("swims", "swim", "a hundred metres"),
    ),
    permits=(
        may("take out a racing shell"),
        may("row after dusk"),
        may("enter the autumn regatta"),
    ),
    flaws=(
        be("on the doctor's list"),
        done("damaged an oar this month"),
    ),
    bar_signs=(
        Sign(
            be("under a formal warning"),
            does("wears", "wear", "a red band"),
        ),
        Sign(
            be("banned from the slipway"),
            done("handed in the gate key"),
        ),
    ),
    bar_loose=(
        Loose(
            does("rows", "row", "in the early crew"),
            be("on the deferred list"),
        ),
        Loose(
            did("joined", "join", "through the summer course"),
            be("still on probation"),
        ),
    ),
    bar_limits=(
        Limit(
            "missed boathouse duties",
            done("lost boat rights"),
            3,
            6,
        ),
        Limit(
            "late returns",
            be("grounded for the month"),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            does("serves", "serve", "as a lifeguard"),
            does("carries", "carry", "a whistle"),
        ),
        Sign(
            be("a launch driver"),
            has("a locker by the ramp"),
        ),
    ),
    free_loose=(
        Loose(
            does("coaches", "coach", "the juniors"),
            has("a dispensation from the committee"),
        ),
    ),
    free_limits=(
        Limit(
            "regatta wins",
            has("honorary standing"),
            3,
            7,
        ),
        Limit(
            "rescue shifts",
            does("holds", "hold", "a river pass"),
            4,
            9,
        ),
    ),
    titles=("Bylaw on boats", "Other bylaws", "Club records", "At the landing stage"),
)
