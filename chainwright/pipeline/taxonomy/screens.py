"""Screens of the taxonomy commands: what each found, for people to read."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright.pipeline.screens.terminal import one_line
from chainwright.pipeline.taxonomy.apply import Applied
from chainwright.pipeline.taxonomy.build import Built
from chainwright.pipeline.taxonomy.map_page import Mapped
from chainwright.pipeline.taxonomy.trust import Compared, Projected, Tried
from chainwright.taxonomy.clustering import Sweep, cliffs
from chainwright.taxonomy.tracks import TrackSplit

MOST_CLUSTERS = 30
MOST_FAULTS = 3


def print_built(built: Built, screen: Console) -> None:
    """Prints what a build found."""
    record = built.record
    screen.print(Text(f"taxonomy of {record.input}", style="bold"))
    screen.print(
        f"{record.rows:,} rows = {record.critiques:,} critiques + {record.rejects:,} rejects; "
        f"{record.texts:,} distinct texts"
    )
    for line in record.scaled:
        screen.print(f"scaled down to so few texts: {line}")
    share = record.noise_texts / record.texts
    screen.print(
        f"{len(record.clusters)} clusters; noise: {record.noise_texts:,} texts ({share:.1%}), "
        f"{record.noise_critiques:,} critiques; labels by {record.libraries[-1]}"
    )
    _print_sweep(built, screen)
    unnamed = [each for each in record.clusters if each.fault]
    if unnamed:
        words = f"{len(unnamed)} of {len(record.clusters)} clusters are named by their terms, "
        screen.print(Text(f"{words}since the model gave no usable name:", style="yellow"))
    for each in unnamed[:MOST_FAULTS]:
        screen.print(Text(one_line(f"  {each.cluster}: {each.fault}"), style="yellow"))
    if len(unnamed) > MOST_FAULTS:
        words = f"  and {len(unnamed) - MOST_FAULTS} more in {built.folder.record}"
        screen.print(Text(words, style="yellow"))
    if record.merge_fault:
        words = one_line(f"clusters merged by their centroids; the model: {record.merge_fault}")
        screen.print(Text(words, style="yellow"))
    table = _table("cluster", "name", "texts", "critiques", "tags", numbers=(0, 2, 3))
    for each in record.clusters[:MOST_CLUSTERS]:
        tags = ", ".join(tag for tag, _ in each.tags[:3])
        table.add_row(
            str(each.cluster),
            each.name,
            f"{each.texts:,}",
            f"{each.critiques:,}",
            one_line(tags, 40),
        )
    screen.print(table)
    if len(record.clusters) > MOST_CLUSTERS:
        screen.print(f"and {len(record.clusters) - MOST_CLUSTERS} more in {built.folder.record}")
    _print_tracks(built.split, screen)
    screen.print(f"to edit: {built.folder.draft}")
    screen.print(f"then:    chainwright taxonomy apply {built.folder.draft}")


def print_applied(applied: Applied, screen: Console) -> None:
    """Prints what was written."""
    table = _table("track", "category", "clusters", "critiques", numbers=(2, 3))
    for taxonomy in applied.taxonomies:
        for category in taxonomy.categories:
            count = applied.counts[category.name]
            table.add_row(taxonomy.track, category.name, str(len(category.clusters)), f"{count:,}")
    screen.print(table)
    screen.print(f"left out: {applied.left_out:,} critiques; in no cluster: {applied.noise:,}")
    _print_tracks(applied.split, screen)
    screen.print(f"written: {applied.folder.table}")
    screen.print(f"         {applied.folder.document}")
    screen.print(f"         {applied.folder.part}, for a recipe whose judges vote by it")


def print_tried(tried: Tried, screen: Console) -> None:
    """Prints how stable a taxonomy is."""
    found = tried.stability
    if found.mean_ari is not None:
        values = sorted(each.ari for each in found.between_seeds)
        screen.print(
            f"{len(found.seeds)} seeds ({tried.engine} engine): mean ARI {found.mean_ari:.3f} "
            f"({values[0]:.3f} to {values[-1]:.3f})"
        )
    if found.samples:
        values = sorted(each.ari for each in found.samples)
        screen.print(
            f"{len(values)} resamples against the reference: mean ARI "
            f"{sum(values) / len(values):.3f} ({values[0]:.3f} to {values[-1]:.3f})"
        )
    low, high = min(found.clusters), max(found.clusters)
    screen.print(
        f"clusters {low} to {high}; noise {min(found.noise):.1%} to {max(found.noise):.1%}"
    )
    table = _table("category", "share", "95% of resamples", "lost in", numbers=(1, 2, 3))
    for name, share in found.shares.items():
        lost = found.lost.get(name)
        table.add_row(
            name,
            f"{share.share:.1%}",
            f"{share.low:.1%} to {share.high:.1%}",
            "" if lost is None else f"{lost} of {len(found.samples)}",
        )
    screen.print(table)


def print_projected(projected: Projected, screen: Console) -> None:
    """Prints two critics' distributions side by side."""
    found = projected.projection
    screen.print(
        f"{projected.texts:,} texts of {projected.critiques}; {projected.rejects:,} rejected rows; "
        f"out of reach of every centroid: {found.rejected:.1%}"
    )
    if projected.known:
        screen.print(
            Text(
                f"{projected.known:,} of the texts are in the taxonomy's own corpus as well",
                style="yellow",
            )
        )
    if found.mean_cosine is not None and found.shuffled is not None:
        screen.print(
            f"mean cosine {found.mean_cosine:.3f}; "
            f"with the assignment shuffled {found.shuffled:.3f}"
        )
    table = _table("category", "first critic", "second critic", "critiques", numbers=(1, 2, 3))
    for row in projected.shares:
        table.add_row(
            row.category, f"{row.first:.1%}", f"{row.second:.1%}", f"{row.second_count:,}"
        )
    screen.print(table)
    if projected.distance is not None:
        screen.print(
            f"total variation distance {projected.distance:.3f} (0 = the same, 1 = disjoint)"
        )


def print_compared(compared: Compared, screen: Console) -> None:
    """Prints two inventories matched."""
    found = compared.comparison
    table = _table("first", "second", "cosine", "lead", "mutual", numbers=(2, 3))
    for match in found.matches:
        table.add_row(
            match.first,
            match.second or "--",
            "" if match.cosine is None else f"{match.cosine:.3f}",
            "" if match.lead is None else f"{match.lead:+.3f}",
            "yes" if match.mutual else "no",
        )
    screen.print(table)
    if found.only_second:
        screen.print(f"only in the second: {', '.join(found.only_second)}")
    if found.mean_cosine is not None and found.any_pair is not None:
        screen.print(
            f"mean cosine of the pairs {found.mean_cosine:.3f}; of any two categories "
            f"{found.any_pair:.3f}; critiques in mutual matches {found.mutual:.1%}"
        )


def print_mapped(mapped: Mapped, screen: Console) -> None:
    """Prints where the page is."""
    screen.print(f"{mapped.texts:,} texts, {mapped.size / 1e6:.1f} MB: {mapped.page}")


def _print_sweep(built: Built, screen: Console) -> None:
    tried = built.record.sweep
    if not tried:
        return
    words = ", ".join(
        f"{each.min_cluster_size}: {each.clusters} ({each.noise_share:.0%} noise)" for each in tried
    )
    screen.print(f"clusters by smallest cluster: {words}")
    sweep = [Sweep(**each.model_dump()) for each in tried]
    for small, large in cliffs(sweep):
        screen.print(
            Text(
                f"between {small.min_cluster_size} and {large.min_cluster_size} the clusters fall "
                f"from {small.clusters} to {large.clusters}: look at both",
                style="yellow",
            )
        )


def _print_tracks(split: TrackSplit, screen: Console) -> None:
    sources = list(split.source_track)
    if not sources:
        screen.print("no critique says its source, so no track is told apart")
        return
    width = len(sources)
    table = _table("category", "track", "purity", *sources, numbers=tuple(range(2, 3 + width)))
    for category, counts in split.table.items():
        purity = split.purity[category]
        table.add_row(
            category,
            split.track[category] or "--",
            "" if purity is None else f"{purity:.0%}",
            *(f"{counts.get(source, 0):,}" for source in sources),
        )
    screen.print(table)
    if not split.declared:
        screen.print("the sources do not say their tracks: the two groups are read off the table")


def _table(*columns: str, numbers: tuple[int, ...] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, column in enumerate(columns):
        table.add_column(Text(one_line(column, 30)), justify="right" if at in numbers else "left")
    return table
