"""Case: what is known beside the two answers, handed down through the rules."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from chainwright.builders.matching.algebra import Ask
from chainwright.builders.matching.verdict import Match
from chainwright.schemas.words import AnswerKind

MAX_DEPTH = 4
"""Sets of tuples of intervals: deeper answers aren't taken apart."""


@dataclass(frozen=True)
class Case:
    """The question, its options and the kind of answer; how to compare parts; whom to ask."""

    question: str
    options: tuple[str, ...]
    kind: AnswerKind | None
    ask: Ask
    decide: Callable[[str, str, "Case"], Match]
    depth: int = 0

    def parts(self, expected: str, given: str) -> Match:
        """The verdict on a part of each answer, such as two elements."""
        kind = None if self.kind == "option" else self.kind
        inner = replace(self, options=(), kind=kind, depth=self.depth + 1)
        return self.decide(expected, given, inner)
