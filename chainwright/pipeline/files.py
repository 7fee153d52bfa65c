"""Files: written whole or not at all, and known by their content."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path


def file_hash(path: Path) -> str:
    """SHA-256 of a file's content, as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes a file such that readers meet the old content or the new, never a part.

    Args:
        content: Text becomes UTF-8, with `?` for what cannot be encoded.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "replace")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.tmp")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Writes a value as indented JSON, atomically."""
    write_atomically(path, json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
