"""What a checker of one's own sees of a chain, and the shape of the checker itself."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol

from chainwright.annotation.programs.case import Opinion
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.words import AnswerKind, Track

__all__ = ["Checker", "Passage", "View", "view_of"]


@dataclass(frozen=True)
class View:
    """A problem and a chain, without the chain's origin, polarity, generator and exact labels.

    Attributes:
        problem_id: The same for every chain of a problem.
        source: Name of the source in the recipe.
        context: Passages that steps may cite by `ref`; often none.
        options: Choices A, B, …; often none.
        answer: The source's gold answer, null where unknown. A checker that looks at it, or at
            `solution`, can judge only where the source has one.
        solution: The source's own worked solution, as one text; null where there is none.
        steps: The steps; `steps[k - 1]` is step k.
        citations: Per step the passages it cites; empty where the chain cites nothing.
        final_answer: What the chain ends in; null where it states nothing.
    """

    problem_id: str
    source: str
    track: Track
    question: str
    context: tuple[Passage, ...]
    options: tuple[str, ...]
    answer: str | None
    answer_kind: AnswerKind | None
    solution: str | None
    steps: tuple[str, ...]
    citations: tuple[tuple[int, ...], ...]
    final_answer: str | None


class Checker(Protocol):
    """A function of a chain that says something of each step: one opinion a step, in order.

    It may be `async`. Then several chains are under way at once, where a plain function is given
    one chain at a time, always in the same thread.
    """

    def __call__(self, view: View, /) -> Sequence[Opinion] | Awaitable[Sequence[Opinion]]:
        """One opinion for each step of the view."""
        ...


def view_of(problem: Problem, chain: Chain) -> View:
    """The view that a checker is given."""
    return View(
        problem_id=problem.problem_id,
        source=problem.source,
        track=problem.track,
        question=problem.question,
        context=tuple(problem.context),
        options=tuple(problem.options),
        answer=problem.answer,
        answer_kind=problem.answer_kind,
        solution=problem.solution,
        steps=tuple(chain.steps),
        citations=tuple(tuple(cited) for cited in chain.citations),
        final_answer=chain.final_answer,
    )
