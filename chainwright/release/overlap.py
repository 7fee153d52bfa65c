"""Overlap: which texts of a test set a text holds, exactly, nearly, or in runs of words.

Three tests, from strict to loose, of which the first that hits counts:

- `exact`: the same but for case, width of letters (Unicode NFKC) and blanks;
- `near`: by MinHash, as near-duplicates within a release are found (`near_duplicates`);
- `ngram`: a run of 13 words in both, as GPT-3's training data was cleaned (arXiv 2005.14165,
  appendix C). A test text of 8 to 12 words is one run of its own length; a shorter one is found by
  the first two tests alone. Runs that more than `COMMON` texts of the set have are its wording
  ("which one of the following, if true, …") and tell nothing.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from chainwright.release.near_duplicates import SHARED, Minima, band_keys, minima

Method = Literal["exact", "near", "ngram"]
METHODS: tuple[Method, ...] = ("exact", "near", "ngram")

RUN, SHORTEST = 13, 8
"""Words of a run, and of the shortest text that is a run by itself."""

COMMON = 10
"""Texts of a test set that may share a run before it counts for none."""

Hashes = npt.NDArray[np.uint64]

_WORD = re.compile(r"\w+")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Overlap:
    """A text of the test set that was found.

    Attributes:
        item: Its number in the set, from 0.
        method: The strictest test that it meets.
        score: 1 for `exact`; for `near` the estimated share of common runs of three words; for
            `ngram` the share of the test text's runs that were found.
    """

    item: int
    method: Method
    score: float


class Texts:
    """Texts of a test set, ready to be looked for.

    Takes some 800 bytes a text and 12 for each run of 13 words, whatever is looked up in it.

    Args:
        texts: By the number of their item; one item may have none.
        runs_only: Whether to look for runs of words alone, as fits long passages.
    """

    def __init__(self, texts: Sequence[tuple[int, str]], *, runs_only: bool = False) -> None:
        self._runs_only = runs_only
        self._exact: dict[bytes, list[int]] = defaultdict(list)
        self._items = np.fromiter((item for item, _ in texts), np.uint32, len(texts))
        found: dict[int, list[Hashes]] = defaultdict(list)
        owners: dict[int, list[npt.NDArray[np.uint32]]] = defaultdict(list)
        self._runs_of: Counter[int] = Counter()
        minimal: list[Minima] = []
        for item, text in texts:
            if not runs_only:
                self._exact[_digest(text)].append(item)
                minimal.append(minima(text))
            words = _hashes(text)
            length = min(len(words), RUN)
            if length >= SHORTEST:
                runs = np.unique(_runs(words, length))
                found[length].append(runs)
                owners[length].append(np.full(len(runs), item, np.uint32))
                self._runs_of[item] += len(runs)
        self._tables = {
            length: _table(np.concatenate(found[length]), np.concatenate(owners[length]))
            for length in sorted(found)
        }
        self._minima = np.stack(minimal) if minimal else np.zeros((0, 64), np.uint32)
        keys = band_keys(self._minima)
        order = np.argsort(keys, axis=None, kind="stable")
        self._bands = keys.ravel()[order]
        self._banded = (order // keys.shape[1]).astype(np.uint32)

    def found_in(self, text: str) -> list[Overlap]:
        """The texts that a text holds, one entry an item, from strict to loose and by score."""
        hits: dict[int, Overlap] = {}
        if not self._runs_only and text:
            for item in self._exact.get(_digest(text), ()):
                hits.setdefault(item, Overlap(item, "exact", 1.0))
            for item, share in self._near(text):
                hits.setdefault(item, Overlap(item, "near", share))
        for item, runs in self._runs(text).items():
            share = round(runs / self._runs_of[item], 4)
            hits.setdefault(item, Overlap(item, "ngram", share))
        return sorted(hits.values(), key=lambda o: (METHODS.index(o.method), -o.score, o.item))

    def _near(self, text: str) -> list[tuple[int, float]]:
        own = minima(text)
        keys = band_keys(own[None, :])[0]
        low, high = (np.searchsorted(self._bands, keys, side) for side in ("left", "right"))
        rows = np.unique(_gathered(self._banded, low, high))
        shares = (self._minima[rows] == own).mean(axis=1)
        return [
            (int(self._items[row]), round(float(share), 4))
            for row, share in zip(rows, shares, strict=True)
            if share >= SHARED
        ]

    def _runs(self, text: str) -> Counter[int]:
        words = _hashes(text)
        found: Counter[int] = Counter()
        for length, (keys, items) in self._tables.items():
            if len(words) >= length:
                runs = np.unique(_runs(words, length))
                low, high = (np.searchsorted(keys, runs, side) for side in ("left", "right"))
                found.update(_gathered(items, low, high).tolist())
        return found


def _digest(text: str) -> bytes:
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _hashes(text: str) -> Hashes:
    words = _WORD.findall(text.casefold())
    return np.fromiter((_word(word) for word in words), np.uint64, len(words))


@lru_cache(maxsize=1 << 16)
def _word(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _runs(words: Hashes, length: int) -> Hashes:
    """The hash of each run of so many words, a polynomial modulo 2^64."""
    total = np.zeros(len(words) - length + 1, np.uint64)
    for start in range(length):
        total = total * _MIX + words[start : start + len(total)]
    return total


def _table(runs: Hashes, items: npt.NDArray[np.uint32]) -> tuple[Hashes, npt.NDArray[np.uint32]]:
    """Runs in order with their items, without those that too many items have."""
    order = np.argsort(runs, kind="stable")
    runs, items = runs[order], items[order]
    starts = np.flatnonzero(np.concatenate(([True], runs[1:] != runs[:-1])))
    sizes = np.diff(np.append(starts, len(runs)))
    kept = np.repeat(sizes <= COMMON, sizes)
    return runs[kept], items[kept]


def _gathered(
    values: npt.NDArray[np.uint32], low: npt.NDArray[np.intp], high: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint32]:
    """The values of all the ranges, one after the other."""
    ranges = [values[start:end] for start, end in zip(low, high, strict=True) if end > start]
    return np.concatenate(ranges) if ranges else np.zeros(0, np.uint32)
