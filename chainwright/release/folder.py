"""Folder: a release, or a report, appears under its name all at once, or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

FORMAT = "chainwright-release"
"""Value of `format` in a release's manifest, by which one is told from any other folder."""


def new_release(folder: Path) -> AbstractContextManager[Path]:
    """A fresh folder for a release, as `new_folder` makes it."""
    return new_folder(folder, FORMAT, "release")


@contextmanager
def new_folder(folder: Path, form: str, noun: str) -> Iterator[Path]:
    """A fresh folder beside `folder` to write into, put in its place when all went well.

    A process killed at any moment leaves the former one, or none, never a part of one: what lies
    under working names is cleared by the next attempt, and the former one is put back if the
    process died between the two renamings. An exception clears the fresh folder at once. Only one
    process at a time may write a given folder.

    Args:
        folder: Where it is to be.
        form: The `format` in the manifest of such a folder, by which a former one is told.
        noun: What such a folder is called.

    Raises:
        FileExistsError: `folder` holds something else, which would be lost.

    Yields:
        The folder to fill, empty.
    """
    fresh = folder.with_name(f".{folder.name}.partial")
    former = folder.with_name(f".{folder.name}.former")
    folder.parent.mkdir(parents=True, exist_ok=True)
    if former.exists() and not folder.exists():
        former.rename(folder)
    _require_replaceable(folder, form, noun)
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


def _require_replaceable(folder: Path, form: str, noun: str) -> None:
    if not folder.exists():
        return
    if folder.is_dir() and not any(folder.iterdir()):
        return
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if manifest["format"] == form:
            return
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise FileExistsError(
        f"{folder} exists and is no {noun} (no manifest.json with format {form!r}); "
        "move it away or choose another folder"
    )
