"""Validation on the screen: the faults found, and how much was checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from chainwright.pipeline.screens.terminal import visible
from chainwright.pipeline.validation.faults import Report

LISTED = 50
"""Faults that are printed; `--json` gives more."""


@dataclass(frozen=True)
class Validation:
    """A validation's outcome, fit to be shown."""

    report: Report

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        value: dict[str, Any] = json.loads(self.report.to_json())
        return value


def print_report(validation: Validation, screen: Console) -> None:
    """Prints the first faults, the files that no schema covers, and the outcome."""
    report = validation.report
    for fault in report.faults[:LISTED]:
        screen.print(Text(visible(str(fault))), soft_wrap=True)
    if report.fault_count > LISTED:
        more = report.fault_count - min(LISTED, len(report.faults))
        screen.print(f"and {more} more faults; --json lists up to {report.cap} of each file")
    for name in report.unchecked:
        screen.print(Text(visible(f"{name}: not checked, no schema covers it"), style="yellow"))
    counts = f"{report.rows} rows in {len(report.files)} files"
    if report.ok:
        screen.print(Text(f"no faults: {counts}", style="green"))
    else:
        screen.print(Text(f"{report.fault_count} faults: {counts}", style="bold red"))
