"""Quantities: numbers with a currency, a percent sign or a unit, and when two are the same."""

import re
from dataclasses import dataclass
from fractions import Fraction

from chainwright.builders.matching.asked import asks_for_percent, asks_for_rounding
from chainwright.builders.matching.numbers import Number, other_reading, read_number
from chainwright.builders.matching.verdict import Match, different, equal, undecided
from chainwright.builders.units import CURRENCY_SIGNS, Unit, conversions, is_unit, read_unit
from chainwright.notation.numerals import round_to

MAX_UNIT = 60
"""Characters; longer texts behind a number are sentences and no unit."""
_MAX_UNIT_WORDS = 6
_CURRENCY = re.compile(
    rf"(?P<sign>[-+]?)\s*(?:US|CA|A)?(?P<currency>[{CURRENCY_SIGNS}]|USD\b|EUR\b|GBP\b|Rs\.?(?=\s))"
    r"\s*(?P<rest>[-+]?[0-9.].*)",
    re.IGNORECASE | re.DOTALL,
)
_CUTS = re.compile(
    rf"(?<=[0-9.)}}])(?P<behind>\s*)(?=[A-Za-z°¢/{CURRENCY_SIGNS}%])|(?<=[A-Za-z])\s+(?=[A-Za-z°])"
)
"""Where a unit may begin: behind a figure, or behind a word such as `million` or `\\pi`."""
_MONEY_SCALE = re.compile(r"(?P<number>[0-9.,]*[0-9])\s?(?P<scale>[kmb]|bn|mn)", re.IGNORECASE)
_MONEY_SCALES = {"k": "thousand", "m": "million", "b": "billion"}
_PERCENT = re.compile(r"(?:\\?%|per\s?cent\b|percentage(?:\s+points?)?\b|pct\b)", re.IGNORECASE)
_NO_UNIT = frozenset(
    "is are was were or and but not no than less more fewer times if because since as plus minus "
    "out half dozen hundred thousand million billion sin cos tan cot sec csc log exp sqrt arcsin "
    "arccos arctan pi theta alpha beta gamma lambda phi mod infinity infty".split()
)
"""Words that tell of more than a unit: what holds one is a sentence, and read as such."""
_NO_UNIT_SIGNS = re.compile(r"[-0-9+*(){}\[\]|_!=<>\\^,;]")
_POWER = re.compile(r"(?<=[A-Za-z])\^?\{?[23]\}?(?![0-9])")
_SMALL_WORDS = frozenset("a an in of to by at on us we he i sq cu".split())
_FACTORS = frozenset(map(Fraction, (2, 7, 12, 20, 24, 60, 100, 365, 1000)))
"""By how much numbers of things may differ that are counted in pairs, weeks, dozens …"""
_FLOATING = range(15, 20)
"""Significant digits of a decimal that floating-point arithmetic wrote."""
_NOISE = Fraction(1, 10**13)
"""How far such a one may be off, relatively."""


@dataclass(frozen=True)
class Quantity:
    """A number with what stands around it; `text` is the number's own part of the answer."""

    number: Number
    text: str
    unit: Unit | None = None
    percent: bool = False
    letter: bool = False
    """Whether the unit is a single letter at the number, which may be a variable: `5m`."""


def read_quantity(text: str) -> Quantity | None:
    """The quantity that the whole of a bare text is, such as `$18`, `5 cm`, `50%`, `twelve`.

    Amounts in two units (`1 hour 30 minutes`) are added up.

    Returns:
        None where there is no number, or words that make it a sentence.
    """
    if number := read_number(text):
        return Quantity(number, text)
    body, unit_text = split_unit(text)
    percent = bool(_PERCENT.match(unit_text))
    unit_text = _PERCENT.sub("", unit_text, count=1) if percent else unit_text
    if body != text and (number := read_number(body)):
        letter = len(unit_text) == 1 and unit_text.isalpha() and text == body + unit_text
        return Quantity(number, body, read_unit(unit_text), percent, letter)
    return _added_up(text)


def split_unit(text: str) -> tuple[str, str]:
    r"""The text without unit, currency and percent sign, and those: `14\pi cm` is two parts.

    The second part is empty where there is nothing of the kind.
    """
    if text.startswith("(") and text.endswith(")") and text[1:2] in CURRENCY_SIGNS:
        text = text[1:-1]
    if money := _CURRENCY.fullmatch(text):
        rest = money["rest"]
        if scaled := _MONEY_SCALE.fullmatch(rest):
            rest = f"{scaled['number']} {_MONEY_SCALES[scaled['scale'][0].lower()]}"
        sign = "-" if money["sign"] == "-" and not rest.startswith("-") else ""
        body, behind = split_unit(rest)
        return sign + body, f"{money['currency'].rstrip('.')} {behind}"
    for place in _CUTS.finditer(text, max(0, len(text) - MAX_UNIT)):
        body, unit = text[: place.start()], text[place.end() :]
        figure = place["behind"] is not None
        if not figure and not ("\\" in body or any(char.isdigit() for char in body)):
            continue
        if _is_unit_text(unit, glued=place["behind"] == "", known=not figure):
            return body, unit
    if text[:1].isalpha() and len(text) <= MAX_UNIT:
        words = text.split()
        for cut in range(min(len(words) - 1, _MAX_UNIT_WORDS), 0, -1):
            number, unit = " ".join(words[:cut]), " ".join(words[cut:])
            if _is_unit_text(unit) and read_number(number):
                return number, unit
    return text, ""


def compare_quantities(expected: Quantity, given: Quantity, question: str = "") -> Match:
    """Whether the given quantity is the expected one.

    A unit may be left out, units of one kind are converted, and a percentage needs its sign unless
    the question asks for one. An expected decimal stands for all that rounds to it, where it shows
    two significant digits; a given one that only rounds the expected value is undecided.
    """
    if expected.percent or given.percent:
        return _compare_percents(expected, given, question)
    match = _compare_units(expected, given, question)
    if match.verdict == "different":
        for text, other in ((expected.text, given), (given.text, expected)):
            if other_reading(text) == other.number.value:
                return undecided("a comma or point that may be read in two ways")
        ratio = _ratio(expected, given)
        if asks_for_percent(question) and ratio in (100, Fraction(1, 100)):
            return undecided("a percentage or a share of one")
    return match


def compare_numbers(expected: Number, given: Number, question: str = "") -> Match:
    """The numbers alone; see `compare_quantities` for what rounding does."""
    one, two = expected.value, given.value
    if one == two:
        return equal("the same number")
    floating = any(n.places is not None and n.digits in _FLOATING for n in (expected, given))
    if floating and abs(one - two) <= _NOISE * abs(one):
        return equal("the same number up to floating-point error")
    if expected.places is not None and (given.places is None or given.places > expected.places):
        off = abs(one - two) * 10**expected.places
        if round_to(two, expected.places) == one:
            # 2.54 for 2.5 may be another amount altogether
            longer = given.places is None or given.places >= expected.places + 2
            if longer and expected.digits >= 2:
                return equal("within the rounding of the expected decimal")
            return undecided("the expected decimal may be a rounded one")
        if off < 1:
            return undecided("the expected decimal may be cut off")
    if given.places is not None and given.digits >= 2 and round_to(one, given.places) == two:
        return undecided("the given decimal rounds the expected number")
    if asks_for_rounding(question) and round_to(one, given.places or 0) == two:
        return undecided("the given number rounds the expected one")
    return different("other numbers")


def _compare_percents(expected: Quantity, given: Quantity, question: str) -> Match:
    plain = compare_numbers(expected.number, given.number, question)
    if expected.percent and given.percent:
        return plain
    if (given if expected.percent else expected).unit is not None:
        return undecided("a percentage and an amount")
    percent, bare = (expected, given) if expected.percent else (given, expected)
    as_share = percent.number.value == 100 * bare.number.value
    asked = asks_for_percent(question)
    if asked:
        if as_share and bare.number.value:
            return undecided("a percentage or a share of one")
        return plain
    if as_share:
        return equal("a percentage and the share it is")
    if plain.verdict == "different":
        return plain
    if asked is None:
        return undecided("a percent sign on one side, and the question doesn't tell")
    return different("a percentage and a plain number")


def _compare_units(expected: Quantity, given: Quantity, question: str) -> Match:
    one, two = expected.unit, given.unit
    plain = compare_numbers(expected.number, given.number, question)
    if one is None or two is None:
        unit = one or two
        if plain.verdict == "equal" and expected.letter:
            return undecided("a letter that may be a unit or a variable")
        if unit is None or plain.verdict != "different":
            return plain
        ratio = _ratio(given, expected) if two is None else _ratio(expected, given)
        if ratio in conversions(unit) or (ratio and 1 / ratio in conversions(unit)):
            return undecided("one number without a unit, which may be another")
        return plain
    if one.dimension is not None and one.dimension == two.dimension:
        if one.factor == two.factor:
            return plain
        rate = two.factor / one.factor
        match = compare_numbers(expected.number, Number(given.number.value * rate), question)
        if match.verdict == "equal":
            return equal("the same amount in other units")
        back = compare_numbers(Number(expected.number.value / rate), given.number, question)
        return back if match.verdict == "different" and back.verdict == "undecided" else match
    if _may_be_the_same(one, two):
        return plain
    if one.dimension is None or two.dimension is None:
        ratio = _ratio(expected, given)
        if plain.verdict != "different" or ratio in _FACTORS or (ratio and 1 / ratio in _FACTORS):
            return undecided("units that can't be compared")
        return plain
    shared = {base for base, _ in one.dimension} & {base for base, _ in two.dimension}
    if plain.verdict == "equal" and shared:
        # `8 cm` for 8 square centimetres is careless writing or another answer
        return undecided("units of one kind in other powers")
    if _loosely_tied(one, two):
        return undecided("units without a fixed rate")
    return different("units of different kinds")


def _may_be_the_same(one: Unit, two: Unit) -> bool:
    """Whether units that aren't alike may still name the same: shared words, a left-out `per`."""
    if one.per != two.per and (one.is_money or two.is_money):
        return one.is_money == two.is_money or None in (one.dimension, two.dimension)
    both_known = one.dimension is not None and two.dimension is not None
    return not both_known and bool(one.words & two.words)


def _loosely_tied(one: Unit, two: Unit) -> bool:
    """Days and months, pounds of two kinds, degrees of two kinds."""
    bases = {base for unit in (one, two) for base, _ in unit.dimension or ()}
    pairs = ({"time", "calendar"}, {"mass", "sterling"}, {"angle", "celsius"})
    return any(bases >= pair for pair in (*pairs, {"angle", "fahrenheit"}, {"angle", "radian"}))


def _ratio(one: Quantity, two: Quantity) -> Fraction | None:
    return two.number.value and one.number.value / two.number.value


def _is_unit_text(text: str, *, glued: bool = False, known: bool = False) -> bool:
    """Whether what stands behind a number can be its unit, and neither algebra nor a sentence.

    Args:
        glued: No blank parts it from the number: `5cm` has a unit, `5abc` is a product.
        known: Only known units count.
    """
    if len(text) > MAX_UNIT or _NO_UNIT_SIGNS.search(_POWER.sub("", text)):
        return False
    if _PERCENT.match(text):
        return True
    words = re.findall(r"[A-Za-z°]+", text.lower())
    if len(words) > _MAX_UNIT_WORDS or _NO_UNIT.intersection(words):
        return False
    if words and glued and text[0] != "/" and not is_unit(words[0]):
        return False
    if known:
        return any(map(is_unit, words)) and all(len(word) > 2 or is_unit(word) for word in words)
    return all(is_unit(word) or len(word) > 2 or word in _SMALL_WORDS for word in words)


_PART = re.compile(
    r"\s*(?:,|and\b)?\s*(?P<number>[0-9][0-9.,/\s]*?)\s*(?P<unit>[A-Za-z¢][A-Za-z.]*)"
)


def _added_up(text: str) -> Quantity | None:
    """`1 hour 30 minutes`, `5 feet, 10 inches`, `2 dollars and 50 cents` in the first unit."""
    total, at = Fraction(0), 0
    first = last = None
    while at < len(text):
        part = _PART.match(text, at)
        number = read_number(part["number"]) if part else None
        unit = read_unit(part["unit"]) if part else None
        if part is None or number is None or unit is None or unit.dimension is None:
            return None
        first = first or unit
        if unit.dimension != first.dimension or (last and unit.factor >= last.factor):
            return None
        last = unit
        total += number.value * unit.factor / first.factor
        at = part.end()
    return Quantity(Number(total), text, first) if first else None
