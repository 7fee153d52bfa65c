"""Units of measure: what they measure, and what they are worth in one another.

Currencies are units without a rate between them; months and years are apart from days, since how
many days they have is no fixed number.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

Dimension = tuple[tuple[str, int], ...]
"""What is measured: bases with their powers, `(("length", 1), ("time", -1))` for a speed."""

_TABLE: tuple[tuple[str, int, str, str], ...] = (
    # base, its power, worth in the base's own unit (metre, gram, second, month …), names
    ("length", 1, "1/1000", "mm millimeter millimetre"),
    ("length", 1, "1/100", "cm centimeter centimetre"),
    ("length", 1, "1/10", "dm decimeter decimetre"),
    ("length", 1, "1", "m meter metre"),
    ("length", 1, "1000", "km kilometer kilometre"),
    ("length", 1, "127/5000", "in inch inche"),
    ("length", 1, "381/1250", "ft foot feet"),
    ("length", 1, "1143/1250", "yd yard"),
    ("length", 1, "201168/125", "mi mile"),
    ("length", 2, "10000", "hectare ha"),
    ("length", 2, "316160658/78125", "acre"),
    ("length", 3, "1/1000000", "ml milliliter millilitre cc"),
    ("length", 3, "1/100000", "cl centiliter centilitre"),
    ("length", 3, "1/10000", "dl deciliter decilitre"),
    ("length", 3, "1/1000", "l liter litre"),
    ("length", 3, "473176473/2000000000000", "cup"),
    ("length", 3, "473176473/1000000000000", "pint pt"),
    ("length", 3, "473176473/500000000000", "quart qt"),
    ("length", 3, "473176473/125000000000", "gallon gal"),
    ("mass", 1, "1/1000", "mg milligram"),
    ("mass", 1, "1", "g gram gramme"),
    ("mass", 1, "1000", "kg kilogram kilogramme kilo"),
    ("mass", 1, "1000000", "tonne"),
    ("mass", 1, "45359237/100000", "lb pound"),
    ("mass", 1, "45359237/1600000", "oz ounce"),
    ("time", 1, "1/1000", "ms millisecond"),
    ("time", 1, "1", "s sec second"),
    ("time", 1, "60", "min minute"),
    ("time", 1, "3600", "h hr hour"),
    ("time", 1, "86400", "day"),
    ("time", 1, "604800", "week wk"),
    ("calendar", 1, "1", "month"),
    ("calendar", 1, "12", "year yr"),
    ("calendar", 1, "120", "decade"),
    ("calendar", 1, "1200", "century centurie"),
    ("dollar", 1, "1", "$ dollar usd buck"),
    ("dollar", 1, "1/100", "¢ cent"),
    ("euro", 1, "1", "€ euro eur"),
    ("sterling", 1, "1", "£ gbp"),
    ("sterling", 1, "1/100", "pence penny pennie"),
    ("yen", 1, "1", "¥ yen jpy yuan rmb cny"),
    ("rupee", 1, "1", "₹ rupee inr rs"),
    ("angle", 1, "1", "° degree deg"),
    ("radian", 1, "1", "radian rad"),
    ("celsius", 1, "1", "°c °celsius celsius"),
    ("fahrenheit", 1, "1", "°f °fahrenheit fahrenheit"),
)
_NAMES: dict[str, tuple[str, int, Fraction]] = {
    name: (base, power, Fraction(worth))
    for base, power, worth, names in _TABLE
    for name in names.split()
}
CURRENCY_SIGNS = "$€£¥₹"
_MONEY = frozenset(("dollar", "euro", "sterling", "yen", "rupee"))
_SPELLED = {
    "in": "inch",
    "mph": "mile/hour",
    "kph": "km/hour",
    "kmh": "km/hour",
    "kmph": "km/hour",
}
"""Names that are read as another: `in` is a unit only where nothing follows it."""
_TEMPERATURE = re.compile(r"(?:°|\bdeg(?:ree)?s?\b)\s*(celsius|fahrenheit|c|f)\b", re.IGNORECASE)
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_POWERS_BEHIND = {"squared": 2, "cubed": 3}
_SILENT = frozenset("unit total altogether of in each a an the and for".split())
"""Words behind a number that say nothing of what is measured."""
_TOKEN = re.compile(rf"(?P<word>[A-Za-z°¢{CURRENCY_SIGNS}]+)(?:\^?\{{?(?P<power>[23])\}}?)?")
_PER = re.compile(r"/|\bper\b", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=[a-z]{2})(?<!s)s$")


@dataclass(frozen=True)
class Unit:
    """What stands behind a number.

    `dimension` is None where no word is a known unit, as with `apples`; `factor` is what one of it
    is worth in the base's own unit; `words` are its words in the singular; `per` says that there
    is a denominator.
    """

    dimension: Dimension | None
    factor: Fraction
    words: frozenset[str]
    per: bool = False

    @property
    def is_money(self) -> bool:
        """Whether it is a currency, per anything or not."""
        return any(base in _MONEY for base, _ in self.dimension or ())


@lru_cache(maxsize=1024)
def read_unit(text: str) -> Unit | None:
    """The unit that a text names, such as `cm^2`, `square feet` or `miles per hour`.

    `200 cups of feed` is measured in cups: behind a unit, a word only names the matter.

    Returns:
        None where it names none, as with nothing, `units` or `in total`.
    """
    text = _TEMPERATURE.sub(r"°\1", text.replace(".", "").strip())
    text = _SPELLED.get(text.lower(), text)
    above, *below = _PER.split(text)
    parts = [_product(above, 1), *(_product(part, -1) for part in below)]
    words = frozenset().union(*(words for _, _, words in parts))
    if not words:
        return None
    powers: dict[str, int] = {}
    factor = Fraction(1)
    for own, worth, _ in parts:
        factor *= worth
        for base, power in own.items():
            powers[base] = powers.get(base, 0) + power
    known = all(own for own, _, words in parts if words)
    dimension = tuple(sorted((base, power) for base, power in powers.items() if power))
    return Unit(dimension if known else None, factor, words, bool(below))


@lru_cache(maxsize=1024)
def conversions(unit: Unit) -> frozenset[Fraction]:
    """By what factors the number differs where another unit of the same kind is meant."""
    if unit.dimension is None or len(unit.dimension) != 1:
        return frozenset()
    ((base, power),) = unit.dimension
    worths = {
        worth if own == power else worth**power
        for name, own, worth in _NAMES.values()
        if name == base and own in (1, power)
    }
    return frozenset(unit.factor / worth for worth in worths if worth != unit.factor)


def is_unit(word: str) -> bool:
    """Whether a single word or abbreviation is a known unit."""
    return _singular(word.rstrip(".")) in _NAMES


def _product(text: str, sign: int) -> tuple[dict[str, int], Fraction, frozenset[str]]:
    """Powers of the bases, worth and words of what stands on one side of a `per`."""
    powers: dict[str, int] = {}
    factor = Fraction(1)
    words: set[str] = set()
    power_before, last = 1, ""
    for token in _TOKEN.finditer(text):
        name = _singular(token["word"])
        if name in _POWERS:
            power_before = _POWERS[name]
        elif name in _SILENT:
            continue
        elif name in _NAMES or name in _POWERS_BEHIND:
            times = int(token["power"] or power_before)
            if name in _POWERS_BEHIND:
                times = _POWERS_BEHIND[name] - 1
                name = last or "unit"
            if last and name != last and not name.startswith("°"):
                continue
            base, power, worth = _NAMES.get(name, ("", 0, Fraction(1)))
            powers[base] = powers.get(base, 0) + sign * power * times
            factor *= worth ** (sign * times)
            words.add(name)
            power_before, last = 1, name
        else:
            words.add(name)
    return {base: power for base, power in powers.items() if base}, factor, frozenset(words)


def _singular(word: str) -> str:
    name = word.lower()
    return name if name in _NAMES else _PLURAL.sub("", name)
