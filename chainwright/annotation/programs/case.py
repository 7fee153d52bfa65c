"""What a judge may see of a chain, and what it says of a step.

A case holds the question and the steps, never the chain's origin, polarity, perturbation or the
engine's labels; the source's solution is there for the judge that is named after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from chainwright.annotation.programs.named import without_names
from chainwright.notation.equations import Equation, find_equations
from chainwright.notation.latex import plain
from chainwright.schemas.words import Binary, VoteStatus


@dataclass(frozen=True)
class Case:
    """A chain as a judge sees it; steps[i] is step i + 1."""

    question: str
    steps: tuple[str, ...]
    final_answer: str | None = None
    reference_solution: str | None = None
    reference_answer: str | None = None


@dataclass(frozen=True)
class Opinion:
    """What a program says of one step: a native label, or that it can't tell."""

    status: VoteStatus
    label: Binary | None = None
    category: str | None = None
    explanation: str = ""
    premises: tuple[int, ...] | None = None


def correct(explanation: str, premises: Sequence[int] | None = None) -> Opinion:
    """The step is valid given its premises."""
    return Opinion("ok", "correct", None, explanation, _frozen(premises))


def error(category: str, explanation: str, premises: Sequence[int] | None = None) -> Opinion:
    """The step is wrong by itself."""
    return Opinion("ok", "error", category, explanation, _frozen(premises))


def abstained(explanation: str, premises: Sequence[int] | None = None) -> Opinion:
    """There is nothing in the step that this judge can check."""
    return Opinion("abstained", None, None, explanation, _frozen(premises))


@lru_cache(maxsize=4096)
def step_equations(step: str) -> tuple[Equation, ...]:
    """The equations of a step, in marks, LaTeX or plain text, names of quantities passed over.

    Cached, since every judge of a panel reads the same step.
    """
    return tuple(find_equations(without_names(plain(step))))


def written(value: Fraction) -> str:
    """A value as a reader would write it in an explanation."""
    if value.denominator == 1:
        return f"{value.numerator:,}" if abs(value) < 10**15 else f"{float(value):.6g}"
    return f"{float(value):.6g}"


def _frozen(premises: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if premises is None else tuple(premises)
