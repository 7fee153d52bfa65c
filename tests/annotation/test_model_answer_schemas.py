from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from chainwright.annotation.models.answer_schemas import (
    check_schema,
    one_pass_schema,
    pair_schema,
    premises_schema,
    verdict_schema,
)
from chainwright.annotation.models.answers import (
    read_check,
    read_need,
    read_one_pass,
    read_premises,
    read_verdicts,
)
from chainwright.llm.request import Schema
from tests.annotation.scripted_asker import first_allowed

TYPES, CHAIN_TYPES = ("other", "mathematical_error"), ("planning_error", "missing_steps")
SCHEMAS: dict[str, tuple[Schema, Any]] = {
    "verdict": (verdict_schema([3], TYPES), partial(read_verdicts, steps=[3], types=TYPES)),
    "check": (check_schema([4]), partial(read_check, step=4, category="mathematical_error")),
    "premises": (premises_schema([1, 2, 3], range(3), 3), partial(read_premises, steps=[1, 2, 3])),
    "premises of one step": (premises_schema([3], range(3), 1), partial(read_premises, steps=[3])),
    "pair": (pair_schema([3], [1]), partial(read_need, step=3, earlier=1)),
    "one pass": (
        one_pass_schema(2, TYPES, CHAIN_TYPES),
        partial(read_one_pass, steps=[1, 2], types=TYPES, chain_types=CHAIN_TYPES),
    ),
}


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """All objects that a schema describes, nested ones too."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)
    if isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_a_schema_allows_can_be_read(name: str) -> None:
    schema, read = SCHEMAS[name]
    Draft202012Validator.check_schema(schema.schema)
    answer = first_allowed(schema.schema)
    Draft202012Validator(schema.schema).validate(answer)
    assert read(answer)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_keeps_to_what_providers_take(name: str) -> None:
    schema = SCHEMAS[name][0].schema
    assert schema["type"] == "object"
    assert SCHEMAS[name][0].name.isidentifier()
    found = list(objects(schema))
    assert found
    for part in found:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_reasons_come_before_the_verdict(name: str) -> None:
    for part in objects(SCHEMAS[name][0].schema):
        keys = list(part["properties"])
        for verdict in ("label", "category", "needed"):
            if verdict in keys:
                assert keys.index("explanation") < keys.index(verdict)


def test_types_stand_in_the_order_they_are_given() -> None:
    (entry,) = [
        part["properties"]["category"]["enum"]
        for part in objects(verdict_schema([1], TYPES).schema)
        if "enum" in part["properties"].get("category", {})
    ]
    assert entry == list(TYPES)


@pytest.mark.parametrize(
    "change",
    [
        {"label": "correct", "category": "other"},
        {"label": "error", "category": None},
        {"label": "error", "category": "missing_steps"},
        {"step": 3},
        {"step": "1"},
        {"surplus": 1},
    ],
)
def test_a_model_held_to_a_schema_cannot_contradict_itself(change: dict[str, Any]) -> None:
    checker = Draft202012Validator(verdict_schema([1], TYPES).schema)
    entry = {"step": 1, "explanation": "so", "label": "error", "category": "other"}
    assert checker.is_valid({"steps": [entry]})
    assert not checker.is_valid({"steps": [entry | change]})
    assert not checker.is_valid({"steps": [entry, entry]})


@pytest.mark.parametrize("premise", [3, 4, -1])
def test_premises_are_earlier_steps_by_the_schema_itself(premise: int) -> None:
    checker = Draft202012Validator(premises_schema([3], range(3), 1).schema)
    entry = {"step": 3, "explanation": "so", "premises": [0, 2]}
    assert checker.is_valid({"steps": [entry]})
    assert not checker.is_valid({"steps": [entry | {"premises": [premise]}]})
