from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.pipeline.validation.faults import Flaw
from chainwright.pipeline.validation.row_check import check_row, field_path
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import Task

ID = "c-0123456789abcdef0123"
VOTE: dict[str, Any] = {
    "chain_id": ID,
    "step": 1,
    "task": "error",
    "judge": "j",
    "prompt_version": "1",
    "label": "correct",
    "category": None,
    "premises": None,
    "explanation": None,
    "status": "ok",
    "request_key": None,
}
STEP: dict[str, Any] = {
    "step": 1,
    "text": "…",
    "label": "correct",
    "category": None,
    "premises": [0],
    "label_source": "exact",
    "tier": "gold",
}
CHAIN: dict[str, Any] = {
    "chain_id": ID,
    "problem_id": "p-0123456789abcdef0123",
    "origin": "synthetic",
    "polarity": None,
    "generator": "g",
    "steps": ["a"],
    "citations": [],
    "final_answer": None,
    "is_correct": None,
    "parent_id": None,
    "perturbed_step": 1,
    "perturbation": {"error_type": "other", "kind": "k", "before": "1", "after": "2"},
}


def test_a_good_row_becomes_its_record() -> None:
    assert check_row("votes", VOTE) == Vote(**VOTE)


@pytest.mark.parametrize(
    ("change", "field", "found", "expected"),
    [
        ({"chain_id": "c-1"}, "chain_id", '"c-1"', "text that matches ^c-[0-9a-f]{20}$"),
        ({"step": -1}, "step", "-1", "at least 0"),
        ({"step": None}, "step", "null", "integer"),
        ({"step": 2.0}, "step", "2.0", "integer"),
        ({"task": "errors"}, "task", '"errors"', "one of error, premises, "),
        (
            {"label": "wrong"},
            "label",
            '"wrong"',
            "one of correct, error, faithful, unfaithful, null",
        ),
        ({"category": 4}, "category", "4", "string or null"),
        ({"premises": [0, "1"]}, "premises[1]", '"1"', "integer"),
        ({"premises": {"a": 1}}, "premises", "an object with the keys a", "array or null"),
        ({"note": [1, 2]}, "note", "a list of 2", "no such field; there are: chain_id, step,"),
        ({"judge": "j" * 500 + "\n"}, None, "", ""),
        ({"judge": ["j" * 500]}, "judge", "a list of 1", "string"),
        ({"explanation": True}, "explanation", "true", "string or null"),
    ],
)
def test_a_flaw_says_where_what_and_what_else(
    change: dict[str, Any], field: str | None, found: str, expected: str
) -> None:
    checked = check_row("votes", VOTE | change)
    if field is None:
        assert isinstance(checked, Vote)
        return
    assert isinstance(checked, list)
    (flaw,) = checked
    assert (flaw.field, flaw.found) == (field, found)
    assert flaw.expected.startswith(expected)


@pytest.mark.parametrize(
    ("table", "row", "flaw"),
    [
        ("chains", CHAIN | {"steps": []}, Flaw("steps", "a list of 0", "at least 1 in the list")),
        ("chains", CHAIN | {"perturbation": 7}, Flaw("perturbation", "7", "object or null")),
        (
            "chains",
            CHAIN | {"perturbation": CHAIN["perturbation"] | {"after": None}},
            Flaw("perturbation.after", "null", "string"),
        ),
        (
            "chains",
            CHAIN | {"perturbation": {"error_type": "other", "kind": "k", "before": "1"}},
            Flaw("perturbation.after", "nothing", "string"),
        ),
        (
            "critiques",
            {"chain_id": ID, "step": 1, "critic": "c", "description": "", "tags": ["t"]},
            Flaw("description", '""', "text that is not empty"),
        ),
        (
            "critiques",
            {"chain_id": ID, "step": 1, "critic": "c", "description": "d", "tags": list("abcd")},
            Flaw("tags", "a list of 4", "at most 3 in the list"),
        ),
        ("votes", [VOTE], Flaw("", "a list of 1", "object")),
        ("votes", None, Flaw("", "null", "object")),
        ("votes", "text", Flaw("", '"text"', "object")),
    ],
)
def test_flaws_within_nested_records(table: str, row: Any, flaw: Flaw) -> None:
    assert check_row(table, row) == [flaw]


def test_all_flaws_of_a_row_are_told() -> None:
    row = VOTE | {"step": "1", "status": "fine", "extra": 1, "more": 2}
    del row["judge"], row["task"]
    checked = check_row("votes", row)
    assert isinstance(checked, list)
    fields = ["extra", "judge", "more", "status", "step", "task"]
    assert sorted(flaw.field for flaw in checked) == fields
    (task,) = [flaw for flaw in checked if flaw.field == "task"]
    assert task.found == "nothing"
    assert task.expected == f"one of {', '.join(get_args(Task))}"


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from([*CHAIN, "extra"]),
        st.sampled_from([None, 0, 1, "", "x", ID, [], [1], ["a", 2], {}, {"kind": "k", "a": 1}]),
    ),
    st.sets(st.sampled_from(list(CHAIN)), max_size=2),
)
def test_flaws_that_are_only_counted_are_as_many(change: dict[str, Any], gone: set[str]) -> None:
    row = {key: value for key, value in (CHAIN | change).items() if key not in gone}
    told, counted = check_row("chains", row), check_row("chains", row, explain=False)
    if isinstance(told, list) and isinstance(counted, list):
        assert sorted(flaw.field for flaw in told) == sorted(flaw.field for flaw in counted)
    else:
        assert told == counted


def test_paths_have_positions_in_brackets() -> None:
    assert field_path(["steps", 2, "label"]) == "steps[2].label"
    assert field_path([0, "a"]) == "[0].a"
    assert field_path([]) == ""
    assert len(field_path(["k" * 500])) == 80
