"""Folder: a release appears under its name all at once, or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FORMAT = "chainwright-release"
"""Value of `format` in a release's manifest, by which one is told from any other folder."""


@contextmanager
def new_release(folder: Path) -> Iterator[Path]:
    """A fresh folder beside `folder` to write into, put in its place when all went well.

    A process killed at any moment leaves the former release, or none, never a part of one: what
    lies under working names is cleared by the next attempt, and the former release is put back if
    it died between the two renamings. An exception clears the fresh folder at once. Only one
    process at a time may write a given release.

    Raises:
        FileExistsError: `folder` holds something that is not a release and would be lost.

    Yields:
        The folder to fill, empty.
    """
    fresh = folder.with_name(f".{folder.name}.partial")
    former = folder.with_name(f".{folder.name}.former")
    folder.parent.mkdir(parents=True, exist_ok=True)
    if former.exists() and not folder.exists():
        former.rename(folder)
    _require_replaceable(folder)
    for leftover in (fresh, former):
        if leftover.exists():
            shutil.rmtree(leftover)
    fresh.mkdir()
    try:
        yield fresh
        if folder.exists():
            folder.rename(former)
        fresh.rename(folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    shutil.rmtree(former, ignore_errors=True)


def _require_replaceable(folder: Path) -> None:
    if not folder.exists():
        return
    if folder.is_dir() and not any(folder.iterdir()):
        return
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if manifest["format"] == FORMAT:
            return
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise FileExistsError(
        f"{folder} exists and is no release (no manifest.json with format {FORMAT!r}); "
        "move it away or choose another folder"
    )
