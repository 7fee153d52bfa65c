"""What is written in a format is read from it again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.formats.catalogue import FORMATS, READABLE, format_of
from chainwright.formats.trace import Trace, Unfit
from tests.formats.small_traces import signs, trace

OUTCOMES = st.lists(
    st.sampled_from(["correct", "mathematical_error", "accumulation_error", None]),
    min_size=1,
    max_size=6,
)
# blanks at the ends are not told from what parts the steps of Math-Shepherd
TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).map(str.strip).filter(bool)


def written(name: str, one: Trace) -> dict[str, Any]:
    """The one row of a trace, as JSON holds it."""
    (row,) = FORMATS[name].write(one)
    found: dict[str, Any] = json.loads(json.dumps(row))
    return found


def back(name: str, one: Trace) -> Trace:
    read = FORMATS[name].read
    assert read is not None
    return read(written(name, one), "pears")


@pytest.mark.parametrize("name", READABLE)
@given(outcomes=OUTCOMES, data=st.data())
def test_labels_and_steps_come_back_or_the_trace_is_refused(
    name: str, outcomes: list[str | None], data: st.DataObject
) -> None:
    steps = data.draw(st.lists(TEXT, min_size=len(outcomes), max_size=len(outcomes)))
    one = trace(*outcomes, steps=steps, question=data.draw(TEXT))
    first = next((at for at, word in enumerate(outcomes) if word not in ("correct", None)), None)
    undecided = outcomes.index(None) if None in outcomes else None
    try:
        found = back(name, one)
    except Unfit as unfit:
        marks = ("step_tag_in_text", "step_mark_in_question", "odd_step_number")
        assert unfit.reason in ("undecided_step", *marks)
        assert unfit.reason in marks or undecided is not None
        return
    if name == "grace":
        assert signs(found) == signs(one)
        assert found.chain.steps == steps
        return
    # whatever the format, the first error is where it was, and no step before it is in doubt
    assert undecided is None or (first is not None and first < undecided)
    assert found.first_error == one.first_error
    before = len(found.labels) if first is None else first
    assert signs(found)[:before] == ["correct"] * before
    if name in ("perl", "prm800k", "processbench"):
        assert len(found.chain.steps) == len(steps)
    if name in ("trl", "math_shepherd", "perl"):
        assert signs(found) == signs(one)[: undecided or len(steps)]


@pytest.mark.parametrize("name", READABLE)
def test_a_row_of_each_format_is_told_from_the_others(name: str) -> None:
    assert format_of(written(name, trace("correct", "mathematical_error"))) == name


@pytest.mark.parametrize("row", [{}, {"question": "?", "steps": ["a"]}, {"input": 1, "label": 2}])
def test_rows_of_no_format_are_told(row: dict[str, Any]) -> None:
    assert format_of(row) is None


def test_grace_keeps_all_there_is() -> None:
    one = trace("correct", None, "other", context=None, parent_id="c-x", options=["a", "b"])
    found = back("grace", one)
    assert found.chain == one.chain
    assert found.problem == one.problem
    assert [(a.label, a.category, a.premises) for a in found.labels] == [
        (a.label, a.category, a.premises) for a in one.labels
    ]
