"""Invented records in the formats that the audit reads."""

from collections.abc import Mapping, Sequence
from typing import Any

from chainwright.audit.audit import Audit
from chainwright.audit.finding import Finding
from chainwright.audit.record import AuditRecord, Place
from chainwright.formats.record import StatedLabel, StatedPremises

QUESTION = "Mia has 3 boxes of 4 pens and gives 2 pens away. How many pens has she left?"
STEPS = (
    "Step 1: Mia has 3 * 4 = 12 pens.",
    "Step 2: She gives 2 away, so 12 - 2 = 10 are left.",
    "Step 3: The answer is 10.",
)


def record(
    *,
    steps: Sequence[str] = STEPS,
    labels: Mapping[int, Sequence[str]] | None = None,
    premises: Sequence[Sequence[int]] | None = ((0,), (0, 1), (2,)),
    row: int = 1,
    file: str = "made.json",
    **more: Any,
) -> AuditRecord:
    """A clean positive chain, unless told otherwise; `labels` are the types of wrong steps."""
    wrong = labels or {}
    values: dict[str, Any] = {
        "place": Place(file, row, row - 1),
        "kind": "perl",
        "question": QUESTION,
        "steps": tuple(steps),
        "labels": tuple(
            StatedLabel(step, step in wrong, tuple(wrong.get(step, ())))
            for step in range(1, len(steps) + 1)
        ),
        "premises": None
        if premises is None
        else tuple(StatedPremises(step, tuple(one)) for step, one in enumerate(premises, start=1)),
        "polarity": "negative" if wrong else "positive",
        "answer": "11" if wrong else "10",
        "final_answer": "10",
        **more,
    }
    return AuditRecord(**values)


def found(*records: AuditRecord) -> list[Finding]:
    """All findings of a corpus."""
    audit = Audit()
    return [one for each in records for one in audit.findings(each)]


def rules(*records: AuditRecord) -> set[str]:
    """The rules that a corpus breaks."""
    return {one.rule for one in found(*records)}


def perl_row(**more: Any) -> dict[str, Any]:
    """A clean row in PERL's format."""
    texts = [QUESTION, *STEPS]
    premises = [[0], [0], [0, 1], [2]]
    row: dict[str, Any] = {
        "question": QUESTION,
        "ground_truth_answer": "10",
        "model_answer": "10",
        "steps": list(STEPS),
        "is_correct": True,
        "premise_annotation": {
            "steps": [
                {
                    "step_number": number,
                    "original_step": text,
                    "premises": [[premise, "words"] for premise in premises[number]],
                }
                for number, text in enumerate(texts)
            ]
        },
        "error_annotation": {
            "error_annotations": {
                "step_level": [
                    {"step_number": number, "has_error": False, "errors": []}
                    for number in range(1, len(texts))
                ]
            }
        },
    }
    return {**row, **more}
