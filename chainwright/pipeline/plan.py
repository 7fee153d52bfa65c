"""Plan: which blocks of which stages a build would run, and why, found without running any."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.executor import input_hash, settings_hash
from chainwright.pipeline.journal import Causes, Entry, Journal, is_in_place
from chainwright.pipeline.line import (
    PROBLEMS,
    RELEASE,
    STATISTICS,
    Line,
    WholeRun,
    code_versions,
)
from chainwright.pipeline.problems import WRITES, problem_causes
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.whole_run import whole_causes

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.stage import Stage


@dataclass(frozen=True)
class StagePlan:
    """What a build would do in one stage.

    `run` is the most it could be: a stage whose input is made again is skipped after all where
    the rows come out the same.
    """

    stage: str
    run: int
    kept: int
    because: dict[str, int]
    """Blocks by reason: `new`, `settings`, `code`, `input`, `files` (missing or changed)."""

    def as_json(self) -> dict[str, Any]:
        """The plan as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        if not self.run:
            return "unchanged"
        why = ", ".join(self.because)
        return f"{self.run} of {self.run + self.kept} would run ({why})"


@dataclass(frozen=True)
class Planner:
    """Looks ahead along the line of one run.

    Attributes:
        folder: The run.
        recipe: The recipe that would be built.
        line: The stages.
        blocks: Blocks of the run, as far as known.
        verify: Whether to compare files with their hashes too, which reads them.
    """

    folder: RunFolder
    recipe: Recipe
    line: Line
    blocks: int
    verify: bool

    def plans(self, recipe_folder: Path | None) -> list[StagePlan]:
        """One plan for each stage, in order.

        Args:
            recipe_folder: Where the sources' relative paths start; None takes the sources to
                be what they were.

        Raises:
            SourceError: when a source cannot be read.
        """
        codes = code_versions(self.line)
        journals = {PROBLEMS: Journal(self.folder.journal(PROBLEMS))}
        dirty: dict[str, set[int]] = defaultdict(set)
        plans = [self._problems(journals[PROBLEMS], recipe_folder, codes[PROBLEMS], dirty)]
        for stage in self.line.stages:
            journals[stage.name] = Journal(self.folder.journal(stage.name))
            plans.append(self._stage(stage, journals, codes[stage.name], dirty))
        for whole in (STATISTICS, RELEASE):
            journals[whole.name] = Journal(self.folder.journal(whole.name))
            plans.append(self._whole(whole, journals, codes[whole.name], dirty))
        return plans

    def _problems(
        self, journal: Journal, recipe_folder: Path | None, code: str, dirty: dict[str, set[int]]
    ) -> StagePlan:
        causes = problem_causes(self.recipe, recipe_folder, code)
        found = {}
        for block in range(self.blocks):
            entry = journal.entries.get(block)
            if entry is not None and recipe_folder is None:
                causes = causes.model_copy(update={"input": entry.causes.input})
            found[block] = self._reasons(entry, causes)
        if any(found.values()):  # the stage runs as a whole
            whole = sorted({reason for why in found.values() for reason in why})
            found = {block: why or whole for block, why in found.items()}
        return _noted(PROBLEMS, found, WRITES, dirty)

    def _stage(
        self, stage: Stage, journals: dict[str, Journal], code: str, dirty: dict[str, set[int]]
    ) -> StagePlan:
        settings = settings_hash(stage.settings(self.recipe))
        journal = journals[stage.name]
        before = {name: each for name, each in journals.items() if name != stage.name}
        found = {}
        for block in range(self.blocks):
            causes = Causes(
                settings=settings, code=code, input=input_hash(stage.reads, before, block)
            )
            why = self._reasons(journal.entries.get(block), causes)
            if any(block in dirty[table] for table in stage.reads):
                why = list(dict.fromkeys([*why, "input"]))
            found[block] = why
        return _noted(stage.name, found, stage.writes, dirty)

    def _whole(
        self, stage: WholeRun, journals: dict[str, Journal], code: str, dirty: dict[str, set[int]]
    ) -> StagePlan:
        before = {name: each for name, each in journals.items() if name != stage.name}
        causes = whole_causes(stage, self.recipe, before, code, self.blocks)
        why = self._reasons(journals[stage.name].entries.get(0), causes)
        if any(dirty[table] for table in (*stage.reads, STATISTICS.name)):
            why = list(dict.fromkeys([*why, "input"]))
        return _noted(stage.name, {0: why}, (stage.name,), dirty)

    def _reasons(self, entry: Entry | None, causes: Causes) -> list[str]:
        if entry is None:
            return ["new"]
        changed = causes.changed(entry.causes)
        if not changed and self.verify and not is_in_place(self.folder.path, entry.files):
            return ["files"]
        return changed


def _noted(
    stage: str, found: dict[int, list[str]], writes: Iterable[str], dirty: dict[str, set[int]]
) -> StagePlan:
    """Sums up a stage, and notes which rows of which tables would be made again."""
    run = {block for block, why in found.items() if why}
    for table in writes:
        dirty[table] |= run
    because = Counter(reason for why in found.values() for reason in why)
    return StagePlan(stage, len(run), len(found) - len(run), dict(because))
