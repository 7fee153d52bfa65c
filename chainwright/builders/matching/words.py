"""Words: yes and no, names and other text."""

import re
import unicodedata
from difflib import SequenceMatcher

from chainwright.builders.matching.verdict import Match, different, equal, undecided
from chainwright.builders.units import CURRENCY_SIGNS

MAX_WORDS = 6
"""Longer texts are called different never: they may say the same in other words."""

MAX_TEXT = 120
"""Characters, with the same meaning."""

_YES = frozenset(("yes", "true", "correct", "yeah", "yep"))
_NO = frozenset(("no", "false", "incorrect", "nope"))
_YES_OR_NO = re.compile(
    r"(?:it(?:'s| is)\s+)?(?P<word>[a-z]+)\b(?P<rest>\s*[,.;:!–—-].*)?", re.IGNORECASE | re.DOTALL
)
_ARTICLES = frozenset(("a", "an", "the"))
_ORDINALS = {
    word: f"{place}{'st' if place == 1 else 'nd' if place == 2 else 'rd' if place == 3 else 'th'}"
    for place, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        start=1,
    )
}
_SMALL = frozenset("of in on at to for and or is was with by from".split())
"""Words that two texts may share without having anything to do with one another."""
_NO_ANSWER = frozenset(
    (
        "unknown",
        "none",
        "n a",
        "na",
        "idk",
        "i do not know",
        "i don t know",
        "not sure",
        "cannot be determined",
        "can t be determined",
        "cannot determine",
        "not enough information",
        "undetermined",
        "no answer",
        "null",
        "nan",
    )
)
_SIMILAR = 0.7
_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)*|\w+")
_SIGNS = re.compile(
    rf"[\\^=<>+*/|{{}}%°{CURRENCY_SIGNS}]|(?<![A-Za-z])-\s*[0-9(]|[0-9]\s*!|_|\b[A-Za-z]'(?!\w)"
)
"""What words don't tell: `f(x)+1` and `f(x)-1` have the same ones."""


def yes_or_no(text: str) -> bool | None:
    """True for yes and true, False for no and false, also where a reason follows; else None."""
    found = _YES_OR_NO.fullmatch(text.strip())
    word = found["word"].lower() if found else ""
    if word not in _YES | _NO:
        return None
    return word in _YES


def compare_words(expected: str, given: str) -> Match:
    """Whether two texts are the same words, regardless of case, articles, accents, punctuation.

    Short texts without anything in common are different. Where they share a word, are spelled
    alike, abbreviate one another or are written in different scripts, they are undecided.
    """
    one, two = _words(expected), _words(given)
    if not one or not two:
        return undecided("nothing to compare")
    if _SIGNS.search(expected) or _SIGNS.search(given):
        same = "".join(expected.split()) == "".join(given.split())
        return equal("the same text") if same else undecided("signs that aren't read")
    if one == two or (not _has_digits(one) and "".join(one) == "".join(two)):
        return equal("the same words")
    if " ".join(one) in _NO_ANSWER or " ".join(two) in _NO_ANSWER:
        return undecided("no answer")
    if max(len(one), len(two)) > MAX_WORDS or max(len(expected), len(given)) > MAX_TEXT:
        return undecided("texts too long to call different")
    if set(one) & set(two) - _SMALL:
        return undecided("texts that share a word")
    if _abbreviates(one, two) or _abbreviates(two, one):
        return undecided("one may abbreviate the other")
    if SequenceMatcher(None, "".join(one), "".join(two)).ratio() >= _SIMILAR:
        return undecided("texts that are spelled alike")
    if _has_digits(one) != _has_digits(two) or _is_latin(one) != _is_latin(two):
        return undecided("texts of different kinds")
    return different("other words")


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    # an initialism is one word: `U.S.A.` is `usa`
    plain = re.sub(r"(?<=\b\w)\.(?=\w\b)|(?<=\b\w)\.(?=\s|$)", "", plain).replace("'s ", " ")
    words = _WORD.findall(plain.replace("&", " and ").replace("_", " "))
    return [_ORDINALS.get(word, word) for word in words if word not in _ARTICLES] or words


def _abbreviates(short: list[str], long: list[str]) -> bool:
    """Whether one word may stand for the others: `USA`, `Rob` for `Robert`, `phys` for physics."""
    if len(short) == 1 and len(long) > 1:
        letters = "".join(word[0] for word in long)
        without_small = "".join(word[0] for word in long if word not in _SMALL)
        return short[0] in (letters, without_small) or long[0].startswith(short[0])
    return any(
        len(one) >= 2 and two != one and two.startswith(one[: max(3, len(one) - 2)])
        for one in short
        for two in long
    )


def _has_digits(words: list[str]) -> bool:
    return any(char.isdigit() for word in words for char in word)


def _is_latin(words: list[str]) -> bool:
    letters = [char for word in words for char in word if char.isalpha()]
    return all("LATIN" in unicodedata.name(char, "") for char in letters)
