"""The commands that check data: `schema`, `validate` and `audit`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from chainwright.cli_options import AsJson
from chainwright.cli_options import show as show_result

Severity = Literal["error", "warning", "note"]


def schema(
    name: Annotated[str | None, typer.Argument(help="A table, such as chains.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the names there are.")] = False,
) -> None:
    """Print the JSON Schema of one row of a table.

    Example: chainwright schema chains
    """
    from chainwright.pipeline.screens.schema import schema_list, schema_text

    typer.echo(schema_list() if listed or name is None else schema_text(name))


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
    show_result(found, print_report, as_json)
    if not found.report.ok:
        raise typer.Exit(1)


def audit(
    paths: Annotated[
        list[Path], typer.Argument(help="Runs, releases, folders of JSON, or files of records.")
    ],
    columns: Annotated[
        str | None,
        typer.Option("--map", help="Columns of JSON of your own: question=Q,steps=S,labels=L."),
    ] = None,
    rule: Annotated[
        list[str] | None, typer.Option("--rule", help="Only this rule; may be given repeatedly.")
    ] = None,
    level: Annotated[
        Severity, typer.Option(help="The lightest findings that are listed and mean exit code 1.")
    ] = "warning",
    graphs: Annotated[
        bool, typer.Option("--graphs", help="Measure the premise graphs as well.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one finding a line, and a summary, as JSON.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the findings to this page as well.")
    ] = None,
    fix: Annotated[
        Path | None, typer.Option("--fix", help="Write proposals here, as JSON Patch.")
    ] = None,
) -> None:
    """List what in a corpus contradicts itself; exit code 1 where there is any of the level.

    Example: chainwright audit runs/quickstart --html audit.html
    """
    from chainwright.pipeline.auditing.corpus_audit import audit_paths
    from chainwright.pipeline.screens import audit as screen

    report = audit_paths(
        paths,
        columns=columns,
        rules=rule,
        level=level,
        graphs=graphs,
        fix=fix,
        each=screen.print_json_line if as_json else None,
    )
    if html is not None:
        from chainwright.pipeline.screens.audit_page import write_audit_page

        write_audit_page(html, report)
    (screen.print_json_summary if as_json else screen.print_audit)(report)
    if report.found:
        raise typer.Exit(1)
