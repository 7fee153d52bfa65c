"""Copy rules: whether second copies of the question and of steps still say the same."""

from __future__ import annotations

from collections.abc import Iterator

from chainwright.audit.drift import drift, without_prefix
from chainwright.audit.finding import Edit, Finding, Severity, finding
from chainwright.audit.record import AuditRecord, TextCopy

_SEVERITY: dict[str, Severity] = {
    "part": "warning",
    "words": "warning",
    "numbers": "error",
    "placeholder": "error",
    "other_step": "error",
}
"""A copy that is only written otherwise is a note."""

_SHOWN = 60


def copy_findings(record: AuditRecord) -> Iterator[Finding]:
    """One finding for each copy that is not its original to the last character.

    The layer says how far it drifted; see `drift`. A step's copy that is another step of the
    chain, whatever its numbering, has the layer `other_step`.
    """
    for copy in record.copies:
        original = record.text_of(copy.step)
        if original is None:
            continue
        layer = drift(original, copy.text)
        if layer is None:
            continue
        if layer in ("words", "numbers") and copy.step:
            layer = _other_step(record, copy) or layer
        rule = "step_copy" if copy.step else "question_copy"
        yield finding(
            rule,
            record,
            _message(original, copy.text, layer),
            step=copy.step,
            severity=_SEVERITY.get(layer, "note"),
            layer=layer,
            edit=Edit(copy.pointer, copy.text, original),
        )


def _other_step(record: AuditRecord, copy: TextCopy) -> str | None:
    light = {"white_space", "prefix", "unicode", "escapes", "latex", "punctuation", None}
    for number, step in enumerate(record.steps, start=1):
        if number != copy.step and drift(step, copy.text) in light:
            return "other_step"
    return None


def _message(original: str, copy: str, layer: str) -> str:
    """Both texts from shortly before the first difference that counts."""
    if layer == "white_space":
        return "other white space"
    keeps_prefix = layer in ("prefix", "placeholder")
    left, right = (
        " ".join((text if keeps_prefix else without_prefix(text)).split())
        for text in (original, copy)
    )
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    start = max(0, (min(len(left), len(right)) if at is None else at) - 12)
    return f"{_clipped(left, start)} became {_clipped(right, start)}"


def _clipped(text: str, start: int) -> str:
    piece = text[start : start + _SHOWN]
    return f"{'…' if start else ''}{piece!r}{'…' if start + _SHOWN < len(text) else ''}"
