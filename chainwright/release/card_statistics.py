"""Card statistics: agreement, calibration and graph shape as rows of tables.

The figures come as plain JSON values. A key that is missing gives no row, a value that is null an
empty cell; nothing is ever filled in with zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from chainwright.release.markdown import code, literal
from chainwright.release.redaction import public_model

_COEFFICIENTS = {
    "unanimity": "Unanimity, all steps",
    "unanimity_complete": "Unanimity, steps with every vote",
    "fleiss": "Fleiss' kappa",
    "krippendorff": "Krippendorff's alpha",
    "gwet": "Gwet's AC1",
}
_CORRELATIONS = {
    "mean": "Error correlation, mean of the pairs",
    "effective_votes": "Effective number of votes",
}
_SPREAD = ("mean", "median", "min", "max")


def documents(statistics: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The statistics of each track by its name, in the order they come in.

    The first stands at the top of the document, under a name of its own or none (math), and any
    others below `tracks`.
    """
    found = {str(statistics.get("track") or "math"): statistics} if statistics else {}
    return {**found, **(statistics.get("tracks") or {})}


def agreement_rows(agreement: Mapping[str, Any], correlation: Mapping[str, Any]) -> dict[str, Any]:
    """`rows` of (statistic, value, interval, units, note), and what the panel consisted of.

    Args:
        agreement: `dataclasses.asdict` of an agreement of judges; may be empty.
        correlation: `dataclasses.asdict` of their error correlation; may be empty.
    """
    rows = [
        _statistic_row(literal(name), agreement[key])
        for key, name in _COEFFICIENTS.items()
        if agreement.get(key)
    ]
    for pair in agreement.get("cohen") or ():
        judges = [code(public_model(pair[side])) for side in ("first", "second")]
        name = Markup("Cohen's kappa of ") + Markup(" and ").join(judges)
        rows.append(_statistic_row(name, pair["statistic"]))
    rows += [
        _statistic_row(literal(name), correlation[key])
        for key, name in _CORRELATIONS.items()
        if correlation.get(key)
    ]
    return {
        "rows": rows,
        "judges": [code(public_model(judge)) for judge in agreement.get("judges") or ()],
        "units": agreement.get("units"),
        "chains": agreement.get("chains"),
        "replicates": agreement.get("replicates"),
        "confidence": _share(agreement.get("confidence")),
    }


def calibration_rows(calibration: Mapping[str, Any]) -> dict[str, Any]:
    """`accuracy` a judge, `labels` a judge and label, and the panel's `matrix` with its header.

    Args:
        calibration: `judges` (a confusion by name) and `panel` (a confusion); may be empty.
    """
    confusions = {
        code(public_model(judge)): one for judge, one in (calibration.get("judges") or {}).items()
    }
    panel = calibration.get("panel")
    if panel:
        confusions[literal("panel")] = panel
    return {
        "accuracy": [_accuracy_row(name, one) for name, one in confusions.items()],
        "labels": [row for name, one in confusions.items() for row in _label_rows(name, one)],
        "columns": [code(column) for column in (panel or {}).get("columns") or ()],
        "matrix": [
            [code(label), *counts]
            for label, counts in zip(
                (panel or {}).get("labels") or (), (panel or {}).get("counts") or (), strict=True
            )
        ],
    }


def tier_intervals(calibration: Mapping[str, Any]) -> dict[str, tuple[int, Markup | None]]:
    """For each tier the steps on which the panel decided, and the interval of its accuracy.

    Args:
        calibration: `by_tier` holds an accuracy by tier; may be empty.
    """
    return {
        tier: (accuracy.get("voted"), interval(accuracy))
        for tier, accuracy in (calibration.get("by_tier") or {}).items()
    }


def premise_rows(premises: Mapping[str, Any]) -> list[list[Any]]:
    """One row of (chains, precision, recall, F1), or none.

    Args:
        premises: Scores of the panel's premises against exact ones; may be empty.
    """
    if not premises.get("chains"):
        return []
    scores = (number(premises.get(key)) for key in ("precision", "recall", "f1"))
    return [[premises["chains"], *scores]]


def verdict_rows(verdicts: Mapping[str, Any]) -> list[list[Any]]:
    """Rows of (judge, chains, wrong ones, precision, recall, specificity, accuracy, interval).

    Without a wrong chain every flag is a false one: then a precision would tell of the chains and
    not of the judge, and its cell is empty.

    Args:
        verdicts: For each judge how its step errors tell wrong chains from right ones; may be
            empty.
    """
    return [
        [
            code(public_model(judge)),
            one.get("chains"),
            wrong_chains(one),
            number(one.get("precision")) if wrong_chains(one) else None,
            *(number(one.get(key)) for key in ("recall", "specificity")),
            number((one.get("accuracy") or {}).get("value")),
            interval(one.get("accuracy") or {}),
        ]
        for judge, one in verdicts.items()
    ]


def wrong_chains(verdict: Mapping[str, Any]) -> int:
    """How many of the chains that a judge's flags are held against end in a wrong answer."""
    return int(verdict.get("wrong_flagged") or 0) + int(verdict.get("wrong_clean") or 0)


def graph_rows(graphs: Mapping[str, Any]) -> list[list[Any]]:
    """Rows of (polarity, statistic, mean, median, min, max).

    Args:
        graphs: `by_polarity`, for each polarity a spread by statistic; may be empty.
    """
    return [
        [code(polarity), code(statistic), *(_brief(spread.get(key)) for key in _SPREAD)]
        for polarity, statistics in (graphs.get("by_polarity") or {}).items()
        for statistic, spread in statistics.items()
        if isinstance(spread, Mapping) and any(spread.get(key) is not None for key in _SPREAD)
    ]


def _statistic_row(name: Any, statistic: Mapping[str, Any]) -> list[Any]:
    return [
        name,
        number(statistic.get("value")),
        interval(statistic),
        statistic.get("n"),
        statistic.get("reason"),
    ]


def _accuracy_row(name: Any, confusion: Mapping[str, Any]) -> list[Any]:
    accuracy = confusion.get("accuracy") or {}
    return [
        name,
        number(accuracy.get("value")),
        interval(accuracy),
        accuracy.get("correct"),
        accuracy.get("voted"),
        number(confusion.get("coverage")),
    ]


def _label_rows(name: Any, confusion: Mapping[str, Any]) -> Iterator[list[Any]]:
    for score in confusion.get("scores") or ():
        if score.get("support") or score.get("predicted"):
            yield [
                name,
                code(score["label"]),
                score.get("support"),
                score.get("predicted"),
                *(number(score.get(key)) for key in ("precision", "recall", "f1")),
            ]


def interval(statistic: Mapping[str, Any]) -> Markup | None:
    """The bounds of a statistic in words; None where it has none."""
    low, high = statistic.get("low"), statistic.get("high")
    if low is None or high is None:
        return None
    return Markup(f"{low:.3f} to {high:.3f}")  # noqa: S704 - numbers


def number(value: Any) -> float | None:
    """A value as the card shows numbers; None for an empty cell."""
    return None if value is None else float(value)


def _share(value: float | None) -> Markup | None:
    return None if value is None else Markup(f"{value:g}")  # noqa: S704 - a number


def _brief(value: Any) -> Markup | None:
    """To three places; whole numbers without any."""
    if value is None:
        return None
    return Markup(f"{value:,.0f}" if value == int(value) else f"{value:,.3f}")  # noqa: S704
