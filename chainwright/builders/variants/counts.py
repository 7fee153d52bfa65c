"""Counts: factors and divisors that may be the number of things listed, and no stated quantity.

Three people with 3, 5 and 4 pounds share them: the 3 that divides is not the first one's 3 pounds.
By value it is; but who divides or multiplies an amount by a part of itself counts something.
"""

from collections.abc import Iterator, Sequence

from chainwright.builders.variants.source import Source
from chainwright.builders.worked import Computation, Worked
from chainwright.notation.expression import Expression, Number, Operation, numbers_in, operations_in

Sources = dict[tuple[int, int], Source]


def possible_counts(
    worked: Worked, operands: Sequence[Sequence[Source]], rests: Sequence[frozenset[int]]
) -> Iterator[int]:
    """The quantities that stand where a count may be meant.

    Args:
        worked: The solution.
        operands: The source of each literal of each computation.
        rests: The quantities that each computation's result follows from.
    """
    for computation, sources in zip(worked.computations, operands, strict=True):
        source_of = _by_span(computation, sources)
        for operation in operations_in(computation.left):
            for factor, amount in _factors(operation):
                source = source_of[factor.span]
                if source.kind != "quantity" or source.form != "itself":
                    continue
                is_average = operation.operator == "/" and factor.value == _terms(
                    amount, source_of, worked, operands
                )
                if is_average or source.number in _followed(amount, source_of, rests):
                    yield source.number


def _by_span(computation: Computation, sources: Sequence[Source]) -> Sources:
    """The source of each literal of a computation, by where it stands there."""
    return dict(zip((one.span for one in computation.numbers), sources, strict=True))


def _followed(
    side: Expression, source_of: Sources, rests: Sequence[frozenset[int]]
) -> Iterator[int]:
    """The quantities that an expression follows from."""
    for number in numbers_in(side):
        source = source_of[number.span]
        if source.kind == "quantity":
            yield source.number
        elif source.kind == "result":
            yield from rests[source.number]


def _factors(operation: Operation) -> Iterator[tuple[Number, Expression]]:
    """The literals that multiply or divide something, each with that."""
    if operation.operator in "*/" and isinstance(operation.right, Number):
        yield operation.right, operation.left
    if operation.operator == "*" and isinstance(operation.left, Number):
        yield operation.left, operation.right


def _terms(
    side: Expression,
    source_of: Sources,
    worked: Worked,
    operands: Sequence[Sequence[Source]],
) -> int:
    """Of how many amounts something is the sum, those of earlier sums among them."""
    if isinstance(side, Operation) and side.operator == "+":
        return sum(_terms(one, source_of, worked, operands) for one in (side.left, side.right))
    if isinstance(side, Number) and source_of[side.span].kind == "result":
        earlier = worked.computations[source_of[side.span].number]
        if isinstance(earlier.left, Operation) and earlier.left.operator == "+":
            theirs = _by_span(earlier, operands[earlier.index])
            return _terms(earlier.left, theirs, worked, operands)
    return 1
