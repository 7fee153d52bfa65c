"""Mirror: a run folder that lies elsewhere (s3://, gs://, hf://), and its working copy here.

A build works in the copy, since SQLite and file locks need a disk. Before it starts, what is newer
elsewhere is brought in; after each stage, and when it ends, whatever has changed is sent: first the
ledger, then tables, then journals, then the manifest, and last the marker, which counts
generations. So whatever a kill leaves elsewhere is a run that can be gone on with, and no row is
there whose answers are not. The ledger alone is sent every minute besides.

The marker is what keeps two machines from writing over each other: a build takes the next
generation when it starts, and stops when somebody else has taken another one since.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chainwright.llm.ledger_copy import copy_ledger, fold_ledger
from chainwright.llm.ledger_file import LedgerError
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.files import file_hash, write_atomically
from chainwright.pipeline.run_folder import RunFolder, held

WORK = "CHAINWRIGHT_WORK"
"""Environment variable with the folder of working copies."""

MARKER = "mirror.json"
LEDGER = "ledger.sqlite"
LEDGER_EVERY = 60.0
"""Seconds between two times that the ledger is sent while a stage goes on."""

_URL = re.compile(r"^[a-z][a-z0-9+.-]+://")


class _Marker(BaseModel):
    """What is elsewhere: which generation, by whom, and the content of each file."""

    model_config = ConfigDict(extra="ignore")

    generation: int = 0
    writer: str = ""
    written: str = ""
    files: dict[str, str] = {}
    """SHA-256 by name."""


def is_url(place: Path | str) -> bool:
    """Whether a folder of runs is elsewhere.

    >>> is_url("s3://bucket/runs"), is_url("runs")
    (True, False)
    """
    return _URL.match(str(place)) is not None


def folder_here(runs: Path | str) -> Path:
    """The folder on this disk that holds the runs, or the working copies of those elsewhere."""
    if not is_url(runs):
        return Path(runs)
    base = Path(os.environ.get(WORK) or Path.home() / ".cache" / "chainwright" / "work")
    return base / hashlib.sha256(str(runs).rstrip("/").encode()).hexdigest()[:16]


class Mirror:
    """The run of a name under a URL, and the folder here that holds its working copy.

    Raises:
        InputMistake: when the URL has a key in it, or is of a kind that is not installed.
    """

    def __init__(self, runs: str, name: str) -> None:
        self.url = f"{runs.rstrip('/')}/{name}"
        self.folder = RunFolder(folder_here(runs) / name)
        self._files, self._root = _filesystem(self.url)
        self._state = self.folder.path / f".{MARKER}"
        self._hashes: dict[str, tuple[int, int, str]] = {}
        self._generation = 0
        self._sent_ledger = ""
        self._sending = threading.Lock()
        self._fault: Exception | None = None

    def bring(self) -> None:
        """Brings in what is newer elsewhere, and takes the next generation.

        Answers that only this copy's ledger has, since a build was killed before it sent them,
        stay in it.

        Raises:
            RunStopped: when the place cannot be read, or holds an older state than this copy.
        """
        with held(self.folder), self._reported("read"):
            there, here = self._marker(), self._kept()
            if there.generation < here.generation and there.generation:
                raise RunStopped(
                    f"{self.url} holds generation {there.generation} of the run, and "
                    f"{self.folder.path} the later {here.generation}: remove one of the two"
                )
            if there.generation > here.generation:
                self._bring_files(there)
                self._bring_ledger()
            self._generation = there.generation
            self.send()

    @contextmanager
    def kept_up(self) -> Iterator[None]:
        """Sends the ledger every now and then, and in the end whatever has changed.

        Raises:
            RunStopped: when something could not be sent and nothing else stops the run.
        """
        over = threading.Event()
        sending = threading.Thread(target=self._keep_sending, args=(over,), daemon=True)
        sending.start()
        try:
            yield
        except BaseException as error:
            over.set()
            sending.join()
            try:
                self.send()
            except RunStopped as fault:
                error.add_note(str(fault))
            raise
        else:
            over.set()
            sending.join()
            self.send()

    def send(self) -> None:
        """Sends what has changed, in an order in which it may be broken off anywhere.

        Raises:
            RunStopped: when somebody else has written there since, or it cannot be written.
        """
        with self._sending, self._reported("written"):
            if self._fault is not None:
                fault, self._fault = self._fault, None
                raise fault
            there = self._unchanged()
            self._send_ledger()
            files = {name: self._hash(name) for name in self._names()}
            for name in sorted(files, key=_turn):
                if there.files.get(name) != files[name]:
                    self._put(self.folder.path / name, name)
            for name in there.files.keys() - files.keys():
                self._remove(name)
            self._generation += 1
            marker = _Marker(generation=self._generation, writer=_me(), written=_now(), files=files)
            sent = self._state.with_suffix(".sent")
            write_atomically(sent, marker.model_dump_json())
            self._put(sent, MARKER)
            sent.replace(self._state)

    def _unchanged(self) -> _Marker:
        """What is elsewhere, after making sure that it is what this build has left there."""
        there = self._marker()
        if there.generation != self._generation:
            raise RunStopped(
                f"{self.url} was written by {there.writer} at {there.written}, while this build "
                f"went on (generation {there.generation}, here {self._generation}); nothing there "
                f"was changed. What this build made is kept in {self.folder.path}: the same "
                "command brings the two together"
            )
        return there

    def _keep_sending(self, over: threading.Event) -> None:
        while not over.wait(LEDGER_EVERY):
            try:
                with self._sending, self._reported("written"):
                    self._unchanged()
                    self._send_ledger()
            except RunStopped as fault:
                self._fault = fault
                return

    def _send_ledger(self) -> None:
        if not self.folder.ledger.is_file():
            return
        with tempfile.TemporaryDirectory(dir=self.folder.path) as scratch:
            copy = Path(scratch) / LEDGER
            copy_ledger(self.folder.ledger, copy)
            digest = file_hash(copy)
            if digest != self._sent_ledger:
                self._put(copy, LEDGER)
                self._sent_ledger = digest

    def _bring_files(self, there: _Marker) -> None:
        for name, digest in there.files.items():
            path = self.folder.path / name
            if not path.resolve().is_relative_to(self.folder.path.resolve()):
                raise RunStopped(f"{self.url}/{MARKER} names a file outside the run: {name!r}")
            if not path.is_file() or self._hash(name) != digest:
                self._get(name, path)
        for name in set(self._names()) - there.files.keys():
            (self.folder.path / name).unlink()
        write_atomically(self._state, there.model_dump_json())

    def _bring_ledger(self) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder.path) as scratch:
            brought = Path(scratch) / LEDGER
            self._get(LEDGER, brought)
            if not brought.is_file():
                return
            if self.folder.ledger.is_file():
                fold_ledger(self.folder.ledger, brought)
                copy_ledger(brought, whole := Path(scratch) / "whole")
                brought = whole
            for log in ("-wal", "-shm"):
                self.folder.ledger.with_name(f"{LEDGER}{log}").unlink(missing_ok=True)
            brought.replace(self.folder.ledger)

    def _names(self) -> list[str]:
        """Names of the files that are mirrored; the ledger goes its own way."""
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

    def _kept(self) -> _Marker:
        try:
            return _Marker.model_validate_json(self._state.read_bytes())
        except (FileNotFoundError, ValidationError):
            return _Marker()

    def _marker(self) -> _Marker:
        try:
            with self._files.open_input_stream(f"{self._root}/{MARKER}") as stream:
                return _Marker.model_validate_json(stream.read())
        except FileNotFoundError:
            return _Marker()
        except ValidationError as error:
            raise RunStopped(f"{self.url}/{MARKER} is not what a build writes") from error

    def _get(self, name: str, path: Path) -> None:
        """Fetches a file; one that is gone stays away, and what is made of it is made again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.tmp")
        try:
            with (
                self._files.open_input_stream(f"{self._root}/{name}") as stream,
                draft.open("wb") as file,
            ):
                shutil.copyfileobj(stream, file)
        except FileNotFoundError:
            draft.unlink(missing_ok=True)
            return
        draft.replace(path)

    def _put(self, path: Path, name: str) -> None:
        from pyarrow.fs import LocalFileSystem

        place = f"{self._root}/{name}"
        if isinstance(self._files, LocalFileSystem):
            # Object stores show a file when it is whole; a disk has to be made to.
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, f"{place}.tmp")
            Path(f"{place}.tmp").replace(place)
            return
        with path.open("rb") as file, self._files.open_output_stream(place) as stream:
            shutil.copyfileobj(file, stream, 1 << 20)

    def _remove(self, name: str) -> None:
        try:
            self._files.delete_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return

    @contextmanager
    def _reported(self, done: str) -> Iterator[None]:
        try:
            yield
        except (OSError, LedgerError) as error:
            raise RunStopped(
                f"{self.url} could not be {done} ({str(error)[:300]}); all there is so far is kept "
                f"in {self.folder.path}, and the same command goes on from there"
            ) from error


def _turn(name: str) -> tuple[int, str]:
    """Tables first, then the journals that name them, then the manifest."""
    return ((".jsonl" in name) + 2 * (name == "manifest.json"), name)


def _filesystem(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the run folder's path in it."""
    from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem

    if "@" in url.split("://", 1)[1].split("/", 1)[0]:
        raise InputMistake(
            "found a key in the URL of `--runs`, expected one without: keys are read from the "
            "environment (such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)"
        )
    try:
        if url.startswith("s3://"):
            return _s3(), url.removeprefix("s3://").rstrip("/")
        if url.startswith(("gs://", "file://")):
            files, root = FileSystem.from_uri(url)
            return files, root.rstrip("/")
        from fsspec.core import url_to_fs

        inner, root = url_to_fs(url)
        return PyFileSystem(FSSpecHandler(inner)), root.rstrip("/")
    except ImportError as error:
        raise InputMistake(f"`{url}` needs a part that is not installed: {error}") from error
    except (ValueError, OSError) as error:
        raise InputMistake(
            f"found `{url}` for `--runs`, which is no place to write to ({error}); expected a "
            "folder, s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or another URL that fsspec knows"
        ) from error


def _s3() -> Any:
    """S3, or what speaks its protocol at the place that the environment names."""
    from pyarrow.fs import S3FileSystem

    place = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    scheme, _, host = (place or "").rpartition("://")
    return S3FileSystem(
        endpoint_override=host.rstrip("/") or None,
        scheme=scheme or "https",
        allow_delayed_open=True,  # a small file takes one request in place of three
    )


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
