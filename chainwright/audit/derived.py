"""Derived labels: what the premise graph makes of the labels as released (PERL, section 3)."""

from __future__ import annotations

from chainwright.audit.record import AuditRecord
from chainwright.formats.record import type_name

ACCUMULATION = "accumulation_error"
NATIVE = "native_error"


def derived_labels(record: AuditRecord) -> dict[int, str | None]:
    """By step `correct`, `native_error` or `accumulation_error`; None where that is open.

    A step whose release names any error of its own keeps it. A step called correct, or wrong by
    accumulation alone, is valid given its premises: it inherits an error if one of them is not
    correct, and is correct otherwise. Decided in step order, so it carries on downstream. A step
    without a label, or without premises, is open, unless it has an error of its own.
    """
    derived: dict[int, str | None] = {}
    for step in range(1, len(record.steps) + 1):
        label = record.label_of.get(step)
        premises = record.premises_of.get(step)
        if label is None or label.wrong is None:
            derived[step] = None
        elif label.wrong and {type_name(one) for one in label.types} != {ACCUMULATION}:
            derived[step] = NATIVE
        elif premises is None:
            derived[step] = None
        else:
            below = [derived[premise] for premise in premises if premise]
            if any(one in (NATIVE, ACCUMULATION) for one in below):
                derived[step] = ACCUMULATION
            else:
                derived[step] = None if None in below else "correct"
    return derived
