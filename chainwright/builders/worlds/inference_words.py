"""Words of the inference track: predicates and measures of five small bodies of rules."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Phrase:
    """A predicate: that someone has it, has it not, and that several have it."""

    yes: str
    no: str
    many: str


@dataclass(frozen=True)
class Sign:
    """Whoever has `cause` has `sign` too, and not the other way round."""

    cause: Phrase
    sign: Phrase


@dataclass(frozen=True)
class Loose:
    """Some, not all, of those who have `some` have `many` too."""

    some: Phrase
    many: Phrase


@dataclass(frozen=True)
class Limit:
    """Whoever has so many of `measure` has `result`."""

    measure: str
    result: Phrase
    low: int
    high: int


@dataclass(frozen=True)
class InferenceDomain:
    """A body of rules.

    Attributes:
        noun, nouns: What the rules call whom they are about.
        who: The relative pronoun that goes with it.
        names: Whom or what the rules are applied to.
        speakers: Who makes claims about it.
        tests: What may be a fact, and gives a standing.
        standings: What a test gives.
        dues: What else may be a fact.
        permits: What is allowed to those with standing and dues.
        flaws: What is a fact and bars the permit, unless there is an exemption.
        bar_signs, bar_loose, bar_limits: Roads to a bar.
        free_signs, free_loose, free_limits: Roads to an exemption.
        titles: Of the passages with the rules, the other rules, the facts and the claims.
    """

    name: str
    noun: str
    nouns: str
    who: str
    names: tuple[str, ...]
    speakers: tuple[str, ...]
    tests: tuple[Phrase, ...]
    standings: tuple[Phrase, ...]
    dues: tuple[Phrase, ...]
    permits: tuple[Phrase, ...]
    flaws: tuple[Phrase, ...]
    bar_signs: tuple[Sign, ...]
    bar_loose: tuple[Loose, ...]
    bar_limits: tuple[Limit, ...]
    free_signs: tuple[Sign, ...]
    free_loose: tuple[Loose, ...]
    free_limits: tuple[Limit, ...]
    titles: tuple[str, str, str, str]


def words(text: str) -> Phrase:
    """A phrase from its three forms, parted by bars."""
    yes, no, many = text.split(" | ")
    return Phrase(yes, no, many)


def has(thing: str) -> Phrase:
    """That someone has a thing."""
    return Phrase(f"has {thing}", f"does not have {thing}", f"have {thing}")


def be(what: str) -> Phrase:
    """That someone is something, in a form that does for several."""
    return Phrase(f"is {what}", f"is not {what}", f"are {what}")


def may(what: str) -> Phrase:
    """That someone is allowed something."""
    return Phrase(f"may {what}", f"may not {what}", f"may {what}")


ROWING = InferenceDomain(
    name="rowing club bylaws",
    noun="member",
    nouns="members",
    who="who",
    names=("Nell Parry", "Ivo Dane", "Sanna Holt", "Rafe Okoro", "Mina Voss", "Jude Farrow"),
    speakers=("the boatman", "the treasurer", "the captain", "the secretary"),
    tests=(
        words(
            "has passed the river test | has not passed the river test | have passed the river test"
        ),
        words(
            "has rowed two full seasons | has not rowed two full seasons | "
            "have rowed two full seasons"
        ),
        words(
            "came in from a partner club | did not come in from a partner club | "
            "came in from a partner club"
        ),
    ),
    standings=(
        words("counts as an able hand | does not count as an able hand | count as able hands"),
        words("ranks as a full oar | does not rank as a full oar | rank as full oars"),
    ),
    dues=(
        words(
            "has paid this year's dues | has not paid this year's dues | have paid this year's dues"
        ),
        words(
            "has signed the safety sheet | has not signed the safety sheet | "
            "have signed the safety sheet"
        ),
        words("swims a hundred metres | does not swim a hundred metres | swim a hundred metres"),
    ),
    permits=(
        may("take out a racing shell"),
        may("row after dusk"),
        may("enter the autumn regatta"),
    ),
    flaws=(
        be("on the doctor's list"),
        words(
            "has damaged an oar this month | has not damaged an oar this month | "
            "have damaged an oar this month"
        ),
    ),
    bar_signs=(
        Sign(
            be("under a formal warning"),
            words("wears a red band | does not wear a red band | wear red bands"),
        ),
        Sign(
            be("banned from the slipway"),
            words(
                "has handed in the gate key | has not handed in the gate key | "
                "have handed in the gate key"
            ),
        ),
    ),
    bar_loose=(
        Loose(
            words(
                "rows in the early crew | does not row in the early crew | row in the early crew"
            ),
            be("on the deferred list"),
        ),
        Loose(
            words(
                "joined through the summer course | did not join through the summer course | "
                "joined through the summer course"
            ),
            be("still on probation"),
        ),
    ),
    bar_limits=(
        Limit(
            "missed boathouse duties",
            words("has lost boat rights | has not lost boat rights | have lost boat rights"),
            3,
            6,
        ),
        Limit(
            "late returns",
            words(
                "is grounded for the month | is not grounded for the month | "
                "are grounded for the month"
            ),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            words("serves as a lifeguard | does not serve as a lifeguard | serve as lifeguards"),
            words("carries a whistle | does not carry a whistle | carry whistles"),
        ),
        Sign(
            words("is a launch driver | is not a launch driver | are launch drivers"),
            words(
                "has a locker by the ramp | does not have a locker by the ramp | "
                "have lockers by the ramp"
            ),
        ),
    ),
    free_loose=(
        Loose(
            words("coaches the juniors | does not coach the juniors | coach the juniors"),
            has("a dispensation from the committee"),
        ),
    ),
    free_limits=(
        Limit(
            "regatta wins",
            words(
                "has honorary standing | does not have honorary standing | have honorary standing"
            ),
            3,
            7,
        ),
        Limit(
            "rescue shifts",
            words("holds a river pass | does not hold a river pass | hold river passes"),
            4,
            9,
        ),
    ),
    titles=("Bylaw on boats", "Other bylaws", "Club records", "At the landing stage"),
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
        words(
            "has shown proof of address | has not shown proof of address | "
            "have shown proof of address"
        ),
        words(
            "has taken the handling course | has not taken the handling course | "
            "have taken the handling course"
        ),
        words(
            "was vouched for by a professor | was not vouched for by a professor | "
            "were vouched for by a professor"
        ),
    ),
    standings=(
        words(
            "counts as a registered reader | does not count as a registered reader | "
            "count as registered readers"
        ),
        words(
            "belongs to the inner circle of readers | does not belong to the inner circle of "
            "readers | belong to the inner circle of readers"
        ),
    ),
    dues=(
        has("a seat booked"),
        words("has left a deposit | has not left a deposit | have left a deposit"),
        words(
            "has filled in a request slip | has not filled in a request slip | "
            "have filled in a request slip"
        ),
    ),
    permits=(
        may("consult the map collection"),
        may("borrow a bound volume"),
        may("use the night reading room"),
    ),
    flaws=(
        has("an overdue book"),
        words(
            "has brought ink into the room | has not brought ink into the room | "
            "have brought ink into the room"
        ),
    ),
    bar_signs=(
        Sign(
            be("suspended"),
            words("carries a yellow card | does not carry a yellow card | carry yellow cards"),
        ),
        Sign(
            be("barred from the stacks"),
            words(
                "waits at the side desk | does not wait at the side desk | wait at the side desk"
            ),
        ),
    ),
    bar_loose=(
        Loose(
            words(
                "comes from the evening school | does not come from the evening school | "
                "come from the evening school"
            ),
            be("limited to printed books"),
        ),
        Loose(
            words("holds a guest ticket | does not hold a guest ticket | hold guest tickets"),
            be("under supervision"),
        ),
    ),
    bar_limits=(
        Limit(
            "unpaid fines",
            words(
                "has a blocked account | does not have a blocked account | have blocked accounts"
            ),
            3,
            6,
        ),
        Limit(
            "reminders on file",
            words("is put on hold | is not put on hold | are put on hold"),
            3,
            6,
        ),
    ),
    free_signs=(
        Sign(
            words("belongs to the staff | does not belong to the staff | belong to the staff"),
            words(
                "enters by the yard door | does not enter by the yard door | enter by the yard door"
            ),
        ),
        Sign(
            words(
                "helped to found the library | did not help to found the library | helped to found the library"
            ),
            words(
                "has a brass name plate | does not have a brass name plate | have brass name plates"
            ),
        ),
    ),
    free_loose=(
        Loose(
            words(
                "writes for the town history | does not write for the town history | "
                "write for the town history"
            ),
            has("a letter of grace"),
        ),
    ),
    free_limits=(
        Limit(
            "years as a reader",
            words("has senior rights | does not have senior rights | have senior rights"),
            8,
            20,
        ),
        Limit(
            "volunteer days",
            words(
                "is a friend of the house | is not a friend of the house | are friends of the house"
            ),
            5,
            12,
        ),
    ),
    titles=("Rules for readers", "Further rules", "From the readers' files", "At the counter"),
)
