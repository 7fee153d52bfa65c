"""Reporting: a run folder to a folder of pages for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.katex_tarball import HOW, katex_tarball
from chainwright.pipeline.manifest import Manifest, load_manifest
from chainwright.pipeline.model_use import models_asked
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.publishing import own_places
from chainwright.pipeline.run_folder import ON_REQUEST, STAGES, WHOLE_RUN_STAGES, RunFolder, is_held
from chainwright.pipeline.stores.working_copy import sent_elsewhere
from chainwright.pipeline.tables import iter_blocks, table_files
from chainwright.pipeline.totals import stage_totals
from chainwright.recipe_file import RecipeError, load_recipe
from chainwright.release.site.build import SiteLeaks, SiteSummary, write_site
from chainwright.release.site.chain_view import TABLES
from chainwright.release.site.overview import Facts
from chainwright.release.summary import StageCounts

_TAXONOMY = "taxonomy"
"""Where `chainwright taxonomy build RUN` puts its results."""


@dataclass(frozen=True)
class Reported:
    """A report that was written."""

    run: str
    folder: str
    notes: list[str]
    summary: SiteSummary

    @property
    def page(self) -> Path:
        """The page to open."""
        return Path(self.folder) / "index.html"

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "run": self.run,
            "folder": self.folder,
            "page": str(self.page),
            "notes": self.notes,
            **asdict(self.summary),
        }


def report(
    run: str,
    runs: Path,
    out: Path | None = None,
    *,
    katex: Path | None = None,
    offline: bool = False,
) -> Reported:
    """Writes the report of a run, finished or not.

    Args:
        run: A run folder, or a run's name.
        runs: Folder of the runs.
        out: The folder to write; None means `report` in the run folder.
        katex: The tarball of KaTeX, where the user has fetched it.
        offline: Whether nothing may be fetched.

    Raises:
        InputMistake: there is no such run, it has no chains yet, a table cannot be read, or the
            folder holds something else, lies where the run keeps its own or cannot be written.
    """
    folder = find_run(run, runs)
    manifest = load_manifest(folder)
    if manifest is None:
        raise InputMistake(f"the run {folder.path} has lost its manifest")
    if not table_files(folder.path, "chains"):
        raise InputMistake(
            f"run {folder.name} holds no chains yet, so there is nothing to look at; "
            "`chainwright build` makes them"
        )
    target = out or folder.path / "report"
    _require_apart(target, folder)
    notes = _notes(folder, manifest)
    found = katex_tarball(katex, offline=offline)
    map_page = folder.path / _TAXONOMY / "map.html"
    try:
        summary = write_site(
            target,
            iter_blocks(folder.path, TABLES),
            _facts(folder, manifest, notes),
            tarball=found.tarball,
            map_page=map_page if map_page.is_file() else None,
            places=own_places(folder),
        )
    except SiteLeaks as error:
        raise InputMistake(
            f"the report would hold what must not leave this machine: {error}. Take it out of the "
            "sources or the recipe and build again; nothing was written"
        ) from error
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        if error.errno is None:  # our own words: something else is in the way
            raise InputMistake(f"{error}, with --out") from error
        raise InputMistake(
            f"{target} cannot be written ({error.strerror}); choose another folder with --out"
        ) from error
    if found.tarball is None:
        notes.append(f"formulas are shown as LaTeX source: KaTeX is not here, and {found.missing}")
        notes.append(f"for drawn formulas: {HOW}")
    return Reported(str(folder.path), str(target), notes, summary)


def _require_apart(target: Path, folder: RunFolder) -> None:
    """Refuses a place that the run needs for itself."""
    taken = {folder.path.resolve(), *(folder.path.resolve() / stage for stage in STAGES)}
    if target.resolve() in taken:
        raise InputMistake(f"{target} is the run's own; choose another folder with --out")


def _notes(folder: RunFolder, manifest: Manifest) -> list[str]:
    """What is missing from a run that is not whole."""
    notes = []
    outcome = manifest.outcome
    if is_held(folder) or (outcome == "running" and sent_elsewhere(folder)):
        notes.append("a build was under way: the figures are those of the blocks it had finished")
    elif outcome != "done":
        ended = "was killed" if outcome == "running" else f"ended {outcome}"
        notes.append(f"the last build {ended}: the same `chainwright build` goes on from there")
    if not table_files(folder.path, "votes"):
        notes.append("nobody has judged the chains yet")
    if not table_files(folder.path, "labels"):
        notes.append("the chains have no labels yet; exact ones are shown where there are any")
    elif not folder.statistics.is_file():
        notes.append("agreement and calibration are not computed yet")
    if not (folder.release / "manifest.json").is_file():
        notes.append("there is no release yet")
    return notes


def _facts(folder: RunFolder, manifest: Manifest, notes: Sequence[str]) -> Facts:
    stages = dict(_stages(folder, manifest))
    return Facts(
        name=manifest.name,
        title=_title(folder) or manifest.name,
        outcome=manifest.outcome,
        notes=list(notes),
        stages=[counts for counts, _ in stages.values()],
        blocks={stage: blocks for stage, (_, blocks) in stages.items()},
        models=models_asked(folder.ledger),
        statistics=_statistics(folder),
        budget=manifest.budget.in_words if manifest.budget else None,
    )


def _stages(
    folder: RunFolder, manifest: Manifest
) -> Iterator[tuple[str, tuple[StageCounts, tuple[int, int | None]]]]:
    """The stages in order with their counts and blocks; statistics move no rows."""
    for stage in STAGES:
        journal = Journal(folder.journal(stage))
        if stage == "statistics" or (stage in ON_REQUEST and not journal.entries):
            continue
        total = 1 if stage in WHOLE_RUN_STAGES else manifest.blocks
        entries = [one for one in journal.entries.values() if total is None or one.block < total]
        totals = stage_totals(entries)
        counts = StageCounts(
            stage,
            taken={one.table: one.taken for one in totals},
            made={one.table: one.made for one in totals},
            rejected={one.table: one.rejected for one in totals if one.rejected},
        )
        yield stage, (counts, (len(entries), total))


def _title(folder: RunFolder) -> str | None:
    """The release's title, where the recipe can be read and has one."""
    try:
        return load_recipe(folder.recipe).release.title
    except RecipeError:
        return None


def _statistics(folder: RunFolder) -> dict[str, Any] | None:
    try:
        value = json.loads(folder.statistics.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise InputMistake(f"{folder.statistics}: unreadable: {error}; build again") from error
    return value if isinstance(value, dict) else None
