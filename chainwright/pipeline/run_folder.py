"""Run folder: where everything of a run lies, and who may write to it."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.files import write_json

WHOLE_RUN_STAGES = ("statistics", "release")
ON_REQUEST = (
    *("groundedness", "variants", "generation", "selection", "perturbation"),
    *("critique_sample", "critiques", "aggregation", "people"),
)
"""Stages that are in the line only where the recipe asks for them."""

STAGES = (
    *("problems", "groundedness", "variants", "chains", "generation", "selection"),
    *(
        "negatives",
        "perturbation",
        "critique_sample",
        "critiques",
        "votes",
        "aggregation",
        "people",
    ),
    *("labels", *WHOLE_RUN_STAGES),
)
"""The line in order. The first reads the sources; all but the last two work block by block."""

RELEASE_REJECTS = "release_rejects"
"""Folder with what did not enter the release."""


@dataclass(frozen=True)
class RunFolder:
    """The paths of one run. Nothing need exist yet."""

    path: Path

    @property
    def name(self) -> str:
        """The run's name."""
        return self.path.name

    @property
    def manifest(self) -> Path:
        """What the run is, and how its last build went."""
        return self.path / "manifest.json"

    @property
    def recipe(self) -> Path:
        """A copy of the recipe as run."""
        return self.path / "recipe.yaml"

    @property
    def statistics(self) -> Path:
        """What the statistics stage found."""
        return self.path / "statistics.json"

    @property
    def ledger(self) -> Path:
        """Every answer that models gave; nothing of it is ever removed."""
        return self.path / "ledger.sqlite"

    @property
    def release(self) -> Path:
        """The folder that is published."""
        return self.path / "release"

    @property
    def error_log(self) -> Path:
        """The traceback of the last failure."""
        return self.path / "error.log"

    def journal(self, stage: str) -> Path:
        """A stage's journal; that of a whole-run stage lies outside what it publishes."""
        if stage in WHOLE_RUN_STAGES:
            return self.path / f"{stage}.journal.jsonl"
        return self.path / stage / "journal.jsonl"

    def shard(self, stage: str, table: str, block: int) -> Path:
        """The file with a stage's rows of a table for one block."""
        return self.path / stage / f"{table}-{block:05d}.parquet"

    def drop(self, stage: str) -> None:
        """Removes what a block-by-block stage made; other files in its folder stay."""
        self.journal(stage).unlink(missing_ok=True)
        for path in (self.path / stage).glob("*.parquet*"):
            path.unlink()
        with suppress(OSError):  # there is none, or someone else's files are in it
            (self.path / stage).rmdir()

    def clear(self) -> None:
        """Removes what the stages made; the ledger of paid requests stays."""
        for stage in STAGES:
            self.journal(stage).unlink(missing_ok=True)
            shutil.rmtree(self.path / stage, ignore_errors=True)
        shutil.rmtree(self.path / RELEASE_REJECTS, ignore_errors=True)
        for path in (self.manifest, self.statistics, self.error_log):
            path.unlink(missing_ok=True)


def table_of(shard: str) -> str:
    """The table whose rows a shard holds, by the shard's file name."""
    return Path(shard).name.rpartition("-")[0]


def is_made_by_builds(name: str) -> bool:
    """Whether builds make a file anew, by its name in the run folder; else it is people's.

    >>> [is_made_by_builds(name) for name in ("votes/journal.jsonl", "human/records.jsonl")]
    [True, False]
    """
    top, _, below = name.partition("/")
    if below:
        return top in (*STAGES, RELEASE_REJECTS)
    own = ("manifest.json", "recipe.yaml", "statistics.json", "error.log")
    return top in own or top.endswith(".journal.jsonl")


@contextmanager
def held(folder: RunFolder) -> Iterator[None]:
    """Holds the run folder: a second build of the same run stops instead of writing into it.

    The system frees the lock when the holder dies, whatever it dies of.

    Raises:
        RunStopped: when another process holds it; the message says which.
    """
    from filelock import FileLock, Timeout

    folder.path.mkdir(parents=True, exist_ok=True)
    holder = folder.path / ".holder.json"
    lock = FileLock(folder.path / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RunStopped(
            f"the run folder {folder.path} is in use by {_holder(holder)}; wait until that build "
            "ends or stop it, or build under another `name`"
        ) from None
    try:
        write_json(
            holder,
            {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "since": datetime.now(UTC).isoformat(timespec="seconds"),
            },
        )
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def is_held(folder: RunFolder) -> bool:
    """Whether a build holds the run folder right now."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(folder.path / ".lock", timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a folder that may only be read
        return False


def _holder(path: Path) -> str:
    with suppress(OSError, ValueError, KeyError, TypeError):
        holder = json.loads(path.read_text(encoding="utf-8"))
        return f"process {holder['pid']} on {holder['host']} since {holder['since']}"
    return "another process"
