"""Shape of premise graphs."""

import json
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.annotation.graph_statistics import (
    GraphStatistics,
    Spread,
    graph_statistics,
    summarise_graphs,
)


@st.composite
def premise_lists(draw: st.DrawFn) -> list[list[int]]:
    steps = draw(st.integers(0, 10))
    return [draw(st.lists(st.integers(0, step - 1), max_size=6)) for step in range(1, steps + 1)]


@pytest.mark.parametrize(
    ("premises", "expected"),
    [
        pytest.param([], GraphStatistics(1, 0, 1, 1, 0.0), id="no steps"),
        pytest.param([[0], [1], [2]], GraphStatistics(4, 3, 4, 1, 0.75), id="line"),
        pytest.param([[0], [0], [0]], GraphStatistics(4, 3, 2, 3, 0.75), id="star"),
        pytest.param([[0], [0], [1, 2]], GraphStatistics(4, 4, 3, 2, 1.0), id="diamond"),
        pytest.param([[], [], []], GraphStatistics(4, 0, 1, 4, 0.0), id="roots only"),
        pytest.param([[0], [], [2], [3]], GraphStatistics(5, 3, 3, 2, 0.6), id="second root"),
        pytest.param([[0, 0], [1, 0, 1]], GraphStatistics(3, 3, 3, 1, 1.0), id="repeats"),
        # Step 3 rests on the question as well, yet lies in the layer of its longest way.
        pytest.param([[0], [1], [0, 2]], GraphStatistics(4, 4, 4, 1, 1.0), id="shortcut"),
    ],
)
def test_small_graphs_by_hand(premises: list[list[int]], expected: GraphStatistics) -> None:
    assert graph_statistics(premises) == expected


@pytest.mark.parametrize(
    ("premises", "message"),
    [
        ([[0], [2]], "edge 2 -> 2 is not a premise: step 2 may rest on steps 0 to 1"),
        ([[0], [3], [0]], "edge 3 -> 2 is not a premise"),
        ([[-1]], "edge -1 -> 1 is not a premise: step 1 may rest on steps 0 to 0"),
    ],
)
def test_premises_that_are_no_earlier_step_are_refused(
    premises: list[list[int]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        graph_statistics(premises)


@settings(deadline=None)
@given(premise_lists())
def test_laws_of_every_graph(premises: list[list[int]]) -> None:
    result = graph_statistics(premises)
    assert result.nodes == len(premises) + 1
    assert 0 <= result.edges <= result.nodes * (result.nodes - 1) // 2
    assert 1 <= result.depth <= result.nodes
    assert 1 <= result.width <= result.nodes
    assert result.width * result.depth >= result.nodes
    assert result.width + result.depth <= result.nodes + 1
    assert result.branching == result.edges / result.nodes


@settings(deadline=None)
@given(premise_lists())
def test_depth_is_the_longest_path_and_repeats_do_not_count(premises: list[list[int]]) -> None:
    def longest_path_to(node: int) -> int:
        before = premises[node - 1] if node else []
        return 1 + max((longest_path_to(premise) for premise in set(before)), default=0)

    result = graph_statistics(premises)
    assert result.depth == max(longest_path_to(node) for node in range(len(premises) + 1))
    assert graph_statistics([{*named} for named in premises]) == result
    assert graph_statistics([named * 2 for named in premises]) == result


def test_summary_spreads_each_statistic() -> None:
    graphs = [graph_statistics(premises) for premises in ([[0]], [[0], [1]], [[0], [0], [0], [0]])]
    summary = summarise_graphs(graphs)
    assert summary.chains == 3
    assert summary.nodes == Spread(mean=10 / 3, median=3, min=2, max=5)
    assert summary.depth == Spread(mean=7 / 3, median=2, min=2, max=3)
    assert summary.width == Spread(mean=2, median=1, min=1, max=4)
    assert summary.edges == Spread(mean=7 / 3, median=2, min=1, max=4)
    assert summary.branching.max == 0.8


def test_summary_of_no_chains_holds_none() -> None:
    summary = summarise_graphs([])
    assert summary.chains == 0
    assert summary.branching == Spread(None, None, None, None)
    assert json.loads(json.dumps(asdict(summary)))["nodes"]["mean"] is None
