"""Which numbers of a question may become others, by the words around them.

In doubt a number stays: a date, an ordinal, a fraction, the legs of a dog and the five-dollar bill
are what they are.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from chainwright.notation.givens import SHARES
from chainwright.notation.numerals import VULGAR, Numeral, find_numerals

_PARTS = "|".join(SHARES)
_NATURAL = (
    "legs? wheels? eyes? ears? wings? arms? hands? feet(?=\\s+(?:each|per|on)) sides? tires? "
    "corners? fingers? toes? paws? tentacles? seasons? states? cards? suits? innings? letters? "
    "vowels? "
    "bills? coins? notes? stamps? dice twins? triplets? halves percentiles? stars? gears? "
    "seater seaters degrees? dimensional"
).replace(" ", "|")
_KEPT_BEHIND = re.compile(
    rf"""
      (?:st|nd|rd|th)\b                                      # 4th
    | \s*[/:]\s*\d                                           # 3/4, 5:30, 2:1
    | \s*[-–—]\s*\d | \s+(?:to|through|or)\s+\$?\d           # 5-10, 5 to 10
    | \s*(?:a\.?\s?m\b|p\.?\s?m\b|o['’]?\s?clock|AM\b|PM\b|noon|hundred\s+hours)
    | \s+(?:and|&)\s+(?:a|an|one|three)[\s-]+(?:{_PARTS})    # 2 and a half
    | [\s-]+(?:{_PARTS})s?\b                                 # two thirds
    | [\s-]*(?:dollar|cent)?s?[\s-]*(?:{_NATURAL})\b         # 4 legs, 5 dollar bills
    | [\s-]+(?:\w+[\s-]+){{0,4}}\w+\s*:                      # 3 kinds of fruit: ...
    | [\s-]+(?:[\w'’]+[\s-]+){{0,4}}[\w'’]+(?:\s+named|\s+called|\s*[,(–—-])?\s+
      [A-Z]\w+(?:,\s+[A-Z]\w+)*,?\s+and\s+[A-Z]\w+           # 3 friends, Ann, Bea and Cem
    """,
    re.VERBOSE,
)
_KEPT_BEFORE = re.compile(
    r"""(?:
      [/:#@] \s*
    | \d \s*[-–—]\s*
    | (?<![\w)]) [-−]                                        # a minus sign
    | \b(?i:density)\s+of\s+
    | \b(?i:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?
        |oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?\s+(?:the\s+)?
    | \b(?i:no\.?|numbers?|rooms?|routes?|pages?|chapters?|grades?|days?|weeks?|years?|months?
        |levels?|sizes?|steps?|parts?|sections?|highway|flight|class|teams?|boxes|lane|apartment|bus|line
        |questions?|problems?|phase|stage|round|quarter|version|area|zone|aged|plan)\s+
    | \b(?i:the|these|those|all|other|both|only|all\s+of\s+the|each\s+of\s+the)\s+
      (?:(?i:other|remaining|last|first|next|same|initial|original)\s+)?
    )\Z""",
    re.VERBOSE,
)
_SAME_AGAIN = re.compile(r"\b(?i:the|these|those|all|his|her|their|its)\s+\Z")
_YEAR_BEFORE = re.compile(r"\b(?i:in|since|by|until|till|from|of|year|to|during|after|before)\s+\Z")
_THRESHOLD = re.compile(
    r"\b(?i:(?:more|less|fewer|older|younger|greater|higher|lower|longer|shorter|bigger|larger|taller"
    r"|heavier|faster|better|worse)\s+than|over|under|above|below|at\s+least|at\s+most|up\s+to"
    r"|exceed\w*|beyond|within|minimum(?:\s+of)?|maximum(?:\s+of)?|limit(?:\s+of)?|no\s+more\s+than"
    r"|capacity\s+of|can\s+(?:only\s+)?(?:hold|carry|fit|seat)|a\s+total\s+of|out\s+of)"
    r"\s+(?:a\s+|the\s+|about\s+)?[$€£]?\Z"
)
_REACHED = re.compile(
    r"\b(?i:increas|decreas|rais|rose|ris[ei]|grow|grew|improv|lower|reduc|drop|fall|fell|shr[aiu]nk"
    r"|went\s+(?:up|down)|go(?:es)?\s+(?:up|down))\w*\s+(?:[\w'’]+\s+){0,4}?to\s+"
    r"(?:about\s+|only\s+|just\s+)?[$€£]?\Z"
)
_CONDITION = re.compile(
    r"\b(?i:triangle|whichever|cheaper|cheapest|fewest|whole\s+number|round(?:ed|ing)?|nearest|leap"
    r"|prime|at\s+a\s+time|even\s+number|odd\s+number|consecutive|roman|digits?|multiples?\s+of"
    r"|buys?\s+\w+,?\s+gets?)\b"
)
_NOUN = re.compile(r"[\s-]*([A-Za-z]+)")
_PERCENT_WORD = re.compile(r"\s*(?:percent|per\s+cent)\b")
_CENTS = re.compile(r"\s*(?:cents?\b|¢)")
_SCALE = re.compile(r"\s*(dozen|hundred|thousand|million|billion)\b")
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}

_PER = r"[\s-]+(?:\w+\s+){0,3}?(?:a|an|per|each|every|in\s+a|in\s+one|of\s+the|this|that)\s+"
_MOST_BEHIND: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"[\s-]*\w+" + _PER + r"week\b"), 7),
    (re.compile(r"[\s-]*(?:days?|nights?|times?|mornings?|evenings?)\b.{0,30}?week"), 7),
    (re.compile(r"[\s-]*hours?\b.{0,40}?(?:\bdays?\b|daily|\bnight\b|\bsleep)"), 12),
    (re.compile(r"[\s-]*(?:meals|showers|baths)\b"), 5),
    (re.compile(r"[\s-]*times?\b.{0,20}?(?:\bday\b|daily)"), 8),
    (re.compile(r"[\s-]*months?\b.{0,30}?(?:\ba year\b|per year|each year)"), 12),
    (re.compile(r"[\s-]*weeks?\b.{0,30}?(?:\bmonth\b)"), 4),
    (re.compile(r"[\s-]*days?\b.{0,30}?(?:\bmonth\b)"), 30),
    (re.compile(r"[\s-]*minutes?\b"), 59),
    (re.compile(r"[\s-]*(?:hours?|hrs?)\b"), 24),
    (re.compile(r"[\s-]*(?:years?|yrs?)\b.{0,20}?\b(?:old|older|younger|age)\b"), 85),
    (re.compile(r"[\s-]*(?:feet|foot|ft)\b.{0,12}?\btall\b"), 7),
    (
        re.compile(
            r"[\s-]*(?:bedrooms?|bathrooms?|siblings|brothers|sisters|children|kids|sons)\b"
        ),
        9,
    ),
)
_SPEED = re.compile(
    r"[\s-]*(?:mph\b|km/?h\b|(?:miles?|kilomet(?:er|re)s?|km)\s*(?:/|\bper\b|\ban\b|\ba\b)\s*hour)"
)
_MOST_SPEEDS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"\b(?i:walk|hik|stroll|swim|swam|row)\w*\b"), 6),
    (re.compile(r"\b(?i:run|ran|jog|sprint)\w*\b"), 15),
    (re.compile(r"\b(?i:bik|bicycl|cycl|pedal)\w*\b"), 30),
)
_MOST_BEFORE: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"\b(?:turns?|turned|aged?|age\s+of|age\s+is|years\s+old\s+is)\s+\Z"), 85),
)
_MEASURES = (
    "cups? pints? quarts? gallons? ounces? tablespoons? teaspoons? ml millilit(?:er|re)s? "
    "l lit(?:er|re)s?",
    "inch(?:es)? foot feet yards? miles? mm cm m km (?:kilo|centi|milli)?met(?:er|re)s?",
    "ounces? pounds? lbs? tons? g kg grams? kilograms? stones?",
    "seconds? minutes? hours? days? weeks? months? years?",
)
"""Units of one kind each: what one is worth in another is no amount that may be another."""
_WORTH = tuple(
    (
        re.compile(
            rf"\b(?i:one|1|an?|each|every)\s+(?:US\s+)?(?i:{units})\s+(?i:=|equals?|is(?:\s+equal\s+to)?"
            r"|contains?|has|weighs?|makes?|holds?)\s+(?i:about\s+|exactly\s+)?\Z"
        ),
        re.compile(rf"[\s-]*(?i:{units})\b"),
        re.compile(
            rf"[\s-]*(?i:{units})\s+(?i:in|to|makes?|equals?|is)\s+(?i:an?|one|1|each|every|the)\s+"
            rf"(?:US\s+)?(?i:{units})\b"
        ),
    )
    for units in (group.replace(" ", "|") for group in _MEASURES)
)


@dataclass(frozen=True)
class Quantity:
    """A number that the question states, perhaps in several places, and that may change.

    `factor` is what one of it is worth in `3 dozen` or `2 thousand`, else 1. `most` is the largest
    value that makes sense, as with the days of a week; None where nothing is known of that.
    """

    places: tuple[Numeral, ...]
    percent: bool
    cents: bool
    factor: int
    most: int | None

    @property
    def value(self) -> Fraction:
        """What the question states."""
        return self.places[0].value

    def forms(self, value: Fraction) -> dict[str, Fraction]:
        """In which ways the quantity may enter a computation if it had a value."""
        found = {"itself": value}
        if self.percent:
            share = value / 100
            found |= {"share": share, "rest": 1 - share, "grown": 1 + share}
            found |= {"rest_percent": 100 - value, "grown_percent": 100 + value}
        if self.cents:
            found["dollars"] = value / 100
        if self.factor != 1:
            found["scaled"] = value * self.factor
        return found


def changeable(question: str) -> list[Quantity]:
    """The numbers of a question that its words leave free, each quantity once.

    A number that occurs again is the same quantity where the same word follows and a determiner
    goes before (`the 20 pupils`). Two equal numbers that might be two quantities are left out.
    """
    groups: dict[Fraction, list[Numeral]] = {}
    for numeral in find_numerals(question):
        groups.setdefault(numeral.value, []).append(numeral)
    found: list[Quantity] = []
    for value, places in groups.items():
        first, *later = places
        if value in (0, 1) or not is_free(question, first):
            continue
        if not all(_is_again(question, first, other) for other in later):
            continue
        found.append(_quantity(question, places))
    return found


def is_free(question: str, numeral: Numeral) -> bool:
    """Whether a number may be another one, by the words around it."""
    before, behind = question[: numeral.start], question[numeral.end :]
    if set(numeral.text) & set(VULGAR):
        return False
    if _KEPT_BEHIND.match(behind) or _KEPT_BEFORE.search(before):
        return False
    for of_one, unit, in_one in _WORTH:
        if in_one.match(behind) or (unit.match(behind) and of_one.search(before)):
            return False
    year = numeral.value.denominator == 1 and 1500 <= numeral.value <= 2100
    if year and not numeral.currency and not numeral.word and "," not in numeral.text:
        return _YEAR_BEFORE.search(before) is None
    return True


def percentages(question: str) -> set[Fraction]:
    """The numbers of a question that are percentages, those that may change or not."""
    return {
        one.value
        for one in find_numerals(question)
        if one.percent or _PERCENT_WORD.match(question, one.end)
    }


def kind_of(question: str, numeral: Numeral) -> str:
    """What a number counts: `$` for money, `%` for shares, else the word behind it, or nothing."""
    if numeral.currency:
        return "$"
    if numeral.percent:
        return "%"
    noun = _NOUN.match(question, numeral.end)
    return noun[1].lower().rstrip("s") if noun else ""


def is_reached(question: str, numeral: Numeral) -> bool:
    """Whether another number rose or fell to this one: `it has increased to 52 WPM`."""
    return _REACHED.search(question[max(numeral.start - 80, 0) : numeral.start]) is not None


def is_conditional(question: str) -> str | None:
    """What makes the answer depend on more than arithmetic: a threshold, a comparison, rounding.

    `more than 40 hours` holds for some numbers and not for others, which no graph shows.
    """
    if found := _CONDITION.search(question):
        return found.group()
    for numeral in find_numerals(question):
        if found := _THRESHOLD.search(question[max(numeral.start - 40, 0) : numeral.start]):
            return f"{found.group().strip()} {numeral.text}"
    return None


def _is_again(question: str, first: Numeral, other: Numeral) -> bool:
    noun, again = (kind_of(question, one) for one in (first, other))
    if not noun or noun != again:
        return False
    return _SAME_AGAIN.search(question[: other.start]) is not None


def _quantity(question: str, places: list[Numeral]) -> Quantity:
    first = places[0]
    behind = question[first.end :]
    scale = _SCALE.match(behind)
    return Quantity(
        tuple(places),
        percent=first.percent or _PERCENT_WORD.match(behind) is not None,
        cents=_CENTS.match(behind) is not None,
        factor=_FACTORS[scale[1]] if scale else 1,
        most=_most(question, first),
    )


def _most(question: str, numeral: Numeral) -> int | None:
    sentence = re.split(r"[.?!;](?:\s|$)", question[numeral.end : numeral.end + 80])[0]
    bounds = [most for pattern, most in _MOST_BEHIND if pattern.match(sentence)]
    before = question[max(numeral.start - 30, 0) : numeral.start]
    bounds += [most for pattern, most in _MOST_BEFORE if pattern.search(before)]
    if _SPEED.match(sentence):
        told = re.split(r"[.?!;]\s", question[: numeral.start])[-1]
        bounds += [most for pattern, most in _MOST_SPEEDS if pattern.search(told)]
    fitting = [most for most in bounds if numeral.value <= most]
    return min(fitting) if fitting else None
