"""Audit records: a corpus's records at their places, or findings where a row is none."""

from __future__ import annotations

from collections.abc import Iterator

from chainwright.audit.finding import Finding, unreadable
from chainwright.audit.record import AuditRecord, Place, placed
from chainwright.formats.mapped import ColumnMap
from chainwright.formats.own_rows import run_record
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.reading.corpus_files import CorpusFile
from chainwright.pipeline.reading.corpus_records import NO_FORMAT, Unread, corpus_records
from chainwright.pipeline.reading.run_chains import run_chains


def audit_records(file: CorpusFile, columns: ColumnMap | None) -> Iterator[AuditRecord | Finding]:
    """The records of a file in order; for a row that is none, the finding that says so.

    Args:
        columns: The map for files; None to tell their format by the keys of each row.

    Raises:
        InputMistake: The first row of a file is of no known format and there is no map, or a
            table of a run can't be read.
    """
    if file.kind == "run":
        for one in run_chains(file.path):
            record = run_record(one.chain, one.problem, one.labels)
            name = f"{file.label}/{one.file}"
            yield placed(record, Place(name, one.row, one.row - 1, one.chain.chain_id))
        return
    known = False
    for read in corpus_records(file, columns=columns):
        if isinstance(read, Unread):
            if read.reason == NO_FORMAT and not known:
                raise InputMistake(f"{file.label}, record {read.number}: {read.detail}")
            known |= read.reason not in ("bad_json", "not_an_object")
            yield unreadable(
                Place(file.label, read.number or 0, read.index, read.name), read.detail
            )
            continue
        known = True
        place = Place(file.label, read.number, read.index, read.record.name)
        yield placed(read.record, place, split=file.split, twin=file.twin)
