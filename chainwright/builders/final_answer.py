r"""Final answer: what a worked solution states as its result.

The forms of the common sources are read: `\boxed{…}` (MATH, arXiv 2103.03874), `#### N` (GSM8K,
arXiv 2110.14168), `A: N` (its model solutions), `The answer is: N` (MetaMathQA, arXiv 2309.12284),
and prose that ends in its result (Orca-Math, arXiv 2402.14830).
"""

import re
from dataclasses import dataclass
from typing import Literal

from chainwright.builders.boxed import UnclosedBoxError, has_box, last_box
from chainwright.builders.units import CURRENCY_SIGNS, is_unit

Rule = Literal["box", "mark", "line", "phrase", "bold", "equation", "prose", "none"]

MAX_LENGTH = 200_000
"""Longer texts are read from their end."""

MAX_SENTENCE = 1000
"""Longer last sentences too."""

_MARK = re.compile(r"####[^\S\n]*(?P<answer>[^\n]*)")
_LINE = re.compile(r"(?:A|Ans|Answer)\s*[:.]\s*(?P<answer>\S.*)")
_PHRASE = re.compile(
    r"\b(?:(?:the|my|our|final|correct)\s+)*(?:final\s+answer|answer)"
    r"(?:\s+(?:to|of)\s+(?:the|this)\s+(?:question|problem))?"
    r"\s*(?:is\s*:|is\b|=|:|\*\*:|:\*\*)\s*(?P<answer>\S[^\n]*)",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*(?P<answer>[^*\n]+)\*\*")
_NUMBER = (
    rf"(?:[-−]\s?)?[{CURRENCY_SIGNS}]?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+|[0-9]+)(?:\.[0-9]+)?"
    r"(?:/[0-9]+|\s+[0-9]+/[0-9]+)?%?"
)
_NUMERAL = re.compile(rf"(?<![\w.,/^])(?P<number>{_NUMBER})(?![\w^]|[.,/][0-9]|\s*[×*+/]\s*[0-9])")
_RESULT = re.compile(rf"[=≈]\s*(?P<number>{_NUMBER})(?![0-9])(?!\s*[-+*/×÷^(])")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z\"“*$\\(])|\n+")
_FAREWELL = re.compile(
    r"(?:if you|let me know|feel free|i hope|hope this|please|do you|would you)\b", re.IGNORECASE
)
_ASKS_NO_NUMBER = re.compile(
    r"(?:^|[.?!,]\s+|\bfind\s+(?:out\s+)?)(?:and\s+)?(?:who|whose|whom)\b"
    r"|\bwhich\s+(?:\w+\s+)?(?:person|student|child|one|shape|team|class|city|day|figure|circle|"
    r"group|box|store|shop|color|colour|animal|fruit)\b|\bwhich\s+of\s+(?!the\s+(?:\w+\s+)?numbers)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?P<verb>\w+)?,?\s+with\s+(?:an?\s+|the\s+)?(?:\w+\s+){0,3}(?:of\s+)?$", re.IGNORECASE
)
"""`Circle C, with a radius of 3 cm, is the smallest` doesn't answer with its radius …"""
_NO_ASIDE = re.compile(r"left|start|beg[aiu]n|up|remain|finish|came|come|return", re.IGNORECASE)
"""… and `she started with 12` does."""
_STATES = re.compile(r"(?:\b(?:is|are|was|were|be|equals|of|total|has|have|gets?|needs?)|=)\s*$")


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """An answer with the rule that found it; without one, the reason why there is none."""

    answer: str | None
    rule: Rule
    reason: str


def final_answer_of(text: str, *, question: str = "") -> str | None:
    r"""The answer that a solution states, or None; see `find_final_answer`.

    >>> final_answer_of(r"We get $\boxed{1}$ or $\boxed{\frac{1}{2}}$.")
    '\\frac{1}{2}'
    >>> final_answer_of("She buys 3 * 4 = 12 eggs.\nTherefore, she buys 12 eggs.")
    '12'
    """
    return find_final_answer(text, question=question).answer


def find_final_answer(text: str, *, question: str = "") -> FinalAnswer:
    r"""What a solution states as its answer, and how that was found.

    The last box counts, then the last `####`, then a last line `A: …`, then the last phrase such
    as `the answer is …`, then bold print, the result of an equation or the number in the last
    sentence. A number from prose needs to be the only candidate: of several in the sentence, it is
    the one that an equation of the text has as its result, the one that the question doesn't hold,
    or the one that the sentence ends on.

    Args:
        question: What was asked. Where that is no number (`Who …`), none is taken from prose.

    Returns:
        An answer as it was written; or None with the reason, where the text is empty, was cut off
        in a box, or ends in no number or in several.
    """
    text = text[-MAX_LENGTH:].strip()
    if not text:
        return _none("the text is empty")
    if has_box(text):
        try:
            boxed = last_box(text)
        except UnclosedBoxError as error:
            return _none(str(error))
        if boxed is not None:
            return FinalAnswer(boxed, "box", "the last box")
    return _marked(text) or _from_prose(text, question)


def _marked(text: str) -> FinalAnswer | None:
    marks = [found["answer"].strip() for found in _MARK.finditer(text)]
    if marks and marks[-1]:
        return FinalAnswer(marks[-1], "mark", "behind ####")
    last_line = text.rpartition("\n")[2].strip().strip("*")
    if line := _LINE.fullmatch(last_line):
        return FinalAnswer(_trimmed(line["answer"]), "line", "the last line")
    phrases = list(_PHRASE.finditer(text))
    if phrases and (stated := _statement(phrases[-1]["answer"])):
        return FinalAnswer(stated, "phrase", "behind the phrase that announces it")
    return None


def _statement(text: str) -> str:
    """The first sentence of what follows a phrase; empty where it goes on as a sentence does.

    `The final answer is positive, because …` announces nothing.
    """
    sentence = re.split(r"(?<=[^\s.])\.(?=\s|$)|(?<=\S)[;!?](?=\s|$)", text, maxsplit=1)[0]
    stated = _trimmed(re.split(r",\s+(?:because|since|so|as|which)\b", sentence, maxsplit=1)[0])
    return stated if len(stated.split()) <= 12 else ""


def _from_prose(text: str, question: str) -> FinalAnswer:
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
    while sentences and _FAREWELL.match(sentences[-1]):
        sentences.pop()
    if not sentences:
        return _none("no sentence")
    last = sentences[-1][-MAX_SENTENCE:]
    if bold := list(_BOLD.finditer(last)):
        return FinalAnswer(_trimmed(bold[-1]["answer"]), "bold", "bold print in the last sentence")
    if _ASKS_NO_NUMBER.search(question):
        return _none("the question asks for no number")
    results = [found["number"].strip() for found in _RESULT.finditer(last)]
    if results and _is_end(last, results[-1]):
        return FinalAnswer(_with_unit(last, results[-1]), "equation", "the last equation's result")
    numbers = [found for found in _NUMERAL.finditer(last) if not _is_aside(_before(last, found))]
    candidates = list(dict.fromkeys(_plain(found["number"]) for found in numbers))
    if not candidates:
        return _none("no number in the last sentence")
    if len(candidates) > 1:
        candidates = _narrowed(candidates, last, text, question)
    if len(candidates) != 1:
        return _none("several numbers in the last sentence")
    found = next(f for f in reversed(numbers) if _plain(f["number"]) == candidates[0])
    return FinalAnswer(_with_unit(last, found["number"]), "prose", "the last sentence's number")


def _narrowed(candidates: list[str], last: str, text: str, question: str) -> list[str]:
    """The candidate that was worked out, or that the sentence ends on."""
    worked = [_plain(found["number"]) for found in _RESULT.finditer(text)]
    results = [number for number in candidates if number in worked]
    asked = {_plain(found["number"]) for found in _NUMERAL.finditer(question)}
    new = [number for number in results if number not in asked]
    if len(new or results) == 1:
        return new or results
    fresh = [number for number in candidates if number not in asked]
    if asked and len(fresh) == 1:
        return fresh
    stated = [found for found in _NUMERAL.finditer(last) if _STATES.search(_before(last, found))]
    ends = len(stated) == 1 and not results and _is_end(last, stated[0]["number"])
    return [_plain(stated[0]["number"])] if ends else candidates


def _before(sentence: str, found: re.Match[str]) -> str:
    """What stands before a number, as far as it may belong to it."""
    return sentence[max(0, found.start() - 60) : found.start()]


def _is_aside(before: str) -> bool:
    aside = _ASIDE.search(before)
    return aside is not None and not _NO_ASIDE.match(aside["verb"] or "")


def _is_end(sentence: str, number: str) -> bool:
    """Whether nothing but a unit and a few words follow the number."""
    behind = sentence.rpartition(number)[2]
    return len(behind.split()) <= 5 and not any(char.isdigit() for char in behind)


def _with_unit(sentence: str, number: str) -> str:
    """The number with the unit of measure right behind it."""
    behind = sentence.rpartition(number)[2]
    words = re.match(r"\s*(?P<power>(?:square|cubic)\s+)?(?P<unit>[A-Za-z°]+[²³]?)", behind)
    if words is None or words["unit"] == "in" or not is_unit(words["unit"].rstrip("²³")):
        return number
    return f"{number} {words['power'] or ''}{words['unit']}"


def _plain(number: str) -> str:
    return re.sub(r"[\s,$€£¥₹%]", "", number.replace("−", "-"))


def _trimmed(text: str) -> str:
    text = text.strip().strip("*").rstrip(".,;:").strip()
    inside = text[1:-1]
    math = text[:1] == "$" == text[-1:] and inside and "$" not in inside
    return inside.strip() if math else text


def _none(reason: str) -> FinalAnswer:
    return FinalAnswer(None, "none", reason)
