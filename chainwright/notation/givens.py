"""What a question gives to calculate with: its numbers, its number words and what they imply.

"Half of the 48 plums" gives 48, 1/2 and the 2 that halving divides by; "a 20% discount" gives 20,
0.2 and what is left, 80 and 0.8; "three weeks" gives 3 and the 7 days of a week.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from chainwright.notation.numerals import MAX_DIGITS, find_numerals

Kind = Literal["stated", "implied", "unit"]

SHARES = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "fourth": 4,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "twelfth": 12,
    "hundredth": 100,
}
"""The words for one part of a whole, by how many parts it has."""
_ORDINALS = ("first", "second", *(word for word in SHARES if word.endswith(("th", "rd"))))
_NUMERATOR = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
}
_SHARE = re.compile(
    # `a` beside `i`: without it, `sixth` with a long s would match and be found in no table
    r"(?<![\w.,])(?:(?P<top>(?ai:{tops})|\d+)[\s-]+)?(?P<part>(?ai:{parts}))(?ai:s)?(?!\w)".format(
        tops="|".join(_NUMERATOR), parts="|".join(SHARES)
    )
)
_AND_A_HALF = re.compile(r"\s*(?:and|&)\s+a\s+half\b")
_SCALE = re.compile(r"\s*(dozen|hundred|thousand|million|billion)\b")
_PERCENT_WORD = re.compile(r"\s*(?:percent|per cent)\b")
_CENTS = re.compile(r"\s*cents?\b|\s*¢")
_MULTIPLES = {
    "twice": 2,
    "double": 2,
    "doubles": 2,
    "doubled": 2,
    "doubling": 2,
    "both": 2,
    "couple": 2,
    "pair": 2,
    "pairs": 2,
    "twins": 2,
    "thrice": 3,
    "triple": 3,
    "triples": 3,
    "tripled": 3,
    "tripling": 3,
    "triplets": 3,
    "quadruple": 4,
    "quadrupled": 4,
    "dozen": 12,
    "dozens": 12,
    "decade": 10,
    "decades": 10,
    "century": 100,
    "score": 20,
    "single": 1,
    "once": 1,
    "another": 1,
}
_UNITS: dict[str, tuple[int, ...]] = {
    "day": (24, 7),
    "days": (24, 7),
    "daily": (7, 24),
    "week": (7, 5),
    "weeks": (7, 5),
    "weekly": (7, 52),
    "weekday": (5,),
    "weekdays": (5,),
    "weekend": (2,),
    "weekends": (2,),
    "month": (12, 30, 4),
    "months": (12, 30, 4),
    "monthly": (12, 30),
    "year": (12, 52, 365),
    "years": (12, 52, 365),
    "yearly": (12, 52),
    "annual": (12, 52),
    "annually": (12, 52),
    "hour": (60, 24),
    "hours": (60, 24),
    "hourly": (24, 60),
    "minute": (60,),
    "minutes": (60,),
    "second": (60,),
    "seconds": (60,),
    "fortnight": (14, 2),
    "foot": (12, 3),
    "feet": (12, 3),
    "inch": (12,),
    "inches": (12,),
    "yard": (3, 36),
    "yards": (3, 36),
    "mile": (5280, 1760),
    "miles": (5280, 1760),
    "cent": (100,),
    "cents": (100,),
    "dollar": (100,),
    "dollars": (100,),
    "dime": (10,),
    "dimes": (10,),
    "nickel": (5,),
    "nickels": (5,),
    "quarters": (25, 4),
    "pound": (16,),
    "pounds": (16,),
    "ounce": (16,),
    "ounces": (16,),
    "gallon": (4, 8, 16, 128),
    "gallons": (4, 8, 16, 128),
    "quart": (4, 2),
    "quarts": (4, 2),
    "pint": (2, 8),
    "pints": (2, 8),
    "cup": (16, 8),
    "cups": (16, 8),
    "kilogram": (1000,),
    "kilograms": (1000,),
    "kg": (1000,),
    "gram": (1000,),
    "grams": (1000,),
    "km": (1000,),
    "kilometer": (1000,),
    "kilometers": (1000,),
    "kilometre": (1000,),
    "kilometres": (1000,),
    "meter": (100, 1000),
    "meters": (100, 1000),
    "metre": (100, 1000),
    "metres": (100, 1000),
    "cm": (100, 10),
    "centimeter": (100, 10),
    "centimeters": (100, 10),
    "centimetres": (100, 10),
    "mm": (10,),
    "liter": (1000,),
    "liters": (1000,),
    "litre": (1000,),
    "litres": (1000,),
    "ml": (1000,),
    "ton": (2000, 1000),
    "tons": (2000, 1000),
    "percent": (100,),
    "percentage": (100,),
    "square": (4,),
    "rectangle": (2, 4),
    "rectangular": (2, 4),
    "triangle": (3, 2),
    "average": (2,),
    "perimeter": (2, 4),
    "leap": (366,),
    "deck": (52,),
}
_HUNDREDTHS = frozenset(["%", "percent", "percentage", "cent", "cents"])
"""What is worth a hundredth: `500*10*.01` is ten percent of 500."""
MAX_QUESTION = 100_000
"""Longer texts are read up to here: no question is as long."""

_ALWAYS = (1,)
"""One thing is one thing, whether or not the question says so."""


@dataclass(frozen=True)
class Given:
    """A quantity that the question gives.

    `kind` is `stated` for numbers in digits or words, `implied` for what they entail (shares,
    what remains of a percentage, `twice`), `unit` for what a unit's name is worth.
    """

    value: Fraction
    text: str
    kind: Kind


class Givens:
    """The quantities a text gives, looked up by value."""

    def __init__(self, text: str) -> None:
        self.all: list[Given] = []
        self._by_value: dict[Fraction, Given] = {}
        read = _read(text[:MAX_QUESTION])
        for given in sorted(read, key=lambda g: ("stated", "implied", "unit").index(g.kind)):
            if given.value not in self._by_value:
                self._by_value[given.value] = given
                self.all.append(given)

    def find_share(self, top: Fraction, bottom: Fraction) -> Given | None:
        """The share that the text writes with these two numbers, such as `2/3`."""
        return next((g for g in self.all if g.text == f"{top}/{bottom}"), None)

    def find(self, value: Fraction) -> Given | None:
        """The given of that value, the plainest kind first; None where there is none."""
        return self._by_value.get(value)


@lru_cache(maxsize=4096)
def givens(text: str) -> Givens:
    """What the text of a question gives (cached: one question is asked about many steps)."""
    return Givens(text)


def _read(text: str) -> Iterator[Given]:
    yield from _numbers(text)
    yield from _shares(text)
    for match in re.finditer(r"[A-Za-z]+|%", text):
        word = match.group().lower()
        if word in _MULTIPLES:
            yield from _each(match.group(), "implied", _MULTIPLES[word])
        if word in _ORDINALS:
            at = 2 if word == "second" else 1 if word == "first" else SHARES[word]
            yield from _each(match.group(), "implied", at, at - 1)
        if word in _UNITS or word == "%":
            yield from _each(match.group(), "unit", *_UNITS.get(word, (100,)))
        if word in _HUNDREDTHS:
            yield from _each(match.group(), "unit", Fraction(1, 100))
    yield from _each("one", "unit", *_ALWAYS)


def _numbers(text: str) -> Iterator[Given]:
    numerals = find_numerals(text)
    for numeral in numerals:
        value, written = numeral.value, numeral.text
        yield Given(value, written, "stated")
        if _AND_A_HALF.match(text, numeral.end):
            yield Given(value + Fraction(1, 2), f"{written} and a half", "stated")
        if scale := _SCALE.match(text, numeral.end):
            factor = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6}
            times = factor.get(scale[1], 10**9)
            yield Given(value * times, f"{written} {scale[1]}", "stated")
        if numeral.percent or _PERCENT_WORD.match(text, numeral.end):
            share = value / 100
            yield Given(share, f"{written}%", "stated")
            yield from _each(f"{written}%", "implied", 1 - share, 1 + share, share * 100)
            yield from _each(f"{written}%", "implied", 100 - value, 100 + value)
        if _CENTS.match(text, numeral.end):
            yield Given(value / 100, f"{written} cents", "implied")
    for left, right in pairwise(numerals):
        between = text[left.end : right.start].strip()
        if between == "/" and right.value:
            yield from _share(left.value, right.value, f"{left.text}/{right.text}")
        elif between == ":":
            yield from _each(f"{left.text}:{right.text}", "implied", left.value + right.value)


def _shares(text: str) -> Iterator[Given]:
    for match in _SHARE.finditer(text):
        top = (match["top"] or "1").lower()
        part = SHARES[match["part"].lower()]
        if len(top) > MAX_DIGITS:
            continue
        count = _NUMERATOR.get(top) or int(top)
        yield from _share(Fraction(count), Fraction(part), match.group())


def _share(top: Fraction, bottom: Fraction, written: str) -> Iterator[Given]:
    share = top / bottom
    yield Given(share, written, "stated")
    yield from _each(written, "implied", bottom, top, 1 - share, 1 + share, bottom - top)
    yield from _each(written, "implied", share * 100, top + bottom)


def _each(text: str, kind: Kind, *values: Fraction | int) -> Iterator[Given]:
    for value in values:
        if value > 0:
            yield Given(Fraction(value), text, kind)
