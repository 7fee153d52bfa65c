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


TILE = 64
"""Columns that one thread goes through at a time: their rows are read in one piece."""


def _enter(score: float, me: int, other: int, scores: Floats, found: Ints) -> None:
    """Enters a product into a row's best ones, which is worse than it."""
    kept = scores.shape[1]
    place = 0
    while place + 1 < kept and scores[me, place + 1] < score:
        scores[me, place] = scores[me, place + 1]
        found[me, place] = found[me, place + 1]
        place += 1
    scores[me, place] = score
    found[me, place] = other


def _keep_best(block: Floats, first: int, own: int, scores: Floats, found: Ints) -> None:
    """Enters the columns of a block of products into each row's best ones so far.

    Args:
        block: Products of the rows `own`, `own + 1`, … with the rows `first`, `first + 1`, …
        scores: Per row its best products in ascending order; changed in place.
        found: The rows they are with; changed in place.
    """
    rows, columns = block.shape
    for row in numba.prange(rows):
        me = own + row
        for column in range(columns):
            score = block[row, column]
            if score > scores[me, 0] and first + column != me:
                enter(score, me, first + column, scores, found)


def _keep_best_across(block: Floats, first: int, own: int, scores: Floats, found: Ints) -> None:
    """Enters the rows of such a block into each column's best ones: the same pairs from there.

    The block is not turned round for it, which would take as long as the product did.
    """
    rows, columns = block.shape
    for tile in numba.prange((columns + TILE - 1) // TILE):
        begin = tile * TILE
        width = min(columns - begin, TILE)
        worst = scores[first + begin : first + begin + width, 0].copy()
        for row in range(rows):
            for column in range(width):
                score = block[row, begin + column]
                if score > worst[column]:
                    me = first + begin + column
                    enter(score, me, own + row, scores, found)
                    worst[column] = scores[me, 0]


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


LANES = 4
"""Sums that a length is added up in, side by side: layouts are as wide as a multiple of it."""

FLOAT = np.float32


def _spread(here: Floats, there: Floats, gap: Floats) -> np.float32:
    """Fills `gap` with what lies between two places; its squared length, in a fixed order."""
    first, second, third, fourth = FLOAT(0.0), FLOAT(0.0), FLOAT(0.0), FLOAT(0.0)
    for dim in range(len(gap)):
        gap[dim] = here[dim] - there[dim]
    for dim in range(0, len(gap), LANES):
        first += gap[dim] * gap[dim]
        second += gap[dim + 1] * gap[dim + 1]
        third += gap[dim + 2] * gap[dim + 2]
        fourth += gap[dim + 3] * gap[dim + 3]
    return (first + second) + (third + fourth)


def _shift(here: Floats, gap: Floats, force: np.float32, rate: np.float32) -> None:
    """Moves a place along a gap, by no more than four times the rate in any direction."""
    for dim in range(len(gap)):
        here[dim] += rate * min(FLOAT(4.0), max(FLOAT(-4.0), force * gap[dim]))


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
        old: Where the rows are. The number of columns is a multiple of LANES; zeros fill it up.
        starts: Row i has the edges starts[i] to starts[i + 1].
        heads: What each edge leads to.
        periods: Epochs between two pulls of an edge.
        due: The epoch of an edge's next pull; changed in place.
        states: Each row's random state; changed in place.
    """
    rows, dims = old.shape
    one, steepness, rate = FLOAT(1.0), FLOAT(a), FLOAT(alpha)
    for row in numba.prange(rows):
        state = states[row]
        here, gap = np.empty(dims, FLOAT), np.empty(dims, FLOAT)
        here[:] = old[row]
        for edge in range(starts[row], starts[row + 1]):
            if due[edge] > epoch:
                continue
            due[edge] += periods[edge]
            for _twice in range(2):
                square = spread(here, old[heads[edge]], gap)
                if square > 0.0:
                    root = np.sqrt(np.sqrt(square))  # d^0.5
                    curve = one + steepness * root * root * root
                    shift(here, gap, FLOAT(-1.5) * steepness / (root * curve), rate)
        for _ in range(repulsions):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = np.int32((state >> np.uint64(11)) % np.uint64(rows))
            if other != row:
                square = spread(here, old[other], gap)
                root = np.sqrt(np.sqrt(square))
                curve = one + steepness * root * root * root
                shift(here, gap, FLOAT(1.5) / ((FLOAT(0.001) + square) * curve), rate)
        states[row] = state
        new[row] = here


_part = numba.njit(inline="always")
enter, spread, shift = _part(_enter), _part(_spread), _part(_shift)

_compiled = numba.njit(parallel=True, cache=True, nogil=True)
keep_best = _compiled(_keep_best)
keep_best_across = _compiled(_keep_best_across)
rank = _compiled(_rank)
move = _compiled(_move)
