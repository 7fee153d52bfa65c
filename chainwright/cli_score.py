"""The commands that measure: `score`, and `rank`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from chainwright.cli_options import RUNS, AsJson, Run, Runs
from chainwright.cli_options import show as show_result

For = Literal["people", "judges"]


def score(
    corpus: Annotated[
        Path | None,
        typer.Argument(help="A run, a release, PERL's or ProcessBench's files, or rows by --map."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", help="URI or URI#METHOD+METHOD; several times for several."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the scoring [scores/CORPUS].")
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option("--compare", help="Compare two scorings: FOLDER or FOLDER::JUDGE, twice."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Chains of each source and polarity at most.")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Keys of other rows: question=q,steps=s,labels=l.")
    ] = None,
    panel_labels: Annotated[
        bool, typer.Option("--panel-labels", help="Let a panel's labels count as gold as well.")
    ] = False,
    bootstrap: Annotated[
        int, typer.Option(min=0, max=100_000, help="Resamples for the intervals.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of resamples and of models' prompts.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, max=1024, help="Requests at once.")] = 16,
    max_tokens: Annotated[int, typer.Option(min=1, help="Room of one answer.")] = 2048,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score judges on a corpus whose labels are known, or compare two scorings.

    Example: chainwright score perl/gsm8k --judge program:arithmetic --judge program:provenance
    """
    from chainwright.pipeline.scoring import compare_scorings
    from chainwright.pipeline.scoring import score as score_corpus
    from chainwright.pipeline.screens.score import print_comparison, print_scoring

    if compare is not None:
        found = compare_scorings(*compare, replicates=bootstrap, seed=seed)
        show_result(found, print_comparison, as_json)
        return
    if corpus is None:
        raise typer.BadParameter("name a corpus, or two scorings with --compare")
    scoring = score_corpus(
        corpus,
        judge or [],
        out or Path("scores") / (corpus.resolve().stem or "corpus"),
        limit=limit,
        columns=mapping,
        panel_labels=panel_labels,
        replicates=bootstrap,
        seed=seed,
        concurrency=concurrency,
        max_tokens=max_tokens,
        quiet=quiet,
    )
    show_result(scoring, print_scoring, as_json)


def rank(
    run: Run,
    whom: Annotated[For, typer.Option("--for", help="Chains for people, or judges.")] = "people",
    runs: Runs = RUNS,
    limit: Annotated[int, typer.Option(min=1, help="List at most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Say which chains people should read first, or which judge is worth its votes.

    Example: chainwright rank quickstart --for judges
    """
    from chainwright.pipeline.ranking import rank_run
    from chainwright.pipeline.screens.ranking import print_ranking

    show_result(rank_run(run, runs, whom, limit), print_ranking, as_json)
