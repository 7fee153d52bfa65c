"""Option answers: which option of a choice question an answer names, in models' many ways."""

import re
from collections.abc import Sequence

from chainwright.builders.matching import match
from chainwright.builders.text_answers import normalised

LETTERS = "ABCDEFGHIJ"

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(
    rf"\b(?:the\s+)?(?P<word>{'|'.join(_ORDINALS)}|last)\s+(?:option|choice|answer|statement|one)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b(?:option|choice)\s+\(?(?P<number>[1-9])\)?(?![\d.])", re.IGNORECASE)
_ALONE = re.compile(r"(?<![\w'’])(?P<letter>[A-J])(?![\w'’])")
_ARTICLE = re.compile(r"A\s+[a-z]")
_SURELY = re.compile(r"A\s+(?:is|because|since|as|follows|must|holds|would|can|and|or)\b")
_AGAINST = re.compile(
    r"\b(?:not|n't|wrong|incorrect|false|except|neither|none|nor|eliminated?|rule[ds]?\s+out"
    r"|rather\s+than|instead\s+of)\b|n't\b",
    re.IGNORECASE,
)


def same_option(given: str, answer: str, options: Sequence[str], question: str = "") -> bool | None:
    """Whether an answer names the gold option.

    The rules of `matching` come first (`C`, `(C)`, `option c`, `C. text`, the text of an option);
    what they leave open is read by `stated_letter`.

    Returns:
        None where the answer names no option, several, or a letter and another one's text.
    """
    found = match(answer, given, question=question, options=options, kind="option")
    if found.verdict != "undecided":
        return found.verdict == "equal"
    letter = stated_letter(given, options)
    return None if letter is None else letter == answer.strip().upper()


def stated_letter(given: str, options: Sequence[str]) -> str | None:
    """The letter of the one option that a phrase or sentence speaks for.

    That is a capital letter that stands alone (`Therefore C`, `C - because …`, `<C>`), or the
    place of the option (`the third option`, `option 3`). None where there are several, where the
    text of another option is repeated, and where something is denied (`not B`, `A is wrong`).

    >>> options = ["red", "blue", "green", "grey"]
    >>> stated_letter("So it must be C", options), stated_letter("the last option", options)
    ('C', 'D')
    >>> stated_letter("B or C", options), stated_letter("C - blue", options)
    (None, None)
    """
    if _AGAINST.search(given):
        return None
    letters = LETTERS[: len(options)]
    places = {letters.index(letter) for letter in _letters(given) if letter in letters}
    for found in _ORDINAL.finditer(given):
        word = found["word"].lower()
        places.add(len(options) - 1 if word == "last" else _ORDINALS.index(word))
    places |= {int(found["number"]) - 1 for found in _NUMBERED.finditer(given)}
    if len(places) != 1:
        return None
    (place,) = places
    if place >= len(options) or _repeats_another(given, options, place):
        return None
    return letters[place]


def _letters(given: str) -> set[str]:
    """Capital letters that stand alone, but for `A` where it is an article."""
    return {
        found["letter"]
        for found in _ALONE.finditer(given)
        if not _ARTICLE.match(given, found.start()) or _SURELY.match(given, found.start())
    } - ({"I"} if re.search(r"\bI\s", given) else set())


def _repeats_another(given: str, options: Sequence[str], place: int) -> bool:
    said = f" {' '.join(normalised(given))} "
    return any(
        f" {' '.join(normalised(option))} " in said
        for at, option in enumerate(options)
        if at != place
        and option != options[place]
        and normalised(option)
        # a text that the named option holds as well says nothing
        and " ".join(normalised(option)) not in " ".join(normalised(options[place]))
    )
