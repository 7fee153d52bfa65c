"""Releases and files of PERL, as `validate` meets them."""

import json
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.record import Record
from tests.pipeline.small_tables import label, problem, release_files, released, told, vote, write

PERL = Path(__file__).parents[3] / "shared" / "data" / "perl"


@pytest.mark.parametrize("marks", [(), ("manifest.json", "recipe.yaml")])
def test_a_whole_release_has_no_fault(tmp_path: Path, marks: tuple[str, ...]) -> None:
    write(tmp_path, release_files())
    for mark in marks:
        (tmp_path / mark).write_text("{}")
    report = validate(tmp_path)
    assert report.ok
    assert (len(report.files), report.rows) == (6, 6)


@pytest.mark.parametrize(
    ("file", "rows", "field", "expected"),
    [
        ("chains/test-00000-of-00001", [released(0)], "chain_id", "row 1 of data/chains/test-"),
        ("chains/test-00000-of-00001", [released(0)], "problem_id", "a problem of split test"),
        ("votes/test-00000-of-00001", [vote(0, 1)], "chain_id", "a chain of split test"),
        ("votes/test-00000-of-00001", [vote(1, 2)], "step", "at most 1, the steps of its chain"),
        ("labels/train-00000-of-00001", [label(5, 1)], "chain_id", "the id of one of the chains"),
    ],
)
def test_what_rows_of_a_release_demand_of_each_other(
    tmp_path: Path, file: str, rows: list[Record], field: str, expected: str
) -> None:
    files = release_files() | {f"data/{file}": rows}
    report = validate(write(tmp_path, files))
    told_there = [fault.expected for fault in report.faults if fault.field == field]
    assert any(expected in text for text in told_there)


def test_a_problem_in_two_splits_is_told_where_no_table_of_problems_is(tmp_path: Path) -> None:
    files = {name: rows for name, rows in release_files().items() if "problems" not in name}
    twin = released(0).model_copy(update={"chain_id": "c-" + "0" * 20})
    files["data/chains/train-00000-of-00001"] = [released(0), twin]
    assert validate(write(tmp_path / "kept", files)).ok
    files["data/chains/test-00000-of-00001"] = [released(1)]
    files["data/chains/train-00000-of-00001"] = [
        twin.model_copy(update={"problem_id": problem(1).problem_id})
    ]
    report = validate(write(tmp_path / "leaked", files))
    assert ("data/chains/train-00000-of-00001.parquet", 1, "problem_id") in told(report)


PERL_ROW: dict[str, Any] = {
    "question": "How many?",
    "ground_truth_answer": "1",
    "model_answer": 1,
    "steps": ["One."],
    "premise_annotation": {
        "steps": [
            {"step_number": 0, "original_step": "How many?", "premises": [[0, "How many?"]]},
            {"step_number": 1, "original_step": "One.", "premises": [[0, "How many?"]]},
        ]
    },
    "error_annotation": {
        "error_annotations": {"step_level": [{"step_number": 1, "has_error": False, "errors": []}]}
    },
}


def test_files_of_perl_in_a_release_are_checked(tmp_path: Path) -> None:
    (tmp_path / "perl").mkdir()
    path = tmp_path / "perl" / "pears_positives.json"
    path.write_text(json.dumps([PERL_ROW, PERL_ROW]))
    assert validate(tmp_path).ok
    assert validate(path).files[str(path)].schema == "perl"
    error = {"error_type": "mathematical_error", "error_description": "?"}
    bad = json.loads(json.dumps(PERL_ROW))
    bad["error_annotation"]["error_annotations"]["step_level"][0]["errors"] = [error]
    bad["premise_annotation"]["steps"][1]["premises"] = [[1, 2]]
    path.write_text(json.dumps([PERL_ROW, bad]))
    assert told(validate(tmp_path)) == [
        ("perl/pears_positives.json", 2, "premise_annotation.steps[1].premises[0][1]"),
        (
            "perl/pears_positives.json",
            2,
            "error_annotation.error_annotations.step_level[0].errors[0].error_type",
        ),
    ]


@pytest.mark.realdata
@pytest.mark.skipif(not PERL.is_dir(), reason="the released files of PERL are not at hand")
def test_perl_as_released_is_sound_but_for_one_record() -> None:
    report = validate(PERL, "perl")
    assert (len(report.files), report.rows) == (6, 294)
    # Its premise annotation skips steps 4 and 8 and goes on to 14, where the chain has 12.
    place = ("gsm8k/gsm8k_positives.json", 14, "premise_annotation.steps")
    assert told(report) == [place]
