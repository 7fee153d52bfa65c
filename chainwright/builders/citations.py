"""Citations: which of the numbered references a step names, in whatever form it does."""

import re
from collections.abc import Iterator, Sequence

_DASH = "[-\u2010-\u2015\u2212]"
_NUMBER = r"(?:#\s?|nos?\.?\s?)?\d{1,9}"
_SINGULAR = (
    r"(?:reference|ref\.?|passage|paragraph|document|doc\.?|source|citation)(?:\s(?:number|no\.?))?"
)
_PLURAL = (
    r"(?:references|refs\.?|passages|paragraphs|documents|docs\.?|sources|citations)"
    r"(?:\s(?:numbers|nos\.?))?"
)
_WORD = rf"(?:{_PLURAL}|{_SINGULAR})"
_AND = r"\s+(?:and|or|to|through)\s+"
_NEXT = rf"(?:\s?(?:,|;|&|/|\+|{_DASH})\s*(?:(?:and|or)\s+)?|{_AND})(?:{_WORD}\s?)?"
_LIST = rf"{_NUMBER}(?:{_NEXT}{_NUMBER})*"
_END = r"(?![\w%]|[.,]\d)"
_BRACKETS = re.compile(
    rf"[\[\u3010]\s*(?:\^\s*)?(?:{_WORD}\s{{0,4}}(?::\s{{0,4}})?)?(?P<list>{_LIST})\s*[,;]?\s?"
    r"(?:\u2020[^\]\u3011]*)?[\]\u3011]",
    re.IGNORECASE,
)
"""`[1]`, `[1, 3]`, `[1-3]`, `[^1]`, `[ref 2]`, and the lenticular brackets of some models."""
_ROUND = re.compile(
    rf"\(\s*(?:see\s+)?{_WORD}\s{{0,4}}(?::\s{{0,4}})?(?P<list>{_LIST})\s*\)", re.IGNORECASE
)
"""`(ref 2)`, `(see passages 1, 3)`."""
_MANY = re.compile(
    rf"\b{_PLURAL}\s{{0,4}}(?::\s{{0,4}})?[\[(]?(?P<list>{_LIST}){_END}", re.IGNORECASE
)
_ONE = re.compile(
    rf"\b{_SINGULAR}\s{{0,4}}(?::\s{{0,4}})?[\[(]?(?P<list>{_NUMBER}(?:\s+and\s+{_NUMBER})*){_END}",
    re.IGNORECASE,
)
"""`Reference 4` in a sentence; what follows a comma there (`passage 1, 3 men`) is no citation."""
_RANGE = re.compile(
    rf"(\d+)\s*(?:{_DASH}|to|through)\s*(?:#\s?|nos?\.?\s?)?(\d+)|(\d+)", re.IGNORECASE
)
_EMPTY = re.compile(r"\(\s*\)|\[\s*\]")


def cited(text: str, references: int) -> list[int]:
    """The references that a text cites, each once, in ascending order.

    Numbers count where they stand in square brackets or behind a word for a reference. A number
    in round brackets alone (`(2)`) is none, and neither is one beyond the references there are;
    those are what `out_of_range` gives.

    >>> cited("Paris lies in France [1, 3], as reference 4 says (ref 2) [5-7].", 6)
    [1, 2, 3, 4, 5, 6]
    """
    return sorted(number for number in _numbers(text, references) if 1 <= number <= references)


def out_of_range(text: str, references: int) -> list[int]:
    """The numbers that a text cites and that no reference has, each once.

    Of a range that goes beyond, the first such number stands for all.

    >>> out_of_range("It was so [0], and [19-40].", 20)
    [0, 21]
    """
    return [number for number in _numbers(text, references) if not 1 <= number <= references]


def citations_of(steps: Sequence[str], references: int) -> list[list[int]]:
    """What each step cites; an empty list where no step cites anything."""
    found = [cited(step, references) for step in steps]
    return found if any(found) else []


def without_citations(text: str) -> str:
    """The text without its citations in brackets, and without the blanks they leave.

    >>> without_citations("G. Stanley Hall [11] (ref 3).")
    'G. Stanley Hall.'
    """
    bare = _EMPTY.sub("", _ROUND.sub("", _BRACKETS.sub("", text)))
    return re.sub(r"\s+(?=[.,;:!?])", "", re.sub(r"\s+", " ", bare)).strip()


def _numbers(text: str, references: int) -> Iterator[int]:
    seen: set[int] = set()
    for pattern in (_BRACKETS, _ROUND, _MANY, _ONE):
        for found in pattern.finditer(text):
            for number in _listed(found["list"], references):
                if number not in seen:
                    seen.add(number)
                    yield number


def _listed(listing: str, references: int) -> Iterator[int]:
    """The numbers of a list; a range is taken no further than one beyond the references."""
    for first, last, single in _RANGE.findall(listing):
        if single:
            yield int(single)
        elif int(first) > int(last):
            yield from (int(first), int(last))
        else:
            yield from range(int(first), min(int(last), max(int(first), references + 1)) + 1)
