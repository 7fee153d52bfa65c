"""Reading: the raw rows of a source, from files or from the Hub."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from chainwright.builders.raw_rows import RawRow, RowFault
from chainwright.builders.worlds.rows import made_rows
from chainwright.pipeline.reading.hub_rows import hub_rows
from chainwright.pipeline.reading.source_files import SourceError, SourceFile, find_files
from chainwright.pipeline.reading.source_formats import rows_of
from chainwright.recipe_parts.source_kinds import MADE

if TYPE_CHECKING:
    from chainwright.recipe import Source

__all__ = ["RawRow", "RowFault", "SourceError", "fingerprint", "read_rows"]


def read_rows(source: Source, *, recipe_folder: Path, seed: int = 0) -> Iterator[RawRow | RowFault]:
    """The rows of a source, file after file in the order of their names.

    The files are found (or the Hub is asked) at the call, the rows are read as they are taken.

    Args:
        recipe_folder: Where relative paths start; failing that, they start in the working folder.
        seed: The recipe's, for made problems without a seed of their own.

    Raises:
        SourceError: where the source can't be read as given; on the way only for a file whose
            content is not what its name says, or a connection that is lost.
    """
    if source.path == MADE:
        own = seed if source.seed is None else source.seed
        return iter(made_rows(source.known_track, own, source.limit or 0))
    if source.hub is not None:
        return hub_rows(source.hub, source.hub_config, source.known_split, source.revision)
    return _rows(find_files(source, recipe_folder))


def fingerprint(source: Source, *, recipe_folder: Path) -> str:
    """What a source holds, in one word that changes with it.

    Returns:
        `sha256:…` of the file as it lies on the disk; of several files, of the list of their
        hashes and names. For the Hub `hub:REPOSITORY@REVISION`; without a commit as revision the
        word ends in `(not pinned)`, for then the content may change and the word does not. For
        made problems the path itself: they follow from recipe and code.

    Raises:
        SourceError: where a file can't be found or opened.
    """
    if source.path == MADE:
        return MADE
    if source.hub is not None:
        revision = source.revision or "main"
        note = "" if re.fullmatch("[0-9a-f]{40}", revision) else " (not pinned)"
        return f"hub:{source.hub}@{revision}{note}"
    hashes = [(_sha256(file), file.label) for file in find_files(source, recipe_folder)]
    if len(hashes) == 1:
        return f"sha256:{hashes[0][0]}"
    listing = "".join(f"{digest}  {label}\n" for digest, label in hashes)
    return f"sha256:{hashlib.sha256(listing.encode()).hexdigest()}"


def _rows(files: list[SourceFile]) -> Iterator[RawRow | RowFault]:
    for file in files:
        yield from rows_of(file)


def _sha256(file: SourceFile) -> str:
    try:
        with file.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{file.path} can't be opened: {error.strerror}") from error
