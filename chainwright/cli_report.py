"""The command `report`: a run as pages to look at."""

from pathlib import Path
from typing import Annotated

import typer

from chainwright.cli_options import RUNS, AsJson, Run, Runs, show


def report(
    run: Run,
    runs: Runs = RUNS,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder to write [RUN/report].")
    ] = None,
    katex: Annotated[
        Path | None, typer.Option("--katex", help="KaTeX's tarball, where npm cannot fetch it.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Fetch nothing; formulas may stay source text.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a run as pages to look at: figures, agreement, and a browser of its chains.

    The folder opens in any browser from the disk, without a server or a network, and can be sent
    to others as it is. A former report is replaced; a run that is not finished gives what there is.

    Example: chainwright report quickstart --out site
    """
    from chainwright.pipeline.reporting import report as write_report
    from chainwright.pipeline.screens.reported import print_reported

    done = write_report(run, runs, out, katex=katex, offline=offline)
    show(done, print_reported, as_json)
