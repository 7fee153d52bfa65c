"""PERL files: names, layout and shape of what is written, beside the released files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from chainwright.release.perl import perl_record
from chainwright.release.perl_files import PerlFiles
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.perl import PerlRecord
from chainwright.schemas.problem import Problem

RELEASED = Path(__file__).parents[3] / "shared" / "data" / "perl" / "gsm8k"

ERROR = {"error_type": "str", "error_description": "str"}
SHAPE = {
    "question": "str",
    "ground_truth_solution": "str",
    "ground_truth_answer": "str",
    "model_answer": "str",
    "steps": ["str"],
    "is_correct": "bool",
    "premise_annotation": {
        "steps": [{"step_number": "int", "original_step": "str", "premises": [["int", "str"]]}]
    },
    "error_annotation": {
        "error_annotations": {
            "step_level": [{"step_number": "int", "has_error": "bool", "errors": [ERROR]}]
        }
    },
}
"""Every element of a released GSM8K file, keys in their order."""


def shape(values: Iterable[Any]) -> Any:
    """The one shape that all values share: keys in order, types, and elements of lists."""
    found = list(values)
    kinds = {type(value) for value in found}
    assert len(kinds) == 1, kinds
    if isinstance(found[0], dict):
        assert len({tuple(value) for value in found}) == 1
        return {key: shape(value[key] for value in found) for key in found[0]}
    if isinstance(found[0], list):
        if all(len(v) == 2 and isinstance(v[0], int) for v in found):  # a premise
            return [shape(value[place] for value in found) for place in (0, 1)]
        elements = [element for value in found for element in value]
        return [shape(elements)] if elements else []
    return type(found[0]).__name__


@pytest.fixture
def records(
    problem: Callable[..., Problem],
    chain: Callable[..., Chain],
    negative: Callable[[Problem, Chain], Chain],
    labels: Callable[..., list[Label]],
) -> list[PerlRecord]:
    of = problem(4, question='“Pears”? 🍐 and \\ and "quotes"')
    wrong = negative(of, chain(of))
    errors = ("mathematical_error", "accumulation_error", "accumulation_error")
    record = perl_record(of, wrong, labels(wrong, *errors, label_source="exact"))
    return [record, record]


def written(folder: Path, source: str, records: list[PerlRecord]) -> Path:
    with PerlFiles(folder) as files:
        for record in records:
            files.add(source, "synthetic_negative", record)
    (path,) = (folder / "perl").iterdir()
    assert files.counts() == {path.name: len(records)}
    return path


def test_a_file_has_the_layout_of_the_released_ones(
    tmp_path: Path, records: list[PerlRecord]
) -> None:
    text = written(tmp_path, "pears", records).read_text(encoding="ascii")
    plain = [record.model_dump(mode="json", exclude_unset=True) for record in records]
    assert text == json.dumps(plain, indent=2)


def test_a_file_has_the_shape_of_the_released_ones(
    tmp_path: Path, records: list[PerlRecord]
) -> None:
    assert shape(json.loads(written(tmp_path, "pears", records).read_text())) == SHAPE


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["gsm8k_negatives", "gsm8k_positives"])
def test_the_shape_is_that_of_the_genuine_files(name: str) -> None:
    path = RELEASED / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"genuine records of PERL are not at {path}")
    assert shape(json.loads(path.read_text(encoding="utf-8"))) == SHAPE


@pytest.mark.realdata
def test_genuine_records_are_written_byte_for_byte(tmp_path: Path) -> None:
    path = RELEASED / "gsm8k_positives_perturbed.json"
    if not path.is_file():
        pytest.skip(f"genuine records of PERL are not at {path}")
    genuine = [
        PerlRecord.model_validate_json(json.dumps(one)) for one in json.loads(path.read_text())
    ]
    again = written(tmp_path, "gsm8k", genuine)
    assert again.name == path.name
    assert again.read_bytes() == path.read_bytes()


def test_polarities_have_their_own_files(tmp_path: Path, records: list[PerlRecord]) -> None:
    with PerlFiles(tmp_path) as files:
        files.add("pears", "positive", records[0])
        files.add("pears", "negative", records[0])
        files.add("plums", "positive", records[0])
        files.add("pears", "positive", records[1])
    assert files.counts() == {
        "pears_negatives.json": 1,
        "pears_positives.json": 2,
        "plums_positives.json": 1,
    }


@pytest.mark.parametrize("source", ["../../etc/x", "a/b", "..", "x\n---\ny", "é", " ", "a" * 300])
def test_a_source_cannot_lead_out_of_the_folder(
    tmp_path: Path, records: list[PerlRecord], source: str
) -> None:
    path = written(tmp_path, source, records)
    assert path.parent == tmp_path / "perl"
    assert path.name.isascii()
    assert len(json.loads(path.read_text())) == 2


def test_sources_with_like_names_do_not_share_a_file(
    tmp_path: Path, records: list[PerlRecord]
) -> None:
    with PerlFiles(tmp_path) as files:
        for source in ("a/b", "a b", "a-b"):
            files.add(source, "positive", records[0])
    assert list(files.counts().values()) == [1, 1, 1]


def test_no_records_no_folder(tmp_path: Path) -> None:
    with PerlFiles(tmp_path) as files:
        assert files.counts() == {}
    assert list(tmp_path.iterdir()) == []
