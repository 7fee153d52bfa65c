"""Text answers: exact match and word F1 in the manner of SQuAD (arXiv 1606.05250) and MuSiQue.

Both compare words after lower case, without punctuation and articles, and take the best over the
gold answer and its aliases. What they cannot tell (a name abbreviated, half an answer) is
undecided: a chain called wrong because its answer is worded differently would be a wrong label.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from chainwright.builders.matching import match

SHARED = 0.5
"""Word F1 from which an answer that is not exact may still be a right one, worded differently."""

_ARTICLES = frozenset(("a", "an", "the"))
_SET_PHRASES = (("yes",), ("no",), ("noanswer",))
_YEAR = re.compile(r"(?:1[0-9]|20)[0-9]{2}")
_DIGIT = re.compile(r"[0-9]")
_NUMERAL = re.compile(r"[0-9]+(?:st|nd|rd|th|s|am|pm)?$")
_NUMBER_WORD = re.compile(
    r"\b(?:zero|none|no|half|quarter|once|twice|both|pair|couple|dozen|score|decade|century"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twen|thir|for|fif|eigh"
    r"|hundred|thousand|[mb]illion|first|second|third)[a-z]*)\b|\b(?-i:[IVXLCDM]{2,})\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?:[A-Z]\.?){2,6}")
MAX_LENGTH = 1000
"""Longer answers are compared by their words alone."""


def normalised(text: str) -> list[str]:
    """The words of an answer that count.

    Unicode's punctuation goes as well as ASCII's. Articles stay where nothing else would.

    >>> normalised("The Land-Grant  University, U.S.")
    ['landgrant', 'university', 'us']
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    bare = "".join(char for char in folded if not _is_punctuation(char))
    words = bare.split()
    return [word for word in words if word not in _ARTICLES] or words


def exact_match(given: str, golds: Iterable[str]) -> bool:
    """Whether an answer has the same words as one of the gold ones; one without words has none."""
    words = normalised(given)
    return bool(words) and any(words == normalised(gold) for gold in golds)


def word_f1(given: str, golds: Iterable[str]) -> float:
    """The harmonic mean of word precision and recall, best over the gold answers; 0 for none.

    Yes and no count as wholes, as in HotpotQA's and 2WikiMultihopQA's evaluation: beside any other
    answer they have nothing in common with it.
    """
    return max((_f1(normalised(given), normalised(gold)) for gold in golds), default=0.0)


def same_text(given: str, golds: Sequence[str], question: str = "") -> bool | None:
    """Whether a short text answers as one of the gold ones does.

    Right where exact match or the rules of `matching` say so. Wrong where no more than some words
    are shared (F1 below `SHARED`) with any gold answer, neither of the two contains the other, and
    none may abbreviate the other; where both name years and not the same ones; and where one is a
    number or date and the other nothing of the kind. Undecided otherwise, and for an answer without
    words.
    """
    golds = [gold for gold in golds if normalised(gold)]
    if not golds or not normalised(given):
        return None
    if exact_match(given, golds):
        return True
    verdicts = [_verdict(given, gold, question) for gold in golds]
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _verdict(given: str, gold: str, question: str) -> bool | None:
    one, two = normalised(given), normalised(gold)
    if max(len(given), len(gold)) > MAX_LENGTH:
        return None if _f1(one, two) or _contains(one, two) else False
    found = match(gold, given, question=question, kind="text").verdict
    if found == "equal":
        return True
    years = [set(_YEAR.findall(" ".join(words))) for words in (one, two)]
    if all(years) and not years[0] & years[1]:
        return False
    shared = _f1(one, two)
    if shared == 0:
        apart = found == "different" or _is_number_beside_words(given, gold)
        return False if apart and not _may_be_code(given, gold) else None
    if shared >= SHARED or _contains(one, two) or _has_initials(one, two):
        return None
    return False


def _f1(one: Sequence[str], two: Sequence[str]) -> float:
    if one == two:
        return 1.0 if one else 0.0
    if tuple(one) in _SET_PHRASES or tuple(two) in _SET_PHRASES:
        return 0.0
    common = sum((Counter(one) & Counter(two)).values())
    return 2 * common / (len(one) + len(two)) if common else 0.0


def _contains(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether all words of one are among those of the other."""
    return not (Counter(one) - Counter(two) and Counter(two) - Counter(one))


def _is_number_beside_words(one: str, two: str) -> bool:
    """Whether one has numbers and the other nothing that might be one, as `1902` and `Ida Holm`."""
    numbers, words = sorted((one, two), key=lambda text: not _DIGIT.search(text))
    if not _DIGIT.search(numbers) or _DIGIT.search(words):
        return False
    odd = [word for word in normalised(numbers) if _DIGIT.search(word) and not _NUMERAL.match(word)]
    return not odd and not _NUMBER_WORD.search(words) and words.isascii()


def _may_be_code(one: str, two: str) -> bool:
    """Whether a word of capitals may stand for the other answer, as `ARN` does for Arlanda."""
    for code, name in ((one.strip(), two.casefold()), (two.strip(), one.casefold())):
        if _CODE.fullmatch(code):
            letters = iter(name)
            if all(letter in letters for letter in code.casefold() if letter != "."):
                return True
    return False


def _has_initials(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether a letter of one stands for a word of the other, as in `J. Smith`."""
    return any(
        len(short) == 1 and short.isalpha() and long != short and long.startswith(short)
        for shorts, longs in ((one, two), (two, one))
        for short in shorts
        for long in longs
    )


def _is_punctuation(char: str) -> bool:
    return char in string.punctuation or unicodedata.category(char).startswith("P")
