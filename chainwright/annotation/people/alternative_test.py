"""Alternative annotator test: may a judge stand in for one of the people?

Each annotator in turn is left out. On what he or she answered, judge and annotator are held
against the others: who agrees with more of them has the advantage, both where they tie.
Source: Calderon, Reichart and Dror 2025, "The alternative annotator test for LLM-as-a-judge",
arXiv 2501.10970, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chainwright.annotation.people.student import discoveries, t_below

EPSILON = 0.15
"""What a judge may fall behind a person by, as it costs less. The paper advises 0.2 where the
people are experts, 0.15 where they are skilled, 0.1 where they are a crowd."""

FALSE_DISCOVERIES = 0.05
FEWEST_CHAINS = 30
"""With fewer chains the t-test leans on a normality that is not assured."""


@dataclass(frozen=True)
class LeftOut:
    """One annotator against the judge.

    Attributes:
        units: Steps that both answered and at least one other annotator.
        chains: Chains that these are of: what the test counts.
        judge_advantage: Share of the steps on which the judge does as well or better.
        annotator_advantage: The same of the annotator.
        p_value: Of the hypothesis that the judge falls behind by epsilon or more; None for fewer
            than two chains.
        judge_wins: Whether that is rejected.
        reason: `name: explanation`, where there is no test or it rests on little.
    """

    annotator: str
    units: int
    chains: int
    judge_advantage: float | None
    annotator_advantage: float | None
    p_value: float | None
    judge_wins: bool
    reason: str | None


@dataclass(frozen=True)
class AlternativeTest:
    """The test of one judge.

    Attributes:
        winning_rate: Share of the annotators tested whom the judge may stand in for.
        passes: Whether that is half of them or more; None without a test.
        advantage: Average advantage probability: the mean of `judge_advantage`.
    """

    epsilon: float
    winning_rate: float | None
    passes: bool | None
    advantage: float | None
    annotators: tuple[LeftOut, ...]


def alternative_test(
    judge: ArrayLike,
    answers: ArrayLike,
    chains: ArrayLike,
    annotators: Sequence[str],
    *,
    epsilon: float = EPSILON,
) -> AlternativeTest:
    """Test whether a judge may stand in for the annotators.

    Agreement is the share of the other annotators who said the same. The t-test counts chains and
    not steps: differences are averaged over a chain first, as its steps are no independent
    instances. With two annotators "the others" are one person; the paper asks for three or more.

    Args:
        judge: The judge's code of each step, (units,), integers; -1 = none.
        answers: The annotators' codes, (units, annotators), integers; -1 = none.
        chains: The chain of each step, (units,).
        annotators: Names of the columns.
        epsilon: What the judge may fall behind by.

    Raises:
        ValueError: Shapes do not match, or epsilon is not within 0 and 1.
    """
    said = np.asarray(judge, dtype=np.int64)
    given = np.asarray(answers, dtype=np.int64).reshape(len(said), len(annotators))
    of_chain = np.asarray(chains)
    if of_chain.shape != said.shape or said.ndim != 1:
        raise ValueError(f"found chains of shape {of_chain.shape}, expected {said.shape}")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"found {epsilon} for epsilon, expected a number from 0 to 1")
    tested = [
        _left_out(name, said, given, of_chain, place, epsilon)
        for place, name in enumerate(annotators)
    ]
    known = [one for one in tested if one.p_value is not None]
    rejected = dict(
        zip(
            (one.annotator for one in known),
            discoveries([one.p_value or 0.0 for one in known], FALSE_DISCOVERIES),
            strict=True,
        )
    )
    rows = tuple(
        LeftOut(**{**vars(one), "judge_wins": rejected.get(one.annotator, False)}) for one in tested
    )
    shares = [one.judge_advantage for one in rows if one.judge_advantage is not None]
    rate = sum(rejected.values()) / len(known) if known else None
    return AlternativeTest(
        epsilon=epsilon,
        winning_rate=rate,
        passes=None if rate is None else rate >= 0.5,
        advantage=sum(shares) / len(shares) if shares else None,
        annotators=rows,
    )


def _left_out(
    name: str,
    judge: NDArray[np.int64],
    answers: NDArray[np.int64],
    chains: NDArray[np.generic],
    place: int,
    epsilon: float,
) -> LeftOut:
    others = np.delete(answers, place, axis=1)
    own = answers[:, place]
    usable = (judge >= 0) & (own >= 0) & (others >= 0).any(axis=1)
    if not usable.any():
        why = f"no_overlap: no step was answered by `{name}`, somebody else and the judge"
        return LeftOut(name, 0, 0, None, None, None, False, why)
    others, own, said = others[usable], own[usable], judge[usable]
    by_judge = (others == said[:, None]).sum(axis=1)
    by_person = (others == own[:, None]).sum(axis=1)
    judge_ahead, person_ahead = by_judge >= by_person, by_person >= by_judge
    _, index = np.unique(chains[usable], return_inverse=True)
    behind = np.bincount(index, person_ahead.astype(float) - judge_ahead.astype(float))
    means = behind / np.bincount(index)
    p_value = _p_value(means, epsilon)
    reason = None
    if p_value is None:
        reason = "one_chain: a test needs two chains or more"
    elif len(means) < FEWEST_CHAINS:
        reason = f"few_chains: {len(means)} chains, fewer than {FEWEST_CHAINS}"
    return LeftOut(
        name,
        int(usable.sum()),
        len(means),
        float(judge_ahead.mean()),
        float(person_ahead.mean()),
        p_value,
        False,
        reason,
    )


def _p_value(differences: NDArray[np.float64], epsilon: float) -> float | None:
    """One-sided t-test of "the mean is epsilon or more" against "it is less"."""
    count = len(differences)
    if count < 2:
        return None
    distance = float(differences.mean()) - epsilon
    spread = float(differences.std(ddof=1)) / sqrt(count)
    # Where all differences are the same the mean is known and nothing is left to chance.
    t = distance / spread if spread > 0 else (-inf if distance < 0 else inf)
    return t_below(t, count - 1)
