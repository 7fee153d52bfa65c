"""The text of a variant: new numbers in the places and in the style of the old ones."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from chainwright.builders.variants.reading import Reading
from chainwright.builders.variants.values import Unfit, Values
from chainwright.notation.expression import Span
from chainwright.notation.numerals import Numeral, find_numerals, render_like

_ARTICLE = re.compile(r"\b(an?)\s+[$€£]?\Z", re.IGNORECASE)


def question_text(reading: Reading, values: Values) -> str:
    """The question with its quantities' new values.

    Raises:
        Unfit: as `solution_text` does.
    """
    edits = {
        (numeral.start, numeral.end): _written(reading.question, numeral, value)
        for quantity, value in zip(reading.quantities, values.quantities, strict=True)
        for numeral in quantity.places
    }
    return _edited(reading.question, edits)


def solution_text(reading: Reading, values: Values) -> str:
    """The solution in GSM8K's format, its lines without blanks around them.

    Raises:
        Unfit: `unrenderable_value` where the style of a number cannot carry the new value,
            `article` where `a` would have to become `an` or the other way round.
    """
    lines = []
    for text, slots, sources in zip(
        reading.worked.steps, reading.worked.slots, reading.slots, strict=True
    ):
        edits = {}
        for slot, source in zip(slots, sources, strict=True):
            old = slot.numeral.value
            new = values.of(source, old, reading)
            if new != old:
                written = render_like(new, slot.numeral)
                if written is None:
                    raise Unfit("unrenderable_value")
                _check_article(text, slot.span[0], written)
                edits[slot.span] = written
        lines.append(_edited(text, edits))
    return "\n".join([*lines, f"#### {answer_text(reading, values)}"])


def answer_text(reading: Reading, values: Values) -> str:
    """The answer in the style of the old one.

    Raises:
        Unfit: `unrenderable_value`.
    """
    old = reading.worked.answer_text
    numeral = find_numerals(old)[-1]
    return _edited(
        old, {(numeral.start, numeral.end): _written(old, numeral, answer_value(reading, values))}
    )


def answer_value(reading: Reading, values: Values) -> Fraction:
    """The answer as a number."""
    return values.results[reading.worked.answer_computation]


def _written(text: str, numeral: Numeral, value: Fraction) -> str:
    if value == numeral.value:
        return text[numeral.start : numeral.end]
    written = render_like(value, numeral)
    if written is None:
        raise Unfit("unrenderable_value")
    _check_article(text, numeral.start, written)
    return written


def _check_article(text: str, start: int, after: str) -> None:
    """`a 6-foot` may become `a 7-foot` and not `a 8-foot`."""
    article = _ARTICLE.search(text[:start])
    if article and (article[1].lower() == "an") != _sounds_open(after):
        raise Unfit("article")


def _sounds_open(number: str) -> bool:
    """Whether a number is spoken with a vowel first: eight, eleven, eighteen, eighty."""
    if not number[:1].isdigit():
        return number[:1].lower() in ("e", ".")
    whole = number.replace(",", "").partition(".")[0]
    return whole.startswith("8") or (whole.startswith(("11", "18")) and len(whole) % 3 == 2)


def _edited(text: str, edits: Mapping[Span, str]) -> str:
    return "".join(_pieces(text, edits))


def _pieces(text: str, edits: Mapping[Span, str]) -> Iterator[str]:
    at = 0
    for (start, end), new in sorted(edits.items()):
        yield text[at:start]
        yield new
        at = end
    yield text[at:]
