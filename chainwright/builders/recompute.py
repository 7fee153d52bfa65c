"""From one changed result to a whole changed solution: new values, then new text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from chainwright.builders.worked import (
    Computation,
    FromResult,
    Origin,
    Slot,
    Unreadable,
    Unresolved,
    Worked,
)
from chainwright.notation.expression import Expression, ExpressionError, Number, Span, evaluate
from chainwright.notation.numerals import CURRENCY, decimal_text, render_like, round_to
from chainwright.schemas.words import ErrorType

MOST_DECIMALS = 2
"""A wrong value may bring cents into a problem of whole numbers, but no longer tail."""
_SIGN_WORD = re.compile(r"plus|minus|times|(?:multiplied|divided)\s+by|of|x|X")
_WORD_OF_SIGN = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


@dataclass(frozen=True)
class Fault:
    """One way to make one computation wrong.

    Exactly one of the three ways is taken: `stated` is a wrong result of an unchanged left side;
    `operand` swaps the literal at that place for `value` from `origin`; `operator` writes
    another sign at that place.
    """

    computation: int
    error_type: ErrorType
    kind: str
    stated: Fraction | None = None
    operand: int | None = None
    value: Fraction = Fraction(0)
    origin: Origin | None = None
    operator: int | None = None
    sign: str = ""
    left: Expression | None = None
    """The left side read anew with the other sign, so that precedence is the text's own."""


@dataclass(frozen=True)
class Rewritten:
    """A solution with one fault carried through to the end."""

    steps: list[str]
    values: Mapping[int, Fraction]
    """New results by computation; the fault's own and all that changed after it."""
    affected: frozenset[int]
    """Steps (1-based) that hold a changed quantity, the fault's own among them."""
    before: str
    after: str
    answer: Fraction


def carry_through(worked: Worked, fault: Fault) -> Rewritten:
    """Writes the fault into the solution and recomputes everything that depends on it.

    Raises:
        Unreadable: where the result would not be exact or not be clean text; the reason says
            which: `unrenderable_value`, `ambiguous_quantity`, `unaccounted_number`,
            `negative_operand`, `division_by_zero`, `unspoken_equation`, `answer_unchanged`.
    """
    values = _new_values(worked, fault)
    answer = values.get(worked.answer_computation)
    if answer is None or answer == worked.answer:
        raise Unreadable("answer_unchanged", "the fault does not reach the final answer")
    edits = _edits(worked, fault, values)
    steps = [_edited(text, edits.get(step, {})) for step, text in enumerate(worked.steps, start=1)]
    before, after = _bodies(worked, fault, edits)
    return Rewritten(steps, values, frozenset(edits), before, after, answer)


def plausible(worked: Worked, fault: Fault, rewritten: Rewritten) -> bool:
    """Whether whole numbers stayed whole and no amount became negative or vanished.

    A slip of the sign makes its own result negative, as it should.
    """
    for index, value in rewritten.values.items():
        if fault.kind == "sign" and index == fault.computation:
            continue
        old = worked.computations[index].stated
        if old.denominator == 1 and value.denominator != 1:
            return False
        if old > 0 >= value:
            return False
    return True


def _new_values(worked: Worked, fault: Fault) -> dict[int, Fraction]:
    values: dict[int, Fraction] = {}
    for computation in worked.computations[fault.computation :]:
        at_fault = computation.index == fault.computation
        if at_fault and fault.stated is not None:
            values[computation.index] = fault.stated
            continue
        touched = [o for o in computation.operands if isinstance(o, FromResult)]
        if not at_fault and not any(o.computation in values for o in touched):
            continue
        new = _recomputed(computation, values, fault if at_fault else None)
        if new != computation.stated:
            values[computation.index] = new
    return values


def _recomputed(
    computation: Computation, values: Mapping[int, Fraction], fault: Fault | None
) -> Fraction:
    numbers = computation.numbers
    place_of = {number.span: place for place, number in enumerate(numbers)}

    def value_of(number: Number) -> Fraction:
        place = place_of[number.span]
        if fault and fault.operand == place:
            return fault.value
        return _operand_value(number.value, computation.operands[place], values)

    left = fault.left if fault and fault.left else computation.left
    try:
        new = evaluate(left, value_of)
    except ExpressionError as error:
        raise Unreadable("division_by_zero", str(error)) from None
    if computation.exact_percent:
        new *= 100
    if computation.rounded_to is not None:
        new = round_to(new, computation.rounded_to)
    old_places = len((decimal_text(computation.stated) or "").partition(".")[2])
    if decimal_text(new, max(MOST_DECIMALS, old_places)) is None:
        raise Unreadable(
            "unrenderable_value",
            f"step {computation.step}: {decimal_text(computation.stated)} would become {new}",
        )
    return new


def _operand_value(old: Fraction, origin: Origin, values: Mapping[int, Fraction]) -> Fraction:
    if isinstance(origin, FromResult) and origin.computation in values:
        return values[origin.computation] * origin.scale
    return old


def _edits(
    worked: Worked, fault: Fault, values: Mapping[int, Fraction]
) -> dict[int, dict[Span, str]]:
    """Per step what to write at which span."""
    edits: dict[int, dict[Span, str]] = {}
    for step in range(worked.computations[fault.computation].step, len(worked.steps) + 1):
        text = worked.steps[step - 1]
        changes: dict[Span, str] = {}
        for slot in worked.slots[step - 1]:
            if slot.computation == fault.computation and slot.operand is not None:
                if slot.operand == fault.operand:
                    changes |= _written(text, slot, fault.value)
            elif isinstance(slot.origin, FromResult) and slot.origin.computation in values:
                changes |= _written(text, slot, _shown(slot, slot.origin, values))
        if changes:
            edits[step] = changes
    _check_accounted(worked, fault, edits)
    _check_unambiguous(worked, fault, values)
    at = worked.computations[fault.computation]
    if fault.operator is not None:
        edits[at.step] |= _sign_edits(worked, at, fault.operator, fault.sign)
    return edits


def _shown(slot: Slot, origin: FromResult, values: Mapping[int, Fraction]) -> Fraction:
    value = values[origin.computation] * origin.scale
    if slot.ambiguous:
        raise Unreadable(
            "ambiguous_quantity", f"`{slot.numeral.text}` could be another quantity of that value"
        )
    if slot.operand is not None and value < 0 <= slot.numeral.value:
        raise Unreadable("negative_operand", f"{slot.numeral.text} would become {value}")
    return value


def _written(text: str, slot: Slot, value: Fraction) -> dict[Span, str]:
    """The edit that makes a slot show another value; the minus goes before a currency sign."""
    rendered = render_like(value, slot.numeral)
    if rendered is None:
        raise Unreadable("unrenderable_value", f"`{slot.numeral.text}` can't show {value}")
    start, end = slot.span
    if rendered.startswith("-") and text[start - 1 : start] in tuple(CURRENCY):
        return {(start - 1, end): f"-{text[start - 1]}{rendered[1:]}"}
    return {(start, end): rendered}


def _check_accounted(worked: Worked, fault: Fault, edits: Mapping[int, object]) -> None:
    """A number nobody can account for might hide a dependence; then labels would not be exact."""
    at = worked.computations[fault.computation].step
    for step in range(at + 1, len(worked.steps) + 1):
        for slot in worked.slots[step - 1]:
            if isinstance(slot.origin, Unresolved):
                operand = slot.operand is not None
                if operand or step in edits:
                    raise Unreadable(
                        "unresolved_operand" if operand else "unaccounted_number",
                        f"step {step}: `{slot.numeral.text}` comes from nowhere that can be seen",
                    )


def _check_unambiguous(worked: Worked, fault: Fault, values: Mapping[int, Fraction]) -> None:
    """A number left as it is must not be one that could have meant a changed quantity."""
    old = {worked.computations[index].stated for index in values}
    for step in range(worked.computations[fault.computation].step, len(worked.steps) + 1):
        for slot in worked.slots[step - 1]:
            changed = isinstance(slot.origin, FromResult) and slot.origin.computation in values
            if slot.ambiguous and not changed and slot.numeral.value in old:
                raise Unreadable(
                    "ambiguous_quantity",
                    f"step {step}: `{slot.numeral.text}` could be a quantity that has changed",
                )


def _sign_edits(worked: Worked, at: Computation, place: int, sign: str) -> dict[Span, str]:
    """The operator in the mark, and where the prose spells the equation out, there as well."""
    edits = {at.operations[place].span: sign} if at.marked else {}
    if at.spelt_out:
        if at.prose_signs is None:
            raise Unreadable("unspoken_equation", f"step {at.step}: the prose words it otherwise")
        edits |= _prose_sign(worked.steps[at.step - 1], at.prose_signs[place][0], sign)
    return edits


def _prose_sign(text: str, start: int, sign: str) -> dict[Span, str]:
    word = _SIGN_WORD.match(text, start)
    if word is None:
        return {(start, start + 1): sign}
    if word.group() == "of":
        raise Unreadable("unspoken_equation", "`of` has no counterpart for another operation")
    return {(start, word.end()): sign if word.group() in "xX" else _WORD_OF_SIGN[sign]}


def _bodies(
    worked: Worked, fault: Fault, edits: Mapping[int, Mapping[Span, str]]
) -> tuple[str, str]:
    """The faulty computation as it was and as it is now."""
    at = worked.computations[fault.computation]
    start, end = at.span
    body = worked.steps[at.step - 1][start:end]
    inside = {
        (a - start, b - start): new
        for (a, b), new in edits[at.step].items()
        if start <= a and b <= end
    }
    return body, _edited(body, inside)


def _edited(text: str, edits: Mapping[Span, str]) -> str:
    for (start, end), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text
