"""Shapes: rows of each format into records, and rows that are none with a reason."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainwright.audit.finding import RULES
from chainwright.audit.record import AuditRecord, Place, type_name
from chainwright.audit.shapes.mapped_shape import ColumnMap, column_map, mapped_record
from chainwright.audit.shapes.perl_shape import perl_audit_record, perl_polarity
from chainwright.audit.shapes.processbench_shape import processbench_record
from chainwright.audit.shapes.values import ShapeError
from tests.audit.corpora import QUESTION, STEPS, found, perl_row

PLACE = Place("gsm8k_positives.json", 1, 0)


def wrongs(record: AuditRecord) -> list[bool | None]:
    return [label.wrong for label in record.labels or ()]


def test_perl_is_read_as_released() -> None:
    row = perl_row()
    level = row["error_annotation"]["error_annotations"]["step_level"]
    level[1] = {
        "step_number": 2,
        "has_error": True,
        "errors": [{"error_type": "Odd_Type", "error_description": "d"}],
    }
    record = perl_audit_record(row, PLACE)
    assert (record.kind, record.polarity, record.question) == ("perl", "positive", QUESTION)
    assert wrongs(record) == [False, True, False]
    assert (record.labels or ())[1].types == ("Odd_Type",)
    assert [entry.premises for entry in record.premises or ()] == [(0,), (0,), (0, 1), (2,)]
    assert record.copies[1].pointer == "/premise_annotation/steps/1/original_step"


def test_a_clean_perl_row_has_no_findings() -> None:
    assert found(perl_audit_record(perl_row(), PLACE)) == []


@pytest.mark.parametrize(
    ("file", "polarity"),
    [
        ("a/gsm8k_positives.json", "positive"),
        ("math_positives_perturbed_cleaned.json", "synthetic_negative"),
        ("orcamath_negatives.json", "negative"),
        ("chains.json", None),
    ],
)
def test_the_file_name_tells_the_polarity(file: str, polarity: str | None) -> None:
    assert perl_polarity(file) == polarity


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"question": 5}, "`question` holds 5"),
        ({"steps": []}, "at least one"),
        ({"steps": ["a", 2]}, "expected a list of texts"),
        ({"is_correct": "yes"}, "expected true or false"),
        ({"model_answer": [1]}, "expected a text or a number"),
        ({"error_annotation": {}}, r"`error_annotations` holds nothing"),
        ({"premise_annotation": {"steps": [{"step_number": 1}]}}, "`premises` holds no list"),
        (
            {"premise_annotation": {"steps": [{"step_number": 1, "premises": ["x"]}]}},
            "expected a pair",
        ),
    ],
)
def test_a_row_that_is_no_perl_record_says_why(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ShapeError, match=says):
        perl_audit_record(perl_row(**change), PLACE)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(JSON, st.data())
def test_any_value_anywhere_is_read_or_refused(value: Any, data: st.DataObject) -> None:
    row = perl_row()
    holder: Any = row
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        deeper = isinstance(holder[key], dict | list) and holder[key]
        if not deeper or data.draw(st.booleans()):
            holder[key] = value
            break
        holder = holder[key]
    try:
        record = perl_audit_record(row, PLACE)
    except ShapeError:
        return
    assert all(one.rule in RULES for one in found(record))


def test_processbench_counts_from_0_and_says_nothing_of_what_follows() -> None:
    row = {
        "id": "x-1",
        "problem": QUESTION,
        "steps": list(STEPS),
        "final_answer_correct": False,
        "label": 1,
    }
    record = processbench_record(row, PLACE)
    assert (record.first_error, record.polarity) == (2, "negative")
    assert wrongs(record) == [False, True, None]
    clean = processbench_record({**row, "label": -1, "final_answer_correct": True}, PLACE)
    assert (clean.first_error, wrongs(clean), found(clean)) == (0, [False] * 3, [])
    beyond = processbench_record({**row, "label": 7}, PLACE)
    assert "first_error" in {one.rule for one in found(beyond)}


def test_a_map_of_columns() -> None:
    columns = column_map("question=q, steps=a.steps,labels=marks,premises=from,id=name")
    row = {
        "q": QUESTION,
        "a": {"steps": [{"text": step} for step in STEPS]},
        "marks": ["correct", "Other", None],
        "from": [[0], [0, 1], [2]],
        "name": 7,
    }
    record = mapped_record(row, PLACE, columns)
    assert (record.steps, record.place.record) == (STEPS, "7")
    assert [(one.wrong, one.types) for one in record.labels or ()] == [
        (False, ()),
        (True, ("Other",)),
        (None, ()),
    ]


@pytest.mark.parametrize(
    ("labels", "zero", "expected"),
    [
        ([True, False, None], False, [False, True, None]),
        ([1, 0, -1], False, [False, True, True]),
        ([1, 0, -1], True, [False, None, True]),
        (["+", "-", "neutral"], False, [False, True, None]),
        ([[], ["A", "B"], ["A"]], False, [False, True, True]),
    ],
)
def test_labels_by_a_map(labels: list[Any], zero: bool, expected: list[bool | None]) -> None:
    columns = ColumnMap({"steps": "steps", "labels": "labels"}, zero)
    assert (
        wrongs(mapped_record({"steps": list(STEPS), "labels": labels}, PLACE, columns)) == expected
    )


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"labels": [1]}, "no column `steps`"),
        ({"steps": ["a"], "labels": 5}, "expected a list, one a step"),
        ({"steps": ["a"], "labels": [{}]}, "the label of step 1"),
        ({"steps": "a b", "labels": [1]}, "expected a list of texts"),
    ],
)
def test_rows_that_do_not_fit_the_map(row: dict[str, Any], says: str) -> None:
    columns = ColumnMap({"steps": "steps", "labels": "labels"})
    with pytest.raises(ShapeError, match=says):
        mapped_record(row, PLACE, columns)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("steps", "expected KEY=COLUMN"),
        ("stps=a", "did you mean steps"),
        ("steps=a,steps=b", "names steps twice"),
        ("question=q", "no column for steps"),
        ("steps=s,zero=maybe", "allowed are error and neutral"),
    ],
)
def test_a_wrong_map_says_what_is_wrong(written: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        column_map(written)


def test_type_names() -> None:
    assert type_name(" Mathematical-Error ") == type_name("mathematical error")
