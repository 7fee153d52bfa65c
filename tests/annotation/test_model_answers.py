from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from chainwright.annotation.models.answers import (
    Need,
    OnePass,
    Premises,
    Verdict,
    read_check,
    read_need,
    read_one_pass,
    read_premises,
    read_verdicts,
)
from chainwright.schemas.words import CHAIN_ERRORS, ERROR_TYPES

verdicts = partial(read_verdicts, steps=[1, 2, 3], types=ERROR_TYPES)
premises = partial(read_premises, steps=[1, 2, 3])
one_pass = partial(read_one_pass, steps=[1, 2], types=ERROR_TYPES, chain_types=CHAIN_ERRORS)
check = partial(read_check, step=2, category="mathematical_error")
need = partial(read_need, step=3, earlier=1)

READERS: dict[str, Callable[[Any], Any]] = {
    "verdicts": verdicts,
    "premises": premises,
    "one_pass": one_pass,
    "check": check,
    "need": need,
}


def right(step: int, **more: Any) -> dict[str, Any]:
    return {"step": step, "explanation": "so", "label": "correct", "category": None, **more}


def wrong(step: int, category: Any = "other", **more: Any) -> dict[str, Any]:
    return right(step, **more) | {"label": "error", "category": category}


def needs(step: int, *earlier: Any) -> dict[str, Any]:
    return {"step": step, "explanation": "so", "premises": list(earlier)}


WHOLE = {"explanation": "fine", "label": "correct", "category": None}


def test_verdicts_join_by_the_number_they_echo() -> None:
    found = verdicts({"steps": [right(3), wrong(1, "mathematical_error"), right(2)]})
    assert list(found) == [1, 2, 3]
    assert found[1] == Verdict("error", "mathematical_error", "so")
    assert found[3] == Verdict("correct", None, "so")


def test_premises_are_sorted_and_counted_once() -> None:
    found = premises({"steps": [needs(1), needs(2, 1, 0, 1), needs(3, 2)], "surplus": 1})
    assert [found[step].steps for step in (1, 2, 3)] == [(), (0, 1), (2,)]
    assert found[2] == Premises((0, 1), "so")


def test_one_pass_gives_steps_premises_and_the_chain() -> None:
    whole = {"explanation": "gap", "label": "error", "category": "missing_steps"}
    steps = [right(1, premises=[0]), wrong(2, premises=[1])]
    assert one_pass({"steps": steps, "chain": whole}) == OnePass(
        verdicts={1: Verdict("correct", None, "so"), 2: Verdict("error", "other", "so")},
        premises={1: Premises((0,), "so"), 2: Premises((1,), "so")},
        chain=Verdict("error", "missing_steps", "gap"),
    )


def test_a_check_gives_its_own_category() -> None:
    entry = {"step": 2, "explanation": "slip", "label": "error"}
    assert check({"steps": [entry]}) == Verdict("error", "mathematical_error", "slip")
    assert check({"steps": [entry | {"label": "correct"}]}) == Verdict("correct", None, "slip")


def test_a_pair_is_needed_or_not() -> None:
    entry = {"step": 3, "earlier": 1, "explanation": "so", "needed": True}
    assert need({"steps": [entry]}) == Need(True, "so")
    assert need({"steps": [entry | {"needed": False}]}) == Need(False, "so")


FAULTS: list[tuple[str, Any, str]] = [
    ("verdicts", None, "found null, expected an object with a list `steps`"),
    ("verdicts", [right(1)], "found a list of 1, expected an object with a list `steps`"),
    ("verdicts", {"steps": {"1": right(1)}}, "found `steps` an object, expected an object with"),
    ("verdicts", {"steps": []}, "found 0 entries, expected 3: step 1, 2, 3 is missing"),
    ("verdicts", {"steps": [right(1), right(3)]}, "found 2 entries, expected 3: step 2 is missing"),
    ("verdicts", {"steps": [right(n) for n in (1, 2, 3, 4)]}, "found step `4`, expected entries"),
    ("verdicts", {"steps": [right(0), right(1), right(2)]}, "found step `0`, expected entries for"),
    ("verdicts", {"steps": [right(1), right(2), right(2)]}, "found two entries for step 2"),
    ("verdicts", {"steps": [right(1) | {"step": "1"}]}, "found one with `step` `1`"),
    ("verdicts", {"steps": [right(1) | {"step": True}]}, "found one with `step` `true`"),
    ("verdicts", {"steps": ["fine"]}, "found `fine`"),
    (
        "verdicts",
        {"steps": [right(1), right(2), wrong(3, "typo")]},
        "step 3: `category` is `typo`, expected null or one of mathematical_error, logical_",
    ),
    (
        "verdicts",
        {"steps": [right(1), wrong(2) | {"label": "correct"}, right(3)]},
        "step 2: `category` is `other` although `label` is correct, expected null",
    ),
    (
        "verdicts",
        {"steps": [wrong(1, None), right(2), right(3)]},
        "step 1: `category` is null although `label` is error, expected mathematical_error,",
    ),
    (
        "verdicts",
        {"steps": [right(1) | {"label": "fine"}, right(2), right(3)]},
        "step 1: `label` is `fine`, expected correct or error",
    ),
    (
        "verdicts",
        {"steps": [right(1), right(2) | {"explanation": 7}, right(3)]},
        "step 2: `explanation` is `7`, expected a text",
    ),
    (
        "premises",
        {"steps": [needs(1, 1), needs(2), needs(3)]},
        "step 1: a premise is `1`, which is the step itself, expected numbers from 0 to 0",
    ),
    (
        "premises",
        {"steps": [needs(1), needs(2, 3), needs(3)]},
        "step 2: a premise is `3`, which is no earlier step, expected numbers from 0 to 1",
    ),
    (
        "premises",
        {"steps": [needs(1), needs(2), needs(3, -1)]},
        "step 3: a premise is `-1`, expected numbers from 0 to 2",
    ),
    (
        "premises",
        {"steps": [needs(1, "0"), needs(2, 1.0), needs(3, False)]},
        "step 1: a premise is `0`, expected numbers from 0 to 0; step 2: a premise is `1.0`",
    ),
    (
        "premises",
        {"steps": [needs(1), needs(2) | {"premises": 1}, needs(3)]},
        "step 2: `premises` is `1`, expected a list of numbers",
    ),
    (
        "one_pass",
        {"steps": [right(1, premises=[0]), wrong(2, "missing_steps", premises=[2])]},
        "step 2: `category` is `missing_steps`, expected null or one of mathematical_error",
    ),
    (
        "one_pass",
        {"steps": [right(1, premises=[0]), right(2, premises=[2])], "chain": WHOLE},
        "step 2: a premise is `2`, which is the step itself",
    ),
    (
        "one_pass",
        {"steps": [right(1, premises=[]), right(2, premises=[])], "chain": "fine"},
        "`chain`: `label` is null, expected correct or error",
    ),
    (
        "one_pass",
        {
            "steps": [right(1, premises=[]), right(2, premises=[])],
            "chain": WHOLE | {"label": "error", "category": "other"},
        },
        "`chain`: `category` is `other`, expected null or one of missing_steps, planning_error",
    ),
    ("check", {"steps": [right(1)]}, "found step `1`, expected entries for 2 only"),
    ("check", {"steps": [right(2) | {"label": None}]}, "step 2: `label` is null"),
    ("need", {"steps": [right(3, earlier=1)]}, "step 3: `needed` is null, expected true or false"),
    (
        "need",
        {"steps": [right(3, earlier=2, needed=True)]},
        "step 3: `earlier` is `2`, expected 1",
    ),
]


@pytest.mark.parametrize(("reader", "value", "fault"), FAULTS)
def test_a_fault_is_named(reader: str, value: Any, fault: str) -> None:
    with pytest.raises(ValueError) as raised:
        READERS[reader](value)
    assert fault in str(raised.value)


def test_every_fault_of_an_answer_is_named_at_once() -> None:
    with pytest.raises(ValueError) as raised:
        verdicts({"steps": [wrong(1, None), right(2) | {"label": "?"}, wrong(3, "typo")]})
    assert [part.partition(":")[0] for part in str(raised.value).split("; ")] == [
        "step 1",
        "step 2",
        "step 3",
    ]
