"""Splits: on which side of train and test a problem falls."""

from __future__ import annotations

from typing import Literal

from chainwright.schemas.identity import place

Split = Literal["train", "test"]

SPLITS: tuple[Split, ...] = ("train", "test")


def split_of(problem_id: str, test_fraction: float, seed: int) -> Split:
    """The side of a problem, and so of all its chains: a pure function of its id and the seed.

    Each problem has a fixed place in [0, 1) that depends on nothing else, so a problem in test at
    one fraction stays in test at every larger one, and adding problems moves no other. The test
    share is met in expectation only: 0 puts all in train, 1 all in test, and a handful of problems
    may all fall on one side. Problems with equal questions but different ids (two sources) are
    placed independently.

    Raises:
        ValueError: `test_fraction` is not within 0 to 1.

    Example:
        >>> split_of("p-00000000000000000000", 0.2, seed=7)
        'train'
        >>> split_of("p-00000000000000000000", 1.0, seed=7)
        'test'
    """
    if not 0 <= test_fraction <= 1:
        raise ValueError(f"test_fraction is {test_fraction}; allowed is 0 to 1")
    return "test" if place("split", seed, problem_id) < test_fraction else "train"
