"""The forecast on the screen: what is asked, how long the stages take, and what lies on disk."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.pipeline.forecast import Forecast, listed
from chainwright.pipeline.screens.terminal import one_line


def print_forecast(found: Forecast, screen: Console) -> None:
    """Prints the forecast."""
    workers = f"{found.workers:,} worker{'s' * (found.workers != 1)}"
    basis = (
        f"by what {found.measured_on:,} traces of its run took"
        if found.measured_on
        else "by estimates and built-in figures"
    )
    screen.print(
        f"{found.traces:,} traces with {one_line(found.recipe)} and {workers}, {basis}",
        soft_wrap=True,
    )
    if found.asking:
        screen.print(_asking(found))
    screen.print(_stages(found))
    disk = ", ".join(f"{name} {_size(size)}" for name, size in found.bytes.items())
    screen.print(f"on disk {_size(sum(found.bytes.values()))}: {disk}")
    if found.peak_memory:
        screen.print(f"memory of the measured run, at its peak: {_size(found.peak_memory)}")
    for note in found.notes:
        screen.print(Text(note, style="dim"), soft_wrap=True)
    screen.print(_total(found), soft_wrap=True)


def _asking(found: Forecast) -> Table:
    table = _table("stage", "model")
    for name in ("requests", "tokens in", "cached", "tokens out", "USD", "in batches"):
        table.add_column(name, justify="right")
    for one in found.asking:
        about = "" if one.is_measured else "~ "
        tokens = (one.input_tokens, one.cached_tokens, one.output_tokens)
        table.add_row(
            one.stage,
            one_line(one.model),
            f"{about}{one.requests:,.0f}",
            *(f"{about}{count:,.0f}" for count in tokens),
            "unknown" if one.usd is None else f"{about}{one.usd:,.2f}",
            "" if one.usd_in_batches is None else f"{about}{one.usd_in_batches:,.2f}",
        )
    return table


def _stages(found: Forecast) -> Table:
    table = _table("stage")
    table.add_column("hours", justify="right")
    table.add_column("bound by")
    for stage in found.stages:
        about = "" if stage.is_measured else "~ "
        table.add_row(stage.stage, f"{about}{stage.hours:,.2f}", one_line(stage.bound_by))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name)
    return table


def _total(found: Forecast) -> str:
    unknown = f" and what {listed(found.unpriced)} cost" if found.unpriced else ""
    batched = (
        f" ({found.usd_in_batches:,.2f} USD in batches)"
        if found.usd_in_batches != found.usd
        else ""
    )
    return (
        f"in all {found.requests:,} requests, {found.tokens:,} tokens, {found.usd:,.2f} USD"
        f"{batched}{unknown}, {found.hours:,.1f} hours"
    )


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
