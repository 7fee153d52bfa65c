"""Record: a labelled chain as the audit sees it: what its corpus says, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, fields

from chainwright.formats.record import LabelledRecord


@dataclass(frozen=True)
class Place:
    """Where a record stands.

    Attributes:
        file: Name of the file for readers.
        row: From 1: the row of a Parquet file, the element of a JSON array, the line of a JSONL
            file.
        index: From 0: the record's place in its file, blank lines not counted; what a JSON pointer
            into the file starts with.
        record: The record's own id; None where it has none.
    """

    file: str
    row: int
    index: int
    record: str | None = None


@dataclass(frozen=True, kw_only=True)
class AuditRecord(LabelledRecord):
    """One labelled chain at its place.

    Attributes:
        split: The split of a release that it stands in.
        twin: Marks a second rendering of records that are audited as well, such as the PERL files
            of a release: repeating them is no duplicate.
    """

    place: Place
    split: str | None = None
    twin: bool = False


def placed(
    record: LabelledRecord, place: Place, *, split: str | None = None, twin: bool = False
) -> AuditRecord:
    """A record of a corpus at its place."""
    values = {one.name: getattr(record, one.name) for one in fields(LabelledRecord)}
    return AuditRecord(**values, place=place, split=split, twin=twin)
