"""Scores on the screen: the papers' tables for each judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.pipeline.scoring import Compared, Scoring
from chainwright.pipeline.screens.terminal import one_line
from chainwright.schemas.words import FAITHFULNESS_ERRORS, STEP_LABELS

_SHORT = {
    "correct": "right",
    "mathematical_error": "math.",
    "logical_inconsistency": "logic.",
    "accumulation_error": "inher.",
    "other": "other",
}
"""Types of steps as heads of narrow columns."""

_TABLES: tuple[tuple[str, Mapping[str, str]], ...] = (
    (
        "premises, per chain",
        {"premise_precision": "precision", "premise_recall": "recall", "premise_f1": "F1"},
    ),
    (
        "error accuracy, per chain",
        {
            "error_accuracy": "all",
            **{f"error_accuracy_{word}": _SHORT[word] for word in STEP_LABELS},
            "error_accuracy_error": "own",
            "error_accuracy_voted": "voted",
            "coverage": "cover",
        },
    ),
    (
        "first error",
        {
            "first_error_wrong": "on wrong",
            "first_error_correct": "on correct",
            "first_error_f1": "F1",
        },
    ),
    (
        "faithfulness, per step",
        {
            "step_f1_unfaithful": "F1 unfaithful",
            "step_f1_faithful": "F1 faithful",
            "step_accuracy": "accuracy, per chain",
            **{f"category_macro_f1_{track}": f"macro F1 {track}" for track in FAITHFULNESS_ERRORS},
        },
    ),
)
_WITH_INTERVAL = ("premise_f1", "error_accuracy", "first_error_f1", "step_f1_unfaithful")


def print_scoring(scoring: Scoring, screen: Console) -> None:
    """Prints one table for each metric family and judge, and what was left out."""
    for judge, found in scoring.judges.items():
        screen.print()
        head = Text(one_line(judge, 80), style="bold")
        screen.print(head.append(f" ({found['condition']})", style="not bold dim"))
        for title, columns in _TABLES:
            _print(title, columns, found["splits"], screen)
        statuses = ", ".join(f"{name} {count}" for name, count in found["statuses"].items())
        inherits = ", ".join(f"{name} {count}" for name, count in found["inherits_by"].items())
        note = f"step votes: {statuses}; errors inherited by premises: {inherits}"
        if found["failed"]:
            note += f"; failed on {found['failed']} chains"
        screen.print(Text(note, style="dim"))
    screen.print()
    left = ", ".join(f"{reason} {count}" for reason, count in scoring.unusable.items())
    screen.print(f"{scoring.chains} chains scored" + (f"; left out: {left}" if left else ""))
    if any(scoring.requests.values()):
        screen.print(", ".join(f"{count} {name}" for name, count in scoring.requests.items()))
    screen.print(Text(f"per chain: {scoring.folder}/chains.jsonl"), soft_wrap=True)


def print_comparison(compared: Compared, screen: Console) -> None:
    """Prints one row a metric: both values, their difference, and the exact test."""
    screen.print(Text(f"first:  {one_line(compared.first, 110)}"))
    screen.print(Text(f"second: {one_line(compared.second, 110)}"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric")
    names = ("chains", "first", "second", "difference", "interval", "wins", "losses", "p", "test")
    for name in names:
        table.add_column(name, justify="right")
    for one in compared.comparisons:
        if one.first.value is None or one.second.value is None:
            continue
        low, high = one.difference.low, one.difference.high
        table.add_row(
            one.metric,
            str(one.chains),
            _number(one.first.value),
            _number(one.second.value),
            _signed(one.difference.value),
            "" if low is None or high is None else f"{low:+.3f} to {high:+.3f}",
            str(one.test.wins),
            str(one.test.losses),
            f"{one.test.p:.2g}",
            one.test.name,
        )
    screen.print(table)
    screen.print(
        Text(
            "interval: paired bootstrap over chains; p: exact two-sided sign test over chains "
            "(mcnemar where a chain is right or wrong)",
            style="dim",
        )
    )


def _print(
    title: str, columns: Mapping[str, str], splits: Mapping[str, Any], screen: Console
) -> None:
    there = [key for key in columns if any(key in split for split in splits.values())]
    if not there or there == ["coverage"]:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, no_wrap=True)
    table.add_column("chains", justify="right")
    for key in there:
        table.add_column(columns[key], justify="right")
        if key in _WITH_INTERVAL:
            table.add_column("95% interval", justify="right", no_wrap=True)
    for name, split in splits.items():
        if not any(key in split for key in there if key != "coverage"):
            continue
        cells: list[str] = []
        for key in there:
            statistic = split.get(key) or {}
            cells.append(_number(statistic.get("value")))
            if key in _WITH_INTERVAL:
                cells.append(_interval(statistic))
        table.add_row(Text(one_line(name, 36)), str(split["chains"]), *cells)
    screen.print(table)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}"


def _interval(statistic: Mapping[str, Any]) -> str:
    low, high = statistic.get("low"), statistic.get("high")
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"
