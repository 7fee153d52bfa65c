import asyncio
import json
from typing import Any

import pytest

from chainwright.llm.uri import parse_model_uri
from chainwright.taxonomy.consolidation import merge_by_centroids, merge_by_model
from chainwright.taxonomy.naming import Named
from chainwright.taxonomy.portraits import Portrait
from tests.scripted_models import Scripted

np = pytest.importorskip("numpy")
pytest.importorskip("sklearn")

MODEL = parse_model_uri("openai:merger")
NAMES = [Named(f"name_{n}", f"definition {n}") for n in range(4)]
PORTRAITS = [Portrait(n, 9, size, [], [], [], [], []) for n, size in enumerate((5, 9, 8, 7))]


def centres() -> Any:
    """Clusters 0 and 2 close together, and so 1 and 3."""
    rows = np.array([[1, 0, 0.1], [0, 1, 0], [1, 0, 0], [0, 1, 0.1]], np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def reply(*groups: list[int]) -> str:
    return json.dumps(
        {
            "categories": [
                {"mechanism": "m", "name": f"Kind {n}", "definition": "d", "clusters": group}
                for n, group in enumerate(groups)
            ]
        }
    )


def merged(*replies: str) -> Any:
    said = iter(replies)
    asker = Scripted(lambda _: next(said))
    return asyncio.run(merge_by_model(PORTRAITS, NAMES, centres(), asker, MODEL)), asker


def test_close_centroids_become_a_category_named_after_the_largest() -> None:
    made = merge_by_centroids(PORTRAITS, NAMES, centres()).proposals
    assert [(each.name, each.clusters) for each in made] == [
        ("name_1", [1, 3]),
        ("name_2", [2, 0]),
    ]


@pytest.mark.parametrize(("wanted", "expected"), [(1, 1), (3, 3), (4, 4), (9, 4)])
def test_a_number_of_categories_is_kept_to(wanted: int, expected: int) -> None:
    assert len(merge_by_centroids(PORTRAITS, NAMES, centres(), wanted).proposals) == expected


def test_few_clusters_stay_apart() -> None:
    assert merge_by_centroids([], [], np.zeros((0, 3), np.float32)).proposals == []
    two = merge_by_centroids(PORTRAITS[:2], NAMES[:2], centres()[:2]).proposals
    assert [each.clusters for each in two] == [[1], [0]]


def test_a_model_merges() -> None:
    made, _ = merged(reply([0, 2], [3, 1]))
    assert made.by == "openai:merger"
    assert [(each.name, each.clusters) for each in made.proposals] == [
        ("kind_1", [1, 3]),
        ("kind_0", [0, 2]),
    ]


def test_a_cluster_left_out_is_quoted_to_the_model() -> None:
    made, asker = merged(reply([0, 2, 2], [1, 7]), reply([0, 2], [1, 3]))
    assert made.fault is None
    said = asker.asked[1].messages[-1].content
    assert all(words in said for words in ("3 has none", "2 has 2", "there is no 7"))


def test_a_model_that_repeats_what_it_was_told_merges_nothing() -> None:
    echo = reply([0, 2], [1, 3]).replace("Kind 0", "two to four lower-case words")
    made, asker = merged(echo, reply([0, 2], [1, 3]))
    assert "repeats the instructions" in asker.asked[1].messages[-1].content
    assert made.by == "openai:merger"


def test_a_model_without_a_usable_answer_gives_way_to_the_centroids() -> None:
    made, _ = merged("?", "[]", '{"categories": [1]}')
    assert made.by == "centroids"
    assert made.fault.startswith("malformed")
    assert len(made.proposals) == 2
