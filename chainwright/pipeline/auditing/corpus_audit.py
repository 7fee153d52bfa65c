"""Corpus audit: every record of some files through every rule, into a report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chainwright.audit.audit import Audit
from chainwright.audit.finding import RULES, SEVERITIES, Finding, Severity
from chainwright.audit.graphs import PAPER, GraphTally, in_paper
from chainwright.audit.proposals import drops_of, patch_of
from chainwright.audit.record import AuditRecord
from chainwright.formats.mapped import ColumnMap
from chainwright.pipeline.auditing.audit_records import audit_records
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import file_hash, write_atomically
from chainwright.pipeline.named_run import local_path
from chainwright.pipeline.reading.corpus_files import CorpusFile, corpus_files
from chainwright.pipeline.reading.corpus_records import (
    RowObject,
    columns_named,
    objects_of,
)

LISTED = 1000
"""Findings of each rule that the report keeps for the screen and the page; all are counted."""


@dataclass
class AuditReport:
    """The outcome of an audit.

    Attributes:
        level: The lightest severity that is listed and makes the exit code 1.
        counts: Findings by (rule, severity, layer), lighter ones included.
        findings: Those of `level` and above, at most `LISTED` of each rule.
        listed: How many that are, by rule.
        records: Records by file; rows that are no record are in `unread`.
        graphs: By file, `all` and `paper` (see `in_paper`); empty unless asked for.
        has_perl: Whether records of PERL's format are among them.
    """

    paths: list[str]
    level: Severity = "warning"
    counts: Counter[tuple[str, Severity, str]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    listed: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    graphs: dict[str, GraphTally] = field(default_factory=dict)
    has_perl: bool = False

    @property
    def found(self) -> int:
        """Findings of the level and above."""
        return sum(n for (_, severity, _), n in self.counts.items() if self.lists(severity))

    def lists(self, severity: Severity) -> bool:
        """Whether findings of a severity are listed."""
        return SEVERITIES.index(severity) <= SEVERITIES.index(self.level)

    def by_rule(self) -> dict[str, Counter[Severity]]:
        """Findings by rule and severity, in the order of `RULES`; rules without any left out."""
        found: dict[str, Counter[Severity]] = {name: Counter() for name in RULES}
        for (rule, severity, _), count in self.counts.items():
            found[rule][severity] += count
        return {rule: counts for rule, counts in found.items() if counts}

    def layers(self, rule: str) -> Counter[str]:
        """A rule's findings by layer; none where it has no layers."""
        found: Counter[str] = Counter()
        for (name, _, layer), count in self.counts.items():
            if name == rule and layer:
                found[layer] += count
        return found

    def as_json(self) -> dict[str, Any]:
        """The counts as plain values; the findings themselves are lines of their own."""
        summary: dict[str, Any] = {
            "paths": self.paths,
            "records": sum(self.records.values()),
            "unread": sum(self.unread.values()),
            "by_file": dict(self.records),
            "level": self.level,
            "found": self.found,
            "severities": {
                severity: sum(n for (_, one, _), n in self.counts.items() if one == severity)
                for severity in SEVERITIES
            },
            "rules": {
                rule: {"severities": dict(counts), "layers": dict(self.layers(rule))}
                for rule, counts in self.by_rule().items()
            },
        }
        if self.graphs:
            summary["graphs"] = {name: tally.as_json() for name, tally in self.graphs.items()}
        if self.graphs and self.has_perl:
            summary["paper"] = PAPER
        return summary


def audit_paths(
    paths: list[Path],
    *,
    columns: str | None = None,
    rules: list[str] | None = None,
    level: Severity = "warning",
    graphs: bool = False,
    fix: Path | None = None,
    each: Callable[[Finding], None] | None = None,
) -> AuditReport:
    """Audit the corpora at some paths.

    Memory holds one block of a run or one record of a file, some hundred bytes of hashes a record,
    and the listed findings.

    Args:
        columns: A map of columns for JSON files of other formats; see `column_map`.
        rules: The rules that count; None or empty for all.
        level: The lightest severity that is listed.
        graphs: Whether premise graphs are measured too.
        fix: Where to write proposals, one line of JSON a file; nothing else is written.
        each: Called with every finding of the level and above, as it is found.

    Raises:
        InputMistake: A path that can't be audited, an unknown rule, or a wrong map.
    """
    wanted = columns_named(columns)
    try:
        audit = Audit(rules or ())
    except ValueError as error:
        raise InputMistake(str(error)) from error
    paths = [local_path(path) for path in paths]
    files = corpus_files(paths)
    _check_target(fix, files)
    report = AuditReport([str(path) for path in paths], level)
    patches: list[str] = []
    for file in files:
        kept: list[Finding] = []
        for one in _findings(file, wanted, audit, report, graphs=graphs):
            _count(report, one)
            if fix is not None and one.edit is not None and file.kind == "json":
                kept.append(one)
            if each is not None and report.lists(one.severity):
                each(one)
        if kept:
            patches.append(_patch_line(file, kept))
    if fix is not None:
        write_atomically(fix, "".join(patches))
    return report


def _findings(
    file: CorpusFile,
    columns: ColumnMap | None,
    audit: Audit,
    report: AuditReport,
    *,
    graphs: bool,
) -> Iterator[Finding]:
    for read in audit_records(file, columns):
        if isinstance(read, Finding):
            report.unread[file.label] += 1
            if "unreadable_record" in audit.rules:
                yield read
            continue
        report.records[file.label] += 1
        report.has_perl |= read.kind == "perl"
        if graphs:
            _measure(report, file, read)
        yield from audit.findings(read)


def _measure(report: AuditReport, file: CorpusFile, record: AuditRecord) -> None:
    if record.twin:
        return
    names = [file.label, "all"]
    if record.kind == "perl" and in_paper(record):
        names.append("paper")
    for name in names:
        report.graphs.setdefault(name, GraphTally()).add(record)


def _count(report: AuditReport, one: Finding) -> None:
    report.counts[one.rule, one.severity, one.layer or ""] += 1
    if report.lists(one.severity) and report.listed[one.rule] < LISTED:
        report.listed[one.rule] += 1
        report.findings.append(one)


def _check_target(fix: Path | None, files: list[CorpusFile]) -> None:
    if fix is not None and fix.resolve() in {file.path.resolve() for file in files}:
        raise InputMistake(f"--fix {fix} is one of the files audited; name another")


def _patch_line(file: CorpusFile, kept: list[Finding]) -> str:
    drops = drops_of(kept)
    dropped = {
        one.index: one.value
        for one in (objects_of(file) if drops else ())
        if isinstance(one, RowObject) and one.index in drops
    }
    line = {"file": file.label, "sha256": file_hash(file.path), "patch": patch_of(kept, dropped)}
    return json.dumps(line, ensure_ascii=True) + "\n"
