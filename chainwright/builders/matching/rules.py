"""Rules: the order in which ways to compare two answers are tried."""

import re
from fractions import Fraction

from chainwright.builders.final_answer import find_final_answer
from chainwright.builders.matching.algebra import compare_expressions
from chainwright.builders.matching.asked import names
from chainwright.builders.matching.bare import bare
from chainwright.builders.matching.case import MAX_DEPTH, Case
from chainwright.builders.matching.equations import compare_as_equations
from chainwright.builders.matching.groups import compare_groups
from chainwright.builders.matching.intervals import compare_regions, read_region
from chainwright.builders.matching.latex import as_latex
from chainwright.builders.matching.numbers import Number, other_reading
from chainwright.builders.matching.options import compare_options, option_text
from chainwright.builders.matching.quantities import (
    Quantity,
    compare_quantities,
    read_quantity,
    split_unit,
)
from chainwright.builders.matching.verdict import Match, different, equal, undecided
from chainwright.builders.matching.words import compare_words, yes_or_no
from chainwright.builders.units import read_unit

MAX_LENGTH = 10_000
"""Characters; longer answers are equal where they are the same text, and undecided elsewhere."""

_BASED = re.compile(r"(?P<digits>[0-9A-Z]+)_\{?(?P<base>[0-9]{1,2})\}?")
_THOUSANDS = re.compile(r"[0-9.]+\s?[kKMB]")
_LONG_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_WORDS = 3
_PROSE = re.compile(r"[^\\<>^_|{}\[\]]*")
_HEDGED = re.compile(
    r"\b(?:not|never|wrong|incorrect|instead|than|least|most|between|over|under|up to|below|"
    r"above|minus|negative|neither|nor|or|if|unless|would|could|might|maybe)\b|n't",
    re.IGNORECASE,
)
"""Words that take a number in a sentence back, or bound it."""
_SURE = frozenset(("box", "mark", "phrase", "line"))
"""How a sentence states its answer where no number beside it is in the way."""


def decide(expected: str, given: str, case: Case) -> Match:
    """The verdict on two answers as they were written."""
    expected, given = expected.strip(), given.strip()
    if not expected or not given:
        return undecided("an empty answer")
    if case.depth > MAX_DEPTH:
        return undecided("nested too deep")
    if expected == given:
        return _same_text(expected)
    if max(len(expected), len(given)) > MAX_LENGTH:
        return undecided(f"over {MAX_LENGTH} characters")
    one, two = bare(expected), bare(given)
    if not one or not two:
        return undecided("an unreadable answer")
    if one == two:
        return _same_text(one)
    return _decide_bare(one, two, case)


def _decide_bare(one: str, two: str, case: Case) -> Match:
    chosen = _by_option(one, two, case)
    if chosen is not None:
        return chosen
    yes = yes_or_no(one), yes_or_no(two)
    if None not in yes:
        return equal("the same truth value") if yes[0] == yes[1] else different("yes and no")
    left, right = _quantity(one, case), _quantity(two, case)
    if left is not None and right is not None:
        return compare_quantities(left, right, case.question)
    for number, text in ((left, two), (right, one)):
        if number is not None and other_reading(text) == number.number.value:
            return undecided("a comma or point that may be read in two ways")
    if case.kind != "text":
        match = _by_structure(one, two, case) or _by_algebra(one, two, case)
        if match is not None:
            return match
    return _by_words(one, two, left, right, case)


def _by_option(one: str, two: str, case: Case) -> Match | None:
    sure = case.kind == "option"
    if case.options or sure or case.kind is None:
        match = compare_options(one, two, case.options, sure=sure)
        if match is not None:
            return match
    if case.options and (said := option_text(one, case.options)) is not None:
        # the answer is none of the options as they stand, but it may be one in another form
        match = case.parts(said, two)
        if match.verdict == "equal":
            return match
        number = read_quantity(said) is not None and read_quantity(two) is not None
        return match if number else undecided("none of the options")
    return undecided("no letter of an option") if sure and not case.options else None


def _by_structure(one: str, two: str, case: Case) -> Match | None:
    """Numbers in a base, intervals, equations and groups."""
    based = _by_base(one, two)
    if based is not None:
        return based
    regions = read_region(one), read_region(two)
    if regions[0] and regions[1] and (regions[0].is_definite or regions[1].is_definite):
        return compare_regions(regions[0], regions[1], case)
    if any(region and region.is_definite for region in regions):
        return undecided("an interval and something else")
    return compare_groups(one, two, case) or compare_as_equations(one, two, case)


def _by_base(one: str, two: str) -> Match | None:
    """`152A_{11}`: the base may be left out."""
    based = _BASED.fullmatch(one), _BASED.fullmatch(two)
    if not any(based):
        return None
    pairs = zip(based, (one, two), strict=True)
    digits = [found["digits"] if found else text for found, text in pairs]
    bases = {found["base"] for found in based if found}
    if digits[0] == digits[1] and len(bases) == 1:
        return equal("the same digits")
    if len(bases) == 1 and all(re.fullmatch(r"[0-9A-Z]+", text) for text in digits) and all(based):
        return different("other digits")
    return undecided("numbers in different bases")


def _by_algebra(one: str, two: str, case: Case) -> Match | None:
    """Expressions, each with its unit; None where one side is no mathematics."""
    if any(_THOUSANDS.fullmatch(text) for text in (one, two)):
        return undecided("a letter that may be thousands or a variable")
    (body, unit), (other, other_unit) = _parted(one), _parted(two)
    readable = [as_latex(text) is not None for text in (body, other)]
    if not all(readable):
        return None
    if "%" in unit + other_unit:
        return undecided("a percentage of an expression")
    match = compare_expressions(body, other, case.question, case.ask)
    if match.verdict == "undecided" or not (unit or other_unit):
        return match
    # the units alone, each behind a one
    tied = compare_quantities(_one(unit), _one(other_unit))
    if match.verdict == "equal":
        return match if tied.verdict == "equal" else tied
    degrees = "°" in one + two or "degree" in one + two
    if degrees or tied.verdict == "undecided":
        return undecided("expressions in other units")
    return match


def _parted(text: str) -> tuple[str, str]:
    body, unit = split_unit(text)
    # the degrees of `\sin 30°` are a part of the expression
    return (text, "") if unit == "°" and re.search(r"[A-Za-z]", body) else (body, unit)


def _one(unit: str) -> Quantity:
    return Quantity(Number(Fraction(1)), "1", read_unit(unit))


def _by_words(
    one: str, two: str, left: Quantity | None, right: Quantity | None, case: Case
) -> Match:
    stated = _stated(one, two, case)
    if stated is not None:
        return stated
    if left is not None or right is not None:
        return undecided("a number and a text")
    match = compare_words(one, two)
    if match.verdict == "equal":
        return match
    if (as_latex(one) is None) != (as_latex(two) is None):
        return undecided("mathematics and a text")
    apart = not names(one, two) and not names(two, one)
    if apart and names(case.question, one) and names(case.question, two):
        return different("two things that the question names")
    return match


def _stated(one: str, two: str, case: Case) -> Match | None:
    """The verdict on what a sentence states, where one of the answers is a sentence."""
    for text, other, turned in ((two, one, False), (one, two, True)):
        if len(_LONG_WORD.findall(text)) < _SENTENCE_WORDS or len(text) <= len(other):
            continue
        found = find_final_answer(text, question=case.question)
        if found.answer is None or bare(found.answer) == text:
            continue
        plain = _PROSE.fullmatch(text) and not _HEDGED.search(text)
        if found.rule not in _SURE and (turned or not plain):
            continue
        match = case.parts(found.answer, other) if turned else case.parts(other, found.answer)
        if match.verdict == "different" and found.rule not in _SURE:
            return undecided("a number in a sentence")
        return match
    return None


def _quantity(text: str, case: Case) -> Quantity | None:
    quantity = read_quantity(text)
    if quantity is None or case.kind != "text":
        return quantity
    # `Three Musketeers` is no number of musketeers
    unit = quantity.unit
    return None if unit is not None and unit.dimension is None else quantity


def _same_text(text: str) -> Match:
    if any(char.isalnum() for char in text):
        return equal("the same text")
    return undecided("an unreadable answer")
