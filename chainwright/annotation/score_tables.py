"""Score tables: what a judge is worth on a labelled corpus, by every split that papers print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chainwright.annotation.bootstrap import Measure, Statistic, estimate, ratio
from chainwright.annotation.metrics.faithfulness import class_addends, f1, macro_f1
from chainwright.annotation.metrics.first_error import (
    accuracy_on_correct,
    accuracy_on_wrong,
    first_error_addends,
    harmonic_f1,
)
from chainwright.annotation.metrics.labelled import JudgedChain
from chainwright.annotation.metrics.paired import SignTest, sign_test
from chainwright.annotation.metrics.premises import premise_score
from chainwright.annotation.metrics.step_errors import step_accuracy
from chainwright.schemas.words import FAITHFULNESS_ERRORS, STEP_LABELS, Track

Formula = Callable[[Any], Any]


@dataclass(frozen=True)
class Metric:
    """A figure as a formula on sums over chains.

    Attributes:
        addends: What a chain adds to the sums; None where the figure is not about it.
        per_chain: The chain's own score, for tests that compare chain by chain; None where it has
            none.
    """

    name: str
    addends: Callable[[JudgedChain], Sequence[float] | None]
    formula: Formula
    per_chain: Callable[[JudgedChain], float | None]


@dataclass(frozen=True)
class Comparison:
    """Two judges on one metric.

    Attributes:
        difference: First less second, with the interval of a paired bootstrap: both on the same
            resampled chains.
    """

    metric: str
    chains: int
    first: Statistic
    second: Statistic
    difference: Statistic
    test: SignTest


def metrics_for(rows: Sequence[JudgedChain]) -> list[Metric]:
    """The metrics that some of the rows have the gold labels for, and the judge the votes."""
    voted = any(status != "missing" for row in rows for status in row.statuses)
    found: list[Metric] = []
    if any(row.premises is not None for row in rows):
        found += [_premises(part) for part in ("precision", "recall", "f1")]
    if voted and any(row.track == "math" for row in rows):
        found += [_accuracy(None), *(_accuracy(word) for word in ("error", *STEP_LABELS))]
        found += [_when_voted(), _coverage()]
        found += [
            _first("wrong", accuracy_on_wrong),
            _first("correct", accuracy_on_correct),
            _first("f1", harmonic_f1),
        ]
    tracks = [track for track in FAITHFULNESS_ERRORS if any(row.track == track for row in rows)]
    if voted and tracks:
        found += [_class("unfaithful"), _class("faithful"), _faithful_accuracy()]
        found += [_categories(track, names) for track in tracks if (names := _named(rows, track))]
        if not any(row.track == "math" for row in rows):
            found.append(_coverage())
    return found


def tables(
    rows: Sequence[JudgedChain], *, replicates: int = 1000, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Every metric by split: `all`, each polarity, each source, and each source's polarities.

    Args:
        rows: Of one judge.

    Returns:
        By split `chains` and the metrics, each as the fields of a `Statistic`; what is undefined
        on a split is left out.
    """
    out: dict[str, dict[str, Any]] = {}
    known = metrics_for(rows)
    for name, chosen in splits(rows):
        found: dict[str, Any] = {"chains": len(chosen)}
        values = estimate(
            [_measure(metric, chosen) for metric in known],
            np.arange(len(chosen)),
            replicates=replicates,
            seed=seed,
            confidence=0.95,
        )
        for metric, value in zip(known, values, strict=True):
            if value.value is not None:
                found[metric.name] = asdict(value)
        out[name] = found
    return out


def compare(
    first: Sequence[JudgedChain],
    second: Sequence[JudgedChain],
    *,
    replicates: int = 1000,
    seed: int = 0,
) -> list[Comparison]:
    """Compare two scorings on the chains they share, metric by metric.

    Raises:
        ValueError: they share no chain, or differ in a shared chain's gold labels.
    """
    others = {row.chain_id: row for row in second}
    pairs = [(row, others[row.chain_id]) for row in first if row.chain_id in others]
    if not pairs:
        raise ValueError("the two scorings share no chain")
    for one, other in pairs:
        if (one.gold, one.gold_premises) != (other.gold, other.gold_premises):
            raise ValueError(f"the gold labels of chain {one.chain_id} differ between the two")
    mine, theirs = [one for one, _ in pairs], [other for _, other in pairs]
    names = {metric.name for metric in metrics_for(theirs)}
    return [
        _compared(metric, mine, theirs, replicates, seed)
        for metric in metrics_for(mine)
        if metric.name in names
    ]


def splits(rows: Sequence[JudgedChain]) -> Iterator[tuple[str, list[JudgedChain]]]:
    """Names of the splits with their rows; a split that holds all rows again is left out."""
    yield "all", list(rows)
    keys: Mapping[str, Callable[[JudgedChain], str]] = {
        "track": lambda row: row.track,
        "polarity": lambda row: row.polarity,
        "source": lambda row: row.source,
        "source and polarity": lambda row: f"{row.source}, {row.polarity}",
    }
    told: list[list[str]] = []
    for key in keys.values():
        cut = [key(row) for row in rows]
        values = sorted(set(cut))
        # a cut into the same parts as one before would only repeat them
        parts = [(set(zip(cut, former, strict=True)), set(former)) for former in told]
        again = any(len(both) == len(values) == len(former) for both, former in parts)
        if len(values) > 1 and not again:
            told.append(cut)
            for value in values:
                chosen = [row for row in rows if key(row) == value]
                yield value, chosen


def _compared(
    metric: Metric,
    first: Sequence[JudgedChain],
    second: Sequence[JudgedChain],
    replicates: int,
    seed: int,
) -> Comparison:
    one, other = _measure(metric, first), _measure(metric, second)
    size = one.columns.shape[1]

    def apart(sums: Any) -> Any:
        if not (one.n and other.n):
            return _nothing(sums)
        return metric.formula(sums[..., :size]) - metric.formula(sums[..., size:])

    both = Measure(
        np.hstack([one.columns, other.columns]),
        apart,
        min(one.n, other.n),
        "undefined: one of the two has no value",
    )
    mine, theirs, difference = estimate(
        [one, other, both],
        np.arange(len(first)),
        replicates=replicates,
        seed=seed,
        confidence=0.95,
    )
    scored = [
        (a, b)
        for a, b in zip(map(metric.per_chain, first), map(metric.per_chain, second), strict=True)
        if a is not None and b is not None
    ]
    test = sign_test([a for a, _ in scored], [b for _, b in scored])
    return Comparison(metric.name, len(scored), mine, theirs, difference, test)


def _measure(metric: Metric, rows: Sequence[JudgedChain]) -> Measure:
    found = [metric.addends(row) for row in rows]
    size = next((len(one) for one in found if one is not None), 1)
    columns = np.array([one if one is not None else [0.0] * size for one in found], dtype=float)
    columns = columns.reshape(len(rows), size)
    n = sum(one is not None for one in found)
    formula = metric.formula if n else _nothing
    return Measure(columns, formula, n, f"undefined: no chain to take {metric.name} of")


def _nothing(sums: Any) -> Any:
    """A formula without a value."""
    return sums[..., 0] * np.nan


def _mean(name: str, score: Callable[[JudgedChain], float | None]) -> Metric:
    """A figure that each chain has by itself, averaged over those that have it."""

    def addends(row: JudgedChain) -> Sequence[float] | None:
        value = score(row)
        return None if value is None else (value, 1.0)

    return Metric(name, addends, lambda sums: ratio(sums[..., 0], sums[..., 1]), score)


def _premises(part: str) -> Metric:
    def score(row: JudgedChain) -> float | None:
        found = premise_score(row.gold_premises, row.premises or [None] * len(row.gold_premises))
        value: float | None = None if found is None else getattr(found, part)
        return value

    return _mean(f"premise_{part}", score)


def _accuracy(of: str | None) -> Metric:
    name = "error_accuracy" if of is None else f"error_accuracy_{of}"
    return _mean(
        name,
        lambda row: step_accuracy(row.gold, row.said, of) if row.track == "math" else None,
    )


def _when_voted() -> Metric:
    """Accuracy with abstentions left out, over the chains that have a vote."""

    def score(row: JudgedChain) -> float | None:
        gold = [g if w is not None else None for g, w in zip(row.gold, row.native, strict=True)]
        return step_accuracy(gold, row.said) if row.track == "math" else None

    return _mean("error_accuracy_voted", score)


def _coverage() -> Metric:
    def score(row: JudgedChain) -> float | None:
        known = [word for gold, word in zip(row.gold, row.native, strict=True) if gold is not None]
        return sum(word is not None for word in known) / len(known) if known else None

    return _mean("coverage", score)


def _first(part: str, formula: Formula) -> Metric:
    def addends(row: JudgedChain) -> Sequence[float] | None:
        known = row.track == "math" and row.gold_first is not None
        return first_error_addends(row.gold_first, row.said_first) if known else None

    def score(row: JudgedChain) -> float | None:
        of_part = part == "f1" or (part == "wrong") == bool(row.gold_first)
        known = row.track == "math" and row.gold_first is not None and of_part
        return float(row.said_first == row.gold_first) if known else None

    return Metric(f"first_error_{part}", addends, formula, score)


def _right(row: JudgedChain) -> float | None:
    """Share of a chain's steps whose faithfulness is told right; an abstention is not."""
    pairs = [
        (gold == "faithful") == (word == "faithful") and word is not None
        for gold, word in zip(row.gold, row.native, strict=True)
        if gold is not None
    ]
    return sum(pairs) / len(pairs) if pairs and row.track != "math" else None


def _class(word: str) -> Metric:
    def addends(row: JudgedChain) -> Sequence[float] | None:
        return None if row.track == "math" else class_addends(row.gold, row.native, word)

    return Metric(f"step_f1_{word}", addends, f1, _right)


def _faithful_accuracy() -> Metric:
    return _mean("step_accuracy", _right)


def _named(rows: Sequence[JudgedChain], track: Track) -> tuple[str, ...]:
    """The categories that F1 is averaged over: the track's own, or those of the gold labels.

    None where judge or gold say no more than that a step is unfaithful, as the strategy `bin` does.
    """
    of_track = [row for row in rows if row.track == track]
    words = {word for row in of_track for word in row.gold}
    gold = words - {None, "faithful", "unfaithful"}
    blunt = any("unfaithful" in row.native for row in of_track)
    if blunt or ("unfaithful" in words and not gold):
        return ()
    own = FAITHFULNESS_ERRORS[track]
    # other words are those of a taxonomy of the user's own, in place of the built-in one
    return own if gold <= set(own) else tuple(sorted(filter(None, gold)))


def _categories(track: Track, categories: Sequence[str]) -> Metric:
    def addends(row: JudgedChain) -> Sequence[float] | None:
        if row.track != track:
            return None
        return [one for word in categories for one in class_addends(row.gold, row.native, word)]

    def score(row: JudgedChain) -> float | None:
        if row.track != track:
            return None
        known = [(g, w) for g, w in zip(row.gold, row.native, strict=True) if g is not None]
        return sum(g == w for g, w in known) / len(known) if known else None

    return Metric(f"category_macro_f1_{track}", addends, macro_f1, score)
