"""Shape of premise graphs: how long, wide and dense the reasoning of a chain is.

The statistics follow the appendix of PERL (arXiv 2502.02362). Node 0 is the question with its
context, node k is step k, and an edge j -> k says that step k rests on j.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True, slots=True)
class GraphStatistics:
    """Shape of one chain's premise graph.

    Attributes:
        nodes: Steps and step 0.
        edges: Distinct (premise, step) pairs.
        depth: Nodes on the longest path.
        width: Most nodes in one layer; a node's layer is its longest distance from a root.
        branching: Edges per node.
    """

    nodes: int
    edges: int
    depth: int
    width: int
    branching: float


@dataclass(frozen=True)
class Spread:
    """Spread of one statistic over chains; all None when there are no chains."""

    mean: float | None
    median: float | None
    min: float | None
    max: float | None


@dataclass(frozen=True)
class GraphSummary:
    """Spread of each statistic over chains; `dataclasses.asdict` makes it ready for JSON."""

    chains: int
    nodes: Spread
    edges: Spread
    depth: Spread
    width: Spread
    branching: Spread


def graph_statistics(premises: Sequence[Collection[int]]) -> GraphStatistics:
    """Measure the premise graph of one chain.

    A premise named twice is one edge. A step without premises is a root of its own, beside step 0.
    A chain without steps is the single node 0: no edges, depth 1, width 1, branching 0.

    Args:
        premises: For step i + 1 at place i, its premises: numbers of earlier steps, 0 included.

    Raises:
        ValueError: A premise is not an earlier step.

    Example:
        >>> graph_statistics([[0], [0, 1], [1]])
        GraphStatistics(nodes=4, edges=4, depth=3, width=2, branching=1.0)
    """
    layers = [0]
    edges = 0
    for step, named in enumerate(premises, start=1):
        distinct = set(named)
        for premise in sorted(distinct):
            if not 0 <= premise < step:
                raise ValueError(
                    f"edge {premise} -> {step} is not a premise: "
                    f"step {step} may rest on steps 0 to {step - 1}"
                )
        layers.append(1 + max((layers[premise] for premise in distinct), default=-1))
        edges += len(distinct)
    return GraphStatistics(
        nodes=len(layers),
        edges=edges,
        depth=1 + max(layers),
        width=max(Counter(layers).values()),
        branching=edges / len(layers),
    )


def summarise_graphs(graphs: Sequence[GraphStatistics]) -> GraphSummary:
    """Summarise the graphs of many chains; without chains every spread holds None."""
    return GraphSummary(
        chains=len(graphs),
        nodes=_spread([graph.nodes for graph in graphs]),
        edges=_spread([graph.edges for graph in graphs]),
        depth=_spread([graph.depth for graph in graphs]),
        width=_spread([graph.width for graph in graphs]),
        branching=_spread([graph.branching for graph in graphs]),
    )


def _spread(values: Sequence[float]) -> Spread:
    if not values:
        return Spread(None, None, None, None)
    return Spread(fmean(values), float(median(values)), float(min(values)), float(max(values)))
