"""Duplicates: records that say again what an earlier one said, within a file and across files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from chainwright.audit.drift import bare
from chainwright.audit.finding import Edit, Finding, finding
from chainwright.audit.record import AuditRecord, Place
from chainwright.formats.record import type_name


class Duplicates:
    """What was seen so far, by hashes: some hundred bytes a record.

    Texts are compared with white space, prefixes and the ways to write LaTeX undone (`bare`).
    Twins are held against each other's splits alone.
    """

    def __init__(self) -> None:
        self._chains: dict[bytes, tuple[Place, bytes]] = {}
        self._questions: dict[bytes, Place] = {}
        self._splits: dict[bytes, tuple[Place, str]] = {}

    def findings(self, record: AuditRecord) -> Iterator[Finding]:
        """What of the record was there before; remembers the record."""
        if not record.question:
            return
        question = bare(record.question)
        if not record.twin:
            yield from self._chain(record, question)
            yield from self._question(record, question)
        if record.split is not None:
            yield from self._split(record, question, record.split)

    def _chain(self, record: AuditRecord, question: str) -> Iterator[Finding]:
        key = _digest(question, *map(bare, record.steps))
        labels = _digest(*_label_words(record))
        seen = self._chains.setdefault(key, (record.place, labels))
        place, before = seen
        if place is record.place:
            return
        scope, other = _scope(record.place, place), f"{place.file}, record {place.row}"
        if before == labels:
            text = f"the question and steps of {other}, labelled alike"
            edit = Edit(drop=True)
            yield finding("duplicate_chain", record, text, layer=scope, other=place, edit=edit)
        else:
            text = f"the question and steps of {other}, labelled otherwise"
            yield finding("duplicate_conflict", record, text, layer=scope, other=place)

    def _question(self, record: AuditRecord, question: str) -> Iterator[Finding]:
        key = _digest(record.kind, record.polarity or "", question)
        place = self._questions.setdefault(key, record.place)
        if place is not record.place:
            text = f"the question of {place.file}, record {place.row}"
            scope = _scope(record.place, place)
            yield finding("repeated_question", record, text, layer=scope, other=place)

    def _split(self, record: AuditRecord, question: str, split: str) -> Iterator[Finding]:
        place, first = self._splits.setdefault(
            _digest(record.kind, question), (record.place, split)
        )
        if first != split:
            text = f"in split {split}, and in {first} ({place.file}, record {place.row})"
            yield finding("split_leak", record, text, other=place)


def _scope(here: Place, there: Place) -> str:
    return "within a file" if here.file == there.file else "across files"


def _label_words(record: AuditRecord) -> list[str]:
    return [
        f"{label.step} {label.wrong} {' '.join(sorted(map(type_name, label.types)))}"
        for label in sorted(record.label_of.values(), key=lambda label: label.step)
    ]


def _digest(*parts: str) -> bytes:
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).digest()[:16]
