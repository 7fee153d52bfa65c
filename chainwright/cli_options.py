"""What the commands share: options, the list of exit codes, and how a result is shown."""

from pathlib import Path
from typing import Annotated, Any

import typer

EXIT_CODES = (
    "Exit codes: 0 done; 1 validation or an audit found faults, or a stage made nothing; 2 a "
    "mistake in the recipe, an argument or a file; 3 the run stopped; 4 its budget is spent; 130 "
    "interrupted. "
    "CHAINWRIGHT_DEBUG=1 shows tracebacks."
)

RUNS = Path("runs")

Runs = Annotated[Path, typer.Option("--runs", help="Folder that holds the runs, or its URL.")]
Run = Annotated[str, typer.Argument(help="A run: its name, folder or URL.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]


def show(result: Any, draw: Any, as_json: bool) -> None:
    """Puts a command's result on the output: drawn for people, or as one JSON document."""
    from chainwright.pipeline.screens.terminal import show as show_result

    show_result(result, draw, as_json=as_json)
