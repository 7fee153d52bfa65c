"""People on the screen: rounds, imports, progress, and what answers are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.pipeline.people.exporting import Round
from chainwright.pipeline.people.figures import HumanFigures, HumanStatus
from chainwright.pipeline.people.importing import ImportReport
from chainwright.pipeline.screens.terminal import one_line, visible

SHOWN_FAULTS = 10
"""Faults of a file that are shown; all are in its list of rejects."""


def print_round(round_: Round, screen: Console) -> None:
    """Prints what was handed out to whom."""
    what = "adjudication" if round_.adjudication else "round"
    seen = ", judges' votes shown" if round_.assisted else ""
    head = f"{what} {round_.round} of {round_.run}: {round_.chains:,} chains{seen}"
    screen.print(Text(visible(head), style="bold"), soft_wrap=True)
    table = _table("annotator", ("tasks", "steps", "honey-pots among them"))
    for name, counts in round_.annotators.items():
        table.add_row(name, *(f"{counts[key]:,}" for key in ("tasks", "steps", "honey_pots")))
    screen.print(table)
    if round_.server:
        screen.print(f"projects for each annotator: {visible(round_.server)}", soft_wrap=True)
    what = "guidelines" if round_.server else "to hand out, with guidelines"
    screen.print(f"{what}: {visible(round_.folder)}", soft_wrap=True)


def print_import(report: ImportReport, screen: Console) -> None:
    """Prints what came of each file."""
    table = _table("file", ("tasks", "changed", "unchanged", "blank", "rejected", "lines added"))
    for one in report.files:
        counts = (one.tasks, one.changed, one.unchanged, one.blank, one.rejected)
        lines = ", ".join(f"{count:,} {kind}" for kind, count in one.added.items() if count)
        table.add_row(Text(one_line(one.source)), *(f"{n:,}" for n in counts), lines or "0")
    screen.print(table)
    if superseded := sum(one.superseded for one in report.files):
        screen.print(f"{superseded:,} submissions count no more, as later ones stand for them")
    for one in report.files:
        for fault in one.faults[:SHOWN_FAULTS]:
            where = f", {fault.field}" if fault.field else ""
            line = f"  {fault.place}{where}: {fault.detail} ({fault.reason})"
            screen.print(Text(one_line(line, 300)), soft_wrap=True)
        more = len(one.faults) - SHOWN_FAULTS
        if one.rejects:
            rest = f"{more:,} more; " if more > 0 else ""
            screen.print(f"  {rest}all of them: {visible(one.rejects)}", soft_wrap=True)
    if any(sum(one.added.values()) for one in report.files):
        screen.print(
            f"`chainwright build` brings the labels of {visible(report.run)} up to date",
            soft_wrap=True,
        )


def print_human_status(status: HumanStatus, screen: Console) -> None:
    """Prints who has how much left, and what is settled."""
    if not status.rounds:
        screen.print(f"run {visible(status.run)} has handed nothing out to people yet")
        return
    table = _table("round", ("kind", "annotators", "tasks"))
    for one in status.rounds:
        kind = f"{one['kind']}, assisted" if one["assisted"] else one["kind"]
        table.add_row(str(one["round"]), kind, ", ".join(one["annotators"]), f"{one['tasks']:,}")
    screen.print(table)
    screen.print()
    table = _table("annotator", ("tasks", "open", "steps answered"))
    for name, counts in status.annotators.items():
        table.add_row(name, *(f"{counts[key]:,}" for key in ("tasks", "open", "steps")))
    screen.print(table)
    screen.print()
    settled = ", ".join(f"{count:,} {how}" for how, count in status.settled.items()) or "none"
    screen.print(f"steps: {settled}; {status.lines:,} lines in the records")
    if status.settled.get("open"):
        screen.print("`chainwright human adjudicate` hands out what is open")
    for count, what in (
        (status.unsuitable, "chains can't be judged, people say"),
        (status.gone, "chains with answers are not in the run any more, or look otherwise"),
    ):
        if count:
            screen.print(f"{count:,} {what}")
    if status.other_questions:
        rounds = ", ".join(map(str, status.other_questions))
        screen.print(f"asked with other labels or categories than the recipe's now: round {rounds}")


def print_human_figures(figures: HumanFigures, screen: Console) -> None:
    """Prints the statistics in short tables; all of them are in the file."""
    for mode, part in figures.statistics.items():
        title = "blind answers" if mode == "blind" else "answers in sight of the judges' votes"
        steps = ", ".join(f"{name} {count:,}" for name, count in part["answers"].items())
        screen.print(
            Text(f"{title}: steps answered: {visible(steps)}", style="bold"), soft_wrap=True
        )
        settled = ", ".join(f"{count:,} {how}" for how, count in part["settled"].items())
        screen.print(f"settled: {settled}; chains called unsuitable: {part['unsuitable']:,}")
        for name, time in part.get("seconds_per_step", {}).items():
            screen.print(f"{visible(name)}: {time['mean']:.1f} seconds a step")
        if taken := part.get("adjudication"):
            words = ", ".join(f"{key} {count:,}" for key, count in taken.items())
            screen.print(f"adjudicated, by the answer taken: {words}")
        for track, found in part["tracks"].items():
            screen.print()
            screen.print(Text(f"track {track}", style="bold"))
            _agreement(found, screen)
            _accuracies(found, screen)
            _alternative(found.get("alternative_test") or {}, screen)
    screen.print(f"all figures: {visible(figures.file)}", soft_wrap=True)


def _agreement(found: Mapping[str, Any], screen: Console) -> None:
    screen.print("before adjudication; category*: where both find fault, a conditional figure")
    table = _table("annotators", ("on", "steps", "agree", "Cohen", "AC1", "alpha"))
    rows = [(f"{one['first']} × {one['second']}", one) for one in found["pairs"]]
    if "all" in found:
        rows.append(("all", found["all"]))
    for name, one in rows:
        for key, words in (
            ("label", "label"),
            ("outcome", "both"),
            ("category_given_fault", "category*"),
        ):
            cell = one[key]
            kinds = ("unanimity_complete", "cohen", "gwet", "krippendorff")
            values = [_with_interval(cell.get(kind)) for kind in kinds]
            table.add_row(Text(one_line(name, 40)), words, f"{cell['units']:,}", *values)
    if table.row_count:
        screen.print(table)


def _accuracies(found: Mapping[str, Any], screen: Console) -> None:
    table = _table("", ("share", "interval", "of"))
    for name, each in (found.get("honey_pots") or {}).items():
        for key, words in (("label", "label"), ("outcome", "label and category")):
            score = each[key]
            _share(table, f"exact {words} hit by {name}", score, score["voted"])
    for judge, one in (found.get("judges") or {}).items():
        score = one["accuracy"]
        _share(table, f"{judge} as people say (native)", score, score["voted"])
    for tier, score in (found.get("audit") or {}).items():
        _share(table, f"precision of {tier}, random audit", score, score["of"])
    for tier, score in (found.get("overturned") or {}).items():
        _share(table, f"panel overturned, {tier}", score, score["of"])
    if table.row_count:
        screen.print()
        screen.print(table)


def _alternative(tests: Mapping[str, Any], screen: Console) -> None:
    if not tests:
        return
    columns = ("winning rate", "advantage", "may stand in for a person")
    table = _table("alternative annotator test", columns)
    for judge, test in tests.items():
        said = {None: "no test", True: "yes", False: "no"}[test["passes"]]
        if any(str(one["reason"]).startswith("few_chains") for one in test["annotators"]):
            said += " (few chains)"
        figures = [_number(test[key]) for key in ("winning_rate", "advantage")]
        table.add_row(Text(one_line(f"{judge}, epsilon {test['epsilon']}", 60)), *figures, said)
    screen.print()
    screen.print(table)


def _share(table: Table, name: str, score: Mapping[str, Any], count: int) -> None:
    low, high = score["low"], score["high"]
    interval = "" if low is None or high is None else f"{low:.3f} to {high:.3f}"
    table.add_row(Text(one_line(name, 80)), _number(score["value"]), interval, f"{count:,}")


def _with_interval(statistic: Mapping[str, Any] | None) -> str:
    if not statistic or statistic["value"] is None:
        return ""
    low, high = statistic["low"], statistic["high"]
    interval = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{statistic['value']:.2f}{interval}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _table(first: str, columns: tuple[str, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first)
    for column in columns:
        words = ("annotators", "kind", "on", "lines added", "interval", "may stand in for a person")
        table.add_column(column, justify="left" if column in words else "right", no_wrap=True)
    return table
