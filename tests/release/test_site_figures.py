"""What a report counts over all chains, and how it names judges."""

from __future__ import annotations

import json

from chainwright.release.site.chain_view import chain_views
from chainwright.release.site.figures import MOST_ROWS, Figures
from chainwright.release.site.overview import tracks
from tests.release.conftest import make_chain, make_labels, make_negative, make_problem
from tests.release.site_rows import only, tables


def test_figures_count_steps_by_source_and_find_first_errors() -> None:
    problem = make_problem()
    positive = make_chain(problem)
    broken = make_negative(problem, positive)
    labels = [
        *make_labels(positive, "correct", None, "other"),
        *make_labels(broken, "correct", "correct", "mathematical_error"),
    ]
    figures = Figures()
    for view in chain_views(tables(problems=[problem], chains=[positive, broken], labels=labels)):
        figures.add(view)
    document = figures.document()
    assert document["first"] == [0] * 9 + [1]  # of the positive an open step comes before
    evenly = {tenth: share for tenth, share in enumerate(document["evenly"]) if share}
    assert evenly == {0: 0.333, 5: 0.333, 9: 0.333}  # three steps, of the one broken chain
    assert document["heat"][0] == {
        "of": "source",
        "rows": ["own"],
        "columns": ["mathematical_error", "other"],
        "counts": [[1, 1]],
        "steps": [6],
    }
    assert document["steps"]["tier"] == [["gold", 5], ["disputed", 1]]


def test_a_heat_map_adds_the_rarest_rows_up() -> None:
    figures = Figures()
    for number in range(MOST_ROWS + 3):
        problem = make_problem(source=f"s{number:03}")
        chain = make_chain(problem, ["one"])
        labels = make_labels(chain, "other")
        figures.add(only(chain_views(tables(problems=[problem], chains=[chain], labels=labels))))
    heat = figures.document()["heat"][0]
    assert heat["rows"][-1] == "3 others"
    assert heat["counts"][-1] == [3]
    assert sum(row[0] for row in heat["counts"]) == MOST_ROWS + 3


def test_statistics_name_judges_without_addresses() -> None:
    judge = "compat:small@http://gpu7.lan:8000/v1"
    document = {
        "counts": {"chains": 1},
        "agreement": {"judges": [judge], "cohen": [{"first": judge, "second": judge}]},
        "calibration": {"judges": {judge: {}}},
        "chain_verdicts": {judge: {}},
        "tracks": {"grounding": {"counts": {"chains": 0}}},
    }
    (found,) = tracks(document)
    assert "gpu7" not in json.dumps(found)
    assert found["calibration"]["judges"] == {"compat:small": {}}
    assert tracks({}) == []
