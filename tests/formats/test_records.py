"""Rows of each format into records as released, and rows that are none with a reason."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainwright.audit.finding import RULES, Finding
from chainwright.audit.record import Place, placed
from chainwright.formats.catalogue import FORMATS
from chainwright.formats.mapped import ColumnMap, column_map, read_mapped
from chainwright.formats.perl import read_perl
from chainwright.formats.processbench import read_processbench
from chainwright.formats.record import LabelledRecord, type_name
from chainwright.formats.record_trace import trace_of
from chainwright.formats.trace import Unfit
from tests.audit import corpora
from tests.audit.corpora import QUESTION, STEPS, perl_row
from tests.formats.small_traces import trace

SOURCE = "gsm8k_positives"


def found(record: LabelledRecord) -> list[Finding]:
    return corpora.found(placed(record, Place("gsm8k_positives.json", 1, 0)))


def wrongs(record: LabelledRecord) -> list[bool | None]:
    return [label.wrong for label in record.labels or ()]


def test_perl_is_read_as_released() -> None:
    row = perl_row()
    level = row["error_annotation"]["error_annotations"]["step_level"]
    level[1] = {
        "step_number": 2,
        "has_error": True,
        "errors": [{"error_type": "Odd_Type", "error_description": "d"}],
    }
    record = read_perl(row, SOURCE)
    assert (record.kind, record.polarity, record.question) == ("perl", "positive", QUESTION)
    assert wrongs(record) == [False, True, False]
    assert (record.labels or ())[1].types == ("Odd_Type",)
    assert [entry.premises for entry in record.premises or ()] == [(0,), (0,), (0, 1), (2,)]
    assert record.copies[1].pointer == "/premise_annotation/steps/1/original_step"


def test_a_clean_perl_row_has_no_findings() -> None:
    assert found(read_perl(perl_row(), SOURCE)) == []


@pytest.mark.parametrize(
    ("source", "polarity", "part"),
    [
        ("gsm8k_positives", "positive", "gsm8k"),
        ("math_positives_perturbed_cleaned", "synthetic_negative", "math"),
        ("orcamath_negatives", "negative", "orcamath"),
        ("negatives", "negative", "perl"),
        ("chains", "positive", "chains"),
    ],
)
def test_the_file_name_tells_the_polarity_and_the_part(
    source: str, polarity: str, part: str
) -> None:
    record = read_perl(perl_row(), source)
    assert (record.polarity, record.part) == (polarity, part)
    silent = read_perl(perl_row(is_correct=None), source)
    assert silent.polarity == (None if source == "chains" else polarity)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"question": 5}, "`question` is int '5', expected text"),
        ({"steps": []}, "at least one"),
        ({"steps": ["a", 2]}, r"`steps\[1\]` is int '2', expected text"),
        ({"is_correct": "yes"}, "expected true or false"),
        ({"model_answer": [1]}, "expected text or a number"),
        ({"error_annotation": {}}, "`error_annotation.error_annotations` is missing or null"),
        (
            {"premise_annotation": {"steps": [{"step_number": 1}]}},
            r"`premise_annotation.steps\[0\].premises` is missing or null; there are: step_number",
        ),
        (
            {"premise_annotation": {"steps": [{"step_number": 1, "premises": ["x"]}]}},
            "expected a pair",
        ),
    ],
)
def test_a_row_that_is_no_perl_record_says_why(change: dict[str, Any], says: str) -> None:
    with pytest.raises(Unfit, match=says):
        read_perl(perl_row(**change), SOURCE)


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
        record = read_perl(row, SOURCE)
    except Unfit:
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
    record = read_processbench(row, "bench")
    assert (record.first_error, record.polarity) == (2, "negative")
    assert wrongs(record) == [False, True, None]
    clean = read_processbench({**row, "label": -1, "final_answer_correct": True}, "bench")
    assert (clean.first_error, wrongs(clean), found(clean)) == (0, [False] * 3, [])
    beyond = read_processbench({**row, "label": 7}, "bench")
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
    record = read_mapped(row, columns)
    assert (record.steps, record.name) == (STEPS, "7")
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
    assert wrongs(read_mapped({"steps": list(STEPS), "labels": labels}, columns)) == expected


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"labels": [1]}, "no column `steps`"),
        ({"steps": ["a"], "labels": 5}, "expected a list, one a step"),
        ({"steps": ["a"], "labels": [{}]}, "the label of step 1"),
        ({"steps": ["a"], "labels": [0.5]}, "the label of step 1 is float '0.5'"),
        ({"steps": "a b", "labels": [1]}, "expected a list"),
        ({"steps": ["a"], "track": "maths"}, "expected math, inference, grounding"),
        ({"steps": ["a"], "premises": [["1"]]}, "expected a list of numbers"),
    ],
)
def test_rows_that_do_not_fit_the_map(row: dict[str, Any], says: str) -> None:
    keys = ("steps", "labels", "premises", "track")
    columns = ColumnMap({key: key for key in keys})
    with pytest.raises(Unfit, match=says):
        read_mapped(row, columns)


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


@pytest.mark.parametrize("name", ["trl", "math_shepherd", "prm800k", "grace", "processbench"])
def test_every_format_is_a_record_that_the_rules_can_read(name: str) -> None:
    one = trace("correct", "mathematical_error", "correct")
    (row,) = FORMATS[name].write(one)
    read = FORMATS[name].record
    assert read is not None
    record = read(row, "pears")
    assert record.kind == name
    assert wrongs(record)[:2] == [False, True]
    assert all(one.rule in RULES for one in found(record))


def typed(*types: str) -> dict[str, Any]:
    """A PERL row whose second step has errors of those types."""
    row = perl_row()
    level = row["error_annotation"]["error_annotations"]["step_level"]
    errors = [{"error_type": one, "error_description": f"why {one}"} for one in types]
    level[1] = {"step_number": 2, "has_error": True, "errors": errors}
    return row


def test_an_error_of_the_steps_own_counts_before_one_that_is_inherited() -> None:
    types = ("Accumulation_Error", "Logical_Inconsistency", "Mathematical_Error")
    label = trace_of(read_perl(typed(*types), SOURCE), SOURCE).labels[1]
    assert (label.label, label.category) == ("error", "logical_inconsistency")
    assert label.explanation == "\n".join(f"why {one}" for one in types)


def test_what_perl_does_not_know_is_refused_or_left_open() -> None:
    record = read_perl(typed("Odd_Type"), SOURCE)
    with pytest.raises(Unfit, match="step 2 has the error type 'Odd_Type', expected math"):
        trace_of(record, SOURCE)
    label = trace_of(record, SOURCE, gaps=True).labels[1]
    assert (label.label, label.category) == ("error", None)


def test_gaps_are_open_steps_where_labels_have_numbers_of_their_own() -> None:
    row = perl_row()
    level = row["error_annotation"]["error_annotations"]["step_level"]
    level[0]["step_number"] = 9
    record = read_perl(row, SOURCE)
    with pytest.raises(Unfit, match="labels of steps 9, 2, 3; expected exactly one of each"):
        trace_of(record, SOURCE)
    labels = trace_of(record, SOURCE, gaps=True).labels
    assert [label.label for label in labels] == [None, "correct", "correct"]
    listed = read_mapped(
        {"q": "?", "s": ["a", "b"], "l": [1]}, column_map("question=q,steps=s,labels=l")
    )
    with pytest.raises(Unfit, match="labels of steps 1; expected"):
        trace_of(listed, SOURCE, gaps=True)


def test_listed_premises_have_to_be_earlier_steps() -> None:
    columns = column_map("question=q,steps=s,premises=p")
    record = read_mapped({"q": "?", "s": ["a", "b"], "p": [None, [2]]}, columns)
    with pytest.raises(Unfit, match="step 2 rests on 2, expected 0 to 1"):
        trace_of(record, SOURCE, gaps=True)
