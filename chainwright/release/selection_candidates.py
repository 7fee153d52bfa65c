"""Candidates: what a selection has to know of a chain, from its problem and labels.

The chains themselves stay on disk: a candidate is a few hundred bytes, whatever its chain holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from chainwright.schemas.chain import Chain
from chainwright.schemas.identity import content_hash
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import SOUND, TestSlice, Tier, lowest_tier

_GROUP_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chain as the selection sees it.

    Attributes:
        group: Hash of the question: chains of one group are on one side of train and test.
        track: The problem's.
        generator: Who wrote the chain.
        decided: Every step has a label.
        sound: Every step is correct or faithful.
        category: Of the first wrong step; None where there is none, or no majority named one.
        certainty: The lowest of its steps' tiers, where a step whose label is exact, or by people,
            counts as gold.
        difficulty: As `difficulty`.
    """

    chain_id: str
    group: str
    track: str
    generator: str
    decided: bool
    sound: bool
    category: str | None
    certainty: Tier
    difficulty: float | None


@dataclass(frozen=True, slots=True)
class Draw:
    """How a chain stands to the test set: the slices it is in, and the odds of either draw.

    A probability is None where the chain could not be drawn at all.
    """

    slices: tuple[TestSlice, ...] = ()
    hard_probability: float | None = None
    random_probability: float | None = None


def candidate(
    problem: Problem,
    chain: Chain,
    labels: Sequence[Label],
    generator: str,
    parent: Problem | None = None,
) -> Candidate:
    """What the selection has to know of a chain.

    Args:
        problem: The chain's problem.
        chain: The chain.
        labels: One label a step, in any order.
        generator: The chain's, as it is published.
        parent: The problem that this one is a variant of; its group is the variant's.
    """
    ordered = sorted(labels, key=lambda label: label.step)
    wrong = [label for label in ordered if label.label is not None and label.label not in SOUND]
    return Candidate(
        chain_id=chain.chain_id,
        group=question_group(parent or problem),
        track=problem.track,
        generator=generator,
        decided=all(label.label is not None for label in ordered),
        sound=not wrong,
        category=wrong[0].category if wrong else None,
        certainty=lowest_tier([_certainty(label) for label in ordered]),
        difficulty=difficulty(ordered),
    )


def difficulty(labels: Sequence[Label]) -> float | None:
    """How far a chain's judges differ, from 0 (they agree on every step) to 1.

    Of each step the share of pairs of valid votes that differ in label or category; of the chain
    the mean of its steps. A vote that names no category, as those of `bin` do, differs by its label
    alone. A step with fewer than two valid votes says nothing and is left out; None where no step
    has two. With three judges, a step on which one stands alone comes to 2/3.

    Args:
        labels: One label a step, in any order.
    """
    shares = []
    for label in labels:
        said = [(vote.label, vote.category) for vote in label.votes if vote.status == "ok"]
        pairs = list(combinations(said, 2))
        if pairs:
            shares.append(sum(_differ(*pair) for pair in pairs) / len(pairs))
    return sum(shares) / len(shares) if shares else None


def question_group(problem: Problem) -> str:
    """A hash that problems share when they ask the same, whatever source they come from.

    Case and blanks do not count. Questions of the track inference often read alike and differ in
    their passage, which is part of the question there; elsewhere the passages are evidence, with
    distractors that differ from one dataset to another, and do not count.
    """
    texts = [problem.question]
    if problem.track == "inference":
        texts += [passage.text for passage in problem.context]
    plain = [" ".join(text.casefold().split()) for text in texts]
    return content_hash("question", plain)[:_GROUP_DIGITS]


def _differ(one: tuple[str | None, str | None], other: tuple[str | None, str | None]) -> bool:
    unnamed = None in (one[1], other[1])
    return one[0] != other[0] or (one[1] != other[1] and not unnamed)


def _certainty(label: Label) -> Tier:
    return "gold" if label.label_source in ("exact", "human") else label.tier
