import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.llm.request import Message, Request, Schema
from chainwright.llm.request_key import key_request
from chainwright.llm.uri import ModelUri

URL = "http://localhost:1/v1"
BASE = Request(
    model=ModelUri("compat", "m", URL),
    messages=(Message("system", "Judge."), Message("user", "1 + 1 = 2")),
    schema=Schema("vote", {"type": "object", "properties": {"a": {}, "b": {}}}),
    temperature=0.5,
    max_tokens=100,
    seed=7,
)
CHANGED: list[dict[str, Any]] = [
    {"model": ModelUri("openai", "m", URL)},
    {"model": ModelUri("compat", "n", URL)},
    {"messages": (Message("system", "Judge!"), Message("user", "1 + 1 = 2"))},
    {"messages": (Message("system", "Judge."), Message("user", "1 + 1 = 3"))},
    {"messages": (Message("user", "Judge."), Message("user", "1 + 1 = 2"))},
    {"messages": (Message("user", "1 + 1 = 2"),)},
    {"messages": (Message("user", "1 + 1 = 2"), Message("system", "Judge."))},
    {"schema": None},
    {"schema": replace(BASE.schema, name="label") if BASE.schema else None},
    {"schema": Schema("vote", {"type": "object", "properties": {"a": {}}})},
    {"schema": Schema("vote", {"type": "object", "properties": {"b": {}, "a": {}}})},
    {"temperature": 0.0},
    {"temperature": None},
    {"max_tokens": 101},
    {"max_tokens": None},
    {"seed": 8},
    {"seed": None},
    {"sample": 1},
]


@pytest.mark.parametrize("change", CHANGED, ids=lambda change: next(iter(change)))
def test_each_field_alone_gives_another_key(change: dict[str, Any]) -> None:
    assert key_request(replace(BASE, **change), URL).key != key_request(BASE, URL).key


def test_every_field_of_a_request_is_covered() -> None:
    assert {field.name for field in fields(Request)} == {name for one in CHANGED for name in one}


def test_all_those_keys_differ_from_each_other() -> None:
    keys = {key_request(replace(BASE, **change), URL).key for change in CHANGED}
    assert len(keys) == len(CHANGED)


def test_base_url_belongs_to_the_key() -> None:
    keys = {key_request(BASE, url).key for url in (URL, "http://localhost:2/v1", None)}
    assert len(keys) == 3


def test_equal_requests_share_a_key_however_they_are_spelled() -> None:
    spelled = replace(BASE, messages=list(BASE.messages), temperature=0.5, sample=0)
    assert key_request(spelled, URL) == key_request(BASE, URL)
    zero = replace(BASE, temperature=0)
    assert key_request(zero, URL).key == key_request(replace(BASE, temperature=0.0), URL).key


def test_canonical_form_holds_the_whole_request() -> None:
    canonical = json.loads(key_request(BASE, URL).canonical)
    assert canonical["messages"][0] == {"role": "system", "content": "Judge."}
    assert canonical["schema"]["schema"] == {"type": "object", "properties": {"a": {}, "b": {}}}
    assert (canonical["model"], canonical["base_url"], canonical["seed"]) == ("m", URL, 7)


def test_a_number_that_json_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        key_request(replace(BASE, temperature=float("nan")), URL)


@given(st.text(), st.text())
def test_text_moved_between_messages_is_another_request(left: str, right: str) -> None:
    def asked(*texts: str) -> str:
        messages = tuple(Message("user", text) for text in texts)
        return key_request(replace(BASE, messages=messages), URL).key

    assert asked(left, right) != asked(left + right)
    assert (asked(left, right) == asked(right, left)) == (left == right)
