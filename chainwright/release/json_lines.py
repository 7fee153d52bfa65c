"""JSON lines: a file beside the tables, written as its rows come; without rows there is none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self


class JsonLines:
    """A file with a JSON object a line; without rows there is no file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows."""
        for row in rows:
            if self._file is None:
                self._file = self._path.open("w", encoding="utf-8", newline="\n")
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
