"""Summary: what went into a release and what came out of it, as numbers."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.schemas.withheld import PREFIX

if TYPE_CHECKING:
    from chainwright.release.selection import Selection


@dataclass(frozen=True)
class StageCounts:
    """What one stage of the build took in and made, over the whole run.

    Attributes:
        stage: The stage's name.
        taken: Items taken in, by the table they were meant for.
        made: Rows made, by table.
        rejected: Rejects by table, then by reason code.
    """

    stage: str
    taken: Mapping[str, int]
    made: Mapping[str, int]
    rejected: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class ReleasedFile:
    """A file of the release: path below its folder, size in bytes, SHA-256 in hex."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class ReleaseSummary:
    """What `write_release` wrote.

    Attributes:
        counts: Rows by config and split; what is empty is left out.
        perl: Records of each file in `perl/`; empty when none was written.
        taken: Rows that came in, by config; `perl` counts released chains.
        rejects: Rows that did not enter, by config (or `perl`) and reason. For every config,
            taken = rows of all splits, withheld ones among them, + rejects.
        files: Every file but the manifest, sorted by path.
        selection: Every quota of the selection as plain values (`Share`); None without one.
    """

    counts: dict[str, dict[str, int]]
    perl: dict[str, int]
    taken: dict[str, int]
    rejects: dict[str, dict[str, int]]
    files: list[ReleasedFile]
    selection: list[dict[str, Any]] | None = None

    def stage_counts(self) -> StageCounts:
        """The same in the form of the other stages' counts."""
        made: Counter[str] = Counter()
        for config, splits in self.counts.items():
            made[config.removeprefix(PREFIX)] += sum(splits.values())
        if self.perl:
            made["perl"] = sum(self.perl.values())
        return StageCounts("release", self.taken, dict(made), self.rejects)

    def rows(self, config: str) -> int:
        """Rows of a config in all splits, withheld ones among them."""
        both = (self.counts.get(f"{prefix}{config}", {}) for prefix in ("", PREFIX))
        return sum(sum(splits.values()) for splits in both)


@dataclass
class Account:
    """Rows taken and rejected while a release is written."""

    taken: Counter[str] = field(default_factory=Counter)
    rejects: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def summary(
        self,
        counts: dict[str, dict[str, int]],
        perl: dict[str, int],
        files: list[ReleasedFile],
        selection: Selection | None = None,
    ) -> ReleaseSummary:
        """The summary of a finished release."""
        return ReleaseSummary(
            counts=counts,
            perl=perl,
            taken=dict(self.taken),
            rejects={table: dict(reasons) for table, reasons in self.rejects.items()},
            files=files,
            selection=[asdict(share) for share in selection.shares] if selection else None,
        )


def files_below(folder: Path) -> list[ReleasedFile]:
    """Every file below a folder, sorted by path."""
    return [released_file(p, folder) for p in sorted(folder.rglob("*")) if p.is_file()]


def released_file(path: Path, folder: Path) -> ReleasedFile:
    """A file below a folder."""
    return ReleasedFile(path.relative_to(folder).as_posix(), path.stat().st_size, _sha256(path))


def counts_of(stages: Iterable[StageCounts]) -> list[dict[str, Any]]:
    """Stages' counts as plain values, ready for JSON."""
    return [
        {
            "stage": one.stage,
            "taken": dict(one.taken),
            "made": dict(one.made),
            "rejected": {table: dict(reasons) for table, reasons in one.rejected.items()},
        }
        for one in stages
    ]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
