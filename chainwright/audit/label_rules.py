"""Label rules: whether the labels of a chain agree with each other, its premises and polarity."""

from __future__ import annotations

from collections.abc import Iterator

from chainwright.audit.derived import ACCUMULATION, derived_labels
from chainwright.audit.finding import Edit, Finding, finding, listed
from chainwright.audit.record import AuditRecord
from chainwright.formats.record import StatedLabel, type_name
from chainwright.schemas.words import CHAIN_ERRORS, ERROR_TYPES, FAITHFULNESS_ERRORS

_KNOWN = {
    *ERROR_TYPES,
    *CHAIN_ERRORS,
    *(name for names in FAITHFULNESS_ERRORS.values() for name in names),
}


def label_findings(record: AuditRecord) -> Iterator[Finding]:
    """What is wrong with the labels of a record; nothing where it has none."""
    if record.labels is None:
        return
    for label in record.labels:
        yield from _label(record, label)
    if record.track == "math":
        yield from _inheritance(record)
        yield from _polarity(record)
    yield from _first_error(record)


def _label(record: AuditRecord, label: StatedLabel) -> Iterator[Finding]:
    types = [type_name(one) for one in label.types]
    if len(types) > 1:
        same = len(set(types)) == 1
        yield finding(
            "several_types",
            record,
            f"{len(types)} errors on one step: {', '.join(label.types)}",
            step=label.step,
            layer="one type repeated" if same else "different types",
        )
    for name, released in zip(types, label.types, strict=True):
        if name in CHAIN_ERRORS:
            text = f"{released} is a type of the whole chain, not of a step"
            yield finding("chain_type_on_step", record, text, step=label.step)
        elif name not in _KNOWN and record.track == "math":  # elsewhere any taxonomy may stand
            text = f"{released[:60]!r} is none of the known types"
            yield finding("unknown_type", record, text, step=label.step)
    stated = label.flag if label.flag is not None else label.wrong
    if label.flag is not None and label.flag != bool(label.types):
        text = f"has_error is {str(label.flag).lower()}, and {len(types)} errors are given"
        edit = Edit(f"{label.pointer}/has_error", label.flag, bool(label.types))
        yield finding("error_flag", record, text, step=label.step, edit=edit)
    elif stated is False and label.types:
        text = f"labelled as no error, and typed {', '.join(label.types)}"
        yield finding("error_flag", record, text, step=label.step)


def _inheritance(record: AuditRecord) -> Iterator[Finding]:
    if record.premises is None:
        return
    derived = derived_labels(record)
    for step in range(1, len(record.steps) + 1):
        label, premises = record.label_of.get(step), record.premises_of.get(step)
        if label is None or label.wrong is None or premises is None:
            continue
        below = [record.label_of.get(premise) for premise in premises if premise]
        wrong = [one.step for one in below if one is not None and one.wrong]
        is_open = any(one is None or one.wrong is None for one in below)
        inherits = ACCUMULATION in {type_name(one) for one in label.types}
        if inherits and not wrong and not is_open:
            text = f"rests on {listed(premises)}; none of them is labelled wrong"
            yield finding(
                "accumulation_without_cause", record, text, step=step, derived=derived[step]
            )
        elif not label.wrong and wrong:
            text = f"labelled correct, and rests on {listed(wrong)}, labelled wrong"
            yield finding("correct_on_error", record, text, step=step, derived=derived[step])
        elif not label.wrong and derived[step] == ACCUMULATION:
            bad = [p for p in premises if p and derived[p] == ACCUMULATION]
            text = f"rests on {listed(bad)}, labelled correct, which inherits an error"
            yield finding("correct_downstream", record, text, step=step, derived=derived[step])


def _polarity(record: AuditRecord) -> Iterator[Finding]:
    wrong = [step for step, label in sorted(record.label_of.items()) if label.wrong]
    if record.polarity == "positive" and wrong:
        yield finding("positive_with_error", record, f"a positive, with {listed(wrong)} wrong")
    steps = range(1, len(record.steps) + 1)
    labels = [record.label_of.get(step) for step in steps]
    all_right = bool(labels) and all(one is not None and one.wrong is False for one in labels)
    if record.polarity in ("negative", "synthetic_negative") and all_right:
        kind = "a perturbed chain" if record.polarity == "synthetic_negative" else "a negative"
        text = f"{kind}, with every one of its {len(labels)} steps labelled correct"
        yield finding("negative_without_error", record, text)


def _first_error(record: AuditRecord) -> Iterator[Finding]:
    stated = record.first_error
    if stated is None:
        return
    if not 0 <= stated <= len(record.steps):
        text = f"the first error is said to be step {stated} of {len(record.steps)}"
        yield finding("first_error", record, text)
        return
    for step in range(1, len(record.steps) + 1):
        label = record.label_of.get(step)
        if label is None or label.wrong is None:
            return
        if label.wrong or step == stated:
            if not (label.wrong and step == stated):
                found = f"step {step} is labelled {'wrong' if label.wrong else 'correct'}"
                said = f"step {stated}" if stated else "none"
                yield finding("first_error", record, f"said to be {said}, but {found}")
            return
