"""Agreement on degenerate input, which has an answer or a reason, and on malformed input."""

import numpy as np
import pytest
from numpy.typing import NDArray

from chainwright.annotation.agreement import Agreement, Statistic, agreement

Codes = NDArray[np.int64]

PANEL = ("unanimity", "unanimity_complete", "fleiss", "krippendorff", "gwet")


def _measure(codes: list[list[int]] | Codes, categories: int) -> Agreement:
    votes = np.asarray(codes)
    judges = [f"judge {place}" for place in range(votes.shape[1])]
    names = [f"category {place}" for place in range(categories)]
    return agreement(votes, np.arange(len(votes)), judges, names, replicates=10)


@pytest.mark.parametrize(
    ("codes", "categories", "expected"),
    [
        pytest.param(
            np.empty((0, 2)), 2, dict.fromkeys((*PANEL, "cohen"), "no_units"), id="no units"
        ),
        pytest.param(
            [[0], [1]],
            2,
            dict.fromkeys(PANEL, "one_judge"),
            id="one judge",
        ),
        pytest.param(
            [[0, -1], [-1, 1]],
            2,
            {
                "unanimity": 0.0,
                "unanimity_complete": "no_complete_units",
                "fleiss": "no_complete_units",
                "krippendorff": "no_overlap",
                "gwet": "no_overlap",
                "cohen": "no_overlap",
            },
            id="one vote a unit",
        ),
        pytest.param(
            [[-1, -1], [-1, -1]],
            0,
            {"unanimity": 0.0, "gwet": "no_overlap", "cohen": "no_overlap"},
            id="no votes, no categories",
        ),
        pytest.param(
            [[1, 1], [1, 1]],
            2,
            {
                "unanimity": 1.0,
                "unanimity_complete": 1.0,
                "fleiss": "one_category",
                "krippendorff": "one_category",
                "gwet": 1.0,
                "cohen": "one_category",
            },
            id="one category used",
        ),
        pytest.param([[0, 0]], 1, {"gwet": "one_category"}, id="one category declared"),
        pytest.param(
            [[0, 0], [0, 1]],
            2,
            {"cohen": 0.0, "fleiss": -1 / 3, "krippendorff": 0.0},
            id="one constant judge",
        ),
        pytest.param(
            [[0, 1], [0, 1]],
            2,
            {"unanimity": 0.0, "cohen": 0.0, "fleiss": -1.0, "krippendorff": -0.5, "gwet": -1.0},
            id="constant and opposed",
        ),
        pytest.param(
            [[0, 1, -1], [-1, 1, 0]], 2, {"fleiss": "no_complete_units"}, id="no complete"
        ),
    ],
)
def test_degenerate_input_has_an_answer_or_a_reason(
    codes: list[list[int]] | Codes, categories: int, expected: dict[str, float | str]
) -> None:
    result = _measure(codes, categories)
    for name, answer in expected.items():
        one: Statistic = result.cohen[0].statistic if name == "cohen" else getattr(result, name)
        if isinstance(answer, str):
            assert one.value is None
            assert one.reason is not None
            assert one.reason.split(":")[0] == answer
        else:
            assert one.value == pytest.approx(answer)


def test_zero_judges_have_no_pairs() -> None:
    result = _measure(np.empty((4, 0), dtype=np.int64), 2)
    assert result.cohen == ()
    assert result.gwet.reason == "one_judge: agreement needs at least two judges, got 0"


def test_reason_names_the_judges_without_overlap() -> None:
    result = agreement([[0, -1, 0]], ["c"], ["ann", "bob", "cy"], ["x", "y"])
    assert (
        result.cohen[0].statistic.reason == "no_overlap: no unit has votes of both 'ann' and 'bob'"
    )


@pytest.mark.parametrize(
    ("codes", "chains", "judges", "categories", "message"),
    [
        ([[0, 2]], [1], ["a", "b"], ["x", "y"], r"codes holds 2; allowed is -1 to 1"),
        ([[0, -2]], [1], ["a", "b"], ["x", "y"], r"codes holds -2; allowed is -1 to 1"),
        ([[0, 1]], [1], ["a", "b", "c"], ["x", "y"], r"codes has shape \(1, 2\); with 3 judges"),
        ([0, 1], [1, 1], ["a", "b"], ["x", "y"], r"codes has shape \(2,\)"),
        ([[0.5, 1.0]], [1], ["a", "b"], ["x", "y"], r"codes holds float64"),
        ([[0, 1]], [1, 2], ["a", "b"], ["x", "y"], r"chains has shape \(2,\); with 1 units"),
        ([[0, 1]], [1], ["a", "a"], ["x", "y"], r"judges holds 'a' more than once"),
        ([[0, 1]], [1], ["a", "b"], ["x", "x"], r"categories holds 'x' more than once"),
    ],
)
def test_malformed_input_is_refused_with_its_value(
    codes: list[list[int]],
    chains: list[int],
    judges: list[str],
    categories: list[str],
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        agreement(codes, chains, judges, categories)
