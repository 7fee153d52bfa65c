from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.taxonomy.clustering import Settings
from chainwright.taxonomy.stability import adjusted_rand, agreement, stability

np = pytest.importorskip("numpy")
metrics = pytest.importorskip("sklearn.metrics")

PAIRS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=30)


@given(PAIRS)
def test_adjusted_rand_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    one, other = (np.array(side) for side in zip(*pairs, strict=True))
    expected = metrics.adjusted_rand_score(one, other)
    assert adjusted_rand(one, other) == pytest.approx(expected)


def test_agreement_tells_noise_apart() -> None:
    found = agreement(np.array([0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0]))
    assert found.ari_inside == 1.0
    assert found.ari < 1.0
    assert found.inside == 0.8
    assert agreement(np.array([-1]), np.array([0])).ari_inside is None


def test_clear_groups_are_found_again(blobs: tuple[Any, Any]) -> None:
    pytest.importorskip("fast_hdbscan")
    pytest.importorskip("umap")
    vectors, truth = blobs
    names = {number: "odd" if number % 2 else "even" for number in range(6)}
    found = stability(vectors, Settings("quick"), names, known=truth, seeds=(0, 1), resamples=2)
    assert found.mean_ari is not None
    assert found.mean_ari > 0.9
    assert len(found.clusters) == 4
    assert found.shares["odd"].share == 0.5
    assert 0.4 < found.shares["odd"].low <= found.shares["odd"].high < 0.6
    assert found.lost == {"even": 0, "odd": 0}
