"""Statistics on the screen: the figures of a run in short tables.

The document is what `statistics.json` holds. A part that is missing is left out, a value that is
null is an empty cell, and a part that is not known here is shown where it holds plain figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.pipeline.screens.terminal import one_line

_COEFFICIENTS = {
    "unanimity": "unanimity",
    "unanimity_complete": "unanimity, every judge voting",
    "fleiss": "Fleiss' kappa",
    "krippendorff": "Krippendorff's alpha",
    "gwet": "Gwet's AC1",
}
_SHOWN = frozenset(
    {
        "tracks",
        "counts",
        "calibration",
        "aggregation",
        "observers",
        "agreement",
        "error_correlation",
        "graphs",
        "chain_verdicts",
        "groundedness",
    }
)
"""Parts of a document that have a place of their own."""

_SHAPES = ("nodes", "edges", "depth", "width", "branching")


def print_statistics(statistics: Mapping[str, Any], screen: Console) -> None:
    """Prints labels and tiers, calibration, agreement, graphs and what else there is.

    Where there are several tracks, each by itself, under its name.
    """
    _grounded((statistics.get("groundedness") or {}).get("by_source") or {}, screen)
    others = statistics.get("tracks") or {}
    if others:
        _heading(str(statistics.get("track") or "math"), screen)
    _track(statistics, screen)
    for track, document in others.items():
        _heading(track, screen)
        _track(document, screen)


def _track(document: Mapping[str, Any], screen: Console) -> None:
    _counts(document.get("counts") or {}, screen)
    _calibration(document.get("calibration") or {}, screen)
    if observers := document.get("observers"):
        names = ", ".join(one_line(str(name), 60) for name in observers)
        screen.print(Text(f"read a share of the chains, and no label counts: {names}", style="dim"))
    _aggregation(document.get("aggregation") or {}, screen)
    _agreement(document.get("agreement") or {}, document.get("error_correlation") or {}, screen)
    _graphs((document.get("graphs") or {}).get("by_polarity") or {}, screen)
    _verdicts(document.get("chain_verdicts") or {}, screen)
    for name, part in document.items():
        if name not in _SHOWN and isinstance(part, Mapping):
            _line(name, part, screen)


def _heading(track: str, screen: Console) -> None:
    screen.print()
    screen.print(Text(f"track {one_line(track, 40)}", style="bold underline"))


def _counts(counts: Mapping[str, Any], screen: Console) -> None:
    if not counts:
        return
    screen.print()
    _line("labels and tiers", counts, screen, heading=True)
    for name, part in counts.items():
        if isinstance(part, Mapping):
            _line(name, part, screen)


def _grounded(by_source: Mapping[str, Any], screen: Console) -> None:
    """How many questions of each source their context was found to answer."""
    if not by_source:
        return
    table = _table("grounded questions", ("asked", "kept", "rate"))
    for source, counts in by_source.items():
        figures = [_number(counts.get(key)) for key in ("asked", "kept", "rate")]
        table.add_row(Text(one_line(source, 40)), *figures)
    _print(table, screen)


def _calibration(calibration: Mapping[str, Any], screen: Console) -> None:
    """How right the judges, their panel and each tier are, where labels are exact."""
    confusions = {**(calibration.get("judges") or {})}
    if calibration.get("panel"):
        confusions["panel"] = calibration["panel"]
    rows = [
        (name, one.get("accuracy") or {}, one.get("coverage")) for name, one in confusions.items()
    ]
    rows += [
        (f"tier {tier}", score, None) for tier, score in (calibration.get("by_tier") or {}).items()
    ]
    if not rows:
        return
    table = _table("against exact labels", ("accuracy", "interval", "votes", "coverage"))
    for name, score, coverage in rows:
        table.add_row(
            Text(one_line(name, 60)),
            _number(score.get("value")),
            _interval(score),
            _number(score.get("voted")),
            _number(coverage),
        )
    _print(table, screen)


def _aggregation(aggregation: Mapping[str, Any], screen: Console) -> None:
    """What each way of adding votes up is worth on exact steps that it did not learn from."""
    methods = aggregation.get("methods") or {}
    if not methods:
        return
    columns = ("accuracy", "interval", "decided", "when decided", "errors found", "gain", "of gain")
    table = _table("held-out exact steps", columns)
    for name, score in methods.items():
        mark = " (used)" if name == aggregation.get("used") else ""
        table.add_row(
            Text(f"{one_line(name.replace('_', '-'), 40)}{mark}"),
            _number(score["accuracy"].get("value")),
            _interval(score["accuracy"]),
            *(_number(score[key].get("value")) for key in ("decided", "when_decided")),
            _number(score["errors_found"].get("value")),
            _number(score["gain"].get("value")),
            _interval(score["gain"]),
        )
    _print(table, screen)


def _agreement(
    agreement: Mapping[str, Any], correlation: Mapping[str, Any], screen: Console
) -> None:
    rows = [(label, agreement.get(key)) for key, label in _COEFFICIENTS.items()]
    rows += [
        (f"Cohen's kappa, {pair['first']} and {pair['second']}", pair["statistic"])
        for pair in agreement.get("cohen") or ()
    ]
    rows += [
        ("error correlation, mean", correlation.get("mean")),
        ("effective votes", correlation.get("effective_votes")),
    ]
    table = _table("agreement", ("value", "interval", "units"))
    table.add_column()
    for label, statistic in rows:
        if statistic:
            reason = str(statistic.get("reason") or "").partition(":")[0]
            table.add_row(
                Text(one_line(label, 80)),
                _number(statistic.get("value")),
                _interval(statistic),
                _number(statistic.get("n")),
                Text(one_line(reason, 40), style="dim"),
            )
    if table.row_count:
        _print(table, screen)


def _graphs(by_polarity: Mapping[str, Any], screen: Console) -> None:
    if not by_polarity:
        return
    table = _table("premise graphs, means", ("chains", *_SHAPES))
    for polarity, shapes in by_polarity.items():
        means = [_number((shapes.get(shape) or {}).get("mean")) for shape in _SHAPES]
        table.add_row(Text(one_line(polarity, 40)), _number(shapes.get("chains")), *means)
    _print(table, screen)


def _verdicts(verdicts: Mapping[str, Any], screen: Console) -> None:
    """How well errors found in steps tell wrong chains from right ones."""
    if not verdicts:
        return
    figures = ("precision", "recall", "specificity")
    table = _table("chains known right or wrong", ("chains", *figures, "accuracy"))
    for judge, cell in verdicts.items():
        table.add_row(
            Text(one_line(judge, 60)),
            _number(cell.get("chains")),
            *(_number(cell.get(figure)) for figure in figures),
            _number((cell.get("accuracy") or {}).get("value")),
        )
    _print(table, screen)


def _line(name: str, part: Mapping[str, Any], screen: Console, *, heading: bool = False) -> None:
    """One line with the plain figures of a part; nothing where it holds none."""
    figures = [
        f"{one_line(str(key), 40)} {_number(value)}"
        for key, value in part.items()
        if isinstance(value, int | float)
    ]
    if figures:
        style = "bold" if heading else ""
        line = Text(f"{one_line(name.replace('_', ' '), 40)}: ", style=style)
        screen.print(line.append(", ".join(figures), style="not bold"))


def _table(title: str, columns: Iterable[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _print(table: Table, screen: Console) -> None:
    screen.print()
    screen.print(table)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _interval(statistic: Mapping[str, Any]) -> str:
    low, high = statistic.get("low"), statistic.get("high")
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"
