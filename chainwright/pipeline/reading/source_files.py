"""Source files: the files that a source's `path` names."""

from __future__ import annotations

import glob
import gzip
import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from chainwright.builders.raw_rows import printable
from chainwright.pipeline.errors import InputMistake
from chainwright.recipe_parts.source_kinds import BUILTINS
from chainwright.spelling import nearest

if TYPE_CHECKING:
    from chainwright.recipe import Source

SUFFIXES = (".jsonl", ".json", ".parquet", ".csv")
TEXTS = {"logiqa": ".blocks", "logiqa2": ".jsonl"}
"""What a publisher's `.txt` holds, by the source's kind; of other kinds it says nothing."""
_GZIP_MAGIC = b"\x1f\x8b"


class SourceError(InputMistake):
    """A source that can't be read as the recipe gives it; the message says what to change."""


@dataclass(frozen=True)
class SourceFile:
    """One file of a source.

    Attributes:
        label: Its name for readers, without the folders that only this machine has.
        suffix: What it holds, one of `SUFFIXES` or of the values of `TEXTS`.
        packed: Whether it is compressed with gzip.
    """

    path: Path
    label: str
    suffix: str
    packed: bool

    def open(self) -> IO[bytes]:
        """The file's content, unpacked.

        Raises:
            SourceError: where the file can't be opened, or isn't gzip for all its name.
        """
        try:
            stream = self.path.open("rb")
        except OSError as error:
            raise SourceError(f"{self.path} can't be opened: {error.strerror}") from error
        if not self.packed:
            return stream
        magic = stream.read(len(_GZIP_MAGIC))
        stream.close()
        if magic not in (b"", _GZIP_MAGIC):
            raise SourceError(f"{self.path} is not gzip: name it without .gz, or pack it again")
        return cast("IO[bytes]", gzip.open(self.path))


def find_files(source: Source, recipe_folder: Path) -> list[SourceFile]:
    """The files of a source with a `path`, sorted by name.

    A relative path or glob is looked up in the recipe's folder, then in the working folder.
    `**` matches folders of any depth; hidden files match only where the pattern starts with a dot.

    Raises:
        SourceError: for no file, a folder, and a suffix that isn't known.
    """
    given = source.path or ""
    if given in BUILTINS:
        name = f"{given.partition(':')[2]}.jsonl"
        paths = [Path(str(files("chainwright") / "builders" / "data" / name))]
        if not paths[0].is_file():
            raise SourceError(
                f"{given} is missing from this installation: install chainwright anew"
            )
    else:
        paths = _lookup(source.known_as, given, recipe_folder)
    parent = Path(os.path.commonpath([path.parent for path in paths]))
    found = [_source_file(path, path.relative_to(parent).as_posix(), source.kind) for path in paths]
    own = TEXTS.get(source.kind)
    strange = [file.label for file in found if file.suffix not in (*SUFFIXES, own)]
    if strange:
        allowed = ", ".join([*SUFFIXES, ".txt"] if own else SUFFIXES)
        raise SourceError(
            f"source `{source.known_as}`: `{strange[0]}` has a name that says nothing of its "
            f"format; expected {allowed}, each also with .gz"
        )
    return found


def _source_file(path: Path, label: str, kind: str) -> SourceFile:
    name = path.name.lower()
    inner = name.removesuffix(".gz")
    suffix = Path(inner).suffix
    suffix = TEXTS.get(kind, suffix) if suffix == ".txt" else suffix
    return SourceFile(path, printable(label), suffix, packed=inner != name)


def _lookup(name: str, given: str, recipe_folder: Path) -> list[Path]:
    pattern = Path(given).expanduser()
    folders = [Path.cwd()] if pattern.is_absolute() else [recipe_folder, Path.cwd()]
    for folder in folders:
        path = folder / pattern
        if path.is_file():
            return [path.absolute()]
        if path.is_dir():
            raise SourceError(
                f"source `{name}`: path `{given}` is a folder; give a file in it, or a glob such "
                f"as `{given.rstrip('/')}/*.jsonl`"
            )
        # Unlike pathlib's, this glob passes over hidden files (checkpoints, editors' leavings).
        matches = glob.glob(str(pattern), root_dir=folder, recursive=True)  # noqa: PTH207
        paths = sorted((folder / match).absolute() for match in matches)
        paths = [path for path in paths if path.is_file()]
        if paths:
            return paths
    looked = " and ".join(str(folder) for folder in dict.fromkeys(folders))
    where = "" if pattern.is_absolute() else f" in {looked}"
    what = "matches no file" if glob.has_magic(given) else "is no file"
    raise SourceError(f"source `{name}`: path `{given}` {what}{where}{_near(folders, pattern)}")


def _near(folders: list[Path], pattern: Path) -> str:
    for folder in folders:
        parent = (folder / pattern).parent
        names = sorted(path.name for path in parent.iterdir()) if parent.is_dir() else []
        close = nearest(pattern.name, names)
        if close:
            return f"; did you mean `{pattern.with_name(close)}`?"
    return ""
