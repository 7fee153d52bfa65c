"""Kernels: the loops of the quick engine, compiled by numba at the first use and then cached.

Each result belongs to one row and is summed up in a fixed order by one thread, so that it is the
same to the last bit however many threads there are. (A matrix product is not; hence the exact
distances are summed up here, and the product only says which rows are worth it.)
"""

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


def _keep_best(block: Floats, first: int, own: int, scores: Floats, found: Ints) -> None:
    """Enters the columns of a block of products into each row's best ones so far.

    Args:
        block: Products of the rows `own`, `own + 1`, … with the rows `first`, `first + 1`, …
        scores: Per row its best products in ascending order; changed in place.
        found: The rows they are with; changed in place.
    """
    rows, columns = block.shape
    kept = scores.shape[1]
    for row in numba.prange(rows):
        me = own + row
        worst = scores[me, 0]
        for column in range(columns):
            score = block[row, column]
            if score > worst and first + column != me:
                place = 0
                while place + 1 < kept and scores[me, place + 1] < score:
                    scores[me, place] = scores[me, place + 1]
                    found[me, place] = found[me, place + 1]
                    place += 1
                scores[me, place] = score
                found[me, place] = first + column
                worst = scores[me, 0]


def _rank(vectors: Floats, found: Ints, neighbours: Ints, distances: Floats) -> None:
    """Orders each row's candidates by their exact cosine distance, then by index.

    Args:
        found: Candidates, shape (rows, candidates); -1 for none.
        neighbours: Filled with the nearest of them, shape (rows, neighbours).
        distances: Filled with their distances, one minus the cosine.
    """
    rows, candidates = found.shape
    wanted = neighbours.shape[1]
    for row in numba.prange(rows):
        count = 0
        for place in range(candidates):
            other = found[row, place]
            if other < 0:
                continue
            total = 0.0
            for dim in range(vectors.shape[1]):
                total += np.float64(vectors[row, dim]) * np.float64(vectors[other, dim])
            distance = np.float32(max(0.0, 1.0 - total))
            at = min(count, wanted)
            while at > 0 and (
                distance < distances[row, at - 1]
                or (distance == distances[row, at - 1] and other < neighbours[row, at - 1])
            ):
                if at < wanted:
                    distances[row, at] = distances[row, at - 1]
                    neighbours[row, at] = neighbours[row, at - 1]
                at -= 1
            if at < wanted:
                distances[row, at] = distance
                neighbours[row, at] = other
            count += 1


def _move(
    old: Floats,
    new: Floats,
    starts: Ints,
    heads: Ints,
    periods: Floats,
    due: Floats,
    states: npt.NDArray[np.uint64],
    epoch: int,
    alpha: float,
    a: float,
    repulsions: int,
) -> None:
    """One epoch of UMAP's descent, all rows at once.

    Each row is pulled along its edges and pushed from rows drawn at random, where the others stood
    at the end of the last epoch. UMAP lets both ends of an edge move at once, which is a race on
    several threads and is why its seed turns them off; here a row writes its own place alone, and
    takes each pull twice instead. The curve is 1 / (1 + a d^1.5): close to UMAP's for a minimal
    distance of zero (d^1.58), and made of square roots, which are the same on every machine.

    Args:
        starts: Row i has the edges starts[i] to starts[i + 1].
        heads: What each edge leads to.
        periods: Epochs between two pulls of an edge.
        due: The epoch of an edge's next pull; changed in place.
        states: Each row's random state; changed in place.
    """
    rows, dims = old.shape
    for row in numba.prange(rows):
        state = states[row]
        here = np.empty(dims, np.float32)
        for dim in range(dims):
            here[dim] = old[row, dim]
        for edge in range(starts[row], starts[row + 1]):
            if due[edge] > epoch:
                continue
            due[edge] += periods[edge]
            other = heads[edge]
            for _twice in range(2):
                square = np.float32(0.0)
                for dim in range(dims):
                    gap = here[dim] - old[other, dim]
                    square += gap * gap
                if square > 0.0:
                    root = np.sqrt(np.sqrt(square))  # d^0.5
                    pull = np.float32(-1.5 * a / (root * (1.0 + a * root * root * root)))
                    for dim in range(dims):
                        step = pull * (here[dim] - old[other, dim])
                        step = min(np.float32(4.0), max(np.float32(-4.0), step))
                        here[dim] += np.float32(alpha) * step
            for _ in range(repulsions):
                state ^= state << np.uint64(13)
                state ^= state >> np.uint64(7)
                state ^= state << np.uint64(17)
                other = np.int32((state >> np.uint64(11)) % np.uint64(rows))
                if other == row:
                    continue
                square = np.float32(0.0)
                for dim in range(dims):
                    gap = here[dim] - old[other, dim]
                    square += gap * gap
                root = np.sqrt(np.sqrt(square))
                push = np.float32(1.5 / ((0.001 + square) * (1.0 + a * root * root * root)))
                for dim in range(dims):
                    step = push * (here[dim] - old[other, dim])
                    step = min(np.float32(4.0), max(np.float32(-4.0), step))
                    here[dim] += np.float32(alpha) * step
        states[row] = state
        for dim in range(dims):
            new[row, dim] = here[dim]


_compiled = numba.njit(parallel=True, cache=True, nogil=True)
keep_best = _compiled(_keep_best)
rank = _compiled(_rank)
move = _compiled(_move)
