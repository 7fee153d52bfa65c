"""Words of the inference track: the rules of a library."""

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

READING_ROOM = InferenceDomain(
    name="library rules",
    noun="reader",
    nouns="readers",
    who="who",
    names=(
        "Olga Brandt",
        "Tim Arkwright",
        "Leyla Sen",
        "Hugh Pascoe",
        "Dora Lindqvist",
        "Amos Reed",
    ),
    speakers=("the porter", "the desk clerk", "the archivist", "the trainee"),
    tests=(
        done("shown proof of address"),
        done("taken the handling course"),
        was("vouched for by a professor"),
    ),
    standings=(
        be("registered"),
        does("belongs", "belong", "to the inner circle of readers"),
    ),
    dues=(
        has("a seat booked"),
        done("left a deposit"),
        done("filled in a request slip"),
    ),
    permits=(
        may("consult the map collection"),
        may("borrow a bound volume"),
        may("use the night reading room"),
    ),
    flaws=(
        has("an overdue book"),
        done("brought ink into the room"),
    ),
    bar_signs=(
        Sign(
            be("suspended"),
            does("carries", "carry", "a yellow card"),
        ),
        Sign(
            be("barred from the stacks"),
            does("waits", "wait", "at the side desk"),
        ),
    ),
    bar_loose=(
        Loose(
            does("comes", "come", "from the evening school"),
            be("limited to printed books"),
        ),
        Loose(
            does("holds", "hold", "a guest ticket"),
            be("under supervision"),
        ),
    ),
    bar_limits=(
        Limit(
            "unpaid fines",
            has("a blocked account"),
            3,
            6,
        ),
        Limit(
            "reminders on file",
            be("put on hold"),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            does("belongs", "belong", "to the staff"),
            does("enters", "enter", "by the yard door"),
        ),
        Sign(
            did("helped", "help", "to found the library"),
            has("a brass name plate"),
        ),
    ),
    free_loose=(
        Loose(
            does("writes", "write", "for the town history"),
            has("a letter of grace"),
        ),
    ),
    free_limits=(
        Limit(
            "years as a reader",
            has("senior rights"),
            8,
            20,
        ),
        Limit(
            "volunteer days",
            be("a friend of the house"),
            5,
            12,
        ),
    ),
    titles=("Rules for readers", "Further rules", "From the readers' files", "At the counter"),
)
