"""Rankings on the screen: the chains that people should read first, or what judges are worth."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.pipeline.ranking import Ranking
from chainwright.pipeline.screens.terminal import one_line


def print_ranking(ranking: Ranking, screen: Console) -> None:
    """Prints a row a chain or a judge, the first to turn to at the top."""
    if ranking.whom == "people":
        _chains(ranking, screen)
    else:
        _judges(ranking, screen)


def _chains(ranking: Ranking, screen: Console) -> None:
    table = _table("chain", ("steps", "to change", "a step", "least sure step"))
    for one in ranking.chains:
        figures = (str(one.steps), f"{one.expected:.3f}", f"{one.rate:.3f}", str(one.step))
        table.add_row(one.chain_id, *figures)
    screen.print(table)
    by = ", ".join(f"{track} by {name}" for track, name in ranking.by.items())
    screen.print(
        Text(
            f"{len(ranking.chains)} of {ranking.total} chains that are not exact; to change: "
            f"labels that a person would change or supply, as expected ({by})",
            style="dim",
        )
    )


def _judges(ranking: Ranking, screen: Console) -> None:
    for track, judges in ranking.judges.items():
        columns = ("", "votes", "disagrees", "exact", "accuracy", "error corr.", "gain")
        table = _table(track, columns)
        for one in judges:
            table.add_row(
                Text(one_line(one.judge, 60)),
                "in the panel" if one.member else "candidate",
                str(one.votes),
                _number(one.disagreement),
                str(one.known),
                _number(one.accuracy),
                _number(one.error_correlation),
                "" if one.gain is None else f"{one.gain:+.3f}",
            )
        screen.print(table)
    screen.print(
        Text(
            "gain: accuracy of calibrated labels with the judge less that without it, held out",
            style="dim",
        )
    )


def _table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
