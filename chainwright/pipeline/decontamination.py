"""Test sets: what `release.decontaminate` names, found before a build and read at its end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from chainwright.builders.fields import Refused
from chainwright.builders.problem_rows import problem_from_row
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.reading.hub_rows import commit_of
from chainwright.pipeline.reading.rows import RawRow, RowFault, fingerprint, read_rows
from chainwright.pipeline.reading.source_files import SourceError
from chainwright.pipeline.run_folder import RunFolder
from chainwright.recipe_parts.decontamination import NamedSource, sources_of
from chainwright.release.contamination import TestItem, TestItems, context_text

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.recipe_parts.sources import Source

FIRST_ROWS = 50
"""Rows of a set in which a question has to be found before a build begins."""


def test_set_prints(recipe: Recipe, recipe_folder: Path) -> list[str]:
    """A word for each test set that changes with it, as `fingerprint` gives for a source.

    Raises:
        SourceError: when a file cannot be found or opened.
    """
    return [f"{one.name} {_found(one.name, one.source, recipe_folder)}" for one in _sets(recipe)]


def require_test_sets(recipe: Recipe, recipe_folder: Path) -> None:
    """Looks into the first rows of each test set, so that a build does not fail at its end.

    Raises:
        SourceError: when a set cannot be read, or none of the rows holds a question.
    """
    for one in _sets(recipe):
        name, source = one.name, one.source
        refusal = "it holds no rows"
        for row in islice(_rows(name, source, recipe_folder), FIRST_ROWS):
            item = _item(row, source)
            if isinstance(item, TestItem):
                break
            refusal = item
        else:
            raise SourceError(
                f"test set `{name}` of release.decontaminate has no question in its first "
                f"{FIRST_ROWS} rows ({refusal}); correct `kind`, or the column in `question`"
            )


def are_unchanged(folder: RunFolder, recipe_path: Path, prints: list[str]) -> bool:
    """Whether the last build was finished with this very recipe and these test sets."""
    former = load_manifest(folder)
    if former is None or former.outcome != "done" or former.test_sets != prints:
        return False
    kept = folder.recipe
    return kept.is_file() and kept.read_text(encoding="utf-8") == recipe_path.read_text(
        encoding="utf-8-sig"
    )


def test_sets(recipe: Recipe, recipe_folder: Path) -> list[TestItems]:
    """The test sets, each read as it is gone through.

    Of a dataset on the Hub the commit is asked for first, and that commit is read and named.
    """
    sets = []
    for one in _sets(recipe):
        source = _at_a_commit(one.source)
        items = _items(one.name, source, recipe_folder)
        sets.append(TestItems(one.name, _place(source), items, one.stated))
    return sets


def _sets(recipe: Recipe) -> Iterator[NamedSource]:
    for entry in recipe.release.decontaminate:
        yield from sources_of(entry)


def _at_a_commit(source: Source) -> Source:
    """The source, pinned to what its revision is now; as it is where the Hub does not say."""
    commit = None if source.hub is None else commit_of(source.hub, source.revision)
    return source.model_copy(update={"revision": commit}) if commit else source


def _items(name: str, source: Source, recipe_folder: Path) -> Iterator[TestItem | None]:
    for row in _rows(name, source, recipe_folder):
        item = _item(row, source)
        yield item if isinstance(item, TestItem) else None


def _item(row: RawRow | RowFault, source: Source) -> TestItem | str:
    """A question of a test set, or why the row holds none."""
    if isinstance(row, RowFault):
        return f"{row.where}: {row.detail}"
    try:
        problem = problem_from_row(row.row, source, row.where)
    except Refused as refused:
        return f"{row.where}: {refused.detail}"
    return TestItem(problem.origin_ref, problem.question, context_text(problem))


def _rows(name: str, source: Source, recipe_folder: Path) -> Iterator[RawRow | RowFault]:
    try:
        yield from read_rows(source, recipe_folder=recipe_folder)
    except InputMistake as error:
        raise _unreadable(name, error) from error


def _found(name: str, source: Source, recipe_folder: Path) -> str:
    try:
        return fingerprint(source, recipe_folder=recipe_folder)
    except InputMistake as error:
        raise _unreadable(name, error) from error


def _unreadable(name: str, error: InputMistake) -> SourceError:
    return SourceError(f"test set `{name}` of release.decontaminate: {error}")


def _place(source: Source) -> str:
    if source.hub is None:
        return Path(source.path or "").name
    parts = (source.hub, source.hub_config, source.split)
    revision = f"@{source.revision}" if source.revision else ""
    return "/".join(part for part in parts if part) + revision
