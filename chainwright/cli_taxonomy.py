"""The commands under `chainwright taxonomy`: each hands over to the pipeline."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from chainwright.cli_options import EXIT_CODES, RUNS, AsJson, Runs, show

taxonomy = typer.Typer(
    name="taxonomy",
    help="Find the ways in which steps go wrong: critiques to clusters to named categories.\n\n"
    "Example: chainwright taxonomy build runs/grace",
    short_help="Find the ways in which steps go wrong.",
    no_args_is_help=True,
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing while working.")]
Folder = Annotated[Path, typer.Argument(help="The folder of a taxonomy that was built.")]
Critiques = Annotated[
    str, typer.Argument(help="A run, its name, or a Parquet or JSONL file of critiques.")
]
Engine = Literal["default", "quick"]
Track = Literal["math", "inference", "grounding"]
EngineOption = Annotated[
    Engine, typer.Option(help="`default`: umap-learn and hdbscan; `quick`: the same, sooner.")
]
Out = Annotated[Path | None, typer.Option("--out", help="The folder to write.")]
Smallest = Annotated[
    int | None, typer.Option(min=2, help="The fewest distinct texts of a cluster.")
]


@taxonomy.command(epilog=EXIT_CODES, short_help="Cluster critiques and draft a taxonomy.")
def build(
    critiques: Critiques,
    runs: Runs = RUNS,
    out: Out = None,
    engine: EngineOption = "default",
    embedder: Annotated[
        str, typer.Option(help="A model of the Hub, a folder, or `minilm` (needs no network).")
    ] = "BAAI/bge-small-en-v1.5",
    model: Annotated[
        str | None,
        typer.Option(help="URI of the model that names and merges clusters; without, by terms."),
    ] = None,
    categories: Annotated[
        int | None, typer.Option(min=1, help="How many categories to aim for.")
    ] = None,
    track: Annotated[
        Track | None, typer.Option(help="The track of all, where sources don't tell it.")
    ] = None,
    min_cluster_size: Annotated[
        int, typer.Option(min=2, help="The fewest distinct texts of a cluster.")
    ] = 50,
    min_samples: Annotated[int, typer.Option(min=1, help="The larger, the more noise.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same labels.")] = 0,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a Ray cluster: HOST:PORT, auto, or local."),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Cluster critiques, name the clusters and draft a taxonomy for a person to edit.

    Example: chainwright taxonomy build critiques.jsonl --embedder minilm
    """
    from chainwright.pipeline.taxonomy.build import build_taxonomy
    from chainwright.pipeline.taxonomy.screens import print_built
    from chainwright.taxonomy.clustering import Settings

    settings = Settings(
        engine=engine, min_cluster_size=min_cluster_size, min_samples=min_samples, seed=seed
    )
    built = build_taxonomy(
        critiques,
        runs,
        settings=settings,
        embedder=embedder,
        out=out,
        model=model,
        categories=categories,
        track=track,
        quiet=quiet,
        ray=ray,
    )
    show(built, print_built, as_json)


@taxonomy.command(epilog=EXIT_CODES, short_help="Look into one cluster by itself.")
def focus(
    folder: Folder,
    cluster: Annotated[str, typer.Argument(help="Its number, or `noise`.")],
    min_cluster_size: Smallest = None,
    out: Out = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Cluster the critiques of one cluster anew: a focused second pass.

    Example: chainwright taxonomy focus runs/grace/taxonomy 3
    """
    from chainwright.pipeline.taxonomy.focus import focus_taxonomy
    from chainwright.pipeline.taxonomy.screens import print_built

    found = focus_taxonomy(folder, cluster, min_cluster_size=min_cluster_size, out=out, quiet=quiet)
    show(found, print_built, as_json)


@taxonomy.command(epilog=EXIT_CODES, short_help="Check an edited taxonomy and write it.")
def apply(
    file: Annotated[Path, typer.Argument(help="The edited taxonomy.yaml.")],
    build_folder: Annotated[
        Path | None, typer.Option("--build", help="The folder of its clusters, if elsewhere.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check an edited taxonomy file and write it as the table that annotation reads.

    Example: chainwright taxonomy apply runs/grace/taxonomy/taxonomy.yaml
    """
    from chainwright.pipeline.taxonomy.apply import apply_taxonomy
    from chainwright.pipeline.taxonomy.screens import print_applied

    show(apply_taxonomy(file, build_folder), print_applied, as_json)


@taxonomy.command(epilog=EXIT_CODES, short_help="Repeat the clustering: seeds and resamples.")
def stability(
    folder: Folder,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds to compare.")] = 5,
    resamples: Annotated[int, typer.Option(min=0, help="How many resamples of the texts.")] = 10,
    engine: Annotated[
        Engine | None, typer.Option(help="Another engine than the one it was built with.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say how far clusters and shares depend on the seed and on the sample.

    Example: chainwright taxonomy stability runs/grace/taxonomy --seeds 3
    """
    from chainwright.pipeline.taxonomy.screens import print_tried
    from chainwright.pipeline.taxonomy.trust import try_stability

    found = try_stability(folder, seeds=seeds, resamples=resamples, engine=engine, quiet=quiet)
    show(found, print_tried, as_json)


@taxonomy.command(epilog=EXIT_CODES, short_help="Assign another critic's critiques.")
def project(
    folder: Folder,
    critiques: Critiques,
    runs: Runs = RUNS,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Assign another critic's critiques to the categories and compare the distributions.

    Example: chainwright taxonomy project runs/grace/taxonomy second.jsonl
    """
    from chainwright.pipeline.taxonomy.screens import print_projected
    from chainwright.pipeline.taxonomy.trust import project_critiques

    show(project_critiques(folder, critiques, runs, quiet=quiet), print_projected, as_json)


@taxonomy.command(epilog=EXIT_CODES, short_help="Match two taxonomies.")
def compare(
    first: Folder,
    second: Folder,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Match the categories of two taxonomies that were found independently.

    Example: chainwright taxonomy compare runs/grace/taxonomy runs/again/taxonomy
    """
    from chainwright.pipeline.taxonomy.screens import print_compared
    from chainwright.pipeline.taxonomy.trust import compare_taxonomies

    show(compare_taxonomies(first, second, quiet=quiet), print_compared, as_json)


@taxonomy.command("map", epilog=EXIT_CODES, short_help="Draw all critiques on one page.")
def draw_map(
    folder: Folder,
    out: Annotated[Path | None, typer.Option("--out", help="The HTML file to write.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Draw all critiques as an interactive map: one HTML file that needs no network.

    Example: chainwright taxonomy map runs/grace/taxonomy
    """
    from chainwright.pipeline.taxonomy.map_page import write_map
    from chainwright.pipeline.taxonomy.screens import print_mapped

    show(write_map(folder, out, quiet=quiet), print_mapped, as_json)
