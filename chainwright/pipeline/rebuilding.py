"""Rebuilding: a release with withheld rows and the sources' own files, made into whole rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.builders.fields import Refused
from chainwright.builders.problem_rows import problem_from_row
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.named_run import local_path
from chainwright.pipeline.reading.rows import RowFault, read_rows
from chainwright.recipe_file import load_recipe
from chainwright.release.hub_faults import HubRefused
from chainwright.release.hub_pull import check_files, read_manifest
from chainwright.release.published import published_recipe
from chainwright.release.rebuild import RebuildRefused, rebuild_release, withheld_problems
from chainwright.release.rebuild_recipe import FILE
from chainwright.release.redaction import public_row

if TYPE_CHECKING:
    from rich.console import Console

    from chainwright.recipe import Recipe


@dataclass(frozen=True)
class RebuiltRelease:
    """What `rebuild` made.

    Attributes:
        folder: Where the whole rows are.
        counts: Rows by config and split.
        restored: Of them those that were withheld, by config.
    """

    folder: str
    counts: dict[str, dict[str, int]]
    restored: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return asdict(self)


def rebuild(release: Path, files: Sequence[str], out: Path | None) -> RebuiltRelease:
    """Puts the rows together that a release withheld, and checks each by its hash.

    Args:
        release: The release's folder, a run's or one that was pulled.
        files: NAME=PATH for each source whose files lie elsewhere than `rebuild.yaml` says.
        out: Where the whole rows go; None means beside the release, with `-whole` to its name.

    Raises:
        InputMistake: when it is no release, nothing was withheld, or a source is not what the
            release was built from.
        SourceError: when a source cannot be read.
    """
    release = local_path(release)
    try:
        check_files(release, read_manifest(release, str(release)), str(release))
    except HubRefused as error:
        raise InputMistake(str(error)) from error
    if not (release / FILE).is_file():
        raise InputMistake(f"{release} has no {FILE}: nothing was withheld from it")
    recipe = _with_files(load_recipe(release / FILE), files)
    folder = out or release.absolute().with_name(f"{release.absolute().name}-whole")
    read = _read(recipe, release, set(withheld_problems(release)))
    try:
        made = rebuild_release(release, folder, read, recipe=published_recipe(release))
    except RebuildRefused as error:
        raise InputMistake(str(error)) from error
    except FileExistsError as error:
        raise InputMistake(f"{error}, with --out") from error
    return RebuiltRelease(str(folder), made.counts, made.restored)


def _with_files(recipe: Recipe, files: Sequence[str]) -> Recipe:
    """The recipe with the files that were given in place of its own."""
    given: dict[str, str] = {}
    names = [source.known_as for source in recipe.sources]
    for one in files:
        name, is_pair, path = one.partition("=")
        if not is_pair or not path or name not in names:
            raise InputMistake(
                f"found --source {one}, expected NAME=PATH with a NAME of {', '.join(names)}"
            )
        given[name] = str(Path(path).absolute())
    sources = [
        source.model_copy(
            update={"path": given[source.known_as], "hub": None, "config": None, "revision": None}
            | ({"split": source.known_split, "licence": source.known_licence})
        )
        if source.known_as in given
        else source
        for source in recipe.sources
    ]
    return recipe.model_copy(update={"sources": sources})


def _read(recipe: Recipe, release: Path, wanted: set[str]) -> Mapping[str, dict[str, Any]]:
    """The problems that are wanted, by id, as the sources have them."""
    found: dict[str, dict[str, Any]] = {}
    for source in recipe.sources:
        for row in read_rows(source, recipe_folder=release, seed=recipe.seed):
            if isinstance(row, RowFault):
                continue
            try:
                problem = problem_from_row(row.row, source, row.where)
            except Refused:
                continue
            if problem.problem_id in wanted and problem.problem_id not in found:
                found[problem.problem_id] = public_row(problem.model_dump())
    return found


def print_rebuilt(made: RebuiltRelease, screen: Console) -> None:
    """Prints how many rows came back, and what to do with them."""
    told = ", ".join(f"{count:,} {config}" for config, count in made.restored.items())
    screen.print(f"put together and checked by hash: {told}", soft_wrap=True)
    screen.print(f"whole rows in {made.folder}; its licences keep them here", soft_wrap=True)
    screen.print(f"\nchainwright validate {made.folder}", soft_wrap=True)
