"""Vector cache: one SQLite file of embeddings, by model and content hash."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from chainwright.pipeline.errors import RunStopped

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

AT_ONCE = 500
"""Keys in one query: SQLite bounds the variables of a statement."""


class VectorFile:
    """The vectors in a file; a context manager. Several processes may share the file.

    Raises:
        RunStopped: when the file cannot be read or written, or is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._reported():
            self._file = sqlite3.connect(path, timeout=60)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS vectors "
                "(model TEXT, key TEXT, vector BLOB, PRIMARY KEY (model, key)) WITHOUT ROWID"
            )

    def get(self, model: str, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors there are, by key."""
        import numpy as np

        found: dict[str, Vectors] = {}
        with self._reported():
            for start in range(0, len(keys), AT_ONCE):
                part = keys[start : start + AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = self._file.execute(
                    f"SELECT key, vector FROM vectors WHERE model = ? AND key IN ({marks})",  # noqa: S608  # question marks only
                    [model, *part],
                )
                found.update((key, np.frombuffer(blob, "<f4")) for key, blob in rows)
        return found

    def put(self, model: str, keys: Sequence[str], vectors: Vectors) -> None:
        """Keeps vectors, one row a key; a key that is there keeps the vector it has."""
        rows = [
            (model, key, vector.astype("<f4").tobytes())
            for key, vector in zip(keys, vectors, strict=True)
        ]
        with self._reported(), self._file:
            self._file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise RunStopped(
                f"{self.path}: {error}; it holds embeddings only and may be deleted"
            ) from error
