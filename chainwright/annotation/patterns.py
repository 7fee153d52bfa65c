"""Patterns: the distinct rows of votes, each with the units that share it.

A panel of three with few labels has at most (labels + 1) ** 3 patterns, however many steps it
judged. What depends on a step's votes alone is computed once a pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chainwright.annotation.panel import Outcome, tally
from chainwright.schemas.label import CastVote
from chainwright.schemas.words import SOUND, STEP_LABELS, Binary

_LOOKED_UP = 1 << 20
"""Possible patterns up to which they are found by counting; beyond it by sorting."""


@dataclass(frozen=True)
class Patterns:
    """Distinct rows of votes.

    Attributes:
        votes: (patterns, columns), in ascending order of the rows.
        index: Each unit's pattern, (units,).
        counts: Units of each pattern, (patterns,), all above 0.
    """

    votes: NDArray[np.int64]
    index: NDArray[np.intp]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.votes)


def patterns_of(codes: NDArray[np.integer]) -> Patterns:
    """The distinct rows among the codes.

    Args:
        codes: (units, columns), integers from -1 (no valid vote) on.

    >>> patterns_of(np.array([[0, 1], [0, -1], [0, 1]])).counts.tolist()
    [1, 2]
    """
    units, columns = codes.shape
    base = int(codes.max(initial=-1)) + 2
    if columns == 0 or base**columns >= 1 << 62:
        votes, index, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        return Patterns(votes.astype(np.int64), index.reshape(units), counts)
    powers = base ** np.arange(columns - 1, -1, -1, dtype=np.int64)
    keys = np.zeros(units, dtype=np.int64)
    for column, power in enumerate(powers):
        keys += (codes[:, column].astype(np.int64) + 1) * power
    if base**columns <= _LOOKED_UP:
        tally_of_keys = np.bincount(keys, minlength=base**columns)
        found = np.flatnonzero(tally_of_keys)
        place = np.zeros(base**columns, dtype=np.intp)
        place[found] = np.arange(len(found))
        index, counts = place[keys], tally_of_keys[found]
    else:
        found, index, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return Patterns(found[:, None] // powers % base - 1, index, counts)


def outcomes(patterns: Patterns, words: Sequence[str]) -> list[Outcome]:
    """The panel's outcome of each pattern, by `tally`: a unit's is that of its pattern.

    Args:
        patterns: Of native votes, a column a judge.
        words: What the codes stand for, such as `correct` and the categories of errors.
    """
    return [tally([_cast(int(code), words) for code in votes]) for votes in patterns.votes]


def group_index(groups: ArrayLike) -> tuple[NDArray[np.intp], int]:
    """Each unit's group as a number from 0, in ascending order of the groups, and their number.

    Raises:
        ValueError: `groups` is not one-dimensional.
    """
    names = np.asarray(groups)
    if names.ndim != 1:
        raise ValueError(f"chains has shape {names.shape}; it must be (units,)")
    if names.size and np.issubdtype(names.dtype, np.integer):
        low, high = int(names.min()), int(names.max())
        if high - low < 4 * names.size:  # counting is quicker than sorting
            shifted = names.astype(np.int64) - low
            there = np.zeros(high - low + 1, dtype=bool)
            there[shifted] = True
            place = np.cumsum(there, dtype=np.intp) - 1
            return place[shifted], int(there.sum())
    distinct, index = np.unique(names, return_inverse=True)
    return index, len(distinct)


def verdict(word: str) -> tuple[Binary, str | None]:
    """The pair (label, category) that a word stands for.

    >>> verdict("correct"), verdict("other"), verdict("overreaching_claim")
    (('correct', None), ('error', 'other'), ('unfaithful', 'overreaching_claim'))
    """
    if word in SOUND:
        return ("correct" if word == SOUND[0] else "faithful"), None
    if word == "unfaithful":
        return "unfaithful", None
    return ("error" if word in STEP_LABELS else "unfaithful"), word


def _cast(code: int, words: Sequence[str]) -> CastVote:
    if code < 0:
        return CastVote(judge="", status="missing", label=None, category=None, explanation=None)
    label, category = verdict(words[code])
    return CastVote(judge="", status="ok", label=label, category=category, explanation=None)
