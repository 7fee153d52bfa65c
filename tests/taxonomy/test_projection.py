from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.taxonomy.inventories import Inventory, compare
from chainwright.taxonomy.projection import Reach, project, reach, side_by_side

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")

CENTRES = np.eye(3, dtype=np.float32)


def unit(*rows: list[float]) -> Any:
    made = np.array(rows, np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_texts_go_to_the_nearest_centroid_within_reach() -> None:
    within = Reach(CENTRES, np.array([0.8, 0.8, 0.99], np.float32))
    found = project(unit([9, 1, 0], [1, 9, 1], [1, 1, 1], [0, 3, 9]), within)
    assert found.clusters.tolist() == [0, 1, -1, -1]
    assert found.rejected == 0.5
    assert found.mean_cosine is not None
    assert found.shuffled is not None
    assert found.mean_cosine > found.shuffled
    assert found.margin is not None
    assert found.margin > 0


def test_nothing_to_project_or_to_project_on() -> None:
    nowhere = Reach(CENTRES[:0], np.zeros(0, np.float32))
    assert project(CENTRES, nowhere).clusters.tolist() == [-1, -1, -1]
    assert project(CENTRES[:0], Reach(CENTRES, np.zeros(3, np.float32))).rejected == 0.0
    one = project(CENTRES, Reach(CENTRES[:1], np.full(1, 0.5, np.float32)))
    assert (one.mean_cosine, one.shuffled, one.margin) == (1.0, 1.0, None)


def test_reach_keeps_nearly_all_of_its_own(blobs: tuple[Any, Any]) -> None:
    from chainwright.taxonomy.portraits import centroids

    vectors, truth = blobs
    found = project(vectors, reach(vectors, truth, centroids(vectors, truth)))
    inside = found.clusters >= 0
    assert 0.9 < inside.mean() < 1.0
    assert (found.clusters[inside] == truth[inside]).mean() > 0.97


def test_distributions_side_by_side() -> None:
    rows, distance = side_by_side(["a", "b"], ["a", "a", "b", None], ["b", None, "b"])
    assert [(row.category, row.first, row.second) for row in rows] == [
        ("a", 2 / 3, 0.0),
        ("b", 1 / 3, 1.0),
    ]
    assert distance == pytest.approx(2 / 3)
    assert side_by_side(["a"], ["a"], [None])[1] is None


@given(st.permutations(range(5)))
def test_an_inventory_matches_itself_in_any_order(order: list[int]) -> None:
    eye = np.eye(5, dtype=np.float32)
    first = Inventory([f"n{n}" for n in range(5)], eye, [3] * 5)
    second = Inventory([f"n{n}" for n in order], eye[order], [3] * 5)
    found = compare(first, second)
    assert all(match.first == match.second and match.mutual for match in found.matches)
    assert (found.mean_cosine, found.mutual, found.only_second) == (1.0, 1.0, [])


def test_inventories_of_different_sizes() -> None:
    three = Inventory(["a", "b", "c"], CENTRES, [5, 5, 5])
    one = Inventory(["b"], CENTRES[1:2], [5])
    found = compare(three, one)
    assert [match.second for match in found.matches] == [None, "b", None]
    assert compare(one, three).only_second == ["a", "c"]
    assert compare(one, Inventory([], CENTRES[:0], [])).mean_cosine is None
