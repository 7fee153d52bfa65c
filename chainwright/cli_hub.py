"""The commands `push`, `pull` and `rebuild`: each hands over to the pipeline."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from chainwright.cli_options import EXIT_CODES, RUNS, AsJson, Run, Runs, show

Repo = Annotated[str, typer.Argument(metavar="ORG/NAME", help="A dataset on the Hub.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def add_hub_commands(app: typer.Typer) -> None:
    """Adds the commands to an app."""
    app.command(epilog=EXIT_CODES, short_help="Send a run's release to the Hub.")(push)
    app.command(epilog=EXIT_CODES, short_help="Fetch a release from the Hub.")(pull)
    app.command(epilog=EXIT_CODES, short_help="Put text back that a release withheld.")(rebuild)


def push(
    run: Run,
    repo: Repo,
    runs: Runs = RUNS,
    public: Annotated[
        bool, typer.Option("--public", help="Let everyone see it; it asks first.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be sent; send nothing.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Send a run's release to a dataset on the Hub, private unless it says otherwise.

    What is there already is not sent again. The token comes from HF_TOKEN or `hf auth login`.

    Example: chainwright push quickstart my-org/quickstart
    """
    from chainwright.pipeline.publishing import push as send
    from chainwright.pipeline.screens.publishing import print_pushed

    done = send(
        run,
        repo,
        runs,
        public=public,
        yes=yes,
        dry_run=dry_run,
        ask=_asked if sys.stdin.isatty() else None,
        say=_silent if quiet else _said,
        bars=not quiet and sys.stderr.isatty(),
    )
    show(done, print_pushed, as_json)


def pull(
    repo: Repo,
    revision: Annotated[
        str | None, typer.Option("--revision", help="A version's tag, a branch or a commit.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder; NAME if it is left out.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fetch a release from the Hub and check it against its manifest.

    Example: chainwright pull my-org/quickstart --revision v1.0
    """
    from chainwright.pipeline.publishing import pull as fetch
    from chainwright.pipeline.screens.publishing import print_pulled

    say = _silent if quiet else _said
    show(
        fetch(repo, revision, out, say=say, bars=not quiet and sys.stderr.isatty()),
        print_pulled,
        as_json,
    )


def rebuild(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    source: Annotated[
        list[str] | None,
        typer.Option("--source", help="NAME=PATH of a source's own file; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder; RELEASE-whole if left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Put the text back that a release withheld, from the sources' own files; check each row.

    Example: chainwright rebuild quickstart --source reclor=train.json
    """
    from chainwright.pipeline.rebuilding import print_rebuilt
    from chainwright.pipeline.rebuilding import rebuild as put_together

    show(put_together(release, source or [], out), print_rebuilt, as_json)


def _asked(question: str) -> bool:
    return typer.confirm(question, err=True)


def _said(line: str) -> None:
    typer.echo(f"chainwright: {line}", err=True)


def _silent(line: str) -> None:
    pass
