"""Layouts: vectors of hundreds of dimensions drawn into few, neighbours close by (UMAP)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chainwright.taxonomy.extra import Tell, load, silent
from chainwright.taxonomy.neighbours import Neighbours

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

EPOCHS = 200
"""Of the quick layout, as UMAP makes of more than 10,000 rows. With 100, seeds agree less."""

STEEPNESS = 1.67
"""a of 1 / (1 + a d^1.5), fitted to UMAP's curve for a minimal distance of zero."""

REPULSIONS = 5
"""Rows drawn at random for each pull along an edge, as in UMAP."""

SMOOTHINGS = 150
"""Rounds of smoothing the start over the graph. Without, seeds agree less (docs/taxonomy.md)."""

INIT_WIDTH = 10.0
"""The first axis of the start runs from minus to plus this much, as in UMAP."""


def umap_layout(
    vectors: Vectors,
    neighbours: Neighbours,
    *,
    dims: int,
    count: int,
    seed: int,
    tell: Tell = silent,
) -> Vectors:
    """UMAP by umap-learn from exact neighbours, shape (rows, dims).

    A seed makes umap-learn work on one thread, but not the linear algebra of its start, whose last
    bits follow the number of threads. So that has one as well, and the layout is the same on any
    machine with the same libraries.

    Args:
        count: Neighbours of a row, itself among them.
    """
    umap = load("umap", tell)
    import warnings

    import numpy as np

    tell(f"UMAP: {vectors.shape[1]} dimensions into {dims}")
    indices, distances = neighbours.with_self(count)
    one_thread = load("threadpoolctl").threadpool_limits(1)
    with warnings.catch_warnings(), one_thread:
        warnings.simplefilter("ignore")  # that a seed turns threads off, and no search index
        layout = umap.UMAP(
            n_neighbors=count,
            n_components=dims,
            min_dist=0.0,
            metric="cosine",
            random_state=seed,
            n_jobs=1,
            precomputed_knn=(indices, distances),
        ).fit_transform(vectors)
    return np.ascontiguousarray(layout, np.float32)


def quick_layout(
    vectors: Vectors,
    neighbours: Neighbours,
    *,
    dims: int,
    count: int,
    seed: int,
    epochs: int = EPOCHS,
    tell: Tell = silent,
) -> Vectors:
    """UMAP's descent from the principal components, on all threads.

    The same to the last bit on any number of threads. The start does not depend on the seed, only
    what is drawn at random on the way does.

    Args:
        count: Neighbours of a row, itself among them.
    """
    import numpy as np

    graph = _graph(vectors, neighbours, count, epochs, tell)
    tell(f"quick layout: {vectors.shape[1]} dimensions into {dims}")
    from chainwright.taxonomy.kernels import LANES, move

    rows = len(vectors)
    starts = graph.indptr.astype(np.int32)
    heads = graph.indices.astype(np.int32)
    periods = (graph.data.max() / graph.data).astype(np.float32)
    due = periods.copy()
    states = np.random.default_rng(seed).integers(1, 2**63, rows, dtype=np.uint64)
    start = _smoothed(_start(vectors, dims), graph)
    old = np.pad(start, ((0, 0), (0, -dims % LANES)))
    new = np.empty_like(old)
    for epoch in range(epochs):
        alpha = 1.0 - epoch / epochs
        move(old, new, starts, heads, periods, due, states, epoch, alpha, STEEPNESS, REPULSIONS)
        old, new = new, old
    return np.ascontiguousarray(old[:, :dims])


def _graph(vectors: Vectors, neighbours: Neighbours, count: int, epochs: int, tell: Tell) -> Any:
    """UMAP's fuzzy graph, without the edges too weak to be drawn once."""
    fuzzy = load("umap.umap_", tell)
    import numpy as np

    indices, distances = neighbours.with_self(count)
    graph, _, _ = fuzzy.fuzzy_simplicial_set(
        vectors, count, np.random.RandomState(0), "cosine", {}, indices, distances
    )
    graph = graph.tocsr()
    graph.data[graph.data < graph.data.max() / epochs] = 0.0
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def _smoothed(start: Vectors, graph: Any) -> Vectors:
    """A start in which neighbours stand close by: each row moves half-way to its neighbours' mean.

    Repeated, with the axes kept apart, this leads to the eigenvectors from which UMAP starts; a few
    rounds do, and cost a tenth of those. Sums are made in a fixed order, by no matrix product.
    """
    import numpy as np

    roots = np.sqrt(np.asarray(graph.sum(axis=1), np.float64).ravel())[:, None]
    step = graph.astype(np.float64).multiply(1 / roots).multiply(1 / roots.T).tocsr()
    axes = np.hstack([roots, start * roots])
    for round_ in range(1, SMOOTHINGS + 1):
        axes = 0.5 * (axes + step @ axes)
        if round_ % 5 == 0:
            _set_apart(axes)
    smooth = axes[:, 1:] / roots
    smooth *= INIT_WIDTH / max(float(np.abs(smooth).max()), 1e-12)
    return np.ascontiguousarray(np.round(smooth, 4), np.float32)


def _set_apart(axes: npt.NDArray[np.float64]) -> None:
    """Makes columns orthogonal and of length one, in place; one that depends on others, zero."""
    import numpy as np

    for column in range(axes.shape[1]):
        own = axes[:, column]
        length = np.sqrt((own * own).sum())
        for earlier in range(column):
            own -= axes[:, earlier] * (axes[:, earlier] * own).sum()
        left = np.sqrt((own * own).sum())
        own *= 1 / left if left > 1e-9 * length else 0.0


def _start(vectors: Vectors, dims: int) -> Vectors:
    """The first principal components, scaled, each with the sign of its largest entry.

    Rounded, so that the last bits of a matrix product, which follow the number of threads, don't
    reach the layout.
    """
    import numpy as np

    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :dims]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    start = centred @ (axes * np.sign(largest))
    if start.shape[1] < dims:
        start = np.hstack([start, np.zeros((len(start), dims - start.shape[1]))])
    start *= INIT_WIDTH / max(float(np.abs(start).max()), 1e-12)
    return np.ascontiguousarray(np.round(start, 4), np.float32)
