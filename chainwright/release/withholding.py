"""Withholding: rows without the text of their source, and the way back to the whole rows.

A text is cut into pieces: own words as they are, and spans `[start, end]` of the source's text, of
which no character is told (`[start, end, 1]`: small letters as capitals and the other way round).
A span stands for every run of `QUOTED` or more words that the source
has too (case aside), and for a text that is one of the source's as a whole. The source's text is
the question, passages, options, answer, solution, aliases and supporting sentences of the problem,
one after the other.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from chainwright.schemas.identity import content_hash
from chainwright.schemas.withheld import WITHHELD

QUOTED = 4
"""Words of the source in a row from which a quote is not passed on."""

_TRIED = 8
"""Places of a run of words that are tried for the longest quote."""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")  # scripts without blanks have a word a character
_TEXTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "chains": (("question",), ("answer",), ("final_answer",), ("steps", "text")),
    "full": (("question",), ("answer",), ("final_answer",), ("steps", "text")),
    "votes": (("explanation",),),
    "labels": (("votes", "explanation"),),
}
"""Where the texts of a config's rows are: a field, or a field of each part of a list."""

Piece = str | list[int]
Place = tuple[int, bool]
"""Of a character in the source's text, and whether its case is the other one."""


class SourceText:
    """The text of a problem, to be quoted from by place.

    Args:
        problem: A row of `problems`, as plain values.
    """

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self._fields: dict[str, tuple[int, int]] = {}
        texts: list[str] = []
        at = 0
        for text in _source_texts(problem):
            self._fields.setdefault(text, (at, at + len(text)))
            texts.append(text)
            at += len(text) + 1
        self._text = "\n".join(texts)
        self._words = [(m.start(), m.end()) for m in _WORD.finditer(self._text)]
        self._folded = [self._text[start:end].casefold() for start, end in self._words]
        self._runs: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for first in range(len(self._words) - QUOTED + 1):
            places = self._runs[tuple(self._folded[first : first + QUOTED])]
            if len(places) < _TRIED:
                places.append(first)

    def pieces(self, text: str | None) -> list[Piece] | None:
        """A text as own words and places; None stays None."""
        if text is None:
            return None
        if text in self._fields:
            return [list(self._fields[text])]
        words = [(m.start(), m.end()) for m in _WORD.finditer(text)]
        folded = [text[start:end].casefold() for start, end in words]
        origin: list[Place | None] = [None] * len(text)
        at = 0
        while at + QUOTED <= len(words):
            first, length = self._longest(folded, at)
            if not length:
                at += 1
                continue
            self._align(text, words[at : at + length], first, origin)
            at += length
        return _spans(text, origin)

    def text(self, pieces: list[Piece] | None) -> str | None:
        """The text that `pieces` stands for.

        Raises:
            ValueError: A span lies outside of the text: it is of another source.
        """
        if pieces is None:
            return None
        parts: list[str] = []
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            start, end, *swapped = piece
            if not 0 <= start <= end <= len(self._text):
                raise ValueError(f"a span {start} to {end} of a text of {len(self._text)}")
            quoted = self._text[start:end]
            parts.append(quoted.swapcase() if swapped else quoted)
        return "".join(parts)

    def _longest(self, folded: list[str], at: int) -> tuple[int, int]:
        """Where the longest quote from a word on stands, and its words; 0 for none."""
        best = (0, 0)
        for first in self._runs.get(tuple(folded[at : at + QUOTED]), ()):
            length = QUOTED
            while (
                at + length < len(folded)
                and first + length < len(self._folded)
                and folded[at + length] == self._folded[first + length]
            ):
                length += 1
            best = max(best, (first, length), key=lambda found: found[1])
        return best

    def _align(
        self, text: str, words: list[tuple[int, int]], first: int, origin: list[Place | None]
    ) -> None:
        """Notes for each character of a quote where it stands; what differs stays own."""
        for number, (start, end) in enumerate(words):
            own_start, own_end = self._words[first + number]
            if end - start == own_end - own_start:
                for step in range(end - start):
                    own = self._text[own_start + step]
                    other = own.swapcase() if own.isascii() else own
                    if text[start + step] in (own, other):
                        swapped = text[start + step] != own
                        origin[start + step] = (own_start + step, swapped)
            if number + 1 < len(words):
                gap = text[end : words[number + 1][0]]
                if self._text[own_end : self._words[first + number + 1][0]] == gap:
                    places = range(own_end, own_end + len(gap))
                    origin[end : end + len(gap)] = [(place, False) for place in places]


def withheld_row(
    config: str, row: Mapping[str, Any], number: int, source: SourceText
) -> dict[str, Any]:
    """A row without its texts.

    Args:
        config: The config of the whole row.
        row: The whole row, fit to be published, as plain values.
        number: Its number among the whole rows of its split.
        source: The text of its problem.
    """
    kept = deepcopy(dict(row))
    if config == "problems":
        kept = {key: kept[key] for key in WITHHELD["problems"].model_fields if key in kept}
    else:
        pieces = [source.pieces(part.pop(field)) for part, field in _places(config, kept)]
        kept["texts"] = json.dumps(pieces, ensure_ascii=False, separators=(",", ":"))
    return {**kept, "row": number, "sha256": content_hash(row)}


def whole_row(config: str, kept: Mapping[str, Any], source: SourceText) -> dict[str, Any]:
    """The whole row again, of any config but `problems`; not checked.

    Raises:
        ValueError: Its texts are none of this source.
    """
    row = deepcopy(dict(kept))
    pieces = json.loads(row.pop("texts"))
    for key in ("row", "sha256"):
        del row[key]
    for (part, field), own in zip(_places(config, row), pieces, strict=True):
        part[field] = source.text(own)
    return row


def whole_problem(kept: Mapping[str, Any], read: Mapping[str, Any]) -> dict[str, Any]:
    """A problem again: its text as it was read from the source, its place as it was released."""
    own = {key: value for key, value in kept.items() if key not in ("row", "sha256")}
    return {**read, **own}


def _places(config: str, row: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each part of a row with the field that holds a text, always in the same order."""
    for path in _TEXTS[config]:
        if len(path) == 1:
            yield row, path[0]
        else:
            for part in row[path[0]]:
                yield part, path[1]


def _source_texts(problem: Mapping[str, Any]) -> Iterator[str]:
    yield problem["question"]
    for passage in problem["context"]:
        yield passage["title"]
        yield passage["text"]
    yield from problem["options"]
    for text in (problem["answer"], problem["solution"]):
        if text is not None:
            yield text
    yield from problem["aliases"]
    for fact in problem["supporting"]:
        if fact["sentence"] is not None:
            yield fact["sentence"]


def _spans(text: str, origin: list[Place | None]) -> list[Piece]:
    """Runs of characters that follow each other in the source, and what lies between."""
    pieces: list[Piece] = []
    for letter, place in zip(text, origin, strict=True):
        last = pieces[-1] if pieces else None
        if place is None:
            if isinstance(last, str):
                pieces[-1] = last + letter
            else:
                pieces.append(letter)
            continue
        at, swapped = place
        flag = [1] if swapped else []
        if isinstance(last, list) and last[1] == at and last[2:] == flag:
            last[1] = at + 1
        else:
            pieces.append([at, at + 1, *flag])
    return pieces
