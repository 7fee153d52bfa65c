"""Contamination: what of a release is in test sets that models are measured with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from chainwright.release.markdown import code
from chainwright.release.overlap import METHODS, Overlap, Texts

if TYPE_CHECKING:
    from chainwright.schemas.problem import Problem

FILE = "contamination.jsonl"
"""The file of a release with all pairs."""

LISTED = 5
"""Pairs of a problem, test set and part that are listed, from strict to loose; counts know all."""

DROPPED = "dropped"
"""In place of the split of a problem that is left out."""

Part = Literal["question", "context"]


@dataclass(frozen=True)
class TestItem:
    """A question of a test set.

    Attributes:
        where: File or Hub repository and row.
        question: Its text.
        context: Its passages, one after the other; empty where it has none.
    """

    __test__ = False  # no test case, for all its name

    where: str
    question: str
    context: str = ""


@dataclass(frozen=True)
class TestItems:
    """A test set as it is read.

    Attributes:
        name: What the recipe or the table of known sets calls it.
        place: File or dataset of the Hub.
        items: Its questions; None for a row in which none was found.
        stated: How many its publisher states; None where that is not known.
    """

    __test__ = False

    name: str
    place: str
    items: Iterable[TestItem | None]
    stated: int | None = None


@dataclass
class Figures:
    """What was found of one test set.

    Attributes:
        name: Of the set; `place` is where it was read.
        questions: Questions that were read; `unread`, rows in which none was found; `stated`, how
            many the publisher states.
        sha256: Of the questions and passages that were read, in their order.
        problems: Problems by (part, strictest method, split); the split of what was left out
            is `DROPPED`.
        hit: Numbers of the set's questions that some problem's question holds.
    """

    name: str
    place: str
    questions: int
    unread: int
    sha256: str
    stated: int | None = None
    problems: Counter[tuple[Part, str, str]] = field(default_factory=Counter)
    hit: set[int] = field(default_factory=set)

    def as_json(self) -> dict[str, Any]:
        """The figures as plain values, for the manifest."""
        return {
            "name": self.name,
            "place": self.place,
            "sha256": self.sha256,
            "questions": self.questions,
            "stated": self.stated,
            "unread": self.unread,
            "questions_found": len(self.hit),
            "problems": [
                {"part": part, "method": method, "split": split, "problems": count}
                for (part, method, split), count in sorted(self.problems.items())
            ],
        }

    def count(self, part: Part, method: str | None = None, split: str | None = None) -> int:
        """Problems with a hit in a part, of a method and a split where these are given."""
        return sum(
            count
            for (own_part, own_method, own_split), count in self.problems.items()
            if own_part == part and method in (None, own_method) and split in (None, own_split)
        )


class _Set:
    """One test set, indexed: questions, questions with their passages, and the passages."""

    def __init__(self, given: TestItems) -> None:
        self.where: list[str] = []
        questions: list[tuple[int, str]] = []
        wholes: list[tuple[int, str]] = []
        passages: list[tuple[int, str]] = []
        unread, digest = 0, sha256()
        for item in given.items:
            if item is None:
                unread += 1
                continue
            number = len(self.where)
            self.where.append(item.where)
            digest.update(json.dumps([item.question, item.context]).encode())
            questions.append((number, item.question))
            wholes.append((number, _joined(item.context, item.question)))
            if item.context:
                passages.append((number, item.context))
        self.questions = Texts(questions)
        self.wholes = Texts(wholes) if passages else self.questions
        self.passages = Texts(passages, runs_only=True)
        self.figures = Figures(
            given.name, given.place, len(self.where), unread, digest.hexdigest(), given.stated
        )


class Contamination:
    """Holds problems against test sets, one at a time.

    On the track `inference`, where questions of all problems read alike, a question is compared
    together with its passages; elsewhere by itself. Passages are compared apart, by runs of words
    alone: they are Wikipedia's on the track `grounding`, and shared by many a question, so a hit in
    them is told and never drops a problem.

    Memory holds the test sets, and a few hundred bytes for each problem that is left out.

    Args:
        sets: The test sets; read here, each to its end.
        drop: Whether what is found is left out of the release.
    """

    def __init__(self, sets: Sequence[TestItems] = (), *, drop: bool = False) -> None:
        self._sets = [_Set(one) for one in sets]
        self.drop = drop and bool(self._sets)
        self._left_out: dict[str, list[_Hit]] = {}

    def __bool__(self) -> bool:
        return bool(self._sets)

    def look_ahead(self, problem: Problem) -> None:
        """Find out whether a problem is to be left out; nothing where nothing is dropped."""
        if self.drop and problem.problem_id not in self._left_out:
            hits = list(self._hits(problem))
            if any(hit.part == "question" for hit in hits):
                self._left_out[problem.problem_id] = hits

    def left_out(self, problem_id: str) -> str | None:
        """Why a problem is left out, in words; None where it stays."""
        for hit in self._left_out.get(problem_id, ()):
            if hit.part == "question":
                best, one = hit.overlaps[0], self._sets[hit.number]
                where = one.where[best.item]
                name = one.figures.name
                return f"its question is in {name}: {where} ({best.method}, {best.score:.2f})"
        return None

    def note(self, problem: Problem, split: str) -> Iterator[dict[str, Any]]:
        """Count a problem on its side; yields its rows of `contamination.jsonl`."""
        hits = self._left_out.get(problem.problem_id)
        split = split if hits is None else DROPPED
        for hit in self._hits(problem) if hits is None else hits:
            one = self._sets[hit.number]
            one.figures.problems[hit.part, hit.overlaps[0].method, split] += 1
            if hit.part == "question":
                one.figures.hit.update(overlap.item for overlap in hit.overlaps)
            for overlap in hit.overlaps[:LISTED]:
                yield {
                    "problem_id": problem.problem_id,
                    "split": split,
                    "part": hit.part,
                    "test_set": one.figures.name,
                    "test_item": one.where[overlap.item],
                    "method": overlap.method,
                    "score": overlap.score,
                }

    def figures(self) -> list[Figures]:
        """What was found, set by set."""
        return [one.figures for one in self._sets]

    def _hits(self, problem: Problem) -> Iterator[_Hit]:
        context = context_text(problem)
        whole = problem.track == "inference"
        for number, one in enumerate(self._sets):
            if whole:
                overlaps = one.wholes.found_in(_joined(context, problem.question))
            else:
                overlaps = one.questions.found_in(problem.question)
            if overlaps:
                yield _Hit(number, "question", overlaps)
            if context and not whole and (shared := one.passages.found_in(context)):
                yield _Hit(number, "context", shared)


@dataclass(frozen=True)
class _Hit:
    """What a problem's question or context has in common with a test set."""

    number: int
    part: Part
    overlaps: list[Overlap]


def reading_table(figures: Sequence[Figures]) -> list[list[Any]]:
    """The card's table of what was held against it, header first: a row a test set."""
    header = ["test set", "read from", "questions", "its publisher states", "SHA-256 of them"]
    return [
        header,
        *(
            [one.name, code(one.place), one.questions, one.stated, code(one.sha256[:16])]
            for one in figures
        ),
    ]


def contamination_table(figures: Sequence[Figures], splits: Sequence[str]) -> list[list[Any]]:
    """The card's table, header first: a row a test set, problems by method and by split."""
    columns = [
        *splits,
        *([DROPPED] if any(one.count("question", None, DROPPED) for one in figures) else []),
    ]
    header = ["test set", "its questions", "of them found", *METHODS, *columns, "shared passages"]
    return [
        header,
        *(
            [
                one.name,
                one.questions,
                len(one.hit),
                *(one.count("question", method) for method in METHODS),
                *(one.count("question", None, split) for split in columns),
                one.count("context"),
            ]
            for one in figures
        ),
    ]


def context_text(problem: Problem) -> str:
    """A problem's passages as the one text that is compared."""
    return "\n".join(f"{one.title}\n{one.text}".strip() for one in problem.context)


def _joined(context: str, question: str) -> str:
    return f"{context}\n{question}" if context else question
