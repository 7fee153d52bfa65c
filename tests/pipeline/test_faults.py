from typing import Any

import pytest

from chainwright.pipeline.validation.faults import Fault, shorten


def test_a_fault_reads_as_one_line() -> None:
    fault = Fault("a.jsonl", 3, "steps[0].step", '"1"', "integer")
    assert str(fault) == 'a.jsonl, row 3, steps[0].step: found "1", expected integer'
    assert str(Fault("a", None, "", "junk", "JSON")) == "a: found junk, expected JSON"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0.5, "0.5"),
        (12, "12"),
        (10**5000, "an integer of 16610 bits"),
        ("a\nb", r'"a\nb"'),
        ({}, "an empty object"),
        ([[[]]], "a list of 1"),
        (b"raw", "b'raw'"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_found_values_are_quoted_short(value: Any, text: str) -> None:
    assert shorten(value) == text


@pytest.mark.parametrize(
    "value", ["x" * 10**6, {"k" * 500: 1}, dict.fromkeys("abcdefgh"), "é" * 99]
)
def test_found_values_have_a_bound(value: Any) -> None:
    assert len(shorten(value)) <= 80
    assert shorten(value).endswith("…")
