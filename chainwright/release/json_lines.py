"""JSON lines: a file beside the tables, written as its rows come; without rows there is none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any


class JsonLines:
    """A file with a JSON object a line; without rows there is no file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows."""
        for row in rows:
            if self._file is None:
                self._file = self._path.open("w", encoding="utf-8", newline="\n")
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Close the file, where there is one."""
        if self._file is not None:
            self._file.close()
