r"""Options: which choice of a multiple-choice question an answer names."""

import re
from collections.abc import Sequence

from chainwright.builders.matching.bare import bare
from chainwright.builders.matching.numbers import read_number
from chainwright.builders.matching.verdict import Match, different, equal, undecided
from chainwright.builders.matching.words import compare_words

LETTERS = "ABCDEFGHIJ"
_CHOICE = re.compile(
    r"(?:(?:option|choice|answer)\s+)?[(\[]?\s*(?P<letter>[A-Ja-j])\s*"
    r"(?:[)\]]\s*[.:,-]?|[.:,)]|\s-)?\s*(?P<text>.*)",
    re.IGNORECASE | re.DOTALL,
)
_MARKED = re.compile(
    r"(?:(?:option|choice|answer)\s+[(\[]?|[(\[])\s*[A-Ja-j]\b|[A-Ja-j]\s*[.:)\]]", re.IGNORECASE
)
_PREFIX = re.compile(r"\A\s*[(\[]?[A-Ja-j]\s*[.:)\]]\s*")


def compare_options(
    expected: str, given: str, options: Sequence[str], *, sure: bool
) -> Match | None:
    """Whether two bare answers name the same choice; None where that isn't how they read.

    An answer names a choice by its letter (`C`, `(C)`, `C. text`, `option C`), or by the text of
    one of the options.

    Args:
        sure: The answers are known to be choices, so that small letters name them too.
    """
    if not options:
        one, two = (_letter(text, sure=sure) for text in (expected, given))
        if one is None or two is None:
            return None
        if not sure and one[1] and two[1]:
            # `A. Lincoln` and `A. Jackson` are no options
            return None
        return equal("the same option") if one[0] == two[0] else different("another option")
    places = [_place(text, options) for text in (expected, given)]
    if places[0] is None or places[1] is None:
        return None
    if "unclear" in places:
        return undecided("a letter and the text of another option")
    return equal("the same option") if places[0] == places[1] else different("another option")


def option_text(answer: str, options: Sequence[str]) -> str | None:
    """The text of the option that a bare answer names, without its letter."""
    place = _place(answer, options)
    return _text(options[place]) if isinstance(place, int) else None


def _place(answer: str, options: Sequence[str]) -> int | str | None:
    """The place of the option named; `unclear` where letter and text disagree."""
    texts = [_text(option) for option in options]
    same = [place for place, text in enumerate(texts) if _same(answer, text)]
    if len(same) == 1 and not (len(answer) == 1 and answer.isupper()):
        return same[0]
    found = _CHOICE.fullmatch(answer)
    if found is None or not (_MARKED.match(answer) or not found["text"]):
        return None
    place = LETTERS.index(found["letter"].upper())
    if place >= len(options):
        return None
    said = bare(found["text"])
    if said and not _same(said, texts[place]):
        return "unclear" if any(_same(said, text) for text in texts) else place
    return place


def _letter(text: str, *, sure: bool) -> tuple[str, str] | None:
    """The letter of an option and the text behind it."""
    found = _CHOICE.fullmatch(text)
    if found is None or (found["text"] and not _MARKED.match(text)):
        return None
    if not sure and not found["letter"].isupper() and not _MARKED.match(text):
        return None
    return found["letter"].upper(), found["text"]


def _same(one: str, two: str) -> bool:
    left, right = read_number(one), read_number(two)
    if left is not None or right is not None:
        return left is not None and right is not None and left.value == right.value
    return one == two or compare_words(one, two).verdict == "equal"


def _text(option: str) -> str:
    return bare(_PREFIX.sub("", option, count=1) or option)
