"""Copy rules: whether second copies of the question and of steps still say the same."""

from __future__ import annotations

from collections.abc import Iterator

from chainwright.audit.drift import LAYERS, drift, undone, without_prefix
from chainwright.audit.finding import Edit, Finding, Severity, finding
from chainwright.audit.record import AuditRecord

_SEVERITY: dict[str, Severity] = {
    "part": "warning",
    "words": "warning",
    "numbers": "error",
    "placeholder": "error",
    "other_step": "error",
}
"""A copy that is only written otherwise is a note."""
_SAME_WORDS = LAYERS[: LAYERS.index("part")]
"""Layers at which both say the same, so that either may stand for the other."""

_SHOWN = 60


def copy_findings(record: AuditRecord) -> Iterator[Finding]:
    """One finding for each copy that is not its original to the last character.

    The layer says how far it drifted; see `drift`. A step's copy that is another step of the
    chain, whatever its numbering, has the layer `other_step`. The original is proposed in place of
    a copy that says the same or nothing; where the two say different things, which of them was
    labelled is for people to find out.
    """
    of: dict[str, int] = {}
    for copy in record.copies:
        original = record.text_of(copy.step)
        if original is None:
            continue
        layer = drift(original, copy.text)
        if layer is None:
            continue
        if layer in ("words", "numbers") and copy.step:
            of = of or {undone(step): number for number, step in enumerate(record.steps, 1)}
            layer = layer if of.get(undone(copy.text), copy.step) == copy.step else "other_step"
        is_safe = layer in _SAME_WORDS or layer == "placeholder"
        rule = "step_copy" if copy.step else "question_copy"
        yield finding(
            rule,
            record,
            _message(original, copy.text, layer),
            step=copy.step,
            severity=_SEVERITY.get(layer, "note"),
            layer=layer,
            edit=Edit(copy.pointer, copy.text, original) if is_safe else None,
        )


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
