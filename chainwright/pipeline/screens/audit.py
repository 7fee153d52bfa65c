"""Audit on the screen: the findings by rule, the first of them, and the premise graphs."""

from __future__ import annotations

import json
import sys
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.audit.finding import RULES, SEVERITIES, Finding, Severity
from chainwright.audit.graphs import PAPER, GraphTally
from chainwright.pipeline.auditing.corpus_audit import AuditReport
from chainwright.pipeline.screens.terminal import console, one_line

SHOWN = 3
"""Findings of each rule that are printed; `--json` prints all, `--html` up to 1000 of a rule."""

_STYLES: dict[Severity, str] = {"error": "bold red", "warning": "yellow", "note": "dim"}


def print_json_line(one: Finding) -> None:
    """One finding as a line of JSON."""
    sys.stdout.write(f"{json.dumps(one.as_json(), ensure_ascii=True)}\n")


def print_json_summary(report: AuditReport) -> None:
    """The counts as the last line of JSON, under the key `summary`."""
    summary = json.dumps({"summary": report.as_json()}, ensure_ascii=True, allow_nan=False)
    sys.stdout.write(f"{summary}\n")


def print_audit(report: AuditReport) -> None:
    """Prints the first findings of each rule, then counts, graphs and the outcome."""
    screen = console(sys.stdout)
    shown: Counter[str] = Counter()
    for one in sorted(report.findings, key=_order):
        shown[one.rule] += 1
        if shown[one.rule] <= SHOWN:
            screen.print(_line(one), soft_wrap=True)
    screen.print(_counts(report))
    if report.graphs:
        _print_graphs(report, screen)
    records, unread = sum(report.records.values()), sum(report.unread.values())
    of = f"{records} records in {len(report.records)} files"
    if unread:
        of += f", {unread} rows that are none"
    if report.found:
        text = f"{report.found} findings of {report.level} or graver: {of}"
        screen.print(Text(text, style="bold red"))
    else:
        screen.print(Text(f"no findings of {report.level} or graver: {of}", style="green"))


def _order(one: Finding) -> tuple[int, int]:
    return (SEVERITIES.index(one.severity), list(RULES).index(one.rule))


def _line(one: Finding) -> Text:
    row = f":{one.row}" if one.row else ""
    step = "" if one.step is None else f", step {one.step}" if one.step else ", the question"
    layer = f" [{one.layer}]" if one.layer else ""
    text = f"{one.severity} {one.rule}{layer}: {one.file}{row}{step}: {one.message}"
    return Text(one_line(text, 240), style=_STYLES[one.severity])


def _counts(report: AuditReport) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rule")
    for severity in SEVERITIES:
        table.add_column(f"{severity}s", justify="right")
    table.add_column("what it says")
    for rule, counts in report.by_rule().items():
        cells = [str(counts[severity] or "") for severity in SEVERITIES]
        layers = report.layers(rule).most_common()
        says = ", ".join(f"{count} {layer}" for layer, count in layers)
        table.add_row(rule, *cells, f"{RULES[rule].meaning}{': ' if says else ''}{says}")
    return table


def _print_graphs(report: AuditReport, screen: Console) -> None:
    table = Table(box=None, pad_edge=False, title="premise graphs: mean (greatest)")
    for name in ("chains", "nodes", "edges", "depth", "width", "branching", "correct", "of steps"):
        table.add_column(name, justify="right")
    table.add_column("file")
    whole = ("all", "paper")
    files = [name for name in report.graphs if name not in whole]
    for name in (*files, *(name for name in whole if name in report.graphs)):
        tally = report.graphs[name]
        values = tally.as_json()["graphs"]
        cells = [_spread(values[key]) for key in ("nodes", "edges", "depth", "width", "branching")]
        counts = tally.counts
        correct, steps = str(counts["correct_steps"]), str(counts["steps"])
        label = one_line("/".join(name.split("/")[-2:]))
        table.add_row(str(counts["chains"]), *cells, correct, steps, Text(label))
    screen.print(table)
    tally = report.graphs["all"]
    for name, counts in (
        ("each error of a step", tally.all_types),
        ("the first error of a step", tally.first_type),
        ("native before accumulation", tally.native_first),
        ("derived from the graph", tally.derived),
    ):
        screen.print(Text(one_line(f"steps by type, {name}: {_listed(counts)}", 240)))
    if tally.unreadable:
        screen.print(Text(one_line(f"without a graph: {', '.join(tally.unreadable)}", 240)))
    if report.has_perl and "paper" in report.graphs:
        _print_paper(report.graphs["paper"], screen)


def _print_paper(tally: GraphTally, screen: Console) -> None:
    for key, stated in PAPER.items():
        name = {"chains": "chains", "correct_steps": "correct steps"}.get(key, f"{key} chains")
        screen.print(
            f"PERL's paper counts {stated:,} {name} over its four sources; "
            f"of these files {tally.counts[key]:,} are among them"
        )


def _spread(values: dict[str, float | None]) -> str:
    mean, greatest = values["mean"], values["max"]
    return "" if mean is None or greatest is None else f"{mean:.2f} ({greatest:.3g})"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common()) or "none"
