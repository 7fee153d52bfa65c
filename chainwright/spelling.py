"""The nearest spelling: what a mistyped word was probably meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

CUTOFF = 0.6
"""Similarity (difflib's ratio) below which a guess confuses more than it helps."""


def nearest(word: str, allowed: Iterable[str], cutoff: float = CUTOFF) -> str | None:
    """The allowed word that is closest to `word`, upper and lower case aside.

    Returns:
        None where nothing is close; of two equally close words the earlier one.
    """
    by_lower: dict[str, str] = {}
    for candidate in allowed:
        by_lower.setdefault(candidate.lower(), candidate)
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=cutoff)
    return by_lower[found[0]] if found else None
