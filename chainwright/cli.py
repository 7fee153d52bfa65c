"""The command line: one command a screen, each hands over to the pipeline."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

EXIT_CODES = (
    "Exit codes: 0 done; 1 validation found faults; 2 a mistake in the recipe, an argument or a "
    "file; 3 the run stopped; 130 interrupted. CHAINWRIGHT_DEBUG=1 shows tracebacks."
)

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

Runs = Annotated[Path, typer.Option("--runs", help="Folder that holds the runs.")]
Run = Annotated[str, typer.Argument(help="A run folder, or its name in the folder of runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]

RUNS = Path("runs")


def main() -> None:
    """The console entry: a user's mistake ends in a message and an exit code, not a traceback."""
    try:
        app()
    except Exception as error:
        if os.environ.get("CHAINWRIGHT_DEBUG"):
            raise
        from chainwright.pipeline.errors import exit_code
        from chainwright.pipeline.terminal import complaint

        sys.stderr.write(complaint(error))
        sys.exit(exit_code(error))


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from chainwright import __version__

        typer.echo(f"chainwright {__version__}")
        raise typer.Exit


@app.command(epilog=EXIT_CODES)
def build(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a YAML file.")],
    runs: Runs = RUNS,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and what it costs; run nothing.")
    ] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make every stage anew; paid answers are kept.")
    ] = False,
) -> None:
    """Build a corpus, or bring it up to date: what has not changed is skipped.

    Example: chainwright build recipes/quickstart.yaml --dry-run
    """
    if dry_run:
        from chainwright.pipeline.dry_run import plan_build, print_plan

        _show(plan_build(recipe, runs, fresh=fresh), print_plan, as_json)
        return
    from chainwright.pipeline.build import build as build_run
    from chainwright.pipeline.summary import print_summary

    _show(build_run(recipe, runs, quiet=quiet, fresh=fresh), print_summary, as_json)


@app.command(epilog=EXIT_CODES)
def status(run: Run, runs: Runs = RUNS, as_json: AsJson = False) -> None:
    """Say how far a run is, what came out, and what its recipe would change.

    Example: chainwright status quickstart
    """
    from chainwright.pipeline.status import print_status, run_status

    _show(run_status(run, runs), print_status, as_json)


@app.command(epilog=EXIT_CODES)
def show(
    run: Run,
    chain_id: Annotated[
        str | None, typer.Argument(help="A chain's id or its beginning; without it, a list.")
    ] = None,
    runs: Runs = RUNS,
    polarity: Annotated[
        str | None,
        typer.Option(help="List only: positive, negative, synthetic_negative, undecided."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="List at most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Draw a chain with its premises, labels and votes, or list chains to choose from.

    Example: chainwright show quickstart --polarity synthetic_negative
    """
    from chainwright.pipeline.show import chain_list, draw_chain, draw_list
    from chainwright.pipeline.show import find_chain

    if chain_id is None:
        _show(chain_list(run, runs, polarity, limit), draw_list, as_json)
    else:
        _show(find_chain(run, runs, chain_id), draw_chain, as_json)


@app.command(epilog=EXIT_CODES)
def schema(
    name: Annotated[str | None, typer.Argument(help="A table, such as chains.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the names instead.")] = False,
) -> None:
    """Print the JSON Schema of one row of a table.

    Example: chainwright schema chains
    """
    from chainwright.pipeline.schema_text import schema_list, schema_text

    typer.echo(schema_list() if listed or name is None else schema_text(name))


@app.command(epilog=EXIT_CODES)
def validate(
    path: Annotated[Path, typer.Argument(help="A file or a folder: a run, a release, JSON Lines.")],
    schema_name: Annotated[
        str | None, typer.Option("--schema", help="The schema, where the name does not tell.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check files against the schemas; exit code 1 when a row breaks its schema.

    Example: chainwright validate runs/quickstart
    """
    from chainwright.pipeline.validate import validate as validated

    _ = (path, schema_name, as_json, validated)


@app.command(epilog=EXIT_CODES)
def doctor(as_json: AsJson = False) -> None:
    """Say what is installed, what is missing, and how to get it.

    Example: chainwright doctor
    """
    from chainwright.pipeline.doctor import examine, print_findings

    _show(examine(), print_findings, as_json)


def _show(result: Any, draw: Any, as_json: bool) -> None:
    from chainwright.pipeline.terminal import show

    show(result, draw, as_json=as_json)
