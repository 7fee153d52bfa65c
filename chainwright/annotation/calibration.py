"""How one judge's votes compare with labels that are known.

The truth comes from exact chains or from people; the confusion matrix then tells what a vote of
this judge is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

ABSTAINED = "abstained"


@dataclass(frozen=True)
class LabelScore:
    """One label's scores over the units the judge voted on.

    Attributes:
        label: The label.
        support: Units whose truth is the label and that were voted on.
        predicted: Votes for the label.
        precision: Right votes / votes for the label; None when it was never voted.
        recall: Right votes / support; None without support.
        f1: 2 right / (predicted + support); None when both are 0. It is 0 when one of them is
            0, although precision or recall is then undefined.
    """

    label: str
    support: int
    predicted: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Accuracy:
    """Share of votes that are right, with its Wilson 95% interval; None without votes."""

    value: float | None
    low: float | None
    high: float | None
    correct: int
    voted: int


@dataclass(frozen=True)
class Confusion:
    """One judge against the truth; `dataclasses.asdict` makes it ready for JSON.

    Attributes:
        labels: Row names, the truth.
        columns: Column names, the labels and then `abstained`.
        counts: Units by truth and vote, (labels, labels + 1).
        scores: Scores of each label, in the order of `labels`.
        accuracy: Accuracy over the units voted on.
        coverage: Share of units voted on; None without units.
    """

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    scores: tuple[LabelScore, ...]
    accuracy: Accuracy
    coverage: float | None


def confusion(
    truth: Sequence[str], votes: Sequence[str | None], labels: Sequence[str]
) -> Confusion:
    """Count a judge's votes against the truth and score them.

    Abstentions have a column of their own and lower the coverage; accuracy, precision, recall and
    F1 are over the units voted on, so an abstention is no wrong vote. Without units, or without
    votes, counts are 0 and the scores None.

    Args:
        truth: True label of each unit.
        votes: The judge's label of each unit, in the same order; None where it gave no valid vote.
        labels: All labels, in the order of the rows.

    Raises:
        ValueError: Lengths differ, a truth or vote is not among `labels`, a label occurs twice or
            is called `abstained`.

    Example:
        >>> confusion(["ok", "ok", "bad"], ["ok", "bad", None], ["ok", "bad"]).counts
        ((1, 1, 0), (0, 0, 1))
    """
    _check(truth, votes, labels)
    columns = (*labels, ABSTAINED)
    tally = Counter(
        (true, ABSTAINED if vote is None else vote) for true, vote in zip(truth, votes, strict=True)
    )
    counts = tuple(tuple(tally[row, column] for column in columns) for row in labels)
    correct = sum(tally[label, label] for label in labels)
    voted = sum(sum(row[:-1]) for row in counts)
    return Confusion(
        labels=tuple(labels),
        columns=columns,
        counts=counts,
        scores=tuple(_score(counts, place, label) for place, label in enumerate(labels)),
        accuracy=accuracy(correct, voted),
        coverage=_share(voted, len(truth)),
    )


def accuracy(correct: int, voted: int) -> Accuracy:
    """The share of votes that are right, with its 95% Wilson interval; all None without votes.

    Raises:
        ValueError: `correct` is not within 0 to `voted`.
    """
    low, high = wilson_interval(correct, voted) or (None, None)
    return Accuracy(_share(correct, voted), low, high, correct, voted)


def wilson_interval(
    successes: int, trials: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Score interval of a proportion; None without trials.

    Unlike the normal approximation it stays within [0, 1] and keeps a width at 0 and 1. It takes
    trials as independent, which steps of one chain are not quite. Source: Wilson 1927, "Probable
    inference, the law of succession, and statistical inference", J. Am. Stat. Assoc. 22(158).

    Raises:
        ValueError: `successes` is not within 0 to `trials`, or `confidence` not in (0, 1).
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"successes is {successes}; allowed is 0 to {trials} (the trials)")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must lie between 0 and 1")
    if trials == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    shrink = 1 + z**2 / trials
    centre = (share + z**2 / (2 * trials)) / shrink
    half = z * sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2) / shrink
    # At 0 and at all successes an end is exactly 0 or 1; rounding would miss it by a little.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return low, high


def _check(truth: Sequence[str], votes: Sequence[str | None], labels: Sequence[str]) -> None:
    if len(truth) != len(votes):
        raise ValueError(f"truth has {len(truth)} units and votes {len(votes)}; they must match")
    twice = [label for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise ValueError(f"labels holds {twice[0]!r} more than once; labels must be distinct")
    if ABSTAINED in labels:
        raise ValueError(f"labels holds {ABSTAINED!r}, the name of the column of abstentions")
    allowed = set(labels)
    for what, values in (("truth", truth), ("votes", votes)):
        for unit, value in enumerate(values):
            if value not in allowed and not (what == "votes" and value is None):
                raise ValueError(f"{what}[{unit}] is {value!r}; allowed are {list(labels)}")


def _score(counts: tuple[tuple[int, ...], ...], place: int, label: str) -> LabelScore:
    right = counts[place][place]
    support = sum(counts[place][:-1])
    predicted = sum(row[place] for row in counts)
    return LabelScore(
        label=label,
        support=support,
        predicted=predicted,
        precision=_share(right, predicted),
        recall=_share(right, support),
        f1=_share(2 * right, predicted + support),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
