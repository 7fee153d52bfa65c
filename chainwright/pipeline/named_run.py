"""Named run: the run that a user means by a folder, a name or a URL.

What lies in a store is brought into its working copy here first, so that whoever reads a run
reads a folder. Nothing is changed in the store.
"""

from __future__ import annotations

from pathlib import Path

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.store import url_of


def find_run(run: str, runs: Path) -> RunFolder:
    """The run that is meant.

    Args:
        run: A run folder, or its URL, or its name in the folder of runs.
        runs: The folder of runs, or its URL.

    Raises:
        InputMistake: when there is no such run; the message lists the runs there are.
        RunStopped: when a store cannot be read.
    """
    if url := url_of(run):
        return _brought(*_place(url))
    if url := url_of(runs):
        return _brought(url, run)
    for path in (runs / run, Path(run)):
        if RunFolder(path).manifest.is_file():
            return RunFolder(path)
    known = sorted(p.parent.name for p in runs.glob("*/manifest.json"))
    there = (
        ", ".join(known) if known else f"none; `chainwright build RECIPE --runs {runs}` makes one"
    )
    raise InputMistake(f"no run {run!r}: neither a run folder nor a name in {runs} (runs: {there})")


def run_to_be(name: str, runs: Path | str) -> RunFolder:
    """The folder of a run that may not be there yet, with what a store has of it.

    Raises:
        InputMistake: when the store is no place for runs.
        RunStopped: when it cannot be read.
    """
    url = url_of(runs)
    if url is None:
        return RunFolder(Path(runs) / name)
    mirror = Mirror(url, name)
    mirror.look()
    return mirror.folder


def local_path(path: Path) -> Path:
    """A path as it is; in place of a URL its place in the working copy of the run that it lies in.

    Raises:
        InputMistake: when it lies in no run.
        RunStopped: when the store cannot be read.
    """
    url = url_of(path)
    if url is None:
        return path
    runs, name = _place(url)
    while name:
        mirror = Mirror(runs, name)
        if mirror.look():
            return mirror.folder.path / url[len(mirror.url) :].lstrip("/")
        runs, name = _parted(runs)
    raise _absent(*_place(url))


def _brought(runs: str, name: str) -> RunFolder:
    mirror = Mirror(runs, name)
    if not mirror.look():
        raise _absent(runs, name)
    return mirror.folder


def _absent(runs: str, name: str) -> InputMistake:
    known = ", ".join(Mirror(runs, name).siblings()) or "none"
    hidden = "; what is private is shown to whom HF_TOKEN lets see it" * runs.startswith("hf://")
    return InputMistake(f"there is no run at {runs}/{name} (runs in {runs}: {known}{hidden})")


def _place(url: str) -> tuple[str, str]:
    """The folder of runs and the name of the run.

    Raises:
        InputMistake: for a bucket alone.
    """
    runs, name = _parted(url)
    if not name:
        raise InputMistake(f"found `{url}`, expected a run in it, such as {url}/runs/NAME")
    return runs, name


def _parted(url: str) -> tuple[str, str]:
    """A URL without its last part, and that; empty where nothing but a bucket is left."""
    above, _, last = url.rpartition("/")
    return ("", "") if above.endswith("/") else (above, last)
