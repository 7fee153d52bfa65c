"""The command line: one command a screen, each hands over to the pipeline."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from chainwright.cli_check import audit, schema, validate
from chainwright.cli_formats import convert, export
from chainwright.cli_hub import add_hub_commands
from chainwright.cli_human import human
from chainwright.cli_ledger import ledger
from chainwright.cli_options import EXIT_CODES, RUNS, AsJson, Run, Runs
from chainwright.cli_options import show as show_result
from chainwright.cli_report import report
from chainwright.cli_score import rank, score
from chainwright.cli_taxonomy import taxonomy

app = typer.Typer(
    name="chainwright",
    help="Builds step-level reasoning corpora from a recipe.\n\n"
    "Example: chainwright build recipes/quickstart.yaml",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(taxonomy)

Polarity = Literal["positive", "negative", "synthetic_negative", "undecided"]


def main() -> None:
    """The console entry."""
    with exit_on_mistake():
        app(prog_name="chainwright")


@contextmanager
def exit_on_mistake() -> Iterator[None]:
    """Ends the process with a message and an exit code where an error comes up, not a traceback."""
    try:
        yield
    except Exception as error:
        if os.environ.get("CHAINWRIGHT_DEBUG"):
            raise
        from chainwright.pipeline.errors import complaint, exit_code

        sys.stderr.write(complaint(error))
        sys.exit(exit_code(error))


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Build step-level reasoning corpora from a recipe.

    Example: chainwright build recipes/quickstart.yaml
    """
    if version:
        from chainwright import __version__

        typer.echo(f"chainwright {__version__}")


@app.command(epilog=EXIT_CODES, short_help="Build a corpus, or bring it up to date.")
def build(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a YAML file.")],
    runs: Annotated[
        str, typer.Option("--runs", help="Folder that holds the runs, or a URL: s3://BUCKET/RUNS.")
    ] = str(RUNS),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and what it costs; run nothing.")
    ] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make every stage anew; paid answers are kept.")
    ] = False,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Build on a Ray cluster: HOST:PORT, auto, or local.",
        ),
    ] = None,
) -> None:
    """Build a corpus, or bring it up to date: what has not changed is skipped.

    Example: chainwright build recipes/quickstart.yaml --dry-run
    """
    if dry_run:
        from chainwright.pipeline.screens.dry_run import plan_build, print_plan

        show_result(plan_build(recipe, runs, fresh=fresh), print_plan, as_json)
    else:
        from chainwright.pipeline.build import build as build_corpus
        from chainwright.pipeline.screens.summary import print_summary

        summary = build_corpus(recipe, runs, fresh=fresh, quiet=quiet, ray=ray)
        show_result(summary, print_summary, as_json)
        if summary.shortfalls:
            raise typer.Exit(1)


@app.command(epilog=EXIT_CODES, short_help="Reckon what a large corpus takes.")
def plan(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a YAML file.")],
    traces: Annotated[int, typer.Option(min=1, help="How many chains are to come out.")],
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that work on blocks at the same time.")
    ] = 1,
    runs: Runs = RUNS,
    as_json: AsJson = False,
) -> None:
    """Reckon requests, tokens, money, hours and disk of a corpus of any size, and run nothing.

    What a trace costs is measured on the recipe's finished run, and estimated without one.

    Example: chainwright plan recipes/quickstart.yaml --traces 10000000 --workers 64
    """
    from chainwright.pipeline.forecast import forecast
    from chainwright.pipeline.screens.forecast import print_forecast

    found = forecast(recipe, runs, traces=traces, workers=workers)
    show_result(found, print_forecast, as_json)


@app.command(epilog=EXIT_CODES, short_help="Say how far a run is.")
def status(run: Run, runs: Runs = RUNS, as_json: AsJson = False) -> None:
    """Say how far a run is, what came out, and what its recipe would change.

    Example: chainwright status quickstart
    """
    from chainwright.pipeline.screens.status import print_status, run_status

    show_result(run_status(run, runs), print_status, as_json)


@app.command(epilog=EXIT_CODES, short_help="List, cancel or bring in a run's batches.")
def batches(
    run: Run,
    runs: Runs = RUNS,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Cancel the open ones; what is answered is paid for.")
    ] = False,
    collect: Annotated[
        bool, typer.Option("--collect", help="Bring the answers of ended ones into the ledger.")
    ] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Give the open ones up; their requests are sent anew.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the batches of a run and how far each is at its provider.

    Example: chainwright batches quickstart --cancel
    """
    from chainwright.pipeline.screens.batches import print_batches, run_batches

    wanted = {"cancel": cancel, "collect": collect, "forget": forget}
    given = [name for name, is_given in wanted.items() if is_given]
    show_result(run_batches(run, runs, given), print_batches, as_json)


@app.command(epilog=EXIT_CODES, short_help="Draw a chain, or list chains.")
def show(
    run: Run,
    chain_id: Annotated[
        str | None, typer.Argument(help="A chain's id or how it begins; without it, a list.")
    ] = None,
    runs: Runs = RUNS,
    polarity: Annotated[
        Polarity | None, typer.Option(help="List only the chains of this polarity.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="List at most so many chains.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Draw a chain with its premises, labels and votes, or list chains to choose from.

    Example: chainwright show quickstart --polarity synthetic_negative
    """
    from chainwright.pipeline.named_run import find_run
    from chainwright.pipeline.screens.chain_card import chain_card, chain_list
    from chainwright.pipeline.screens.show import draw_chain, draw_list

    folder = find_run(run, runs)
    if chain_id is None:
        show_result(chain_list(folder, polarity, limit), draw_list, as_json)
    else:
        show_result(chain_card(folder, chain_id), draw_chain, as_json)


app.add_typer(human, name="human", epilog=EXIT_CODES, short_help="Have people label steps.")
app.add_typer(ledger, name="ledger", epilog=EXIT_CODES, short_help="Say what models were paid for.")


app.command(epilog=EXIT_CODES, short_help="Score judges on a labelled corpus.")(score)
app.command(epilog=EXIT_CODES, short_help="Say which chain or judge comes next.")(rank)
app.command(epilog=EXIT_CODES, short_help="Write a run as pages to look at.")(report)
add_hub_commands(app)
app.command(epilog=EXIT_CODES, short_help="Print a table's JSON Schema.")(schema)
app.command(epilog=EXIT_CODES, short_help="Check data to the last row.")(validate)
app.command(epilog=EXIT_CODES, short_help="List what in a corpus contradicts itself.")(audit)
app.command(epilog=EXIT_CODES, short_help="Write a release in another project's format.")(export)
app.command(epilog=EXIT_CODES, short_help="Turn labelled chains from one format to another.")(
    convert
)


@app.command(epilog=EXIT_CODES, short_help="Say what is installed and missing.")
def doctor(as_json: AsJson = False) -> None:
    """Say what is installed, what is missing, and how to get it.

    Example: chainwright doctor
    """
    from chainwright.pipeline.screens.doctor import examine, print_findings

    show_result(examine(), print_findings, as_json)
