"""Arithmetic rules: whether the labels of steps agree with the equations in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from chainwright.annotation.programs.case import step_equations, written
from chainwright.audit.derived import ACCUMULATION
from chainwright.audit.finding import Finding, finding
from chainwright.audit.record import AuditRecord
from chainwright.formats.record import StatedLabel, type_name

_MATHEMATICAL = "mathematical_error"
_OTHER_ARITHMETIC = re.compile(
    r"\boperat(?:ion|or)s?\b|\bbases?\s+\$?[A-Za-z\d]|\d_\{?[a-z\d]|\\p?mod\b|\bmodulo\b",
    re.IGNORECASE,
)
"""Questions in which `3*3`, `51_b` or a congruence mean something else than usual."""
_SLIGHT = Fraction(1, 5_000)
"""As a share of the value: what carrying a rounded operand on comes to."""


def arithmetic_findings(record: AuditRecord) -> Iterator[Finding]:
    """Wrong equations in steps called correct, and mathematical errors without a wrong equation.

    Equations are recomputed exactly; what is not arithmetic on numbers is never read. An
    accumulation error is valid given its premises, so its arithmetic has to hold as well. A
    mathematical error without any equation is left alone, and so are chains whose question may
    give signs another meaning (an operation of its own, a base, a modulus). What is off by no more
    than a five-thousandth is a note: that much comes of going on with a rounded number.
    """
    if record.track != "math" or _OTHER_ARITHMETIC.search(record.question or ""):
        return
    for step, label in sorted(record.label_of.items()):
        text = record.text_of(step) if step else None
        if text is None or label.wrong is None:
            continue
        types = {type_name(one) for one in label.types}
        if not label.wrong or types == {ACCUMULATION}:
            yield from _wrong(record, label, text)
        elif types == {_MATHEMATICAL}:
            yield from _sound(record, label, text)


def _wrong(record: AuditRecord, label: StatedLabel, text: str) -> Iterator[Finding]:
    for equation in step_equations(text):
        if not equation.holds:
            left, right = equation.left, equation.right
            message = f"{_flat(left.text)} is {written(left.value)}, not {_flat(right.text)}"
            slight = abs(left.value - right.value) <= abs(left.value) * _SLIGHT
            where = "in an accumulation error" if label.wrong else "in a correct step"
            yield finding(
                "wrong_arithmetic",
                record,
                message,
                step=label.step,
                layer="off by rounding's size" if slight else where,
                severity="note" if slight else None,
            )
            return


def _sound(record: AuditRecord, label: StatedLabel, text: str) -> Iterator[Finding]:
    equations = step_equations(text)
    if equations and all(equation.holds for equation in equations):
        count = len(equations)
        message = f"all {count} equations hold" if count > 1 else "its one equation holds"
        yield finding("sound_arithmetic", record, message, step=label.step)


def _flat(text: str) -> str:
    return " ".join(text.split())
