"""The command line: one command a screen, each hands over to the pipeline."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from chainwright.cli_taxonomy import taxonomy

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
app.add_typer(taxonomy, epilog=EXIT_CODES)

RUNS = Path("runs")

Runs = Annotated[Path, typer.Option("--runs", help="Folder that holds the runs.")]
Run = Annotated[str, typer.Argument(help="A run folder, or its name in the folder of runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
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
    runs: Runs = RUNS,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and what it costs; run nothing.")
    ] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make every stage anew; paid answers are kept.")
    ] = False,
) -> None:
    """Build a corpus, or bring it up to date: what has not changed is skipped.

    Example: chainwright build recipes/quickstart.yaml --dry-run
    """
    if dry_run:
        from chainwright.pipeline.screens.dry_run import plan_build, print_plan

        _show(plan_build(recipe, runs, fresh=fresh), print_plan, as_json)
    else:
        from chainwright.pipeline.build import build as build_corpus
        from chainwright.pipeline.screens.summary import print_summary

        _show(build_corpus(recipe, runs, fresh=fresh, quiet=quiet), print_summary, as_json)


@app.command(epilog=EXIT_CODES, short_help="Say how far a run is.")
def status(run: Run, runs: Runs = RUNS, as_json: AsJson = False) -> None:
    """Say how far a run is, what came out, and what its recipe would change.

    Example: chainwright status quickstart
    """
    from chainwright.pipeline.screens.status import print_status, run_status

    _show(run_status(run, runs), print_status, as_json)


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
    from chainwright.pipeline.run_folder import find_run
    from chainwright.pipeline.screens.chain_card import chain_card, chain_list
    from chainwright.pipeline.screens.show import draw_chain, draw_list

    folder = find_run(run, runs)
    if chain_id is None:
        _show(chain_list(folder, polarity, limit), draw_list, as_json)
    else:
        _show(chain_card(folder, chain_id), draw_chain, as_json)


@app.command(epilog=EXIT_CODES, short_help="Print a table's JSON Schema.")
def schema(
    name: Annotated[str | None, typer.Argument(help="A table, such as chains.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the names there are.")] = False,
) -> None:
    """Print the JSON Schema of one row of a table.

    Example: chainwright schema chains
    """
    from chainwright.pipeline.screens.schema import schema_list, schema_text

    typer.echo(schema_list() if listed or name is None else schema_text(name))


@app.command(epilog=EXIT_CODES, short_help="Check data to the last row.")
def validate(
    path: Annotated[Path, typer.Argument(help="A run, a release, a folder of data, or a file.")],
    schema_name: Annotated[
        str | None, typer.Option("--schema", help="The schema, where names do not tell it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check data to the last row; exit code 1 where something is wrong with it.

    Example: chainwright validate runs/quickstart
    """
    from chainwright.pipeline.screens.validation import Validation, print_report
    from chainwright.pipeline.validation.validate import validate as check

    found = Validation(check(path, schema_name))
    _show(found, print_report, as_json)
    if not found.report.ok:
        raise typer.Exit(1)


@app.command(epilog=EXIT_CODES, short_help="Say what is installed and missing.")
def doctor(as_json: AsJson = False) -> None:
    """Say what is installed, what is missing, and how to get it.

    Example: chainwright doctor
    """
    from chainwright.pipeline.screens.doctor import examine, print_findings

    _show(examine(), print_findings, as_json)


def _show(result: Any, draw: Any, as_json: bool) -> None:
    from chainwright.pipeline.screens.terminal import show as show_result

    show_result(result, draw, as_json=as_json)
