"""The command `human` and its own commands: each hands over to the pipeline."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from chainwright.cli_options import EXIT_CODES, RUNS, AsJson, Run, Runs, show

human = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Format = Annotated[
    Literal["csv", "jsonl"], typer.Option("--format", help="A table, or lines of JSON.")
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="A folder for the files to hand out.")
]
To = Annotated[
    Literal["files", "label-studio"], typer.Option("--to", help="Files, or projects on a server.")
]
Home = Annotated[
    Path | None, typer.Option("--home", help="Folder of the server that `up` started.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of what is drawn.")]


@human.callback()
def human_root() -> None:
    """Have people label steps: hand tasks out, take answers in, decide, and measure.

    Every answer is kept in the run's `human/records.jsonl`, which is only ever added to. People's
    labels outrank those of the judges; `chainwright build` brings them into the run.

    Example: chainwright human status quickstart
    """


@human.command(epilog=EXIT_CODES, short_help="Start a Label Studio of your own.")
def up(
    home: Home = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="0 = any that is free [that of the last time, or 8080]."
        ),
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="Stop it; its data stay.")] = False,
    as_json: AsJson = False,
) -> None:
    """Start a Label Studio server for this machine alone, installed apart from chainwright.

    Example: chainwright human up --port 8090
    """
    from chainwright.pipeline.people.label_studio import server

    show(server.stop(home) if stop else server.start(home, port), server.print_up, as_json)


@human.command(epilog=EXIT_CODES, short_help="Hand out tasks, blind.")
def export(
    run: Run,
    annotators: Annotated[str, typer.Option(help="Their names, with commas between them.")],
    runs: Runs = RUNS,
    chains: Annotated[
        int | None, typer.Option(min=1, help="Chains to draw; without it, all.")
    ] = None,
    pool: Annotated[
        Literal["judged", "disputed", "ranked", "all"],
        typer.Option(
            help="judged: chains without exact labels; disputed: those with a disputed step; "
            "ranked: the first that `rank` names."
        ),
    ] = "judged",
    together: Annotated[
        int | None, typer.Option(min=1, help="Annotators who read the same chains; a pair is 2.")
    ] = None,
    overlap: Annotated[
        float, typer.Option(help="Share of a group's chains that all its members read.")
    ] = 1.0,
    honey_pots: Annotated[
        float, typer.Option(help="Exact chains mixed in, for each chain drawn.")
    ] = 0.1,
    seed: Seed = 0,
    assisted: Annotated[
        bool, typer.Option("--assisted", help="Show the judges' votes; answers are flagged.")
    ] = False,
    to: To = "files",
    home: Home = None,
    kind: Format = "csv",
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Draw chains and write a file for each annotator, with guidelines; no origin, label or vote.

    Annotators form groups in the order of their names here; each group has its own part of the
    chains.

    Example: chainwright human export quickstart --annotators ann,bob --chains 40 --pool all
    """
    from chainwright.annotation.people.assignment import Wish
    from chainwright.pipeline.people.exporting import export_round
    from chainwright.pipeline.screens.human import print_round

    names = [name.strip() for name in annotators.split(",")]
    wish = Wish(names, chains, pool, together or min(2, len(names)), overlap, honey_pots, seed)
    made = export_round(
        run, runs, wish, assisted=assisted, kind=kind, out=out, send=_sender(to, home)
    )
    show(made, print_round, as_json)


@human.command("import", epilog=EXIT_CODES, short_help="Take answers in.")
def import_(
    run: Run,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files that annotators filled in.")
    ] = None,
    runs: Runs = RUNS,
    label_studio: Annotated[
        bool, typer.Option("--label-studio", help="Take in what was submitted on the server.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Check answers and add what is new to the records; the same file twice changes nothing.

    Tasks that are blank are passed over; answers that were changed or blanked since are edited or
    withdrawn. Exit code 1 where a task or row could not be taken.

    Example: chainwright human import quickstart ann.csv bob.csv
    """
    from chainwright.pipeline.people.importing import import_files
    from chainwright.pipeline.screens.human import print_import

    if label_studio:
        from chainwright.pipeline.people.label_studio.exchange import fetch

        report = fetch(run, runs, home)
        if files:
            report.files.extend(import_files(run, runs, files).files)
    else:
        report = import_files(run, runs, files or [])
    show(report, print_import, as_json)
    if any(one.faults for one in report.files):
        raise typer.Exit(1)


@human.command(epilog=EXIT_CODES, short_help="Say who has what left to do.")
def status(run: Run, runs: Runs = RUNS, as_json: AsJson = False) -> None:
    """Say how far the annotators of a run are, and what is settled.

    Example: chainwright human status quickstart
    """
    from chainwright.pipeline.people.figures import human_status
    from chainwright.pipeline.screens.human import print_human_status

    show(human_status(run, runs), print_human_status, as_json)


@human.command(epilog=EXIT_CODES, short_help="Hand out what annotators differ on.")
def adjudicate(
    run: Run,
    by: Annotated[str, typer.Option(help="Who decides: somebody who has not read the chains.")],
    runs: Runs = RUNS,
    seed: Seed = 0,
    to: To = "files",
    home: Home = None,
    kind: Format = "csv",
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Write a file with the steps that annotators differ on, their answers as A and B.

    Whose answer is A is drawn for each task. The file comes back through `import`.

    Example: chainwright human adjudicate quickstart --by eve
    """
    from chainwright.pipeline.people.exporting import export_adjudication
    from chainwright.pipeline.screens.human import print_round

    made = export_adjudication(run, runs, by, seed=seed, kind=kind, out=out, send=_sender(to, home))
    show(made, print_round, as_json)


@human.command(epilog=EXIT_CODES, short_help="Say what the answers are worth.")
def stats(
    run: Run,
    runs: Runs = RUNS,
    epsilon: Annotated[
        float,
        typer.Option(help="What a judge may fall behind a person by: 0.2 experts, 0.1 a crowd."),
    ] = 0.15,
    as_json: AsJson = False,
) -> None:
    """Measure agreement, honey-pots, judges against people, tiers, and who may replace whom.

    Example: chainwright human stats quickstart
    """
    from chainwright.pipeline.people.figures import human_figures
    from chainwright.pipeline.screens.human import print_human_figures

    show(human_figures(run, runs, epsilon=epsilon), print_human_figures, as_json)


def _sender(to: str, home: Path | None) -> Any:
    if to == "files":
        return None
    from functools import partial

    from chainwright.pipeline.people.label_studio.exchange import send

    return partial(send, home=home)
