"""A worked solution read as a computation graph.

Every calculator mark, and every equation in the prose that has none, is a computation. Its
operands are results of earlier computations or quantities that the question gives. Every number
that stands in the text, inside a mark or outside, becomes a slot that knows which quantity it
shows, so that a changed quantity can be written everywhere it appears.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from chainwright.notation.expression import (
    Expression,
    Number,
    Operation,
    Span,
    evaluate,
    numbers_in,
    operations_in,
)
from chainwright.notation.numerals import Numeral


class Unreadable(ValueError):
    """A solution that is no complete computation graph; `reason` is a code for rejects."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True)
class FromResult:
    """The quantity is the result of an earlier computation, times `scale` (a percent sign)."""

    computation: int
    scale: Fraction = Fraction(1)


@dataclass(frozen=True)
class FromQuestion:
    """The quantity is given by the question."""

    text: str


@dataclass(frozen=True)
class Unresolved:
    """The quantity was found nowhere; step 0 stands in for it, with this as the flag."""

    text: str


Origin = FromResult | FromQuestion | Unresolved


@dataclass(frozen=True)
class Slot:
    """A number in a step's text and the quantity it shows.

    `ambiguous` says that another quantity of the same value could be meant as well.
    `operand` is its place among the operands of `computation`; None for results and mentions.
    """

    span: Span
    numeral: Numeral
    origin: Origin
    ambiguous: bool
    computation: int | None = None
    operand: int | None = None


@dataclass(frozen=True)
class Computation:
    """One `left = stated`, at a 1-based step; `span` encloses it in the step's text.

    `stated` is the number as written: 30 for `30%`, with `stated_percent` set.
    `operands[i]` is where the i-th literal of `left` comes from. `rounded_to` is the number of
    decimal places of a stated result that isn't exact, and None for an exact one.
    `prose_signs[i]` is where the i-th operator stands in the prose outside the mark; None where
    the prose doesn't spell the equation out in the same order. `spelt_out` says whether the step
    has an equation in prose for this mark at all.
    """

    index: int
    step: int
    left: Expression
    stated: Fraction
    stated_percent: bool
    operands: tuple[Origin, ...]
    ambiguous: tuple[bool, ...]
    rounded_to: int | None
    span: Span
    left_span: Span
    marked: bool
    prose_signs: tuple[Span, ...] | None
    spelt_out: bool

    @property
    def numbers(self) -> list[Number]:
        """The literals of the left side."""
        return list(numbers_in(self.left))

    @property
    def exact_percent(self) -> bool:
        """Whether the result is a share written as a percentage: 0.3 stated as `30%`."""
        return self.stated_percent and evaluate(self.left) * 100 == self.stated

    @property
    def operations(self) -> list[Operation]:
        """The operations of the left side in the order they stand."""
        return list(operations_in(self.left))


@dataclass
class Worked:
    """A whole solution: steps[i] is step i + 1."""

    steps: list[str]
    computations: list[Computation] = field(default_factory=list)
    slots: list[list[Slot]] = field(default_factory=list)
    answer: Fraction = Fraction(0)
    answer_text: str = ""
    answer_computation: int = 0

    def premises(self, step: int) -> list[int]:
        """The earlier steps a step rests on, 0 = the question; never empty."""
        found = set()
        for slot in self.slots[step - 1]:
            if isinstance(slot.origin, FromResult):
                found.add(self.computations[slot.origin.computation].step)
            elif slot.operand is not None:
                found.add(0)
        return sorted(found - {step}) or [0]

    def unresolved(self, step: int) -> list[str]:
        """The operands of a step that were found nowhere."""
        slots = self.slots[step - 1]
        return [
            slot.origin.text
            for slot in slots
            if slot.operand is not None and isinstance(slot.origin, Unresolved)
        ]

    def ambiguous(self, step: int) -> list[str]:
        """The operands of a step whose value another quantity has as well."""
        slots = self.slots[step - 1]
        return [slot.numeral.text for slot in slots if slot.operand is not None and slot.ambiguous]
