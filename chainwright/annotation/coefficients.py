"""Coefficients of agreement as closed formulas on sums over units.

The last axis of `sums` holds the sums that a docstring lists, any axes before it are kept, and NaN
stands for undefined; `bootstrap` turns that into a named reason before anyone sees it. Counts below
2**53 are exact in float64, so perfect agreement gives exactly 1 and zero denominators exactly 0.

With r the votes of a unit and r_k those for category k, the share of agreeing ordered pairs of its
votes is sum_k r_k (r_k - 1) / (r (r - 1)). *Paired votes* below are r times that share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.bootstrap import Measure, ratio

Floats = NDArray[np.float64]


def cohen_kappa(sums: Floats) -> Floats:
    """Cohen's kappa of two judges: agreement beyond that of their own marginals.

    1 is perfect, 0 is chance, and below 0 less than chance. Undefined without units, and when both
    judges gave one and the same category throughout. A single constant judge gives 0. Source: Cohen
    1960, "A coefficient of agreement for nominal scales", Educ. Psychol. Meas. 20(1).

    Args:
        sums: Units on which the two agree, then q votes of the first, then q of the second.
    """
    size = sums.shape[-1] // 2
    agreed, first, second = sums[..., 0], sums[..., 1 : 1 + size], sums[..., 1 + size :]
    units = first.sum(axis=-1)
    chance = (first * second).sum(axis=-1)
    return ratio(units * agreed - chance, units**2 - chance)


def fleiss_kappa(sums: Floats) -> Floats:
    """Fleiss' kappa of a panel whose judges all voted: chance from the pooled votes.

    1 is perfect, 0 is chance; never below -1 / (judges - 1). Undefined without units, and when one
    category holds all votes. Source: Fleiss 1971, "Measuring nominal scale agreement among many
    raters", Psychol. Bull. 76(5).

    Args:
        sums: Paired votes, then q votes by category.
    """
    paired, totals = sums[..., 0], sums[..., 1:]
    votes = totals.sum(axis=-1)
    chance = (totals**2).sum(axis=-1)
    return ratio(paired * votes - chance, votes**2 - chance)


def krippendorff_alpha(sums: Floats) -> Floats:
    """Krippendorff's alpha for nominal data: 1 - observed / expected disagreement.

    1 is perfect, 0 is chance, and below 0 systematic disagreement. Missing votes are allowed: units
    with fewer than two votes pair with nothing and add nothing. Without missing votes it exceeds
    Fleiss' kappa by (1 - kappa) / votes. Undefined without pairable votes and when one category
    holds them all. Source: Krippendorff 2019, "Content Analysis", 4th ed., chapter 12 (the paired
    votes are the diagonal of the coincidence matrix, the votes by category its margins).

    Args:
        sums: Paired votes, then q votes by category, both over units with at least two votes.
    """
    paired, totals = sums[..., 0], sums[..., 1:]
    votes = totals.sum(axis=-1)
    return 1 - ratio((votes - 1) * (votes - paired), votes**2 - (totals**2).sum(axis=-1))


def gwet_ac1(sums: Floats) -> Floats:
    """Gwet's AC1 of any number of judges: chance agreement small where one category prevails.

    1 is perfect, 0 is chance; never below -1 / (q - 1). Missing votes are allowed: agreement comes
    from the units with at least two votes, prevalence from all with at least one. Chance is at most
    1 / q, so AC1 is defined (and 1) when one of several categories holds all votes. Undefined when
    no unit has two votes or fewer than two categories are declared. q counts declared categories;
    software that counts the used ones only gives lower values. Source: Gwet 2008, "Computing
    inter-rater reliability and its variance in the presence of high agreement", Br. J. Math. Stat.
    Psychol. 61(1); missing votes: Gwet 2014, "Handbook of Inter-Rater Reliability", 4th ed.

    Args:
        sums: Units with at least two votes, their summed shares of agreeing pairs, then over
            the units with at least one vote the q summed shares of the categories.
    """
    units, agreed, shares = sums[..., 0], sums[..., 1], sums[..., 2:]
    if shares.shape[-1] < 2:
        return np.full(units.shape, np.nan)
    prevalence = ratio(shares, shares.sum(axis=-1, keepdims=True))
    chance = (prevalence * (1 - prevalence)).sum(axis=-1) / (shares.shape[-1] - 1)
    return ratio(ratio(agreed, units) - chance, 1 - chance)


def phi(sums: Floats) -> Floats:
    """Pearson correlation of two 0/1 indicators.

    Undefined without units and when either indicator is constant. Source: Yule 1912, "On the
    methods of measuring association between two attributes", J. R. Stat. Soc. 75(6).

    Args:
        sums: Units, those where the first is 1, where the second is 1, where both are.
    """
    units, first, second, both = (sums[..., position] for position in range(4))
    spread = np.sqrt(first * (units - first)) * np.sqrt(second * (units - second))
    return np.clip(ratio(units * both - first * second, spread), -1, 1)  # clips rounding only


def effective_votes(correlation: Floats, judges: int) -> Floats:
    """Independent votes that a panel with a mean pairwise error correlation is worth.

    judges / (1 + (judges - 1) correlation), kept within [1, judges]: a panel whose errors avoid
    each other counts as independent, no more. Source: the design effect of Kish 1965, "Survey
    Sampling", with judges in place of a cluster's members.
    """
    return judges / (1 + (judges - 1) * np.clip(correlation, 0, 1))


def agreement_measures(
    votes: NDArray[np.int64],
    judges: Sequence[str],
    categories: Sequence[str],
    units_of: NDArray[np.int64] | None = None,
) -> Iterator[Measure]:
    """Unanimity, unanimity of complete units, Fleiss, Krippendorff, Gwet, then Cohen by pair.

    Args:
        votes: (rows, judges), indices into `categories` or -1.
        judges: Names, quoted in reasons.
        categories: All declared categories, used or not.
        units_of: Units that share a row, (rows,); None = one each.
    """
    rows, panel = votes.shape
    weights = np.ones(rows, dtype=np.int64) if units_of is None else units_of
    units = int(weights.sum())
    counts = (votes[:, :, None] == np.arange(len(categories))).sum(axis=1).astype(np.float64)
    cast = counts.sum(axis=1)
    shares = ratio(counts, cast[:, None])
    agreeing = ratio((counts * (counts - 1)).sum(axis=1), cast * (cast - 1))
    pairable = cast >= 2
    complete = pairable & (cast == panel)
    unanimous = complete & (counts.max(axis=1, initial=0) == panel)

    def undefined(usable: int, missing: str) -> str:
        if panel < 2:
            return f"one_judge: agreement needs at least two judges, got {panel}"
        if units == 0:
            return "no_units: there are no units"
        return missing if usable == 0 else "one_category: one category holds all votes"

    no_complete = "no_complete_units: no unit has the votes of all judges"
    no_overlap = "no_overlap: no unit has two votes"
    for asked, missing in ((np.full(rows, panel >= 2), no_overlap), (complete, no_complete)):
        size = int(weights @ asked)
        yield Measure(
            np.column_stack([asked, unanimous]).astype(np.float64),
            lambda sums: ratio(sums[..., 1], sums[..., 0]),
            size,
            undefined(size, missing),
        )
    for usable, formula, missing in (
        (complete, fleiss_kappa, no_complete),
        (pairable, krippendorff_alpha, no_overlap),
    ):
        size = int(weights @ usable)
        paired = ratio((counts * (counts - 1)).sum(axis=1), cast - 1)
        columns = np.where(usable[:, None], np.column_stack([paired, counts]), 0.0)
        yield Measure(columns, formula, size, undefined(size, missing))
    size = int(weights @ pairable)
    columns = np.column_stack([pairable, agreeing, shares])
    yield Measure(np.nan_to_num(columns), gwet_ac1, size, undefined(size, no_overlap))
    for first, second in combinations(range(panel), 2):
        shared = (votes[:, first] >= 0) & (votes[:, second] >= 0)
        size = int(weights @ shared)
        missing = f"no_overlap: no unit has votes of both {judges[first]!r} and {judges[second]!r}"
        chosen = votes[:, [first, second], None] == np.arange(len(categories))
        agreed = votes[:, first] == votes[:, second]
        columns = np.column_stack([agreed, chosen[:, 0], chosen[:, 1]]) & shared[:, None]
        yield Measure(columns.astype(np.float64), cohen_kappa, size, undefined(size, missing))


def error_measures(
    votes: NDArray[np.int64],
    truth: NDArray[np.int64],
    judges: Sequence[str],
    units_of: NDArray[np.int64] | None = None,
) -> Iterator[Measure]:
    """Mean error correlation, effective number of votes, then the correlation of each pair.

    Args:
        votes: (rows, judges), codes or -1.
        truth: (rows,), codes, all known.
        judges: Names, quoted in reasons.
        units_of: Units that share a row, (rows,); None = one each.
    """
    weights = np.ones(len(votes), dtype=np.int64) if units_of is None else units_of
    cast = votes >= 0
    wrong = cast & (votes != truth[:, None])
    pairs: list[Measure] = []
    for first, second in combinations(range(len(judges)), 2):
        shared = cast[:, first] & cast[:, second]
        one, other = wrong[:, first] & shared, wrong[:, second] & shared
        columns = np.column_stack([shared, one, other, one & other]).astype(np.float64)
        reason = _why_undefined(weights @ columns, judges[first], judges[second])
        if len(votes) == 0:
            reason = "no_units: no unit has a known truth"
        pairs.append(Measure(columns, phi, int(weights @ shared), reason))
    reason = f"one_judge: correlation needs at least two judges, got {len(judges)}"
    if pairs:
        reason = next((pair.undefined for pair in pairs if pair.undefined), "")
    stacked = np.hstack([pair.columns for pair in pairs] or [np.empty((len(votes), 0))])

    def mean(sums: Floats) -> Floats:
        by_pair = phi(sums.reshape(*sums.shape[:-1], len(pairs), 4))
        return ratio(by_pair.sum(axis=-1), np.array(float(len(pairs))))

    size = int(weights @ (cast.sum(axis=1) >= 2))
    yield Measure(stacked, mean, size, reason)
    yield Measure(stacked, lambda sums: effective_votes(mean(sums), len(judges)), size, reason)
    yield from pairs


def _why_undefined(sums: Floats, first: str, second: str) -> str:
    """Why the correlation of two judges' errors is undefined; empty when it is defined."""
    units = sums[0]
    if units == 0:
        return f"no_overlap: no unit has votes of both {first!r} and {second!r}"
    for judge, errors in ((first, sums[1]), (second, sums[2])):
        if errors in (0, units):
            habit = "never errs" if errors == 0 else "always errs"
            pair = f"{first!r} and {second!r}"
            return f"constant_errors: {judge!r} {habit} on the {units:.0f} units shared by {pair}"
    return ""
