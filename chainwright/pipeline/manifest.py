"""Manifest: what a run is, and how its last build went."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from chainwright import __version__
from chainwright.llm.meter import ModelTally
from chainwright.pipeline.budgeting import BudgetState
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.files import write_json
from chainwright.pipeline.run_folder import RunFolder

Outcome = Literal["running", "done", "interrupted", "stopped", "killed"]
"""`killed` is never written: it is what `running` means where nobody holds the run folder."""


class StageRun(BaseModel):
    """How one stage went in the last build."""

    model_config = ConfigDict(extra="ignore")

    ran: int
    """Blocks that were made."""
    kept: int
    """Blocks that were as they should be and were skipped."""
    seconds: float
    models: dict[str, ModelTally] = {}
    """What was asked of each model."""
    processor: float | None = None
    """Seconds of processor time of this process; its children are not counted."""
    finished: bool = True
    """Whether the stage came to its end."""
    memory: int | None = None
    """Bytes that the process held when the stage ended; None where the system does not say."""
    peak_memory: int | None = None
    """The most it held during the stage."""


class SourceCount(BaseModel):
    """What became of a source's rows."""

    model_config = ConfigDict(extra="ignore")

    made: int
    """Problems."""
    rejected: dict[str, int]
    """Rows by reason, the most frequent first."""

    @property
    def rows(self) -> int:
        """All of them."""
        return self.made + sum(self.rejected.values())


class Manifest(BaseModel):
    """The content of `manifest.json`."""

    model_config = ConfigDict(extra="ignore")

    name: str
    recipe: str
    """Where the recipe was read from; the run folder holds a copy."""
    chainwright: str = __version__
    versions: dict[str, str] = {}
    blocks: int | None = None
    """Blocks of the run; None until the problems are read."""
    problems: str | None = None
    """Fingerprint of the whole first stage, once it is complete."""
    sources: dict[str, SourceCount] = {}
    """By source, in the recipe's order, once the first stage is complete."""
    outcome: Outcome = "running"
    message: str | None = None
    """Why the build ended, where it was not done."""
    started: str
    finished: str | None = None
    stages: dict[str, StageRun] = {}
    test_sets: list[str] = []
    """A word for each test set that changes with it."""
    budget: BudgetState | None = None
    """The budget when the build ended; None where the recipe has none."""

    def save(self, folder: RunFolder) -> None:
        """Writes the manifest, atomically."""
        write_json(folder.manifest, self.model_dump())


def load_manifest(folder: RunFolder) -> Manifest | None:
    """The run's manifest, or None where there is none yet.

    Raises:
        InputMistake: when the file is there but is not a manifest.
    """
    try:
        return Manifest.model_validate_json(folder.manifest.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        first = error.errors()[0]
        raise InputMistake(
            f"{folder.manifest} is not a run's manifest ({'.'.join(map(str, first['loc']))}: "
            f"{first['msg']}); `chainwright build RECIPE --fresh` makes the run anew"
        ) from None


def library_versions() -> dict[str, str]:
    """Versions of what decides the bytes of a run."""
    found = {"python": platform.python_version()}
    for name in ("polars", "pyarrow", "pydantic", "datasets"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
