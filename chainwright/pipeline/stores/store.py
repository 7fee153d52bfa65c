"""Store: the files below a URL (s3://, gs://, hf://, file://), read and written whole."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from chainwright.pipeline.errors import InputMistake
from chainwright.release.hub import connect, endpoint

_URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+):/+(?P<rest>.*)", re.DOTALL)
_REFUSED = re.compile(
    r"ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|InvalidAccessKeyId|"
    r"SignatureDoesNotMatch|AccessDenied|Forbidden|(?:status(?: code)?:?|error) '?40[13]\b",
)
_NO_KEYS = re.compile(
    r"NoCredentials|[Cc]ould not find .*credentials|UNRECOGNIZED_CLIENT|OAuth2 access token"
)
GS_PATIENCE = timedelta(seconds=30)
"""How long Google's store is asked again."""


class StoreError(Exception):
    """A store did not do what it was asked to.

    Attributes:
        is_mistake: Whether the user can put it right: no such bucket, no such key, no rights.
    """

    def __init__(self, message: str, *, is_mistake: bool = False) -> None:
        super().__init__(message)
        self.is_mistake = is_mistake


def url_of(place: Path | str) -> str | None:
    """The URL that a place is; None for one on this disk.

    A URL that was made a `Path` on its way is one still: that folds its slashes.

    >>> url_of("s3://bucket/runs/"), url_of(Path("s3://bucket/runs")), url_of("runs")
    ('s3://bucket/runs', 's3://bucket/runs', None)
    >>> url_of(Path("file:///tmp/runs"))
    'file:///tmp/runs'
    """
    found = _URL.fullmatch(str(place))
    if found is None:
        return None
    slashes = "/" * (3 if found["scheme"] == "file" else 2)
    return f"{found['scheme']}:{slashes}{found['rest'].rstrip('/')}"


class Store:
    """The files below a URL.

    Raises:
        InputMistake: when the URL has a key in it, or is of a kind that is not known or installed.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._files, self._root, self._forget_listings = _filesystem(url)

    def read(self, name: str) -> bytes | None:
        """A file's content; None where there is none.

        Raises:
            StoreError: when the store cannot be read.
        """
        with self._faults():
            self._forget_listings()
            try:
                with self._files.open_input_stream(f"{self._root}/{name}") as stream:
                    content: bytes = stream.read()
            except NotADirectoryError:  # a disk says so of what lies below a file
                return None
            except FileNotFoundError:
                self._check_bucket()
                return None
            return content

    def get(self, name: str, path: Path) -> bool:
        """Fetches a file; false where there is none.

        Raises:
            StoreError: when the store cannot be read.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.tmp")
        with self._faults():
            try:
                with (
                    self._files.open_input_stream(f"{self._root}/{name}") as stream,
                    draft.open("wb") as file,
                ):
                    shutil.copyfileobj(stream, file)
            except FileNotFoundError:
                draft.unlink(missing_ok=True)
                return False
        draft.replace(path)
        return True

    def put(self, path: Path, name: str) -> None:
        """Sends a file.

        Raises:
            StoreError: when the store cannot be written to.
        """
        from pyarrow.fs import LocalFileSystem

        place = f"{self._root}/{name}"
        with self._faults():
            if isinstance(self._files, LocalFileSystem):
                # Object stores show a file when it is whole; a disk has to be made to.
                Path(place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, f"{place}.tmp")
                Path(f"{place}.tmp").replace(place)
                return
            with path.open("rb") as file, self._files.open_output_stream(place) as stream:
                shutil.copyfileobj(file, stream, 1 << 20)

    def remove(self, name: str) -> None:
        """Removes a file, if it is there.

        Raises:
            StoreError: when the store cannot be written to.
        """
        with self._faults():
            try:
                self._files.delete_file(f"{self._root}/{name}")
            except FileNotFoundError:
                return

    def names(self, folder: str = "") -> list[str]:
        """Names of what lies directly below the URL or a folder there, folders and files.

        Raises:
            StoreError: when the store cannot be read.
        """
        from pyarrow.fs import FileSelector

        # Google's store shows a folder by its files alone.
        deep = self.url.startswith("gs://")
        root = f"{self._root}/{folder}".rstrip("/")
        with self._faults():
            self._forget_listings()
            found = self._files.get_file_info(
                FileSelector(root, allow_not_found=True, recursive=deep)
            )
            below = (one.path[len(root) :].strip("/") for one in found)
            return sorted({path.partition("/")[0] for path in below})

    def _check_bucket(self) -> None:
        """A file that is not found may lie in a bucket that there is not.

        Raises:
            StoreError: when that is so.
        """
        from pyarrow.fs import FileType

        if not self.url.startswith(("s3://", "gs://")):
            return
        bucket = self._root.split("/", 1)[0]
        try:
            found = self._files.get_file_info(bucket)
        except OSError:  # who may read files need not have the right to look at buckets
            return
        if found.type == FileType.NotFound:
            raise StoreError(
                f"there is no bucket `{bucket}` {_where(self.url)}: make it first, or correct the "
                "URL",
                is_mistake=True,
            )

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except Exception as error:  # libraries of stores raise what their clients do
            text = " ".join(str(error).partition(" (Request ID:")[0].split())
            if "NO_SUCH_BUCKET" in text:
                self._check_bucket()
            refused = _REFUSED.search(text) or isinstance(error, PermissionError)
            if refused or _NO_KEYS.search(text):
                raise StoreError(
                    f"no right to do that {_where(self.url)}; keys are read from the environment "
                    f"({_keys(self.url)}): {text[:300]}",
                    is_mistake=True,
                ) from error
            raise StoreError(text[:300], is_mistake=isinstance(error, FileNotFoundError)) from error


def _keys(url: str) -> str:
    names = {
        "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        "gs": "GOOGLE_APPLICATION_CREDENTIALS",
        "hf": "HF_TOKEN",
    }
    return names.get(url.split("://", 1)[0], "as its library says")


def _where(url: str) -> str:
    place = _endpoint() if url.startswith("s3://") else None
    return f"at {place}" if place else f"under {url.split('://', 1)[0]}://"


def _filesystem(url: str) -> tuple[Any, str, Callable[[], None]]:
    """The file system of a URL, the path in it, and how it forgets what it saw there before."""
    from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem

    if "@" in url.split("://", 1)[1].split("/", 1)[0]:
        raise InputMistake(
            "found a key in the URL, expected one without: keys are read from the environment "
            "(such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)"
        )
    try:
        if url.startswith("s3://"):
            return _s3(), url.removeprefix("s3://"), _nothing
        if url.startswith("gs://"):
            return _gs(), url.removeprefix("gs://"), _nothing
        if url.startswith("file://"):
            files, root = FileSystem.from_uri(url)
            return files, root.rstrip("/"), _nothing
        from fsspec.core import url_to_fs

        settings = {}
        if url.startswith("hf://"):
            connect(bars=False)  # bars would be drawn for each file, over a build's own
            settings = {"endpoint": endpoint()}
        inner, root = url_to_fs(url, **settings)
        return PyFileSystem(FSSpecHandler(inner)), root.rstrip("/"), inner.invalidate_cache
    except ImportError as error:
        raise InputMistake(f"`{url}` needs a part that is not installed: {error}") from error
    except (ValueError, OSError) as error:
        raise InputMistake(
            f"found `{url}`, which is no place for runs ({error}); expected a folder, "
            "s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or another URL that fsspec knows"
        ) from error


def _nothing() -> None:
    """What has no memory has nothing to forget."""


def _s3() -> Any:
    """S3, or what speaks its protocol at the place that the environment names."""
    from pyarrow.fs import S3FileSystem

    scheme, _, host = (_endpoint() or "").rpartition("://")
    return S3FileSystem(
        endpoint_override=host.rstrip("/") or None,
        scheme=scheme or "https",
        allow_delayed_open=True,  # a small file takes one request in place of three
    )


def _gs() -> Any:
    """Google's store, or an emulator at the place that the environment names."""
    from pyarrow.fs import GcsFileSystem

    scheme, _, host = os.environ.get("STORAGE_EMULATOR_HOST", "").rpartition("://")
    return GcsFileSystem(
        anonymous=bool(host),
        endpoint_override=host.rstrip("/") or None,
        scheme=scheme or ("http" if host else "https"),
        # Without keys it would go on to look for some for a quarter of an hour.
        retry_time_limit=GS_PATIENCE,
    )


def _endpoint() -> str | None:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
