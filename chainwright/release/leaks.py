"""Leaks: keys and places of this machine in a finished release, which must not leave with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainwright.llm.keys import own_secrets

_KEY = re.compile(
    r"\b(?:sk|rk|gsk|xai|hf)[-_](?=[\w-]*\d)[\w-]{16,}|\bAIza[\w-]{30,}|\bgh[pousr]_\w{30,}"
    r"|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_KEY_BEGINS = r"sk[-_]|rk[-_]|xai[-_]|hf[-_]|AIza|gh[pousr]_|AKIA|PRIVATE KEY"
"""What every match of `_KEY` holds, in a form that a column is searched for at once."""

_PLACE = re.compile(r"(?:file://)?(?:/(?:home|Users|root|tmp|mnt|var/folders)/|[A-Za-z]:\\Users\\)")
_OF_MACHINES = ("generator", "judge", "origin_ref", "source", "licence")
"""Fields that name models, checkers and files: no text of a dataset, so no place belongs there."""

_DOCUMENTS = ("recipe.yaml", "manifest.json", "croissant.json", "CITATION.cff")
"""Files in which no absolute place belongs; a card quotes rows, which may speak of any place."""

_BATCH = 2_000


@dataclass(frozen=True)
class Leak:
    """Something that must not leave the machine: the file, where in it, and what; no secret."""

    path: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}, {self.where}: {self.what}"


def leaks(folder: Path, places: Collection[str] = ()) -> Iterator[Leak]:
    """Keys and places of this machine in a release, file after file.

    Looked for: the secrets of the environment and what has the form of a key of a known service,
    everywhere; `places`, everywhere; and whatever looks like a place of some machine, in recipe,
    manifest and the fields that name models and files. Questions and steps may speak of
    `/home/ada`: there it is text.

    Args:
        folder: A release.
        places: Folders of this machine, such as the user's home.
    """
    seek = _Seek(places)
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".parquet":
            yield from _in_parquet(path, name, seek)
            continue
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if (what := seek.found(line, places_too=name in _DOCUMENTS)) is not None:
                    yield Leak(name, f"line {number}", what)


class _Seek:
    """What is looked for in one release."""

    def __init__(self, places: Collection[str]) -> None:
        self._secrets = own_secrets()
        self._places = sorted(places)
        literals = [*self._secrets.values(), *self._places]
        self.candidates = "|".join([_KEY_BEGINS, *(_literal(one) for one in literals)])
        self.candidates_with_places = f"{self.candidates}|[/\\\\]"

    def found(self, text: str, *, places_too: bool) -> str | None:
        for name, secret in self._secrets.items():
            if secret in text:
                return f"the value of {name}"
        if _KEY.search(text):
            return "what looks like a key"
        for place in self._places:
            if place in text:
                return f"a folder of this machine, {place}"
        if places_too and (match := _PLACE.search(text)):
            return f"a place of some machine, {match.group()}…"
        return None


def _in_parquet(path: Path, name: str, seek: _Seek) -> Iterator[Leak]:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=_BATCH):
            for column, values in zip(batch.schema.names, batch.columns, strict=True):
                for field, texts in _strings(column, values):
                    places_too = field.rpartition(".")[2] in _OF_MACHINES
                    pattern = seek.candidates_with_places if places_too else seek.candidates
                    likely = texts.filter(pc.match_substring_regex(texts, pattern))
                    for text in likely.to_pylist():
                        if (what := seek.found(text, places_too=places_too)) is not None:
                            yield Leak(name, f"field {field}", what)


def _strings(name: str, values: Any) -> Iterator[tuple[str, Any]]:
    """Every column of text within a column, by its path."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield name, values
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _strings(name, values.flatten())
    elif pa.types.is_struct(kind):
        for field, part in zip(kind, values.flatten(), strict=True):
            yield from _strings(f"{name}.{field.name}", part)


def _literal(text: str) -> str:
    """A pattern for a text as it is, in the syntax of the engine that searches columns."""
    return re.sub(r"([^\w/ ])", r"\\\1", text)
