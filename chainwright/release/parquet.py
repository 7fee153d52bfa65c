"""Parquet: the configs of a release as sharded files, written as the rows come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from chainwright.release.splits import SPLITS, Split
from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.record import Record
from chainwright.schemas.release import ReleasedChain
from chainwright.schemas.vote import Vote
from chainwright.schemas.withheld import PREFIX, WITHHELD

CONFIGS: Mapping[str, type[Record]] = {
    "chains": ReleasedChain,
    "problems": Problem,
    "votes": Vote,
    "labels": Label,
}
"""The configs of a release by name, the default one first."""

FULL = "full"
"""The config that holds every chain where `chains` holds a selection."""

WITH_SELECTION: Mapping[str, type[Record]] = {
    "chains": ReleasedChain,
    FULL: ReleasedChain,
    **CONFIGS,
}

ALL_CONFIGS: Mapping[str, type[Record]] = {
    **WITH_SELECTION,
    **{f"{PREFIX}{config}": WITHHELD[config] for config in WITH_SELECTION},
}
"""These, and for each the config of the rows whose text is withheld."""

ROW_GROUP_ROWS = 10_000
"""Most rows of a row group: what a reader that streams must hold at once."""

ROW_GROUP_BYTES = 32 << 20
"""Most bytes of a row group before compression, but for the last rows that fill it.

The Hub's viewer refuses groups beyond 300 MB; through the page index it fetches less than a group.
"""

SHARD_BYTES = 300_000_000
"""Most bytes of a file: what the Hub's viewer and a reader's cache take well."""

BATCH_ROWS = 500
"""Rows that wait as Python values; turned to Arrow, they take a fraction of that."""


class ParquetShards:
    """Writes `data/<config>/<split>-<shard>-of-<shards>.parquet` below a folder.

    Memory holds at most one row group of each config and split. A shard ends at `shard_rows` rows
    or `SHARD_BYTES`. Files are compressed with zstd, have a page index, and cut their pages where
    the content says so: of a changed release, storage that knows its chunks takes the changed
    ones alone. The names need the number of shards and are given on leaving the context; on
    an exception the files keep their working names, since nobody may take them for a release. A
    split without rows has no file.
    """

    def __init__(self, folder: Path, *, shard_rows: int) -> None:
        if shard_rows < 1:
            raise ValueError(f"shard_rows is {shard_rows}; it must be 1 or more")
        self._folder = folder
        self._shard_rows = shard_rows
        self._splits: dict[tuple[str, Split], _Shards] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for split in self._splits.values():
            split.close(complete=kind is None)

    def add(self, config: str, split: Split, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows, given as plain values by field.

        Raises:
            KeyError: `config` is none of `ALL_CONFIGS`.
            pyarrow.ArrowInvalid: A value does not fit its field's type.
        """
        key = (config, split)
        for row in rows:
            if key not in self._splits:
                self._splits[key] = _Shards(
                    self._folder / "data" / config,
                    split,
                    arrow_schema(ALL_CONFIGS[config]),
                    self._shard_rows,
                )
            self._splits[key].add(row)

    def counts(self) -> dict[str, dict[str, int]]:
        """Rows by config and split, ordered as in `ALL_CONFIGS` and `SPLITS`; no empty ones."""
        found: dict[str, dict[str, int]] = {
            config: {
                split: self._splits[config, split].rows
                for split in SPLITS
                if (config, split) in self._splits
            }
            for config in ALL_CONFIGS
        }
        return {config: splits for config, splits in found.items() if splits}


class _Shards:
    """One split of one config: full shards, the open one, and the rows of the next row group."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema, shard_rows: int) -> None:
        self._folder = folder
        self._name = name
        self._schema = schema
        self._shard_rows = shard_rows
        self._waiting: list[Mapping[str, Any]] = []
        self._group: list[pa.RecordBatch] = []
        self._group_bytes = 0
        self._shards: list[Path] = []
        self._file: IO[bytes] | None = None
        self._writer: pq.ParquetWriter | None = None
        self._in_group = 0
        self._in_shard = 0
        self.rows = 0

    def add(self, row: Mapping[str, Any]) -> None:
        self._waiting.append(row)
        self.rows += 1
        self._in_group += 1
        self._in_shard += 1
        full_shard = self._in_shard == self._shard_rows
        full_group = full_shard or self._in_group == ROW_GROUP_ROWS
        if full_group or len(self._waiting) == BATCH_ROWS:
            self._to_arrow()
        if full_group or self._group_bytes >= ROW_GROUP_BYTES:
            self._write_group()
        if full_shard or (self._file and self._file.tell() > SHARD_BYTES - ROW_GROUP_BYTES):
            self._close_shard()

    def close(self, *, complete: bool) -> None:
        if complete:
            self._to_arrow()
            self._write_group()
        self._close_shard()
        if complete:
            total = len(self._shards)
            for number, shard in enumerate(self._shards):
                shard.rename(self._folder / f"{self._name}-{number:05d}-of-{total:05d}.parquet")

    def _to_arrow(self) -> None:
        if self._waiting:
            batch = pa.RecordBatch.from_pylist(self._waiting, schema=self._schema)
            self._group.append(batch)
            self._group_bytes += batch.nbytes
            self._waiting = []

    def _write_group(self) -> None:
        if not self._group:
            return
        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            shard = self._folder / f".{self._name}-{len(self._shards):05d}.part"
            self._shards.append(shard)
            self._file = shard.open("wb")
            self._writer = pq.ParquetWriter(
                self._file,
                self._schema,
                compression="zstd",
                write_page_index=True,
                use_content_defined_chunking=True,
            )
        group = pa.Table.from_batches(self._group, schema=self._schema)
        self._writer.write_table(group, row_group_size=ROW_GROUP_ROWS)
        self._group, self._group_bytes, self._in_group = [], 0, 0

    def _close_shard(self) -> None:
        if self._writer is not None and self._file is not None:
            self._writer.close()
            self._file.close()
        self._writer = self._file = None
        self._in_shard = 0
