"""The engines, on a small set: what they find, on any number of threads, in any process."""

import hashlib
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.taxonomy.clustering import (
    Settings,
    Sweep,
    TooFewTexts,
    cliffs,
    cluster,
    fitted,
)
from chainwright.taxonomy.densities import ENOUGH, NOISE, Dense, by_size, settled
from chainwright.taxonomy.layouts import umap_layout
from chainwright.taxonomy.neighbours import Neighbours, nearest_neighbours
from chainwright.taxonomy.stability import adjusted_rand

np = pytest.importorskip("numpy")
pytest.importorskip("umap")
pytest.importorskip("hdbscan")
pytest.importorskip("fast_hdbscan")
threadpool_limits = pytest.importorskip("threadpoolctl").threadpool_limits

ROOT = Path(__file__).parents[2]
ENGINES = ("default", "quick")

IN_A_PROCESS = """
import sys
import numba, numpy
numba.set_num_threads(1)
from tests.taxonomy.test_clustering import digests
print(*digests(numpy.load(sys.argv[1])))
"""


def digests(vectors: Any) -> list[str]:
    """Hashes of all that the engines find."""
    found = [cluster(vectors, Settings(engine, seed=3)) for engine in ("default", "quick")]
    return [
        hashlib.sha256(part.tobytes()).hexdigest()
        for each in found
        for part in (each.labels, each.layout, each.neighbours.distances)
    ]


def test_neighbours_are_exact(blobs: tuple[Any, Any]) -> None:
    vectors, _ = blobs
    found = nearest_neighbours(vectors, 9)
    cosines = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    np.fill_diagonal(cosines, -2)
    expected = np.sort(1 - cosines, axis=1)[:, :9]
    assert np.allclose(found.distances, expected, atol=1e-6)
    own = np.arange(len(vectors))[:, None]
    assert np.allclose(found.distances, 1 - cosines[own, found.indices], atol=1e-6)
    assert not (found.indices == own).any()


def test_blocks_make_no_difference(blobs: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, _ = blobs
    whole = nearest_neighbours(vectors, 5)
    monkeypatch.setattr("chainwright.taxonomy.neighbours.BLOCK", 101)
    cut = nearest_neighbours(vectors, 5)
    assert (whole.indices == cut.indices).all()
    assert (whole.distances == cut.distances).all()


def test_more_neighbours_than_rows_are_refused(blobs: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match="found 5 rows"):
        nearest_neighbours(blobs[0][:5], 5)


@pytest.mark.parametrize("engine", ENGINES)
def test_clear_groups_are_found(blobs: tuple[Any, Any], engine: Any) -> None:
    vectors, truth = blobs
    found = cluster(vectors, Settings(engine), sweep=True)
    assert adjusted_rand(found.labels, truth) > 0.9
    assert found.count == 6
    assert found.layout.shape == (600, 10)
    assert found.libraries[-1].split()[0] == ("hdbscan" if engine == "default" else "fast_hdbscan")
    assert "min_cluster_size 10 instead of 50" in found.scaled
    assert [each.min_cluster_size for each in found.sweep] == [5, 8, 10, 15, 20]
    assert ((found.strength == 0) | (found.labels >= 0)).all()


def test_labels_are_the_same_on_one_thread_in_another_process(
    blobs: tuple[Any, Any], tmp_path: Path
) -> None:
    path = tmp_path / "vectors.npy"
    np.save(path, blobs[0])
    run = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.stdout.split() == digests(blobs[0])


def test_the_default_start_has_the_same_last_bits_on_two_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What linear algebra sums up on two threads differs from some 6,000 rows on, at first in the
    last bits of the start, which the layout mostly rounds away; at 30,000 labels differed."""
    import umap

    starts: list[Any] = []

    def start(*given: Any, **more: Any) -> Any:
        starts.append(make(*given, **more))
        return starts[-1]

    make = umap.umap_.spectral_layout
    monkeypatch.setattr(umap.umap_, "spectral_layout", start)
    monkeypatch.setattr(umap, "UMAP", partial(umap.UMAP, n_epochs=0))
    rows, rng = 7003, np.random.default_rng(0)
    near = np.arange(rows)[:, None] // 50 * 50 + rng.integers(0, 50, (rows, 14))
    near[:, -3:] = rng.integers(0, rows, (rows, 3))  # so that all of the graph hangs together
    distances = np.sort(rng.uniform(0.1, 0.6, near.shape), axis=1).astype(np.float32)
    neighbours = Neighbours((near % rows).astype(np.int32), distances)
    vectors = rng.normal(size=(rows, 12)).astype(np.float32)
    for threads in (1, 2):
        with threadpool_limits(threads):
            umap_layout(vectors, neighbours, dims=10, count=15, seed=0)
    assert starts[0].dtype == np.float64
    assert (starts[0] == starts[1]).all()


def test_too_few_texts_are_refused() -> None:
    with pytest.raises(TooFewTexts, match="found 11 distinct critiques, expected at least 12"):
        fitted(Settings(), 11)


@given(st.integers(12, 40_000), st.integers(2, 400))
def test_settings_shrink_and_never_grow(texts: int, size: int) -> None:
    settings = Settings(min_cluster_size=size)
    small, words = fitted(settings, texts)
    assert small.neighbours < texts
    assert small.dims < texts - 1
    assert 2 <= small.min_cluster_size <= size
    assert 1 <= small.min_samples <= settings.min_samples
    assert bool(words) == (small != settings)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_fewest_texts_can_be_clustered(engine: Any) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(12, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert len(cluster(vectors, Settings(engine)).labels) == 12


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=30))
def test_clusters_are_numbered_by_size(labels: list[int]) -> None:
    made = by_size(np.array(labels))
    assert adjusted_rand(made, np.array(labels)) == 1.0
    counts = np.bincount(made[made >= 0]).tolist()
    assert counts == sorted(counts, reverse=True)
    assert ((made == -1) == (np.array(labels) == -1)).all()


def settled_labels(labels: list[int], near: list[list[int]]) -> tuple[list[int], list[float]]:
    import numpy as np

    dense = Dense(np.array(labels), np.array([float(label >= 0) for label in labels]), "by hand")
    neighbours = Neighbours(np.array(near, np.int32), np.zeros((len(near), len(near[0])), "f4"))
    found = settled(dense, neighbours)
    return found.labels.tolist(), found.strength.tolist()


def test_noise_joins_the_cluster_that_enough_of_its_neighbours_are_in() -> None:
    at_home = [0, 1, 2, 3, 4]
    first = [0, 1, 2, 6, 7]  # three of five in the cluster
    then = [5, 0, 6, 7, 7]  # two of five, once the first has joined
    last = [0, 6, 7, 7, 8]  # two again, once the second has
    away = [0, 8, 8, 8, 8]
    labels, strength = settled_labels(
        [0, 0, 0, 0, 0, -1, -1, -1, -1], [*[at_home] * 5, first, then, last, away]
    )
    assert labels == [0, 0, 0, 0, 0, 0, 0, 0, -1]
    assert strength == [1.0] * 5 + [0.6, 0.4, 0.4, 0.0]


def test_of_equally_many_neighbours_the_larger_cluster_draws() -> None:
    near = [[1, 2], [0, 2], [0, 1], [4, 0], [3, 0], [3, 0]]
    assert settled_labels([0, 0, 0, 1, 1, -1], near)[0] == [0, 0, 0, 1, 1, 0]


def test_without_clusters_all_stays_noise() -> None:
    assert settled_labels([-1, -1], [[1], [0]]) == ([-1, -1], [0.0, 0.0])


@given(st.data())
def test_settling_moves_noise_alone_and_leaves_none_with_enough_neighbours_for_long(
    data: st.DataObject,
) -> None:
    import numpy as np

    count = data.draw(st.integers(4, 12))
    raw = data.draw(st.lists(st.integers(-1, 2), min_size=count, max_size=count))
    labels = by_size(np.array(raw)).tolist()
    rows = st.lists(st.integers(0, count - 1), min_size=3, max_size=3)
    near = data.draw(st.lists(rows, min_size=count, max_size=count))
    after, strength = settled_labels(labels, near)
    same = {(labels[i], after[i]) for i in range(count) if labels[i] != NOISE}
    assert len({old for old, _ in same}) == len({new for _, new in same}) == len(same)
    for old, new, firm in zip(labels, after, strength, strict=True):
        if old == NOISE:
            assert (new == NOISE) == (firm == 0.0)
            assert new == NOISE or firm >= ENOUGH


def test_cliffs_of_a_sweep() -> None:
    sweep = [Sweep(size, count, 0.1) for size, count in ((20, 60), (30, 50), (40, 8), (50, 7))]
    assert [(low.min_cluster_size, high.min_cluster_size) for low, high in cliffs(sweep)] == [
        (30, 40)
    ]
