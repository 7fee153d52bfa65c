r"""Numbers as answers write them: digits, fractions, mixed numbers, words, powers of ten, sums.

Every value is a `fractions.Fraction`: nothing is lost to rounding, and a number of 5,000 digits
is a number like any other.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chainwright.notation.expression import ExpressionError, evaluate, parse
from chainwright.notation.givens import SHARES
from chainwright.notation.latex import plain
from chainwright.notation.numerals import find_numerals

MAX_EXPONENT = 400
"""Powers of ten beyond it are not read."""
MAX_ARITHMETIC = 400
"""Longer sums and products are not read."""

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}|[0-9]{1,3}(?:[ '_][0-9]{3})+|[0-9]+)"
"""Commas stand where thousands (or India's hundreds of thousands) are parted."""
_LITERAL = rf"(?:{_DIGITS}(?:\.[0-9]*)?|\.[0-9]+)"
_SIGN = r"(?P<sign>[-+]?)\s*"
_SIMPLE = re.compile(rf"{_SIGN}(?P<literal>{_LITERAL})(?:[eE](?P<exponent>[-+]?[0-9]{{1,4}}))?")
_FRACTION = re.compile(
    rf"{_SIGN}(?:(?P<whole>[0-9]+)(?:\s+(?:and\s+)?|\s*(?=\\)))?"
    r"(?:\\frac\{\s*(?P<top>-?[0-9]+)\s*\}\{\s*(?P<bottom>[0-9]+)\s*\}"
    r"|(?P<above>[0-9]+)\s*/\s*(?P<below>[0-9]+))"
)
_REPEATING = re.compile(
    rf"{_SIGN}(?P<whole>[0-9]*)\.(?P<fixed>[0-9]{{0,100}}?)"
    r"(?:\\(?:overline|bar|dot)\s*\{?(?P<lined>[0-9]{1,100})\}?|\((?P<bracketed>[0-9]{1,100})\)"
    r"|(?P<digit>[0-9])(?P=digit)+(?:\.\.\.|…|\\[lc]?dots))"
)
_SCIENTIFIC = re.compile(
    rf"{_SIGN}(?:(?P<literal>{_LITERAL})\s*(?:\\times|\\cdot|[x×*·])\s*)?"
    r"10\s*(?:\^|\*\*)\s*[{(]?\s*(?P<exponent>[-+]?[0-9]{1,4})\s*[})]?"
)
_SCALE = re.compile(rf"{_SIGN}(?P<literal>{_LITERAL})\s+(?P<scale>[a-z]+)", re.IGNORECASE)
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_SHARE = re.compile(
    r"(?:(?P<whole>.*\S)\s+and\s+)?(?:(?P<top>[a-z]+|[0-9]+)[\s-]+)?(?P<part>{})s?".format(
        "|".join(SHARES)
    )
)
_NEGATIVE_WORD = re.compile(r"(?:minus|negative)\s+", re.IGNORECASE)
_ARITHMETIC = re.compile(r"[-+*/^().0-9\s×·÷]+")
_NO_ARITHMETIC = re.compile(r"[0-9]+\s*-\s*[0-9]+|[0-9]+/[0-9]+/[0-9]+|[0-9.]+\s+[0-9.]+.*")
"""Ranges, scores, dates and lists of numbers, which would read as differences and quotients."""
_MIXED = re.compile(r"(?<![0-9.])([0-9]+)\s*\\frac\{([0-9]+)\}\{([1-9][0-9]*)\}")


@dataclass(frozen=True)
class Number:
    """A number and how it was written.

    `places` counts the digits behind the point of a decimal, and is None for every exact form;
    `digits` counts the significant ones.
    """

    value: Fraction
    places: int | None = None
    digits: int = 0


def read_number(text: str) -> Number | None:
    r"""The number that the whole of a bare text is.

    Read are `1,000`, `10 000`, `-3.50`, `1e3`, `1.5 \times 10^{3}`, `3/4`, `\frac{3}{4}`,
    `2 1/3`, `2\frac{1}{3}`, `0.\overline{3}`, `0.(3)`, `2.5 million`, `twenty-five`,
    `two thirds` and arithmetic in plain numbers such as `3*4+\frac{1}{2}`.

    Returns:
        None where it is none, as with a division by zero, `3-4` (a score, a range), `1,2` and
        powers of ten beyond `MAX_EXPONENT`.
    """
    text = text.strip()
    if not text:
        return None
    for form in (_simple, _fraction, _repeating, _scientific, _scaled, _worded, _computed):
        number = form(text)
        if number is not None:
            return number
    return None


def other_reading(text: str) -> Fraction | None:
    """What the text is where the comma is the decimal mark or the point parts thousands.

    `3,14` is 3.14 to many writers and `1.000` a thousand. None where there is no such reading.
    """
    text = text.strip()
    if re.fullmatch(r"-?[0-9]{1,40},[0-9]{1,40}", text):
        return Fraction(text.replace(",", "."))
    if re.fullmatch(r"-?[0-9]{1,3}(?:\.[0-9]{3}){1,12}(?:,[0-9]{1,40})?", text):
        return Fraction(text.replace(".", "").replace(",", "."))
    return None


def _simple(text: str) -> Number | None:
    found = _SIMPLE.fullmatch(text)
    return _scaled_literal(found, int(found["exponent"] or 0)) if found else None


def _scaled_literal(found: re.Match[str], exponent: int, times: int = 1) -> Number | None:
    """The literal in a match with its sign, times ten to the exponent and times a word."""
    if abs(exponent) > MAX_EXPONENT:
        return None
    literal = re.sub(r"[,_' ]", "", found["literal"] or "1").rstrip(".")
    # Decimal takes any number of digits, where int() stops at 4,300
    value = Fraction(Decimal(literal)) * Fraction(10) ** exponent * times
    behind = len(literal.partition(".")[2])
    exact = exponent or times != 1 or not behind
    digits = len(literal.replace(".", "").lstrip("0"))
    return Number(-value if found["sign"] == "-" else value, None if exact else behind, digits)


def _fraction(text: str) -> Number | None:
    found = _FRACTION.fullmatch(text)
    if found is None or len(text) > MAX_ARITHMETIC:
        return None
    top = int(found["top"] or found["above"])
    bottom = int(found["bottom"] or found["below"])
    if bottom == 0 or (found["whole"] and top < 0):
        return None
    value = Fraction(top, bottom) + int(found["whole"] or 0)
    return Number(-value if found["sign"] == "-" else value)


def _repeating(text: str) -> Number | None:
    found = _REPEATING.fullmatch(text)
    if found is None:
        return None
    period = found["lined"] or found["bracketed"] or found["digit"]
    fixed = found["fixed"]
    shift = Fraction(1, 10 ** len(fixed))
    value = Fraction(int(found["whole"] or 0)) + int(fixed or 0) * shift
    value += Fraction(int(period), 10 ** len(period) - 1) * shift
    return Number(-value if found["sign"] == "-" else value)


def _scientific(text: str) -> Number | None:
    found = _SCIENTIFIC.fullmatch(text)
    return _scaled_literal(found, int(found["exponent"])) if found else None


def _scaled(text: str) -> Number | None:
    found = _SCALE.fullmatch(text)
    times = _SCALES.get(found["scale"].lower().removesuffix("s")) if found else None
    return _scaled_literal(found, 0, times) if found and times else None


def _worded(text: str) -> Number | None:
    if not text[0].isalpha() or len(text) > MAX_ARITHMETIC:
        return None
    if sign := _NEGATIVE_WORD.match(text):
        inner = read_number(text[sign.end() :])
        return Number(-inner.value, inner.places, inner.digits) if inner else None
    words = text.lower()
    if words in ("a dozen", "dozen"):
        return Number(Fraction(12))
    found = find_numerals(words)
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(words)):
        return Number(found[0].value)
    return _share(words)


def _share(words: str) -> Number | None:
    """Shares in words: `two thirds`, `a half`, `two and a half`, but not the ordinal `third`."""
    found = _SHARE.fullmatch(words)
    if found is None or (found["top"] is None and found["part"] != "half"):
        return None
    top = 1 if found["top"] in (None, "a", "an") else _whole(found["top"])
    whole = 0 if found["whole"] is None else _whole(found["whole"])
    if top is None or whole is None:
        return None
    return Number(whole + Fraction(top, SHARES[found["part"]]))


def _whole(words: str) -> int | None:
    found = find_numerals(words)
    whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(words))
    return int(found[0].value) if whole and found[0].value.denominator == 1 else None


def _computed(text: str) -> Number | None:
    """The value of arithmetic in plain numbers, by the package's own grammar and its limits."""
    if len(text) > MAX_ARITHMETIC or not any(char in "0123456789" for char in text):
        return None
    written = plain(_MIXED.sub(r"(\1+\2/\3)", text)) if "\\" in text else text
    written = written.replace("{", "(").replace("}", ")")
    if not _ARITHMETIC.fullmatch(written) or _NO_ARITHMETIC.fullmatch(written.strip()):
        return None
    try:
        return Number(evaluate(parse(written)))
    except (ExpressionError, RecursionError):
        return None
