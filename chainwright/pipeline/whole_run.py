"""Whole-run stages: statistics and release, which read every block and run as one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.decontamination import test_sets
from chainwright.pipeline.executor import (
    Advance,
    Outcome,
    Upstream,
    block_tables,
    inputs,
    is_current,
    settings_hash,
)
from chainwright.pipeline.fault_log import stopped
from chainwright.pipeline.files import file_hash, write_json
from chainwright.pipeline.journal import Causes, Entry, Journal, WrittenFile
from chainwright.pipeline.line import RELEASE, STATISTICS, Line, WholeRun
from chainwright.pipeline.manifest import library_versions
from chainwright.pipeline.model_use import models_asked
from chainwright.pipeline.people.figures import human_document
from chainwright.pipeline.reject_shards import RejectShards
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.totals import stage_totals
from chainwright.release.summary import StageCounts, counts_of
from chainwright.schemas.identity import content_hash

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


class Blocks:
    """The tables of a run, one block after the other; may be gone through again and again."""

    def __init__(
        self, folder: RunFolder, reads: tuple[str, ...], upstream: Upstream, blocks: int
    ) -> None:
        self._folder = folder
        self._reads = reads
        self._upstream = upstream
        self._blocks = blocks

    def __len__(self) -> int:
        return self._blocks

    def __iter__(self) -> Iterator[dict[str, list[Any]]]:
        for block in range(self._blocks):
            yield block_tables(self._folder, self._reads, self._upstream, block)


@dataclass(frozen=True)
class Made:
    """What a whole-run stage made: its files, and counts where it moves rows."""

    files: list[Path]
    taken: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, dict[str, int]] = field(default_factory=dict)


def run_statistics(
    folder: RunFolder,
    line: Line,
    recipe: Recipe,
    upstream: Upstream,
    code: str,
    blocks: int,
    advance: Advance,
) -> tuple[Journal, Outcome]:
    """Brings `statistics.json` up to date.

    Raises:
        RunStopped: when computing it fails.
    """

    def make() -> Made:
        tables = Blocks(folder, STATISTICS.reads, upstream, blocks)
        write_json(folder.statistics, line.statistics(tables, recipe))
        return Made([folder.statistics])

    causes = whole_causes(STATISTICS, recipe, upstream, code, blocks)
    return _run(folder, STATISTICS.name, causes, make, advance)


def run_release(
    folder: RunFolder,
    line: Line,
    recipe: Recipe,
    upstream: Upstream,
    code: str,
    blocks: int,
    advance: Advance,
    *,
    recipe_folder: Path,
    prints: Sequence[str],
) -> tuple[Journal, Outcome]:
    """Brings the release up to date.

    Args:
        recipe_folder: Where relative paths of test sets start.
        prints: Of `test_set_prints`.

    Raises:
        RunStopped: when writing it fails; a former release is still in place then.
    """

    def make() -> Made:
        sets = test_sets(recipe, recipe_folder) if prints else []
        given = {"test_sets": sets} if sets else {}
        statistics = json.loads(folder.statistics.read_text(encoding="utf-8"))
        if people := human_document(folder):
            statistics["people"] = people
        with RejectShards(folder) as rejects:
            summary = line.release(
                folder.release,
                recipe=recipe,
                blocks=Blocks(folder, RELEASE.reads, upstream, blocks),
                statistics=statistics,
                stages=_counts(upstream),
                on_reject=rejects.add,
                asked=models_asked(folder.ledger),
                **given,
            )
        counts = summary.stage_counts()
        released = sorted(path for path in folder.release.rglob("*") if path.is_file())
        return Made(
            files=[*released, *rejects.files],
            taken=dict(counts.taken),
            made=dict(counts.made),
            rejected={table: dict(reasons) for table, reasons in counts.rejected.items()},
        )

    causes = whole_causes(RELEASE, recipe, upstream, code, blocks, prints)
    return _run(folder, RELEASE.name, causes, make, advance)


def whole_causes(
    stage: WholeRun,
    recipe: Recipe,
    upstream: Upstream,
    code: str,
    blocks: int,
    prints: Sequence[str] = (),
) -> Causes:
    """What a whole-run stage is made from.

    For the release that is, besides the blocks, the statistics, the counts of the stages before,
    the versions that it names and its test sets, of which `prints` has a word each.
    """
    read: list[Any] = [
        {table: [digest for _, digest in files] for table, files in found.items()}
        for found in (inputs(stage.reads, upstream, block) for block in range(blocks))
    ]
    settings = stage.settings(recipe)
    if stage.name == RELEASE.name:
        statistics = upstream[STATISTICS.name].entries.get(0)
        digests = [file.sha256 for file in statistics.files.values()] if statistics else []
        read += [digests, counts_of(_counts(upstream)), list(prints)]
        settings = [settings, library_versions()]
    return Causes(settings=settings_hash(settings), code=code, input=content_hash(read))


def _run(
    folder: RunFolder, stage: str, causes: Causes, make: Callable[[], Made], advance: Advance
) -> tuple[Journal, Outcome]:
    """Runs or skips a stage; its journal has a single block, number 0."""
    start = time.monotonic()
    journal = Journal(folder.journal(stage))
    needed = not is_current(folder, stage, journal.entries.get(0), causes)
    if needed:
        with stopped(folder, stage):
            made = make()
            journal.add(_entry(folder, stage, causes, made, time.monotonic() - start))
    journal.keep_only(1)
    advance(needed)
    return journal, Outcome(int(needed), int(not needed), time.monotonic() - start)


def _entry(folder: RunFolder, stage: str, causes: Causes, made: Made, seconds: float) -> Entry:
    return Entry(
        block=0,
        fingerprint=causes.fingerprint(stage),
        causes=causes,
        files={
            path.relative_to(folder.path).as_posix(): WrittenFile(sha256=file_hash(path))
            for path in made.files
        },
        taken=made.taken,
        made=made.made,
        rejected=made.rejected,
        seconds=round(seconds, 3),
    )


def _counts(upstream: Mapping[str, Journal]) -> list[StageCounts]:
    """The counts of the stages that move rows, as the release wants them."""
    counts = []
    for stage, journal in upstream.items():
        totals = stage_totals(journal.entries.values())
        if totals:
            counts.append(
                StageCounts(
                    stage,
                    taken={each.table: each.taken for each in totals},
                    made={each.table: each.made for each in totals},
                    rejected={each.table: each.rejected for each in totals if each.rejected},
                )
            )
    return counts
