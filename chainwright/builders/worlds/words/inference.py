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


def be(what: str) -> Phrase:
    """That someone is something."""
    return Phrase(f"is {what}", f"is not {what}", f"are {what}")


def was(what: str) -> Phrase:
    """That someone was something, or something was done to someone."""
    return Phrase(f"was {what}", f"was not {what}", f"were {what}")


def has(thing: str) -> Phrase:
    """That someone has a thing."""
    return Phrase(f"has {thing}", f"does not have {thing}", f"have {thing}")


def done(what: str) -> Phrase:
    """That someone has done something."""
    return Phrase(f"has {what}", f"has not {what}", f"have {what}")


def does(verb: str, stem: str, rest: str) -> Phrase:
    """That someone does something: `does("rows", "row", "after dusk")`."""
    return Phrase(f"{verb} {rest}", f"does not {stem} {rest}", f"{stem} {rest}")


def did(verb: str, stem: str, rest: str) -> Phrase:
    """That someone did something: `did("came", "come", "by rail")`."""
    return Phrase(f"{verb} {rest}", f"did not {stem} {rest}", f"{verb} {rest}")


def may(what: str) -> Phrase:
    """That someone is allowed something."""
    return Phrase(f"may {what}", f"may not {what}", f"may {what}")
