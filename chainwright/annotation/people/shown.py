"""What an annotator gets to see of a chain: nothing that tells where it is from or what it is."""

from dataclasses import dataclass

from chainwright.notation.marks import strip_marks
from chainwright.schemas.chain import Chain
from chainwright.schemas.identity import content_hash
from chainwright.schemas.problem import Problem


@dataclass(frozen=True)
class Shown:
    """A chain with its problem, blind: no origin, polarity, gold answer, label or vote.

    Calculator marks are left out: only reference solutions and exact chains have them, so that
    they would give the honey-pots away.
    """

    question: str
    passages: tuple[tuple[int, str, str], ...]
    """Number, title and text of each."""
    options: tuple[str, ...]
    steps: tuple[str, ...]

    @property
    def content_hash(self) -> str:
        """Hash of all that is shown."""
        return content_hash(self.question, self.passages, self.options, self.steps)


def shown(problem: Problem, chain: Chain) -> Shown:
    """What an annotator gets to see of a chain."""
    return Shown(
        question=problem.question,
        passages=tuple((one.ref, one.title, one.text) for one in problem.context),
        options=tuple(problem.options),
        steps=tuple(strip_marks(step) for step in chain.steps),
    )
