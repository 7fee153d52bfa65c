"""Working copy: the folder on this disk in which a run that lies in a store is built and read."""

from __future__ import annotations

import hashlib
import os
import socket
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.files import file_hash, write_atomically
from chainwright.pipeline.run_folder import RunFolder, is_made_by_builds
from chainwright.pipeline.stores.store import Store, url_of

WORK = "CHAINWRIGHT_WORK"
"""Environment variable with the folder of working copies."""

MARKER = "mirror.json"
LEDGER = "ledger.sqlite"


class Marker(BaseModel):
    """What a store holds of a run: which generation, by whom, and the content of each file."""

    model_config = ConfigDict(extra="ignore")

    generation: int = 0
    """0 where there is no run."""
    writer: str = ""
    written: str = ""
    files: dict[str, str] = {}
    """SHA-256 by name."""
    parts: list[str] = []
    """Parts of the ledger, for those who may not list them; there are newer ones as a rule."""

    @classmethod
    def of_now(cls, generation: int, files: dict[str, str], parts: list[str]) -> Marker:
        """What this process writes."""
        writer = f"process {os.getpid()} on {socket.gethostname()}"
        written = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(generation=generation, writer=writer, written=written, files=files, parts=parts)


def folder_here(runs: Path | str) -> Path:
    """The folder on this disk that holds the runs, or the working copies of those in a store."""
    url = url_of(runs)
    if url is None:
        return Path(runs)
    base = Path(os.environ.get(WORK) or Path.home() / ".cache" / "chainwright" / "work")
    return base / hashlib.sha256(url.encode()).hexdigest()[:16]


def marker_of(store: Store) -> Marker:
    """What a store holds of a run.

    Raises:
        StoreError: when it cannot be read.
        RunStopped: when something else stands where the marker should.
    """
    content = store.read(MARKER)
    try:
        return Marker() if content is None else Marker.model_validate_json(content)
    except ValidationError as error:
        raise RunStopped(f"{store.url}/{MARKER} is not what a build writes") from error


def sent_elsewhere(folder: RunFolder) -> str | None:
    """Which other machine sent the state that a working copy holds, and when.

    None for a run that lies here, or was last sent from here.
    """
    state = _kept(folder.path / f".{MARKER}")
    if not state.writer or state.writer.endswith(f" on {socket.gethostname()}"):
        return None
    return f"{state.writer}, {state.written}"


class WorkingCopy:
    """The working copy of a run in a store."""

    def __init__(self, folder: RunFolder, store: Store) -> None:
        self.folder = folder
        self._store = store
        self._state = folder.path / f".{MARKER}"
        self._hashes: dict[str, tuple[int, int, str]] = {}

    def kept(self) -> Marker:
        """What was in the store when this copy last agreed with it."""
        return _kept(self._state)

    def keep(self, marker: Marker) -> None:
        """This copy agrees with what the store holds."""
        write_atomically(self._state, marker.model_dump_json())

    def files(self) -> dict[str, str]:
        """The hash of each file that goes along; the ledger does not."""
        return {name: self._hash(name) for name in self._names()}

    def bring(self, there: Marker) -> None:
        """Makes the copy what the store holds, and keeps what only this machine has.

        That is files which no build makes anew, such as people's answers. The ledger goes its
        own way.

        Raises:
            StoreError: when the store cannot be read.
            RunStopped: when such a file was changed here and there.
        """
        here, before = self.files(), self.kept().files
        for name in there.files:
            self._check_inside(name)
        own = {
            name
            for name, digest in here.items()
            if not is_made_by_builds(name) and digest != before.get(name)
        }
        for name in sorted(own & there.files.keys()):
            if there.files[name] not in (before.get(name), here[name]):
                raise RunStopped(
                    f"{name} was changed both in {self._store.url} and in {self.folder.path}: move "
                    "the one here elsewhere, run the command again, and bring in by hand what is "
                    "only in yours"
                )
        for name, digest in there.files.items():
            if name not in own and here.get(name) != digest:
                self._store.get(name, self.folder.path / name)
        for name in here.keys() - there.files.keys() - own:
            (self.folder.path / name).unlink()
        self.keep(there)

    def _check_inside(self, name: str) -> None:
        if not (self.folder.path / name).resolve().is_relative_to(self.folder.path.resolve()):
            raise RunStopped(f"{self._store.url}/{MARKER} names a file outside the run: {name!r}")

    def _names(self) -> list[str]:
        found = (path for path in self.folder.path.rglob("*") if path.is_file())
        names = (path.relative_to(self.folder.path).as_posix() for path in found)
        return [name for name in names if not (name.startswith((".", LEDGER)) or ".tmp" in name)]

    def _hash(self, name: str) -> str:
        path = self.folder.path / name
        found = path.stat()
        size, changed, digest = self._hashes.get(name, (-1, 0, ""))
        if (size, changed) != (found.st_size, found.st_mtime_ns):
            digest = file_hash(path)
            self._hashes[name] = (found.st_size, found.st_mtime_ns, digest)
        return digest


def _kept(state: Path) -> Marker:
    try:
        return Marker.model_validate_json(state.read_bytes())
    except (FileNotFoundError, ValidationError):
        return Marker()
