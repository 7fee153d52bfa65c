"""Rows of a small run as a report reads them, one chain of which is hostile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chainwright.release.site.chain_view import TABLES, ChainView
from chainwright.release.site.overview import Facts
from chainwright.release.summary import StageCounts
from tests.release.conftest import make_chain, make_labels, make_negative, make_problem, make_vote

HOSTILE = (
    "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
    "<a href='javascript:document.title=1'>x</a> $\\href{javascript:alert(1)}{x^2}$ "
    "$\\def\\x{\\x\\x}\\x_1$ $\\rule{9999em}{9999em}$ \u202e \u2028 __proto__ </script>"
)
FORMULA = "Half of it is \\(\\frac{1}{2}\\), for $5 and not $6."


def tables(**rows: list[Any]) -> dict[str, list[Any]]:
    """A block that holds these rows."""
    return {table: rows.get(table, []) for table in TABLES}


def only(views: Iterable[ChainView]) -> ChainView:
    """The one view there is."""
    (view,) = views
    return view


def hostile_block() -> dict[str, list[Any]]:
    """A positive and its negative, a chain of formulas, and one that is hostile from end to end."""
    pears, sly = make_problem(4), make_problem(5, question=HOSTILE, source="__proto__")
    positive = make_chain(pears, ["All crates hold 6*4=24 pears.", "24-2=22 are good.", FORMULA])
    broken = make_negative(pears, positive)
    bad = make_chain(sly, [HOSTILE, HOSTILE], generator="constructor", final_answer=HOSTILE)
    rows: dict[str, list[Any]] = {table: [] for table in TABLES}
    rows["problems"] = [pears, sly]
    rows["chains"] = [positive, broken, bad]
    rows["labels"] = [
        *make_labels(positive, "correct", "correct", "correct"),
        *make_labels(broken, "mathematical_error", "accumulation_error", "accumulation_error"),
        *make_labels(bad, "__proto__", HOSTILE),
    ]
    rows["votes"] = [
        vote.model_copy(update={"explanation": HOSTILE})
        for chain in rows["chains"]
        for vote in (make_vote(chain, 1), make_vote(chain, 2, HOSTILE))
    ]
    return rows


def chain_id(place: int) -> str:
    """The id of a chain of that block."""
    found = hostile_block()["chains"][place].chain_id
    assert isinstance(found, str)
    return found


def many_blocks(count: int) -> list[dict[str, list[Any]]]:
    """One block of so many problems, with a chain each."""
    rows: dict[str, list[Any]] = {table: [] for table in TABLES}
    for number in range(count):
        problem = make_problem(number)
        rows["problems"].append(problem)
        rows["chains"].append(make_chain(problem))
    return [rows]


def statistics() -> dict[str, Any]:
    """What two judges come to, one of whom has a hostile name."""
    judges, value = ["program:arithmetic", HOSTILE], {"value": 0.5, "low": 0.4, "high": 0.6, "n": 6}
    stated = {**value, "reason": None}
    unknown = {"value": None, "low": None, "high": None, "n": 0, "reason": "no_votes"}
    labels = ["correct", "mathematical_error"]
    found = {
        "labels": labels,
        "columns": [*labels, "abstained"],
        "counts": [[3, 1, 0], [0, 2, 0]],
        "accuracy": stated,
        "coverage": 1.0,
    }
    return {
        "track": "math",
        "counts": {"chains": 3},
        "agreement": {
            "judges": judges,
            "units": 6,
            "chains": 3,
            "unanimity": stated,
            "fleiss": unknown,
            "cohen": [{"first": judges[0], "second": judges[1], "statistic": stated}],
        },
        "calibration": {"judges": dict.fromkeys(judges, found), "panel": found, "by_tier": {}},
    }


def facts(**changes: Any) -> Facts:
    """What a run tells of itself."""
    stages = [StageCounts("problems", {"problems": 3}, {"problems": 2}, {"problems": {HOSTILE: 1}})]
    given: dict[str, Any] = {"name": "pears", "title": HOSTILE, "outcome": "done", "stages": stages}
    given["statistics"] = statistics()
    return Facts(**{**given, **changes})
