"""Audit page: the findings as one HTML file that needs nothing else and runs no script.

Rules are filtered by check boxes and a style sheet alone. Every text that comes from data is
escaped, after what could hide or reverse text is spelled out; the page forbids scripts and
whatever it would have to fetch.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from chainwright.audit.finding import RULES, SEVERITIES, Finding
from chainwright.pipeline.auditing.corpus_audit import LISTED, AuditReport
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.screens.terminal import visible

_MOST_TEXT = 600
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
  color: #1b1f24; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; overflow-wrap: anywhere;
  border-bottom: 1px solid #d8dee4 }
th { white-space: nowrap }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.error { color: #b3261e } .warning { color: #7a4d00 } .note { color: #57606a }
fieldset { border: 1px solid #d8dee4; columns: 18rem; margin: 1rem 0 }
label { display: block }
small { color: #57606a }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117 } th, td, fieldset { border-color: #30363d }
  .error { color: #ff7b72 } .warning { color: #d9a13b } .note, small { color: #8b949e } }
"""


def write_audit_page(path: Path, report: AuditReport) -> None:
    """Writes the page; its size grows with the listed findings, some 300 bytes each."""
    write_atomically(path, audit_page(report))


def audit_page(report: AuditReport) -> str:
    """The page as text."""
    listed = [rule for rule in RULES if report.listed[rule]]
    return "\n".join(_page(report, listed)) + "\n"


def _page(report: AuditReport, listed: list[str]) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Audit: {report.found} findings</title><style>{_STYLE}"
    for rule in listed:
        yield f"body:has(#f-{rule}:not(:checked)) tr.r-{rule} {{ display: none }}"
    yield "</style></head><body><h1>Audit</h1>"
    of = f"{sum(report.records.values()):,} records of {len(report.records)} files"
    yield f"<p>{of}; {report.found:,} findings of {report.level} or graver.</p><ul>"
    for name, records in report.records.items():
        yield f"<li>{_text(name)}: {records:,} records</li>"
    yield "</ul><h2>Rules</h2><table><thead><tr><th>rule</th>"
    yield "".join(f"<th>{severity}s</th>" for severity in SEVERITIES)
    yield "<th>what it says</th><th>layers</th></tr></thead><tbody>"
    yield from _rule_rows(report)
    yield "</tbody></table><h2>Findings</h2><fieldset><legend>Rules shown</legend>"
    for rule in listed:
        count = f"{report.listed[rule]:,}"
        yield f'<label><input type="checkbox" id="f-{rule}" checked> {rule} ({count})</label>'
    yield "</fieldset>"
    yield f"<p><small>At most {LISTED:,} findings of each rule are listed here.</small></p>"
    columns = "severity,rule,file,record,step,what was found,label,derived".split(",")
    heads = "".join(f"<th>{column}</th>" for column in columns)
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    order = list(RULES)
    for one in sorted(report.findings, key=lambda one: order.index(one.rule)):
        yield _finding_row(one)
    yield "</tbody></table></body></html>"


def _rule_rows(report: AuditReport) -> Iterator[str]:
    for rule, counts in report.by_rule().items():
        cells = "".join(f'<td class="n">{counts[one] or ""}</td>' for one in SEVERITIES)
        layers = ", ".join(f"{count} {layer}" for layer, count in report.layers(rule).most_common())
        says = f"<td>{_text(RULES[rule].meaning)}</td><td>{_text(layers)}</td>"
        yield f"<tr><td>{rule}</td>{cells}{says}</tr>"


def _finding_row(one: Finding) -> str:
    row = "" if one.row is None else f"{one.row}"
    if one.record:
        row += f" <small>{_text(one.record)}</small>"
    step = "" if one.step is None else str(one.step)
    layer = f"<br><small>{_text(one.layer)}</small>" if one.layer else ""
    cells = (
        f'<td class="{one.severity}">{one.severity}</td><td>{one.rule}{layer}</td>',
        f'<td>{_text(one.file)}</td><td>{row}</td><td class="n">{step}</td>',
        f"<td>{_text(one.message)}</td><td>{_text(', '.join(one.released or ()))}</td>",
        f"<td>{_text(one.derived or '')}</td>",
    )
    return f'<tr class="r-{one.rule}">{"".join(cells)}</tr>'


def _text(text: str) -> str:
    shown = text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"
    return escape(visible(shown), quote=True)
