"""Reject shards: the rejects of a release, written as they come.

They lie beside the release, as what is published must not hold them.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from chainwright.pipeline.run_folder import RELEASE_REJECTS, RunFolder
from chainwright.pipeline.tables import write_table
from chainwright.schemas.reject import Reject

SHARD_ROWS = 50_000


class RejectShards:
    """Takes the place of the rejects of a former release; `files` names what was written."""

    def __init__(self, folder: RunFolder) -> None:
        self.files: list[Path] = []
        self._folder = folder
        self._waiting: list[Reject] = []

    def __enter__(self) -> Self:
        shutil.rmtree(self._folder.path / RELEASE_REJECTS, ignore_errors=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self._waiting:
            self._write()

    def add(self, reject: Reject) -> None:
        """Takes one more reject."""
        self._waiting.append(reject)
        if len(self._waiting) == SHARD_ROWS:
            self._write()

    def _write(self) -> None:
        path = self._folder.shard(RELEASE_REJECTS, "rejects", len(self.files))
        write_table(path, self._waiting, Reject)
        self.files.append(path)
        self._waiting = []
