"""The command `ledger` and its own commands: each hands over to the pipeline."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from chainwright.cli_options import EXIT_CODES, RUNS, AsJson, Runs, show


class _TotalsByDefault(TyperGroup):
    """What is no command of the group is a ledger, whose totals are meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = ["totals", *args]
        return super().parse_args(ctx, args)


ledger = typer.Typer(cls=_TotalsByDefault, no_args_is_help=True, rich_markup_mode=None)

Target = Annotated[str, typer.Argument(help="A run: name, folder or URL; or a ledger's file.")]
OfModel = Annotated[
    str | None, typer.Option("--model", help="Only this model: NAME, or PROVIDER:NAME[@ADDRESS].")
]
OfStatus = Annotated[
    Literal["ok", "refused", "failed"] | None,
    typer.Option("--status", help="Only what came to this; failed = no answer."),
]
Before = Annotated[
    str | None, typer.Option("--before", help="Only entries older than this date, UTC.")
]


@ledger.callback()
def ledger_root() -> None:
    """Say what a run asked of models, what came of it and what it cost.

    The ledger keeps every request with its answer, so that none is paid for twice. Given a run or
    a ledger's file in place of a command, it sums up; nothing but `prune` changes anything.

    Example: chainwright ledger quickstart
    """


@ledger.command(epilog=EXIT_CODES, short_help="Sum up requests, tokens, money and failures.")
def totals(target: Target, runs: Runs = RUNS, as_json: AsJson = False) -> None:
    """Sum up a ledger: requests, tokens and money by model and place, and what failed and why.

    Example: chainwright ledger quickstart
    """
    from chainwright.pipeline.screens.ledger import ledger_report, print_ledger

    show(ledger_report(target, runs), print_ledger, as_json)


@ledger.command("show", epilog=EXIT_CODES, short_help="Show one request with its answer.")
def show_entry(
    target: Target,
    key: Annotated[str, typer.Argument(help="A request's key, or how it begins.")],
    runs: Runs = RUNS,
    as_json: AsJson = False,
) -> None:
    """Show one request as it was sent, with its answer, its tokens and its cost.

    The key of a request stands in the votes (`request_key`) and in an export.

    Example: chainwright ledger show quickstart 4cc0e09f
    """
    from chainwright.pipeline.screens.ledger import ledger_entries, print_entries

    show(ledger_entries(target, key, runs), print_entries, as_json)


@ledger.command(epilog=EXIT_CODES, short_help="Write entries out as lines of JSON.")
def export(
    target: Target,
    runs: Runs = RUNS,
    model: OfModel = None,
    status: OfStatus = None,
    before: Before = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file in place of the output.")
    ] = None,
) -> None:
    """Write requests and answers out, one line of JSON each, as they come.

    Keys and what looks like one are left out.

    Example: chainwright ledger export quickstart --model openai:gpt-4o -o answers.jsonl
    """
    from chainwright.pipeline.ledger_care import export as write_out
    from chainwright.pipeline.ledger_care import selected

    write_out(target, runs, selected(model, status, before), out)


@ledger.command(epilog=EXIT_CODES, short_help="Remove entries for good.")
def prune(
    target: Target,
    runs: Runs = RUNS,
    model: OfModel = None,
    status: OfStatus = None,
    before: Before = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove entries for good: a build that needs them asks again, and pays again.

    It shows what would go and asks first. All options together say which entries are meant. What
    they cost still counts towards a budget.

    Example: chainwright ledger prune quickstart --status refused --before 2026-01-31
    """
    from chainwright.pipeline.ledger_care import (
        carry_out_pruning,
        plan_pruning,
        print_pruning,
        selected,
    )

    chosen = selected(model, status, before)
    planned = plan_pruning(target, runs, chosen)
    if not as_json:
        show(planned, print_pruning, as_json)
    asked = partial(typer.confirm, "Remove them?") if sys.stdin.isatty() else None
    done = carry_out_pruning(target, runs, chosen, planned, yes=yes, asked=asked)
    if as_json or done.removed:
        show(done, print_pruning, as_json)
