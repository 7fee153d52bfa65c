"""Premise rules: whether labels and premises are of the chain's steps, and look backwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from chainwright.audit.finding import Finding, finding
from chainwright.audit.record import AuditRecord
from chainwright.formats.record import StatedPremises


def premise_findings(record: AuditRecord) -> Iterator[Finding]:
    """What is wrong with the numbering of a record, and with what its steps rest on."""
    if record.labels is not None:
        numbers = [label.step for label in record.labels]
        yield from _count(record, "labels", numbers, needed=1)
    if record.premises is not None:
        # The question may have an entry of its own, and need not.
        numbers = [entry.step for entry in record.premises if entry.step]
        yield from _count(record, "premises", numbers, needed=1)
        for entry in record.premises:
            if entry.step:
                yield from _premises(record, entry)


def _count(
    record: AuditRecord, what: str, numbers: Iterable[int], *, needed: int
) -> Iterator[Finding]:
    counts = Counter(numbers)
    expected = range(needed, len(record.steps) + 1)
    absent = [step for step in expected if step not in counts]
    strange = sorted(step for step in counts if step not in expected)
    twice = sorted(step for step, times in counts.items() if times > 1)
    faults = [
        f"{name} {_short(steps)}"
        for name, steps in (("none for", absent), ("some for", strange), ("several for", twice))
        if steps
    ]
    if faults:
        text = f"{what} of {len(record.steps)} steps: {'; '.join(faults)}"
        yield finding("step_count", record, text, layer=what)


def _premises(record: AuditRecord, entry: StatedPremises) -> Iterator[Finding]:
    step = entry.step
    if not entry.premises:
        yield finding("no_premises", record, "no premise is given", step=step)
    for premise, times in sorted(Counter(entry.premises).items()):
        if premise == step:
            yield finding("premise_self", record, "rests on itself", step=step)
        elif not 0 <= premise <= len(record.steps):
            text = f"rests on step {premise} of a chain of {len(record.steps)}"
            yield finding("premise_missing", record, text, step=step)
        elif premise > step:
            yield finding("premise_future", record, f"rests on the later step {premise}", step=step)
        if times > 1:
            text = f"{'step ' + str(premise) if premise else 'the question'} is named {times} times"
            yield finding("premise_repeated", record, text, step=step)


def _short(steps: list[int]) -> str:
    shown = ", ".join(map(str, steps[:8]))
    return f"{shown}, …" if len(steps) > 8 else shown
