import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.llm.json_text import Kind, parse_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\b\f\t\n\r")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc", max_size=3), inner),
    max_leaves=10,
)  # fmt: skip


@given(JSON)
def test_plain_json_is_read_as_it_is(value: Any) -> None:
    assert parse_json(json.dumps(value)) == value


@given(st.dictionaries(st.text("abc", min_size=1), st.integers() | st.text("xyz \\\"'{}[]")))
def test_an_object_is_found_in_prose_and_fences(value: dict[str, Any]) -> None:
    text = json.dumps(value)
    assert parse_json(f"```json\n{text}\n```") == value
    assert parse_json(f"<think>{{draft}}</think>\n{text}") == value
    if value:
        assert parse_json(f"See [1], [2]: {text} (done)", repair=False) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [1, 2', {"a": [1, 2]}),
        ("{'a': True, 'b': None,}", {"a": True, "b": None}),
        ('Sure:\n```\n{"a": "he said "no" twice"}\n```', {"a": 'he said "no" twice'}),
        ('{"a": 1} or rather {"a": 2}', {"a": 2}),
        ('{"a": 1}{"a": 1, "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
    ],
)
def test_slightly_broken_json_is_mended(text: str, expected: Any) -> None:
    assert parse_json(text) == expected


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ('[1] gives {"a": 1,}', "object", {"a": 1}),
        ('{"a": 1} lists [1, 2]', "array", [1, 2]),
        ('steps: [{"a": 1}, {"a": 2}]', "array", [{"a": 1}, {"a": 2}]),
    ],
)
def test_the_wanted_kind_is_looked_for(text: str, kind: Kind, expected: Any) -> None:
    assert parse_json(text, kind=kind) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "  \n", "no JSON here", "Step [] is {}", "<think>{}</think>", "{", "[" * 20_000),
        *("{" * 20_000, '{"a":' * 5_000, '{"a": NaN}', '{"a": "\\ud83d"}', "1" * 5_000),
    ],
)
def test_what_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"the answer is empty|found no readable JSON \("):
        parse_json(text)


def test_nothing_is_mended_when_it_may_not_be() -> None:
    with pytest.raises(ValueError, match="begins with: "):
        parse_json('{"a": [1, 2', repair=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'{"a": "\frac{1}{2}"}', r"\frac{1}{2}"),
        (r'{"a": "\\frac{1}{2}"}', r"\frac{1}{2}"),
        (r'{"a": "\theta \times \tan x \to \neq \right) \beta \boxed{3}"}',
         r"\theta \times \tan x \to \neq \right) \beta \boxed{3}"),
        (r'{"a": "\\\\ \\\frac"}', "\\\\ \\\\frac"),
        (r'{"a": "one\nnext\ttab\ntest \u00e9"}', "one\nnext\ttab\ntest é"),
        (r'{"a": "\( x \) \sqrt{2}"}', r"\( x \) \sqrt{2}"),
    ],
)  # fmt: skip
def test_latex_survives_single_backslashes(text: str, expected: str) -> None:
    assert parse_json(text) == {"a": expected}
