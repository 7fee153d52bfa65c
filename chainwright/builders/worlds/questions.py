"""Questions of the grounding track, worded from the relations they ask for."""

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.facts import Query
from chainwright.builders.worlds.wording import listed, sentence
from chainwright.builders.worlds.words.grounding import Flag, GroundingDomain, Number

_SILENCE = "What the passages do not say counts as not so."


def question_of(domain: GroundingDomain, query: Query, draw: Draw) -> str:
    """The question, in one of several wordings."""
    names = listed(query.candidates)
    noun = domain.person.noun
    match query.pattern:
        case "filter_best":
            flag, most = flag_of(domain, query), _most(number_of(domain, query), query)
            return draw.choice(
                (
                    f"Of {names}, only those count that {flag.plural}. {_SILENCE} "
                    f"Which of these is the one that {most}?",
                    f"Consider {names}, but leave out any that do not fit this description: they "
                    f"{flag.plural}. {_SILENCE} Of the rest, name the one that {most}.",
                )
            )
        case "hop_flag":
            place = domain.place.noun.format(e=noun.format(e=query.candidates[0]))
            return draw.choice(
                (
                    flag_of(domain, query).ask.format(e=place),
                    f"Find {place}. {flag_of(domain, query).ask.format(e='that place')}",
                )
            )
        case "hop_compare":
            one, two = (noun.format(e=name) for name in query.candidates)
            most = _most(domain.person_number, query)
            return draw.choice(
                (
                    f"Take {one} and {two}. Which of the two {most}?",
                    f"Who {most}: {one}, or {two}?",
                )
            )
        case "best_hop":
            most = _most(number_of(domain, query), query)
            its = domain.place.noun.format(e=noun.format(e="it"))
            return draw.choice(
                (
                    f"Of {names}, take the one that {most}. Name {its}.",
                    f"One of {names} {most}. What is {its}?",
                )
            )
        case "count":
            flag = domain.person_flag
            return draw.choice(
                (
                    f"How many of {names} {domain.person.their} {flag.yes}? {_SILENCE}",
                    f"Look at {names}. How many of them {domain.person.their} {flag.yes}? "
                    f"{_SILENCE}",
                )
            )
        case "gap":
            one, two = (noun.format(e=name) for name in query.candidates)
            return sentence(domain.person_number.gap.format(a=one, b=two))


def number_of(domain: GroundingDomain, query: Query) -> Number:
    """The number that a query compares by."""
    numbers = (*domain.item_numbers, domain.person_number)
    return next(number for number in numbers if number.name == query.number)


def flag_of(domain: GroundingDomain, query: Query) -> Flag:
    """The flag that a query asks for."""
    flags = (*domain.item_flags, *domain.place_flags, domain.person_flag)
    return next(flag for flag in flags if flag.name == query.flag)


def _most(number: Number, query: Query) -> str:
    return number.least if query.way == "least" else number.most
