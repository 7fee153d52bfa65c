"""Near-duplicates: questions that are nearly the same, and the side of the split they are on.

MinHash (Broder 1997) with 64 permutations of the hashes of a question's runs of three words, found
by locality-sensitive hashing in 16 bands of 4: pairs that share half of their runs meet in a band
with probability 0.64, those that share 0.8 with 0.9998. A pair counts when at least `SHARED` of its
64 minima agree, an estimate of the share of common runs with a standard error of 0.06 at most.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from chainwright.release.splits import Split

SHARED = 0.75
"""Share of equal minima from which two questions are near-duplicates."""

Handling = Literal["report", "same_side", "drop"]
Minima = npt.NDArray[np.uint32]

_PERMUTATIONS, _BANDS, _RUN = 64, 16, 3
_PRIME = (1 << 31) - 1
_MOST_COMPARED = 20
_WORD = re.compile(r"\w+")
_DRAWN = np.random.Generator(np.random.PCG64(20_250_202)).integers(
    1, _PRIME, size=(2, _PERMUTATIONS, 1), dtype=np.uint64
)


@dataclass(frozen=True)
class NearDuplicates:
    """What was found, and what was done about it.

    Attributes:
        handling: What the recipe asks for.
        groups: Groups of two or more problems whose questions are nearly the same; a problem and
            its variants count as one.
        problems: Problems in them.
        astride: Groups with problems in train and in test, as the hash of their ids has it.
        touching: Problems of train in those groups.
        moved: Problems that were put on the side of their group.
        dropped: Problems of train that were left out.
    """

    handling: Handling
    groups: int
    problems: int
    astride: int
    touching: int
    moved: int
    dropped: int

    def as_json(self) -> dict[str, Any]:
        """The figures as plain values."""
        return asdict(self)


class Questions:
    """Questions by their minima: 256 bytes each, whatever their length.

    The variants of a problem are one family with it, and stand under its id.
    """

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._minima: list[Minima] = []

    def add(self, family: str, question: str) -> None:
        """Note a question of a problem, or of a variant of it."""
        self._ids.append(family)
        self._minima.append(minima(question))

    def groups(self) -> list[list[str]]:
        """Families of near-duplicates, in groups of two or more, each in the order of their coming.

        A group holds what is connected by pairs: its ends may differ more than its neighbours.
        """
        if not self._ids:
            return []
        table = np.stack(self._minima)
        firsts: dict[str, int] = {}
        parent = [firsts.setdefault(one, number) for number, one in enumerate(self._ids)]
        for band in np.split(table, _BANDS, axis=1):
            buckets: dict[bytes, list[int]] = defaultdict(list)
            for number, part in enumerate(band):
                buckets[part.tobytes()].append(number)
            for bucket in buckets.values():
                if len(bucket) > 1:
                    _join(bucket, table, parent)
        found: dict[int, list[str]] = defaultdict(list)
        for family, number in firsts.items():
            found[_root(parent, number)].append(family)
        return [group for group in found.values() if len(group) > 1]


@dataclass(frozen=True)
class Sides:
    """Where near-duplicates go: problems by the side they were moved to, and those left out."""

    moved: dict[str, Split]
    dropped: frozenset[str]
    found: NearDuplicates


def arrange(
    groups: Sequence[Sequence[str]], side: Callable[[str], Split], handling: Handling
) -> Sides:
    """Puts groups of near-duplicates on one side, or finds what they would take.

    `same_side`: a group goes where the hash puts the smallest of its ids. `drop`: of a group that
    lies astride, what is in train is left out, so that test stays as large as it was asked for.

    Args:
        groups: Of `Questions.groups`.
        side: The side of a problem by the hash of its id.
        handling: What to do.
    """
    moved: dict[str, Split] = {}
    dropped: set[str] = set()
    astride = touching = 0
    for group in groups:
        sides = {one: side(one) for one in group}
        in_train = [one for one, at in sides.items() if at == "train"]
        if not in_train or len(in_train) == len(group):
            continue
        astride += 1
        touching += len(in_train)
        if handling == "same_side":
            home = sides[min(group)]
            moved |= {one: home for one, at in sides.items() if at != home}
        elif handling == "drop":
            dropped.update(in_train)
    found = NearDuplicates(
        handling=handling,
        groups=len(groups),
        problems=sum(map(len, groups)),
        astride=astride,
        touching=touching,
        moved=len(moved),
        dropped=len(dropped),
    )
    return Sides(moved, frozenset(dropped), found)


def minima(question: str) -> Minima:
    """The 64 minima of a question; case, blanks and punctuation do not count, numbers do.

    A question of fewer than three words has one run, of all its words.
    """
    words = _WORD.findall(question.casefold())
    runs = {
        zlib.crc32(" ".join(words[start : start + _RUN]).encode())
        for start in range(max(1, len(words) - _RUN + 1))
    }
    hashes = np.fromiter(runs, np.uint64, len(runs)) % _PRIME
    scale, shift = _DRAWN
    smallest: Minima = ((scale * hashes + shift) % _PRIME).min(axis=1).astype(np.uint32)
    return smallest


def band_keys(table: Minima) -> npt.NDArray[np.uint64]:
    """One key for each band of each row: questions that share one are to be compared.

    Args:
        table: Minima of questions, one a row.

    Returns:
        As many rows, and a column a band.
    """
    keys = np.zeros((len(table), _BANDS), np.uint64)
    width = _PERMUTATIONS // _BANDS
    for place in range(width):
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + table[:, place::width].astype(np.uint64)
    numbered = keys * np.uint64(_BANDS) + np.arange(_BANDS, dtype=np.uint64)
    keyed: npt.NDArray[np.uint64] = numbered.astype(np.uint64)
    return keyed


def _join(bucket: Sequence[int], table: npt.NDArray[np.uint32], parent: list[int]) -> None:
    """Joins what is alike in a bucket; each is compared with so many groups of it at most."""
    heads: list[int] = []
    for number in bucket:
        root = _root(parent, number)
        for head in heads:
            if _root(parent, head) == root:
                break
            if float((table[head] == table[number]).mean()) >= SHARED:
                parent[root] = _root(parent, head)
                break
        else:
            if len(heads) < _MOST_COMPARED:
                heads.append(number)


def _root(parent: list[int], number: int) -> int:
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number
