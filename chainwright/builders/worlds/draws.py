"""Draws: choices that follow from a key alone, the same on every machine and Python."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A sequence of choices; two draws of the same key make the same ones in the same order."""

    def __init__(self, *key: object) -> None:
        self._key = "\x1f".join(map(str, key))
        self._count = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to `bound` - 1."""
        self._count += 1
        digest = hashlib.sha256(f"{self._key}\x1f{self._count}".encode()).digest()
        return int.from_bytes(digest[:8]) % bound

    def chance(self, share: float) -> bool:
        """True in about that share of all draws."""
        return self.below(1_000_000) < share * 1_000_000

    def choice(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """So many different ones of the options, in a drawn order.

        Raises:
            ValueError: where there are fewer options than are wanted.
        """
        if count > len(options):
            raise ValueError(f"{count} of {len(options)} options wanted; there are not as many")
        left = list(options)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """All options in a drawn order."""
        return self.some(options, len(options))
