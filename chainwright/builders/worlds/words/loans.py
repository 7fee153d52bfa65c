"""Words of the inference track: the loans of a museum."""

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

LOANS = InferenceDomain(
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
        done("been photographed"),
        was("cleaned last year"),
        has("a full provenance"),
    ),
    standings=(
        does("counts", "count", "as ready for travel"),
        does("belongs", "belong", "to the lending stock"),
    ),
    dues=(
        has("a fitted case"),
        be("valued for insurance"),
        done("been asked for in writing"),
    ),
    permits=(
        may("go out on loan"),
        may("be shown in the glass hall"),
        may("be handled by students"),
    ),
    flaws=(
        does("shows", "show", "traces of worm"),
        be("made partly of ivory"),
    ),
    bar_signs=(
        Sign(
            be("claimed by another owner"),
            has("a grey card"),
        ),
        Sign(
            be("sensitive to light"),
            does("lies", "lie", "under a cloth"),
        ),
    ),
    bar_loose=(
        Loose(
            did("came", "come", "with the Harcourt gift"),
            be("bound to the house by will"),
        ),
        Loose(
            was("repaired in the war years"),
            be("too weak to be moved"),
        ),
    ),
    bar_limits=(
        Limit(
            "loans since spring",
            be("being rested"),
            3,
            6,
        ),
        Limit(
            "open repairs",
            be("kept in the workshop"),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            does("belongs", "belong", "to the teaching set"),
            has("a white number"),
        ),
        Sign(
            be("on a director's list"),
            has("its own lamp"),
        ),
    ),
    free_loose=(
        Loose(
            was("bought before 1950"),
            has("a permit from the ministry"),
        ),
        Loose(
            was("treated with gas"),
            be("certified as sound"),
        ),
    ),
    free_limits=(
        Limit(
            "inspection marks",
            be("passed as stable"),
            3,
            7,
        ),
        Limit(
            "guarantors",
            be("specially vouched for"),
            3,
            6,
        ),
    ),
    titles=("Loan policy", "House rules", "Condition notes", "In the corridor"),
)
