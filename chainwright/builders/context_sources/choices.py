"""Choices: deductive questions with four options about one passage.

ReClor (arXiv 2002.04326), LogiQA (arXiv 2007.08124) and LogiQA 2.0 (TASLP 2023). The gold answer is
the letter of an option, and the passage is reference 1.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chainwright.builders.context_sources.filters import check_wanted
from chainwright.builders.context_sources.shapes import list_at
from chainwright.builders.fields import Refused, clean_text, present, type_in_words
from chainwright.formats.columns import ABSENT, pick
from chainwright.recipe_parts.sources import Source
from chainwright.schemas.problem import Passage, Problem
from chainwright.spelling import nearest

OPTIONS = 4


@dataclass(frozen=True)
class _Names:
    """The keys of a dataset's rows and of its copies, the publisher's own first."""

    context: Sequence[str]
    question: Sequence[str]
    options: Sequence[str]
    answer: Sequence[str]

    def known(self) -> set[str]:
        return {*self.context, *self.question, *self.options, *self.answer}


_NAMES = {
    "reclor": _Names(["context"], ["question"], ["answers"], ["label"]),
    "logiqa": _Names(
        ["context"], ["question", "query"], ["options"], ["answer", "correct_option", "label"]
    ),
    "logiqa2": _Names(["text", "context"], ["question"], ["options"], ["answer", "label"]),
}
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_MARK = re.compile(r"\s*\(?(?P<letter>[A-Da-d])\s*[).:?\u3001\uff0e]\s*(?=\S)")
"""With the comma and the full stop of Chinese type, and the `?` that stands for a lost one."""
_BARE = re.compile(r"\s*(?P<letter>[A-D])\s+(?=[^a-z\s])")
_REASONING = [
    f"{kind} Reasoning"
    for kind in (
        "Categorical",
        "Sufficient Conditional",
        "Necessary Conditional",
        "Disjunctive",
        "Conjunctive",
    )
]
_SURE = 0.75
"""Similarity from which an unknown key is taken to be a misspelt one."""


def choice_problem(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """A problem of ReClor, LogiQA or LogiQA 2.0.

    Invisible characters are taken out, and the letters before LogiQA's options (`bare_options`). A
    misspelt key is read where it is like one that is missing and like no other.

    Raises:
        Refused: `no_answer` (as in test splits), `bad_label`, `bad_options`, the reasons of the
            fields and of the filters.
    """
    names = _NAMES[source.kind]
    text = _text(row, names.context, names)
    question = _text(row, names.question, names)
    options = _options(row, names)
    if source.kind == "logiqa":
        options = [clean_text(option, names.options[0]) for option in bare_options(options)]
    answer = _letter(_value(row, names.answer, names), names.answer[0], len(options))
    context = [Passage(ref=1, title="", text=text)]
    check_wanted(source, context)
    return Problem.build(
        source=source.known_as,
        split=source.known_split,
        question=question,
        context=context,
        options=options,
        answer=answer,
        answer_kind="option",
        licence=source.known_licence,
        track=source.known_track,
        origin_ref=where,
        question_type=_reasoning(pick(row, "type")),
    )


def bare_options(options: Sequence[str]) -> list[str]:
    """The options in the order of their letters, without them.

    Where every option has a letter of its own, the gold letter means that one: LogiQA's files
    print 6% of their options in the order A, C, B, D. Otherwise a letter is taken off where it is
    that of the option's place. Bare letters (`A Bo is tall`) are taken off only where all options
    have theirs and go on in capitals, since `A is true` may speak of statement A.

    >>> bare_options(["A.one", "C. three", "B.two", "(D) four"])
    ['one', 'two', 'three', 'four']
    >>> bare_options(["A dog", "Two cats", "C. no animal", "All of them"])
    ['A dog', 'Two cats', 'no animal', 'All of them']
    """
    letters = "ABCDEFGHIJ"[: len(options)]
    for pattern in (_MARK, _BARE):
        marks = [found for option in options if (found := pattern.match(option))]
        by_letter = {found["letter"].upper(): found.string[found.end() :] for found in marks}
        if sorted(by_letter) == list(letters) and len(set(by_letter.values())) == len(options):
            return [by_letter[letter] for letter in letters]
    own = [_MARK.match(option) for option in options]
    return [
        option[mark.end() :] if mark and mark["letter"].upper() == letters[at] else option
        for at, (option, mark) in enumerate(zip(options, own, strict=True))
    ]


def _value(row: Mapping[str, Any], spellings: Sequence[str], names: _Names) -> Any:
    for name in spellings:
        if (value := pick(row, name)) is not ABSENT:
            return value
    unknown = [key for key in map(str, row) if key not in names.known()]
    close = nearest(spellings[0], unknown, cutoff=_SURE)
    return present(row, close or spellings[0])


def _text(row: Mapping[str, Any], spellings: Sequence[str], names: _Names) -> str:
    return _visible(_value(row, spellings, names), spellings[0])


def _visible(value: Any, place: str) -> str:
    text = _INVISIBLE.sub("", value) if isinstance(value, str) else value
    return clean_text(text, place).strip()


def _options(row: Mapping[str, Any], names: _Names) -> list[str]:
    place = names.options[0]
    found = list_at(_value(row, names.options, names), place)
    if len(found) != OPTIONS:
        raise Refused("bad_options", f"`{place}` holds {len(found)} options, expected {OPTIONS}")
    return [_visible(one, f"{place}[{at}]") for at, one in enumerate(found)]


def _letter(value: Any, place: str, count: int) -> str:
    """The gold option's letter, from a letter or a place counted from 0."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if value in (None, "", -1, "-1"):
        raise Refused("no_answer", f"`{place}` is null or blank")
    letters = "ABCDEFGHIJ"[:count]
    if isinstance(value, str):
        word = value.strip().upper()
        if len(word) == 1 and word in letters:
            return word
        value = int(word) if word.isascii() and word.isdigit() else value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count:
        return letters[value]
    found = f"`{value}`" if isinstance(value, str | int) else type_in_words(value)
    raise Refused("bad_label", f"`{place}` is {found}, expected {letters} or 0 to {count - 1}")


def _reasoning(value: Any) -> str | None:
    """LogiQA 2.0's kinds of reasoning, whose names its files misspell."""
    if not isinstance(value, Mapping):
        return None
    kinds = [str(kind) for kind, is_there in value.items() if is_there is True]
    return ", ".join(nearest(kind, _REASONING, cutoff=0.8) or kind for kind in kinds) or None
