"""The commands that write other formats: `export` and `convert`."""

from pathlib import Path
from typing import Annotated

import typer

from chainwright.cli_options import RUNS, AsJson, Runs
from chainwright.cli_options import show as show_result


def export(
    source: Annotated[str, typer.Argument(help="A run, its folder, or a release folder.")],
    form: Annotated[
        str, typer.Argument(metavar="FORMAT", help="Such as trl; a wrong one lists all.")
    ],
    runs: Runs = RUNS,
    out: Annotated[Path | None, typer.Option("--out", help="The file; .gz compresses it.")] = None,
    split: Annotated[
        str | None, typer.Option("--split", help="Only this split, such as train.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the chains of a release in a format that other projects read.

    Example: chainwright export quickstart processbench --split test
    """
    from chainwright.pipeline.exporting import export as export_release
    from chainwright.pipeline.screens.exported import print_exported

    done = export_release(source, runs, form, out, split)
    show_result(done, print_exported, as_json)
    if not done.account.made:
        raise typer.Exit(1)


def convert(
    path: Annotated[Path, typer.Argument(help="A file: JSON, JSON lines or Parquet.")],
    to: Annotated[str, typer.Option("--to", help="The format to write.")],
    source: Annotated[
        str | None, typer.Option("--from", help="Its format; told from its rows if not given.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option("--map", help="Columns of rows of your own: question=Q,steps=S,labels=L."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The file; .gz compresses it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Turn a file of labelled chains from one format to another.

    Example: chainwright convert gsm8k_negatives.json --to trl
    """
    from chainwright.pipeline.exporting import convert as convert_file
    from chainwright.pipeline.screens.exported import print_exported

    done = convert_file(path, source, to, out, columns)
    show_result(done, print_exported, as_json)
    if not done.account.made:
        raise typer.Exit(1)
