"""PERL files: one JSON array a source and polarity, written element by element."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from chainwright.schemas.perl import PerlRecord
from chainwright.schemas.words import Polarity

_ENDINGS: dict[Polarity, str] = {
    "positive": "positives",
    "negative": "negatives",
    "synthetic_negative": "positives_perturbed",
}


class PerlFiles:
    """Writes `perl/<source>_{positives,negatives,positives_perturbed}.json` below a folder.

    The bytes are those of `json.dump(records, file, indent=2)`, as in the released files, but only
    one record is in memory. A file without records is not written. On leaving the context by an
    exception the arrays stay open-ended.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "perl"
        self._files: dict[str, IO[str]] = {}
        self._counts: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files.values():
            if kind is None:
                file.write("\n]")
            file.close()

    def add(self, source: str, polarity: Polarity, record: PerlRecord) -> None:
        """Append a record to the file of its source and polarity."""
        name = f"{_file_name(source)}_{_ENDINGS[polarity]}.json"
        if name not in self._files:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._files[name] = (self._folder / name).open("w", encoding="ascii", newline="\n")
            self._counts[name] = 0
        opening = ",\n" if self._counts[name] else "[\n"
        self._files[name].write(opening + _element(record))
        self._counts[name] += 1

    def counts(self) -> dict[str, int]:
        """Records by file name, sorted by name."""
        return dict(sorted(self._counts.items()))


def _file_name(source: str) -> str:
    """A source's name as part of a file name.

    A name that is not one already gets the head of its hash, so that two sources never share.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", source).lstrip(".-")[:80]
    if plain == source:
        return plain
    return f"{plain or 'source'}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"


def _element(record: PerlRecord) -> str:
    text = record.model_dump_json(indent=2, ensure_ascii=True, exclude_unset=True)
    # JSON strings hold no raw line break, so every one in the text starts a line of the layout.
    return "  " + text.replace("\n", "\n  ")
