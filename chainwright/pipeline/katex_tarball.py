"""KaTeX tarball: found on this machine, or fetched once by npm and kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from chainwright.pipeline.errors import InputMistake
from chainwright.release.site import katex

HOW = f"`npm pack katex@{katex.VERSION}` on a machine that can, then `--katex {katex.TARBALL}` here"
_BUNDLED = Path(katex.__file__).parent / "vendor" / katex.TARBALL
"""Where a wheel brings it along; a clone holds none."""

_QUIETLY = ("--silent", "--ignore-scripts", "--fetch-retries=0", "--pack-destination")
_PATIENCE = 60
"""Seconds that npm may take."""


@dataclass(frozen=True)
class Katex:
    """The tarball of KaTeX, or why it is not at hand."""

    tarball: bytes | None
    missing: str = ""


def katex_tarball(given: Path | None = None, *, offline: bool = False) -> Katex:
    """The tarball of KaTeX: the one given, the wheel's, the one kept from before, or npm's.

    Args:
        given: A file that the user has fetched.
        offline: Whether npm may not be asked.

    Returns:
        Its bytes, checked; or why there are none.

    Raises:
        InputMistake: the file given is missing or another one.
    """
    if given is not None:
        try:
            return Katex(_genuine(given))
        except (OSError, katex.NotKatex) as error:
            raise InputMistake(f"--katex {given}: {error}") from error
    for place in (_BUNDLED, kept_at()):
        try:
            return Katex(_genuine(place))
        except (OSError, katex.NotKatex):
            continue
    return Katex(None, "--offline forbids to fetch it") if offline else _fetched()


def kept_at() -> Path:
    """Where a tarball that was fetched is kept for the next report."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "chainwright" / katex.TARBALL


def _fetched() -> Katex:
    """What npm fetches from the registry that it is set up for."""
    npm = shutil.which("npm")
    if npm is None:
        return Katex(None, "npm, which would fetch it, is not installed")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"katex@{katex.VERSION}", *_QUIETLY, folder]
        try:
            subprocess.run(  # noqa: S603 - our own words, and the user's npm
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=True,
            )
            tarball = _genuine(Path(folder) / katex.TARBALL)
        except katex.NotKatex as error:
            return Katex(None, f"what npm fetched is {error}")
        except (OSError, subprocess.SubprocessError):
            return Katex(None, "npm could not fetch it from its registry")
    _keep(tarball)
    return Katex(tarball)


def _keep(tarball: bytes) -> None:
    place = kept_at()
    draft = place.with_name(f"{place.name}.{os.getpid()}.tmp")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(tarball)
        draft.replace(place)
    except OSError:  # a home that may only be read: it is fetched anew the next time
        draft.unlink(missing_ok=True)


def _genuine(path: Path) -> bytes:
    tarball = path.read_bytes()
    katex.check(tarball)
    return tarball
