"""Labelled corpora: chains whose labels are known, for judges to be held against.

What a row says is data: texts are kept as they are, numbers are checked, and a row that cannot be
used is told of with a reason and never stops the reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chainwright.annotation.metrics.first_error import NONE
from chainwright.annotation.metrics.labelled import LabelledChain
from chainwright.formats.catalogue import source_name
from chainwright.formats.mapped import ColumnMap
from chainwright.formats.record import LabelledRecord
from chainwright.formats.record_trace import trace_of
from chainwright.formats.trace import StepLabel, Trace, Unfit
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.reading.corpus_files import (
    CorpusFile,
    corpus_files,
    is_release,
)
from chainwright.pipeline.reading.corpus_records import Unread, corpus_records
from chainwright.pipeline.reading.run_chains import RunChain, run_chains
from chainwright.release.released_traces import UnreadableRelease, released_traces, splits_of
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.words import SOUND, step_label

_SOURCES = ("exact", "human")
_NO_GOLD = "no exact label and none by people"
_NUMBERED = re.compile(r"step (\d+)\s*[:.]\s*", re.IGNORECASE)


@dataclass(frozen=True)
class UnusableRow:
    """A row without a place in the scoring: `bad_row`, `no_gold`, `no_steps`, `twice`."""

    reason: str
    where: str
    detail: str


Labelled = LabelledChain | UnusableRow


def labelled_chains(
    corpus: Path, *, columns: ColumnMap | None = None, panel_labels: bool = False
) -> Iterator[Labelled]:
    """The chains of a corpus with their gold labels; a chain met twice comes once.

    Args:
        corpus: A run folder, a release folder, a file of a format that is known, or a folder of
            such files.
        columns: The map for rows of another format.
        panel_labels: Take a run's or release's labels from its panel too; else only labels that
            are exact or by people count, since a panel's are opinions themselves.

    Raises:
        InputMistake: nothing is there, or no row of a file can be read; the message says which.
    """
    met: set[str] = set()
    for row in _rows(corpus, columns, panel_labels):
        if isinstance(row, LabelledChain):
            if row.chain.chain_id in met:
                yield UnusableRow("twice", row.chain.chain_id, "the same chain was read before")
                continue
            met.add(row.chain.chain_id)
        yield row


def _rows(corpus: Path, columns: ColumnMap | None, panel_labels: bool) -> Iterator[Labelled]:
    if corpus.is_dir() and is_release(corpus):
        yield from _of_release(corpus, panel_labels)
        return
    for file in corpus_files([corpus]):
        if file.kind == "run":
            for one in run_chains(file.path, exact=True):
                yield _of_run(one, panel_labels)
        elif not file.twin:
            yield from _of_file(file, columns, panel_labels)


def _of_file(file: CorpusFile, columns: ColumnMap | None, panel_labels: bool) -> Iterator[Labelled]:
    readable = False
    for read in corpus_records(file, columns=columns):
        where = f"{file.path.name}:{'?' if read.number is None else read.number}"
        if isinstance(read, Unread):
            if read.reason == "bad_json" and not readable:
                raise InputMistake(f"{file.label}: unreadable: {read.detail}")
            reason = read.reason if read.reason == "no_steps" else "bad_row"
            yield UnusableRow(reason, where, read.detail)
        else:
            yield _of_record(read.record, source_name(file.path.name), where, panel_labels)
        readable = True


def _of_record(record: LabelledRecord, source: str, where: str, panel_labels: bool) -> Labelled:
    if record.labels is None and record.premises is None:
        return UnusableRow("no_gold", where, "no labels, no first error and no premises")
    steps = tuple(_unnumbered(number, step) for number, step in enumerate(record.steps, start=1))
    try:
        trace = trace_of(
            replace(record, steps=steps), record.part or source, gaps=True, where=where
        )
    except Unfit as unfit:
        return UnusableRow("bad_row", where, unfit.detail)
    known = [panel_labels or label.source != "panel" for label in trace.labels]
    said = [label for label, counts in zip(trace.labels, known, strict=True) if counts]
    if not any(label.label is not None or label.premises is not None for label in said):
        return UnusableRow("no_gold", where, "nothing is known of any step")
    return _labelled(trace, known, record.polarity)


def _unnumbered(number: int, step: str) -> str:
    """The step without a number of its own where it is the right one: judges number them."""
    found = _NUMBERED.match(step)
    rest = step[found.end() :] if found and int(found[1]) == number else ""
    return rest or step


def _of_release(folder: Path, panel_labels: bool) -> Iterator[Labelled]:
    try:
        for trace in released_traces(folder, splits_of(folder)):
            known = [panel_labels or label.source in _SOURCES for label in trace.labels]
            if any(known):
                yield _labelled(trace, known, trace.chain.polarity)
            else:
                yield UnusableRow("no_gold", trace.chain.chain_id, _NO_GOLD)
    except UnreadableRelease as error:
        raise InputMistake(str(error)) from error


def _of_run(one: RunChain, panel_labels: bool) -> Labelled:
    chain = one.chain
    if one.problem is None:
        return UnusableRow("bad_row", chain.chain_id, f"the run has no problem {chain.problem_id}")
    found: dict[int, Label | ExactLabel] = {label.step: label for label in one.exact}
    found |= {
        label.step: label for label in one.labels if panel_labels or label.label_source in _SOURCES
    }
    if not found:
        return UnusableRow("no_gold", chain.chain_id, _NO_GOLD)
    steps = range(1, len(chain.steps) + 1)
    labels = tuple(_step_label(found.get(step)) for step in steps)
    return _labelled(
        Trace(one.problem, chain, labels), [step in found for step in steps], chain.polarity
    )


def _step_label(label: Label | ExactLabel | None) -> StepLabel:
    if label is None:
        return StepLabel(None)
    return StepLabel(label.label, label.category, tuple(label.premises))


def _labelled(trace: Trace, known: Sequence[bool], polarity: str | None) -> LabelledChain:
    """The chain with those of its labels that are known; the others are no gold."""
    words = tuple(
        (step_label(label.label, label.category) or label.label) if counts else None
        for label, counts in zip(trace.labels, known, strict=True)
    )
    premises = tuple(
        label.premises if counts else None
        for label, counts in zip(trace.labels, known, strict=True)
    )
    return LabelledChain(
        problem=trace.problem,
        chain=trace.chain,
        labels=words,
        premises=premises,
        first_error=_first(words),
        source=trace.problem.source,
        polarity=polarity or "undecided",
    )


def _first(words: Sequence[str | None]) -> int | None:
    """The first step in error, `NONE` for none; None where a step before it is unknown."""
    for step, word in enumerate(words, 1):
        if word is None:
            return None
        if word not in SOUND:
            return step
    return NONE
