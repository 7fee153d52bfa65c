"""Numerals in text: digits with their currency, commas and percent sign, and number words."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

CURRENCY = "$€£¥₹"
MAX_DIGITS = 40
"""Longer digit strings are not read as numbers: no word problem needs them, attacks do."""

VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_DIGITS = re.compile(
    rf"(?:(?P<whole>\d+)\ ?(?P<vulgar>[{VULGAR}])|(?P<only>[{VULGAR}])"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|(?<![\w.])\.\d+))"
)
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORD_VALUE = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS)},
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
}
_MAX_WORDS = 14
"""Words of one number: `nine hundred ninety nine million …` has as many."""
# `a` beside `i`: without it, `six` with a long s would match and be found in no table.
# Three blanks at most: a hidden mark leaves more, and no number goes on behind one.
_WORD = re.compile(
    r"(?<![\w-])(?=[{initials}]){name}"
    r"(?:(?:[\s-]{{1,3}}|\s{{1,3}}(?ai:and)\s{{1,3}}){name})*(?!\w)".format(
        initials="".join({case for word in _WORD_VALUE for case in (word[0], word[0].upper())}),
        name="(?ai:" + "|".join(sorted(_WORD_VALUE, key=len, reverse=True)) + ")",
    )
)
_PERCENT_SIGN = re.compile(r"\s*%")


@dataclass(frozen=True)
class Numeral:
    """A number as it stands in a text; `start` and `end` enclose its digits or words alone."""

    text: str
    start: int
    end: int
    value: Fraction
    currency: bool = False
    percent: bool = False
    word: bool = False

    @property
    def decimals(self) -> int:
        """Digits behind the decimal point."""
        return len(self.text.partition(".")[2])


def find_numerals(text: str, hidden: Sequence[tuple[int, int]] = ()) -> list[Numeral]:
    """All numerals of a text in order, those inside the `hidden` spans left out.

    The sign is not part of a numeral: whether a dash is a minus depends on what stands around
    it, which `notation.expression` decides. Digits glued to a letter on their left (`B2`) are
    names and not numbers.
    """
    visible = blank(text, hidden)
    found = [n for match in _DIGITS.finditer(visible) if (n := _from_digits(visible, match))]
    found += [n for match in _WORD.finditer(visible) for n in _from_words(match)]
    return sorted(found, key=lambda numeral: numeral.start)


def blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with spaces in place of the spans, so that all else stays where it stands."""
    if not spans:
        return text
    characters = list(text)
    for start, end in spans:
        characters[start:end] = " " * len(characters[start:end])
    return "".join(characters)


@lru_cache(maxsize=4096)
def literal_value(text: str) -> Fraction:
    """What digits as written are worth: `1,250.50`, `.5`, `5.`, or mixed as in `1 1/2`."""
    whole, space, share = text.replace(",", "").rstrip(".").partition(" ")
    return Fraction(whole) + Fraction(share) if space else Fraction(whole)


def render_like(value: Fraction, model: Numeral) -> str | None:
    """The value in the style of another numeral: commas, fixed cents, words; sign in front.

    Returns:
        None where the style cannot carry the value: a non-terminating decimal, a word for a
        number that has none, or more digits than are read as a number.
    """
    if model.word:
        word = _in_words(value)
        return word.capitalize() if word and model.text[:1].isupper() else word
    digits = decimal_text(abs(value))
    if digits is None:
        return None
    whole, point, decimals = digits.partition(".")
    if model.decimals == 2:
        point, decimals = ".", decimals.ljust(2, "0")
    if "," in model.text:
        whole = f"{int(whole):,}"
    if model.text.startswith(".") and point and whole == "0":
        whole = ""
    written = whole + point + decimals
    if len(written) > MAX_DIGITS:
        return None
    return f"-{written}" if value < 0 else written


def decimal_text(value: Fraction, most: int = 4) -> str | None:
    """The shortest exact decimal, such as `0.25`; None where it needs over `most` places."""
    scaled = value * 10**most
    if scaled.denominator != 1:
        return None
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(scaled.numerator), 10**most)
    decimals = f"{rest:0{most}d}".rstrip("0") if most else ""
    return f"{sign}{whole}.{decimals}" if decimals else f"{sign}{whole}"


def round_to(value: Fraction, places: int) -> Fraction:
    """The value rounded half away from zero at a decimal place, as people do by hand."""
    scaled = abs(value) * 10**places
    rounded = Fraction(int(scaled + Fraction(1, 2)), 10**places)
    return -rounded if value < 0 else rounded


def _from_digits(text: str, match: re.Match[str]) -> Numeral | None:
    start, end = match.span()
    before = text[start - 1 : start]
    if before.isalpha() or before == "_" or len(match.group()) > MAX_DIGITS:
        return None
    if match["number"]:
        value = literal_value(match["number"])
    else:
        vulgar = match["vulgar"] or match["only"]
        value = Fraction(unicodedata.numeric(vulgar)).limit_denominator(10)
        value += int(match["whole"] or 0)
    return Numeral(
        match.group(),
        start,
        end,
        value,
        currency=_follows_currency(text, start),
        percent=_PERCENT_SIGN.match(text, end) is not None,
    )


def _follows_currency(text: str, start: int) -> bool:
    while start and text[start - 1].isspace():
        start -= 1
    return start > 0 and text[start - 1] in CURRENCY


def _from_words(match: re.Match[str]) -> list[Numeral]:
    """A run of number words is one number (`two hundred and five`) or several (`one two`)."""
    words = [(m.group().lower(), m.span()) for m in re.finditer(r"[A-Za-z]+", match.group())]
    words = [(word, span) for word, span in words if word in _WORD_VALUE]
    groups: list[list[tuple[str, tuple[int, int]]]] = [[words[0]]]
    for (left, _), right in pairwise(words):
        if len(groups[-1]) < _MAX_WORDS and _continues(left, right[0]):
            groups[-1].append(right)
        else:
            groups.append([right])
    numerals = []
    for group in groups:
        start, end = group[0][1][0], group[-1][1][1]
        numerals.append(
            Numeral(
                match.group()[start:end],
                match.start() + start,
                match.start() + end,
                Fraction(_word_sum([word for word, _ in group])),
                word=True,
            )
        )
    return numerals


def _continues(left: str, right: str) -> bool:
    """Whether two neighbouring words belong to one number: `twenty five`, `two hundred`."""
    low, high = _WORD_VALUE[left], _WORD_VALUE[right]
    return high >= 100 > low or low >= 100 or (low >= 20 and 0 < high < 10)


def _word_sum(words: list[str]) -> int:
    total = part = 0
    for word in words:
        value = _WORD_VALUE[word]
        if value >= 1000:
            total, part = total + max(part, 1) * value, 0
        elif value == 100:
            part = max(part, 1) * value
        else:
            part += value
    return total + part


def _in_words(value: Fraction) -> str | None:
    if value.denominator != 1 or not 0 <= value < 100:
        return None
    number = int(value)
    if number < 20:
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_UNITS[unit]}" if unit else "")
