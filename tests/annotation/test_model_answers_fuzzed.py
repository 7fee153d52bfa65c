from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


WORDS = ["error", "correct", "other", "missing_steps", "", "x" * 200, *ERROR_TYPES[:1]]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 5)
    | st.sampled_from([10**400, -(10**400), 2**64])
    | st.floats(allow_nan=True)
    | st.sampled_from(WORDS)
    | st.text(max_size=5)
)
KEYS = ["steps", "step", "label", "category", "explanation", "premises", "chain", "earlier"]
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*KEYS, "needed", "other"]), inner, max_size=7)
    ),
    max_leaves=20,
)
FIELDS = {
    "explanation": st.just("so") | SCALARS,
    "label": st.sampled_from(["correct", "error"]) | JSON,
    "category": st.none() | st.sampled_from([*ERROR_TYPES, *CHAIN_ERRORS]) | JSON,
    "premises": st.lists(st.integers(-1, 3), max_size=3) | JSON,
}
ENTRIES = st.fixed_dictionaries(
    {
        **FIELDS,
        "step": st.integers(1, 3) | JSON,
        "earlier": st.just(1) | JSON,
        "needed": st.booleans() | JSON,
    }
)
NEARLY = st.fixed_dictionaries(
    {"steps": st.lists(ENTRIES | JSON, max_size=4), "chain": st.fixed_dictionaries(FIELDS) | JSON}
)


@given(st.sampled_from(sorted(READERS)), JSON | NEARLY)
def test_whatever_json_comes_it_is_read_or_a_value_error(reader: str, value: Any) -> None:
    try:
        found = READERS[reader](value)
    except ValueError as error:
        assert str(error)
    else:
        check_rules(found)


@st.composite
def good_one_pass(draw: st.DrawFn) -> dict[str, Any]:
    def verdict(types: tuple[str, ...]) -> dict[str, Any]:
        category = draw(st.none() | st.sampled_from(types))
        label = "error" if category else "correct"
        return {"label": label, "category": category, "explanation": draw(st.text(max_size=5))}

    steps = [
        verdict(ERROR_TYPES)
        | {"step": n, "premises": draw(st.lists(st.integers(0, n - 1), max_size=4))}
        for n in (1, 2)
    ]
    return {"steps": draw(st.permutations(steps)), "chain": verdict(CHAIN_ERRORS)}


@given(good_one_pass())
def test_all_that_is_said_by_the_rules_is_read(value: dict[str, Any]) -> None:
    found = one_pass(value)
    check_rules(found)
    for entry in value["steps"]:
        verdict = found.verdicts[entry["step"]]
        assert (verdict.label, verdict.category) == (entry["label"], entry["category"])
        assert set(found.premises[entry["step"]].steps) == set(entry["premises"])


def check_rules(found: Any) -> None:
    """A category iff in error, and earlier premises alone."""
    match found:
        case OnePass():
            check_rules(found.verdicts)
            check_rules(found.premises)
            check_rules(found.chain)
        case Verdict():
            assert (found.label == "correct") == (found.category is None)
        case Need():
            assert isinstance(found.needed, bool)
        case dict():
            for number, one in found.items():
                if isinstance(one, Premises):
                    assert all(0 <= premise < number for premise in one.steps)
                else:
                    check_rules(one)
        case _:
            raise AssertionError(f"unexpected {found!r}")


def test_a_value_of_any_depth_or_size_is_quoted_briefly() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, "x" * 10**6, 10**5000):
        with pytest.raises(ValueError) as raised:
            check({"steps": [{"step": 2, "explanation": "so", "label": value}]})
        assert len(str(raised.value)) < 200
        with pytest.raises(ValueError) as raised:
            check({"steps": [{"step": value}]})
        assert len(str(raised.value)) < 200
    # The list is taken apart in a loop: its own end would recurse.
    while deep:
        deep = deep.pop()
