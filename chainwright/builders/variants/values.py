"""Values of a variant: what is drawn for the quantities, and what follows from it.

A draw keeps the kind of number (a multiple of ten, a price in quarters, a percentage) and its
magnitude; what follows must keep whole what was whole, and apart what was apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from chainwright.builders.variants.reading import Reading
from chainwright.builders.variants.source import Source
from chainwright.builders.variants.wording import Quantity
from chainwright.builders.worlds.draws import Draw
from chainwright.notation.expression import (
    Expression,
    ExpressionError,
    Negation,
    Number,
    Operation,
    Percent,
    evaluate,
)
from chainwright.notation.numerals import decimal_text

MOST_TIMES = 4
"""By how much a result may grow or shrink."""
_STEPS = (1000, 500, 250, 100, 50, 25, 20, 10, 5)
_LONGEST_WORD = 99
"""The largest number that is written as words."""


class Unfit(Exception):
    """Values that make no sensible variant; `reason` is for counting."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Values:
    """What each quantity is and what each computation results in."""

    quantities: tuple[Fraction, ...]
    results: tuple[Fraction, ...]

    def of(self, source: Source, old: Fraction, reading: Reading) -> Fraction:
        """What a number shows now.

        Args:
            source: Where the number comes from.
            old: What it was.
            reading: The reading that the values are of.
        """
        if source.kind == "quantity":
            quantity = reading.quantities[source.number]
            return quantity.forms(self.quantities[source.number])[source.form]
        if source.kind == "result":
            return self.results[source.number] * source.scale
        return old


def drawn(reading: Reading, draw: Draw, changed: float) -> tuple[Fraction, ...]:
    """New values for the quantities; at least one is another than it was.

    Args:
        reading: The question and its solution.
        draw: Where chance comes from.
        changed: In which share of cases a quantity is drawn at all; the others stay.
    """
    values = [quantity.value for quantity in reading.quantities]
    sure = draw.below(len(values))
    for number, quantity in enumerate(reading.quantities):
        if number == sure or draw.chance(changed):
            values[number] = draw.choice(options(quantity))
    return tuple(values)


def options(quantity: Quantity) -> Sequence[Fraction]:
    """The values that a quantity may take, its own among them.

    From half to double, in the steps that the number itself suggests: 60 in tens, 25 in fives,
    2.50 in halves. Nothing is drawn that is 0 or 1, since words around it are in the plural.
    """
    model = quantity.places[0]
    value = quantity.value
    scale = 10 ** len((decimal_text(value, 6) or "0").partition(".")[2])
    whole = int(value * scale)
    steps = (5,) if quantity.percent else _STEPS
    step = next((one for one in steps if whole % one == 0 and whole >= 4 * one), 1)
    top = max(2 * whole, whole + 3 * step)
    if quantity.percent and value < 100:
        top = min(top, 95 * scale)
    elif value < 1:
        top = min(top, scale - 1)
    if quantity.most is not None:
        top = min(top, quantity.most * scale)
    if model.word:
        top = min(top, _LONGEST_WORD)
    least = -(-whole // (2 * step)) * step
    found = [Fraction(one, scale) for one in range(max(least, step), top + 1, step)]
    was_whole = value.denominator == 1
    kept = [one for one in found if one != 1 and (one.denominator == 1) == was_whole]
    return kept if value in kept else [*kept, value]


def worked_out(reading: Reading, quantities: tuple[Fraction, ...]) -> Values:
    """All results, recomputed.

    Raises:
        Unfit: `order`, `not_whole`, `not_positive`, `implausible`, `one_thing`,
            `unrenderable_value`, `collision`, `answer_repeated`, `division_by_zero`.
    """
    results: list[Fraction] = []
    _check_order(reading, quantities)
    for computation, sources in zip(reading.worked.computations, reading.operands, strict=True):
        values = Values(quantities, tuple(results))
        if not reading.rests_on(computation.index):
            results.append(computation.stated)
            continue
        numbers = computation.numbers
        new = {
            number.span: values.of(source, number.value, reading)
            for number, source in zip(numbers, sources, strict=True)
        }
        result = _checked(computation.left, new)
        if computation.exact_percent:
            result *= 100
        _check_result(computation.stated, result)
        results.append(result)
    values = Values(quantities, tuple(results))
    _check_apart(reading, values)
    answer = reading.worked.answer_computation
    if results[answer] == reading.worked.answer:
        raise Unfit("answer_repeated")
    return values


def stated_values(reading: Reading, quantities: Sequence[Fraction]) -> list[Fraction]:
    """What the numbers of the question are with other quantities, in order."""
    new = {
        numeral: value
        for quantity, value in zip(reading.quantities, quantities, strict=True)
        for numeral in quantity.places
    }
    return [new.get(numeral, numeral.value) for numeral, _ in reading.stated]


def _check_order(reading: Reading, quantities: Sequence[Fraction]) -> None:
    """The larger stays larger: 22 of the 25 men stayed, and the price rose from 3 to 5 dollars.

    That is so for numbers which count the same, and for those that another one rose or fell to.
    """
    values = stated_values(reading, quantities)
    for at, (numeral, kind) in enumerate(reading.stated):
        for place in range(at):
            other, its_kind = reading.stated[place]
            compared = kind == its_kind or at in reading.reached
            if compared and (numeral.value < other.value) != (values[at] < values[place]):
                raise Unfit("order")


def _checked(expression: Expression, new: Mapping[tuple[int, int], Fraction]) -> Fraction:
    """The new value of an expression whose every part is of the kind that it was."""
    try:
        value = evaluate(expression, lambda number: new[number.span])
    except ExpressionError:
        raise Unfit("division_by_zero") from None
    _check_kind(evaluate(expression), value)
    match expression:
        case Operation(_, left, right):
            _checked(left, new)
            _checked(right, new)
        case Negation(operand) | Percent(operand):
            _checked(operand, new)
        case Number():
            pass
    return value


def _check_kind(old: Fraction, new: Fraction) -> None:
    if old.denominator == 1 and new.denominator != 1:
        raise Unfit("not_whole")
    if old > 0 >= new:
        raise Unfit("not_positive")
    if (old == 1) != (new == 1):
        raise Unfit("one_thing")
    if (0 < old < 1) != (0 < new < 1):
        raise Unfit("implausible")


def _check_result(old: Fraction, new: Fraction) -> None:
    _check_kind(old, new)
    if not old / MOST_TIMES <= new <= old * MOST_TIMES:
        raise Unfit("implausible")
    places = len((decimal_text(old, 6) or "").partition(".")[2])
    if decimal_text(new, places) is None:
        raise Unfit("unrenderable_value")


def _check_apart(reading: Reading, values: Values) -> None:
    """Numbers that differed still differ: a reader must not take one for another."""
    came_from: dict[Fraction, Fraction] = {}
    for old, new in _pairs(reading, values):
        if came_from.setdefault(new, old) != old:
            raise Unfit("collision")


def _pairs(reading: Reading, values: Values) -> Iterator[tuple[Fraction, Fraction]]:
    """Every quantity, constant and result with its old and its new value."""
    for (numeral, _), value in zip(
        reading.stated, stated_values(reading, values.quantities), strict=True
    ):
        yield numeral.value, value
    for computation, value in zip(reading.worked.computations, values.results, strict=True):
        yield computation.stated, value
    for slots, sources in zip(reading.worked.slots, reading.slots, strict=True):
        for slot, source in zip(slots, sources, strict=True):
            yield slot.numeral.value, values.of(source, slot.numeral.value, reading)
