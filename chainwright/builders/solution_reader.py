"""Reading a worked solution into its graph: marks and equations first, then every number.

An operand is looked for among the earlier results, nearest first, then in the question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from chainwright.builders.answers import split_answer_line
from chainwright.builders.worked import (
    Computation,
    FromQuestion,
    FromResult,
    Origin,
    Slot,
    Unreadable,
    Unresolved,
    Worked,
)
from chainwright.notation.equations import Equation, find_equations, side_numbers
from chainwright.notation.expression import (
    Expression,
    Number,
    Operation,
    Span,
    evaluate,
    numbers_in,
    operations_in,
)
from chainwright.notation.givens import Givens, givens
from chainwright.notation.marks import Mark, find_marks, holds
from chainwright.notation.numerals import Numeral, find_numerals

_ORDINAL_END = re.compile(r"(?:st|nd|rd|th)\b")


def read_solution(question: str, solution: str) -> Worked:
    """The computation graph of a solution in GSM8K's format.

    An operand is looked for among the earlier results, nearest first, then in the question.

    Raises:
        Unreadable: with the reason `no_steps`, `no_answer`, `unparsable_mark`,
            `inconsistent_mark`, `inconsistent_equation`, `no_computation` or
            `answer_not_computed`.
    """
    steps, answer_text = split_answer_line(solution)
    if not steps:
        raise Unreadable("no_steps", "the solution has no line besides its answer")
    worked = Worked(steps)
    reader = _Reader(worked, givens(question))
    for step in range(1, len(steps) + 1):
        reader.read(step)
    if not worked.computations:
        raise Unreadable("no_computation", "no calculator mark and no equation in the solution")
    _find_answer(worked, answer_text)
    return worked


def _find_answer(worked: Worked, answer_text: str | None) -> None:
    text = (answer_text or "").strip()
    cleaned = text.replace(",", "").replace("$", "").rstrip("%. ")
    try:
        worked.answer = Fraction(cleaned)
    except (ValueError, ZeroDivisionError):
        raise Unreadable(
            "no_answer", f"expected a number behind ####, found `{text[:80]}`"
        ) from None
    worked.answer_text = text
    for computation in reversed(worked.computations):
        if computation.stated == worked.answer:
            worked.answer_computation = computation.index
            return
    raise Unreadable(
        "answer_not_computed", f"no computation of the solution results in the answer {text}"
    )


@dataclass(frozen=True)
class _Claim:
    """An equation of a step before its operands are resolved."""

    left: Expression
    stated: Numeral
    result: Fraction
    left_span: Span
    spoken: Equation | None
    marked: bool


class _Reader:
    """Reads the steps in order, and remembers the results so far."""

    def __init__(self, worked: Worked, given: Givens) -> None:
        self.worked = worked
        self.given = given

    def read(self, step: int) -> None:
        text = self.worked.steps[step - 1]
        marks = find_marks(text)
        for mark in marks:
            if not mark.fault and not holds(mark):
                raise Unreadable("inconsistent_mark", f"step {step}: {mark.body} does not hold")
        slots: list[Slot] = []
        first = len(self.worked.computations)
        for claim in _claims(text, marks, step):
            slots += self._compute(claim, step)
        slots += self._mentions(text, [mark.span for mark in marks], slots, first)
        self.worked.slots.append(sorted(slots, key=lambda slot: slot.span))

    def _compute(self, claim: _Claim, step: int) -> Iterator[Slot]:
        index = len(self.worked.computations)
        numbers = list(numbers_in(claim.left))
        found = [self._resolve(number.value, False) for number in numbers]
        for top, bottom in _shares(claim.left):
            # `2/3` in the question is the `2/3` here, even where some result is a 2
            if given := self.given.find_share(top.value, bottom.value):
                for number in (top, bottom):
                    found[numbers.index(number)] = (FromQuestion(given.text), False)
        spoken = _aligned(claim, numbers)
        signs = None
        if claim.spoken and spoken is not None:
            signs = tuple(op.span for op in operations_in(claim.spoken.left.expression))
        exact = evaluate(claim.left) == claim.result
        self.worked.computations.append(
            Computation(
                index,
                step,
                claim.left,
                claim.stated.value,
                claim.stated.percent,
                tuple(origin for origin, _ in found),
                tuple(ambiguous for _, ambiguous in found),
                None if exact else claim.stated.decimals,
                (claim.left_span[0], claim.stated.end + claim.stated.percent),
                claim.left_span,
                claim.marked,
                signs,
                claim.spoken is not None,
            )
        )
        yield Slot(
            (claim.stated.start, claim.stated.end), claim.stated, FromResult(index), False, index
        )
        for place, (number, (origin, ambiguous)) in enumerate(zip(numbers, found, strict=True)):
            yield _operand_slot(number, origin, ambiguous, index, place)
            if spoken is not None:
                yield _operand_slot(spoken[place], origin, ambiguous, index, place)

    def _resolve(self, value: Fraction, percent: bool) -> tuple[Origin, bool]:
        """Where a value comes from, and whether it could come from elsewhere as well."""
        given = self.given.find(value)
        matches = [
            origin
            for computation in reversed(self.worked.computations)
            if (origin := same_quantity(value, percent, computation))
        ]
        if matches:
            return matches[0], given is not None or len(matches) > 1
        if given is None:
            return Unresolved(_plain(value)), False
        return FromQuestion(given.text), False

    def _mentions(
        self, text: str, hidden: Sequence[Span], slots: Sequence[Slot], first: int
    ) -> Iterator[Slot]:
        """The numbers of the prose that belong to no equation, or repeat one."""
        taken = {slot.span[0] for slot in slots}
        own = self.worked.computations[first:]
        for numeral in find_numerals(text, hidden):
            if numeral.start in taken or _ORDINAL_END.match(text, numeral.end):
                continue
            origin, ambiguous = self._mention(numeral, text, own, slots)
            yield _with_sign(Slot((numeral.start, numeral.end), numeral, origin, ambiguous), text)

    def _mention(
        self,
        numeral: Numeral,
        text: str,
        own: Sequence[Computation],
        slots: Sequence[Slot],
    ) -> tuple[Origin, bool]:
        behind_mark = re.search(r">>[\s$€£¥₹-]*$", text[: numeral.start])
        origins: list[Origin] = []
        for computation in own:
            if same := same_quantity(numeral.value, numeral.percent, computation):
                if behind_mark:
                    return same, False
                origins.append(same)
        for slot in slots:
            if slot.operand is not None and slot.numeral.value == numeral.value:
                origins.append(slot.origin)
        elsewhere, ambiguous = self._resolve(numeral.value, numeral.percent)
        if not origins:
            return elsewhere, ambiguous
        if not isinstance(elsewhere, Unresolved):
            origins.append(elsewhere)
        stated = self.given.find(numeral.value) is not None
        several = len(set(origins)) > 1 or ambiguous
        of_result = isinstance(origins[0], FromResult)
        return origins[0], several or (of_result and stated)


def _claims(text: str, marks: Sequence[Mark], step: int) -> Iterator[_Claim]:
    """The equations of a step in order: the marks, and what the prose works out without one."""
    spoken = find_equations(text, marks=False)
    claims: list[tuple[int, _Claim]] = []
    echoed: set[int] = set()
    for mark in marks:
        if mark.left is None or mark.result is None:
            raise Unreadable("unparsable_mark", f"step {step}: {mark.fault}")
        echo = None
        for at, equation in enumerate(spoken):
            if equation.left.span[1] <= mark.span[0] and mark.span[1] <= equation.right.span[0]:
                echo = equation
                echoed.add(at)
        numeral = _result_numeral(text, mark.result_span, step)
        value = evaluate(mark.result)
        left_span = (mark.span[0] + 2, mark.result_span[0] - 1)
        claims.append((mark.span[0], _Claim(mark.left, numeral, value, left_span, echo, True)))
    for at, equation in enumerate(spoken):
        if at in echoed or not equation.right.is_number or equation.left.is_number:
            continue
        if not equation.holds:
            raise Unreadable(
                "inconsistent_equation",
                f"step {step}: {equation.left.text} = {equation.right.text} does not hold",
            )
        numeral = _result_numeral(text, equation.right.span, step)
        left = equation.left
        claim = _Claim(left.expression, numeral, equation.right.value, left.span, equation, False)
        claims.append((left.span[0], claim))
    yield from (claim for _, claim in sorted(claims, key=lambda pair: pair[0]))


def _result_numeral(text: str, span: Span, step: int) -> Numeral:
    """The stated result as one numeral, its sign in the value and in the span."""
    body = text[span[0] : span[1]]
    found = find_numerals(body)
    rest = body
    for numeral in found:
        rest = rest.replace(numeral.text, "", 1)
    sign = rest.strip().strip("$€£¥₹% ")
    if len(found) != 1 or sign not in ("", "-", "−"):
        raise Unreadable("unparsable_mark", f"step {step}: result `{body}` is not one number")
    numeral = found[0]
    start = numeral.start
    if sign:
        start = body.index(sign)
    value = -numeral.value if sign else numeral.value
    return Numeral(
        numeral.text,
        span[0] + start,
        span[0] + numeral.end,
        value,
        currency=numeral.currency,
        percent=numeral.percent,
    )


def _aligned(claim: _Claim, numbers: Sequence[Number]) -> list[Number] | None:
    """The literals of the spoken equation, when they are the mark's own in the same order."""
    if claim.spoken is None or not claim.marked:
        return None
    spoken = side_numbers(claim.spoken.left)
    if len(spoken) != len(numbers):
        return None
    same = all(a.value == b.value for a, b in zip(spoken, numbers, strict=True))
    return spoken if same else None


def _operand_slot(number: Number, origin: Origin, ambiguous: bool, index: int, place: int) -> Slot:
    numeral = Numeral(number.text, number.span[0], number.span[1], number.value)
    return Slot(number.span, numeral, origin, ambiguous, index, place)


def same_quantity(value: Fraction, percent: bool, computation: Computation) -> FromResult | None:
    """Whether a value is a computation's result, a percent sign on one of them allowed for."""
    if value == computation.stated:
        return FromResult(computation.index)
    if computation.stated_percent and value * 100 == computation.stated:
        return FromResult(computation.index, Fraction(1, 100))
    if percent and value == computation.stated * 100:
        return FromResult(computation.index, Fraction(100))
    if computation.stated < 0 and value == -computation.stated:
        return FromResult(computation.index, Fraction(-1))
    return None


def _with_sign(slot: Slot, text: str) -> Slot:
    """A mention such as `-9`, whose dash belongs to the negative quantity it shows."""
    if not (isinstance(slot.origin, FromResult) and slot.origin.scale == -1):
        return slot
    dash = re.search(r"[-−]\s*$", text[: slot.span[0]])
    if dash is None:
        return slot
    origin = replace(slot.origin, scale=Fraction(1))
    return replace(slot, span=(dash.start(), slot.span[1]), origin=origin)


def _shares(expression: Expression) -> Iterator[tuple[Number, Number]]:
    """The fractions of two literals in an expression."""
    for operation in operations_in(expression):
        left, right = operation.left, operation.right
        if isinstance(left, Operation) and left.operator == "*":
            left = left.right
        if operation.operator == "/" and isinstance(left, Number) and isinstance(right, Number):
            yield left, right


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"
