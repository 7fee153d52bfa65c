"""A question and its solution, with every number traced to the quantity that it shows.

What the exact engine leaves open matters here: it calls an operand given by the question wherever
the value is found there, while a variant has to know by which of the question's numbers. A number
that might be two quantities is in doubt, and whatever could make them differ stays as it is.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from chainwright.builders.solution_reader import read_solution, same_quantity
from chainwright.builders.variants.counts import possible_counts
from chainwright.builders.variants.source import Source
from chainwright.builders.variants.wording import (
    Quantity,
    changeable,
    is_conditional,
    is_reached,
    kind_of,
    percentages,
)
from chainwright.builders.worked import (
    Computation,
    FromResult,
    Slot,
    Unreadable,
    Unresolved,
    Worked,
)
from chainwright.notation.expression import Expression, Negation, Number, Operation, Percent
from chainwright.notation.givens import SHARES, Givens
from chainwright.notation.numerals import Numeral, blank, find_numerals

_TELLING = frozenset(
    [
        *SHARES,
        *("second", "twice", "double", "doubled", "both", "pair", "couple", "thrice", "triple"),
        *("tripled", "quadruple", "dozen", "once"),
    ]
)
"""Words that stand for numbers: one that only the solution has may stand for one that changes."""
_WORDS = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class Reading:
    """A solution's graph, down to the numbers of the question.

    `operands[c][i]` is the source of the i-th literal of computation c, and `slots[s][n]` that of
    the n-th number in the text of step s + 1.
    """

    question: str
    stated: tuple[tuple[Numeral, str], ...]
    """The numbers of the question in order, each with what it counts."""
    worked: Worked
    quantities: tuple[Quantity, ...]
    operands: tuple[tuple[Source, ...], ...]
    slots: tuple[tuple[Source, ...], ...]

    def rests_on(self, computation: int) -> frozenset[int]:
        """The quantities that a result follows from."""
        if computation not in self._rests:
            found: set[int] = set()
            for source in self.operands[computation]:
                if source.kind == "quantity":
                    found.add(source.number)
                elif source.kind == "result":
                    found |= self.rests_on(source.number)
            self._rests[computation] = frozenset(found)
        return self._rests[computation]

    @cached_property
    def reached(self) -> frozenset[int]:
        """The numbers of the question, by their place in `stated`, that another rose or fell to."""
        found = enumerate(self.stated)
        return frozenset(at for at, (numeral, _) in found if is_reached(self.question, numeral))

    @cached_property
    def _rests(self) -> dict[int, frozenset[int]]:
        """What `rests_on` has found: every draw asks it of every computation."""
        return {}

    @property
    def shape(self) -> object:
        """All but the values: two readings of one shape say the same of other numbers."""
        return (
            [(len(one.places), one.percent, one.cents, one.factor) for one in self.quantities],
            [
                (one.step, _bare(one.left), one.rounded_to is None, one.stated_percent)
                for one in self.worked.computations
            ],
            self.operands,
            self.slots,
            self.worked.answer_computation,
        )


def read(question: str, solution: str) -> Reading:
    """Traces every number, and keeps only quantities of which no number is in doubt.

    Raises:
        Unreadable: where the solution is no complete graph, or no quantity may change: the reasons
            of `read_solution`, `unresolved_operand`, `unaccounted_number`, `hidden_number`,
            `unused_number`, `conditional_question`, and what kept the last quantity back:
            `ambiguous_quantity`, `rounded_result`, `nothing_changeable`.
    """
    worked = read_solution(question, solution)
    _check_accounted(question, worked)
    if condition := is_conditional(question):
        raise Unreadable("conditional_question", f"the answer may turn on `{condition}`")
    reading, kept_back = _settled(question, worked, tuple(changeable(question)))
    if not reading.quantities:
        reason = kept_back.most_common(1)[0][0] if kept_back else "nothing_changeable"
        raise Unreadable(reason, "no number of the question can be changed without doubt")
    _check_used(reading)
    return reading


def _bare(expression: Expression) -> object:
    """The expression without its numbers."""
    match expression:
        case Number():
            return None
        case Negation(operand) | Percent(operand):
            return (type(expression).__name__, _bare(operand))
        case Operation(operator, left, right):
            return (operator, _bare(left), _bare(right))


def _check_accounted(question: str, worked: Worked) -> None:
    for step, slots in enumerate(worked.slots, start=1):
        for slot in slots:
            if isinstance(slot.origin, Unresolved):
                reason = "unaccounted_number" if slot.operand is None else "unresolved_operand"
                raise Unreadable(
                    reason,
                    f"step {step}: `{slot.numeral.text}` comes from nowhere that can be seen",
                )
    said = set(_WORDS.findall(question.lower()))
    for step, text in enumerate(worked.steps, start=1):
        for word in _WORDS.findall(text.lower()):
            if word.rstrip("s") in _TELLING and not {word, word.rstrip("s"), f"{word}s"} & said:
                raise Unreadable("hidden_number", f"step {step}: `{word}` is not in the question")


def _settled(
    question: str, worked: Worked, quantities: tuple[Quantity, ...]
) -> tuple[Reading, Counter[str]]:
    """The reading with the most quantities that leaves nothing in doubt, and what was kept back."""
    kept_back: Counter[str] = Counter()
    while True:
        reading = _traced(question, worked, quantities)
        dropped = dict(_doubts(reading))
        if not dropped:
            return reading, kept_back
        kept_back.update(dropped.values())
        quantities = tuple(q for n, q in enumerate(quantities) if n not in dropped)


def _traced(question: str, worked: Worked, quantities: tuple[Quantity, ...]) -> Reading:
    """Every number's source, as far as the quantities go; all other numbers are constants."""
    spans = [(one.start, one.end) for quantity in quantities for one in quantity.places]
    constants = {given.value for given in Givens(blank(question, spans)).all}
    # `40 / 10` may take the 10 of `10%`, or divide by ten, which is the same for this number alone
    inverses = {100 / value for value in percentages(question) if value}
    by_value: dict[Fraction, list[Source]] = {}
    for number, quantity in enumerate(quantities):
        for form, value in quantity.forms(quantity.value).items():
            by_value.setdefault(value, []).append(Source("quantity", number, form))

    def source(slot: Slot) -> Source:
        value = slot.numeral.value
        if slot.ambiguous or (slot.operand is not None and value in inverses):
            return Source("doubtful")
        if isinstance(slot.origin, FromResult):
            return Source("result", slot.origin.computation, "", slot.origin.scale)
        found = by_value.get(value, [])
        if not found:
            return Source("constant")
        return found[0] if len(found) == 1 and value not in constants else Source("doubtful")

    slots = tuple(tuple(source(slot) for slot in step) for step in worked.slots)
    operands = tuple(
        tuple(
            _operand(worked, slots, computation, place)
            for place in range(len(computation.operands))
        )
        for computation in worked.computations
    )
    stated = tuple((one, kind_of(question, one)) for one in find_numerals(question))
    return Reading(question, stated, worked, quantities, operands, slots)


def _operand(
    worked: Worked, slots: tuple[tuple[Source, ...], ...], computation: Computation, place: int
) -> Source:
    """The source of an operand, which its slots in the step's text show."""
    step = computation.step - 1
    for slot, source in zip(worked.slots[step], slots[step], strict=True):
        if slot.computation == computation.index and slot.operand == place:
            return source
    return Source("doubtful")


def _doubts(reading: Reading) -> Iterator[tuple[int, str]]:
    """Quantities that have to stay, by number, each with the reason why."""
    worked = reading.worked
    for step, (slots, sources) in enumerate(zip(worked.slots, reading.slots, strict=True), start=1):
        for slot, source in zip(slots, sources, strict=True):
            if source.kind == "doubtful":
                for number in _could_mean(reading, slot, step):
                    yield number, "ambiguous_quantity"
    for computation in worked.computations:
        if computation.rounded_to is not None or computation.stated <= 0:
            for number in reading.rests_on(computation.index):
                yield number, "rounded_result"
    rests = [reading.rests_on(computation.index) for computation in worked.computations]
    for number in possible_counts(worked, reading.operands, rests):
        if not reading.quantities[number].percent:
            yield number, "ambiguous_quantity"
    # a number that is only mentioned (`all three teenagers`) may count what the text lists
    used = {s.number for operands in reading.operands for s in operands if s.kind == "quantity"}
    for number in range(len(reading.quantities)):
        if number not in used:
            yield number, "nothing_changeable"


def _could_mean(reading: Reading, slot: Slot, step: int) -> Iterator[int]:
    """The quantities on which a number in doubt might rest."""
    value = slot.numeral.value
    for number, quantity in enumerate(reading.quantities):
        inverse = quantity.percent and value * quantity.value == 100
        if inverse or value in quantity.forms(quantity.value).values():
            yield number
    for computation in reading.worked.computations:
        if computation.step <= step and same_quantity(value, True, computation):
            yield from reading.rests_on(computation.index)


def _check_used(reading: Reading) -> None:
    """A number of the question that the solution leaves alone may still bear on it."""
    shown = {slot.numeral.value for step in reading.worked.slots for slot in step}
    places = {place for one in reading.quantities for place in one.places}
    for numeral, _ in reading.stated:
        if numeral in places or numeral.value in (0, 1):
            continue
        forms = {numeral.value, numeral.value / 100, 1 - numeral.value / 100, 100 - numeral.value}
        if not forms & shown:
            raise Unreadable(
                "unused_number", f"`{numeral.text}` is in the question and not in the solution"
            )
