"""Finding: one inconsistency, with the rule it breaks and where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from chainwright.audit.record import AuditRecord, Place

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the gravest to the lightest."""

_RULES: tuple[tuple[str, Severity, str], ...] = (
    ("unreadable_record", "error", "the row is no record of its format; nothing else is checked"),
    ("step_count", "error", "labels or premises are not exactly one for each step"),
    (
        "accumulation_without_cause",
        "error",
        "an accumulation error none of whose premises is wrong",
    ),
    ("correct_on_error", "error", "a step labelled correct that rests on one labelled wrong"),
    ("correct_downstream", "note", "correct, on premises labelled correct that inherit an error"),
    ("positive_with_error", "warning", "a chain counted as positive with a wrong step"),
    ("negative_without_error", "error", "a chain counted as negative with every step correct"),
    ("several_types", "warning", "several types of error on one step"),
    ("chain_type_on_step", "error", "a type of the whole chain on one step"),
    ("unknown_type", "warning", "a type of error in mathematics that no closed list has"),
    ("error_flag", "error", "whether there is an error, and the types given, disagree"),
    ("first_error", "error", "the stated first error is not the labels', or no step of the chain"),
    ("premise_self", "error", "a step that is a premise of itself"),
    ("premise_future", "error", "a premise on a later step"),
    ("premise_missing", "error", "a premise on a step that the chain does not have"),
    ("premise_repeated", "note", "a premise named more than once"),
    ("no_premises", "warning", "a step that rests on nothing, not even the question"),
    ("question_copy", "warning", "a copy of the question that drifted from it"),
    ("step_copy", "warning", "a copy of a step that drifted from it"),
    ("wrong_arithmetic", "warning", "an equation that does not hold, in a step labelled correct"),
    ("sound_arithmetic", "warning", "a mathematical error whose every equation holds"),
    ("correctness", "error", "the stated correctness is not that of the chain's polarity"),
    ("right_answer_differs", "error", "counted as right, but the final answer is not the gold one"),
    ("wrong_answer_equal", "error", "counted as wrong, but the final answer is the gold one"),
    ("gold_answer", "warning", "the gold answer is not the one its own solution ends in"),
    ("answer_of_steps", "warning", "the final answer is not the one the last step states"),
    ("duplicate_chain", "warning", "the same question and steps as an earlier record"),
    ("duplicate_conflict", "error", "the same question and steps, labelled otherwise"),
    ("repeated_question", "note", "the question of an earlier record of the same polarity"),
    ("split_leak", "error", "a question that stands in another split as well"),
)


@dataclass(frozen=True)
class Rule:
    """A rule: its severity where a finding has none of its own, and what it says."""

    severity: Severity
    meaning: str


RULES: dict[str, Rule] = {name: Rule(severity, says) for name, severity, says in _RULES}


@dataclass(frozen=True)
class Edit:
    """A proposed change of a row: at `pointer` (RFC 6901), `before` becomes `after`.

    Where `drop` is set the whole record goes, and the rest is unused.
    """

    pointer: str = ""
    before: Any = None
    after: Any = None
    drop: bool = False


@dataclass(frozen=True)
class Finding:
    """One inconsistency.

    Attributes:
        layer: What of a rule applies: how far a copy drifted, where a duplicate stands.
        released: The step's types as released, verbatim; `correct` where it has none.
        derived: What the premise graph makes of the step; beside the label, never instead of it.
        other: The file and row that the record is held against.
        edit: A proposal that removes the inconsistency without judging who is right; most have
            none.
    """

    rule: str
    severity: Severity
    file: str
    row: int | None
    record: str | None
    step: int | None
    message: str
    layer: str | None = None
    released: tuple[str, ...] | None = None
    derived: str | None = None
    other: str | None = None
    edit: Edit | None = None
    index: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The finding as plain values, edit and empty fields left out."""
        values = asdict(self)
        del values["edit"], values["index"]
        return {key: value for key, value in values.items() if value is not None}


def finding(
    rule: str,
    record: AuditRecord,
    message: str,
    *,
    step: int | None = None,
    severity: Severity | None = None,
    layer: str | None = None,
    derived: str | None = None,
    other: Place | None = None,
    edit: Edit | None = None,
) -> Finding:
    """A finding of a rule in a record, with the released label of its step.

    Raises:
        KeyError: `rule` is none of `RULES`.
    """
    place = record.place
    return Finding(
        rule=rule,
        severity=severity or RULES[rule].severity,
        file=place.file,
        row=place.row,
        record=place.record,
        step=step,
        message=message,
        layer=layer,
        released=_released(record, step),
        derived=derived,
        other=None if other is None else f"{other.file}:{other.row}",
        edit=edit,
        index=place.index,
    )


def unreadable(place: Place, message: str) -> Finding:
    """The finding of a row that is no record."""
    severity = RULES["unreadable_record"].severity
    return Finding(
        "unreadable_record", severity, place.file, place.row, place.record, None, message
    )


def listed(steps: list[int] | tuple[int, ...]) -> str:
    """Steps in words: `step 2`, `steps 1, 2`; step 0 is the question."""
    names = [str(step) for step in steps if step]
    words = ["the question"] if 0 in steps else []
    if names:
        words.append(f"step{'s' if len(names) > 1 else ''} {', '.join(names)}")
    return " and ".join(words) or "nothing"


def _released(record: AuditRecord, step: int | None) -> tuple[str, ...] | None:
    label = record.label_of.get(step) if step else None
    if label is None or label.wrong is None:
        return None
    return label.types or ("error" if label.wrong else "correct",)
