"""Plan: which blocks of which stages a build would run, and why, found without running any."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.decontamination import test_set_prints
from chainwright.pipeline.executor import block_causes
from chainwright.pipeline.journal import Causes, Entry, Journal, is_in_place
from chainwright.pipeline.line import (
    PROBLEMS,
    RELEASE,
    STATISTICS,
    Line,
    WholeRun,
    code_versions,
)
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.problems import first_tables, problem_causes
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
    """Blocks by reason: `new`, `settings`, `code`, `input`, `files` (missing or changed),
    `unanswered` (requests to models that failed)."""

    def as_json(self) -> dict[str, Any]:
        """The plan as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        if not self.run:
            return "unchanged"
        why = ", ".join(self.because)
        return f"{self.run} of {self.run + self.kept} would run ({why})"


@dataclass
class Outlook:
    """What a build would do, stage by stage.

    Attributes:
        plans: One for each stage, in order.
        journals: By stage, in order: what is there already.
        run: By stage the blocks that would run.
        dirty: By table the blocks whose rows would be made again.
    """

    plans: list[StagePlan] = field(default_factory=list)
    journals: dict[str, Journal] = field(default_factory=dict)
    run: dict[str, set[int]] = field(default_factory=dict)
    dirty: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def before(self, stage: str) -> dict[str, Journal]:
        """The journals of the stages before one."""
        return dict(takewhile(lambda item: item[0] != stage, self.journals.items()))

    def note(self, stage: str, found: dict[int, list[str]], writes: Iterable[str]) -> None:
        """Sums up a stage, and notes which rows of which tables would be made again.

        Args:
            stage: Its name.
            found: By block why it would run; nothing where it would not.
            writes: The tables that the stage makes rows of.
        """
        run = {block for block, why in found.items() if why}
        for table in writes:
            self.dirty[table] |= run
        because = Counter(reason for why in found.values() for reason in why)
        self.run[stage] = run
        self.plans.append(StagePlan(stage, len(run), len(found) - len(run), dict(because)))


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
        """One plan for each stage, in order; see `outlook`."""
        return self.outlook(recipe_folder).plans

    def outlook(self, recipe_folder: Path | None) -> Outlook:
        """The plans of all stages, and what they rest on.

        Args:
            recipe_folder: Where the sources' relative paths start; None takes the sources to
                be what they were.

        Raises:
            SourceError: when a source cannot be read.
        """
        codes = code_versions(self.line, self.recipe)
        out = Outlook()
        out.journals[PROBLEMS] = Journal(self.folder.journal(PROBLEMS))
        self._problems(out, recipe_folder, codes[PROBLEMS])
        for stage in self.line.stages:
            if stage.wanted(self.recipe):
                out.journals[stage.name] = Journal(self.folder.journal(stage.name))
                self._stage(stage, out, codes[stage.name])
        prints = self._prints(recipe_folder)
        for whole in (STATISTICS, RELEASE):
            out.journals[whole.name] = Journal(self.folder.journal(whole.name))
            self._whole(whole, out, codes[whole.name], prints if whole is RELEASE else [])
        return out

    def _problems(self, out: Outlook, recipe_folder: Path | None, code: str) -> None:
        journal = out.journals[PROBLEMS]
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
        out.note(PROBLEMS, found, first_tables(self.recipe))

    def _stage(self, stage: Stage, out: Outlook, code: str) -> None:
        journal = out.journals[stage.name]
        before = out.before(stage.name)
        found: dict[int, list[str]] = {}
        behind = False
        for block, causes in enumerate(block_causes(stage, self.recipe, before, code, self.blocks)):
            why = self._reasons(journal.entries.get(block), causes)
            remade = any(block in out.dirty[table] for table in stage.reads)
            behind = remade or (behind and stage.sweep is not None)
            if behind:
                why = list(dict.fromkeys([*why, "input"]))
            found[block] = why
        out.note(stage.name, found, stage.writes)

    def _prints(self, recipe_folder: Path | None) -> list[str]:
        """A word for each test set; those of the last build where the sets are not looked at."""
        if recipe_folder is not None:
            return test_set_prints(self.recipe, recipe_folder)
        former = load_manifest(self.folder)
        return former.test_sets if former else []

    def _whole(self, stage: WholeRun, out: Outlook, code: str, prints: list[str]) -> None:
        before = out.before(stage.name)
        causes = whole_causes(stage, self.recipe, before, code, self.blocks, prints)
        why = self._reasons(out.journals[stage.name].entries.get(0), causes)
        if any(out.dirty[table] for table in (*stage.reads, STATISTICS.name)):
            why = list(dict.fromkeys([*why, "input"]))
        out.note(stage.name, {0: why}, (stage.name,))

    def _reasons(self, entry: Entry | None, causes: Causes) -> list[str]:
        if entry is None:
            return ["new"]
        changed = causes.changed(entry.causes)
        if not changed and self.verify and not is_in_place(self.folder.path, entry.files):
            return ["files"]
        return [*changed, "unanswered"] if entry.unanswered else changed
