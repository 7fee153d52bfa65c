import json
import re
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from chainwright.schemas import json_schema as subject
from chainwright.schemas.json_schema import (
    SCHEMAS,
    json_schema,
    main,
    row_validator,
    schema_path,
    schema_text,
)
from chainwright.schemas.perl import PerlRecord
from chainwright.schemas.record import Record
from chainwright.schemas.tables import TABLES

LEAST = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])


MATCHING = (
    "c-0123456789abcdef0123",
    "p-0123456789abcdef0123",
    "a",
    "evidence_neglect_2",
    "0f" * 32,
)


def good(annotation: Any, limits: dict[str, Any] | None = None) -> st.SearchStrategy[Any]:
    """Values, as JSON gives them, that an annotation accepts."""
    limits = limits or {}
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return good(arguments[0], {**limits, **limits_of(arguments[1:])})
    if origin in (Union, UnionType):
        return st.one_of([good(option, limits) for option in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is list:
        least, most = limits.get("min_length", 0), limits.get("max_length", 3)
        return st.lists(good(arguments[0]), min_size=least, max_size=most)
    if origin is tuple:
        return st.tuples(*(good(option) for option in arguments)).map(list)
    if annotation is str and "pattern" in limits:
        return st.sampled_from([t for t in MATCHING if re.search(limits["pattern"], t)])
    if annotation is str:
        return st.text('aé×\n"', min_size=limits.get("min_length", 0), max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return record_values(annotation)
    plain: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(limits.get("ge", -9), 99),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        NoneType: st.none(),
    }
    return plain[annotation]


@cache
def record_values(record: type[Record]) -> st.SearchStrategy[dict[str, Any]]:
    fields = record.model_fields.items()
    return st.fixed_dictionaries(
        {n: good(f.annotation, limits_of(f.metadata)) for n, f in fields if f.is_required()},
        optional={
            n: good(f.annotation, limits_of(f.metadata)) for n, f in fields if not f.is_required()
        },
    )


def limits_of(metadata: Any) -> dict[str, Any]:
    limits = {}
    for entry in metadata:
        inner = entry.metadata if isinstance(entry, FieldInfo) else [entry]
        for rule in inner:
            for name in ("pattern", "ge", "min_length", "max_length"):
                if getattr(rule, name, None) is not None:
                    limits[name] = getattr(rule, name)
    return limits


ANYTHING = st.recursive(
    st.sampled_from(
        [
            *(None, True, False, 0, 1, -1, 1.0, 0.5, 10**30),
            *("", "x", "error", "gold", "model", "math"),
            *("c-0123456789abcdef0123", "c-0123456789abcdef0123\n", "p-0123456789ABCDEF0123"),
        ]
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=4,
)


@st.composite
def spoilt(draw: st.DrawFn, record: type[Record]) -> Any:
    """A good row with one thing changed somewhere: removed, added or replaced by anything."""
    row = draw(record_values(record))
    at: Any = row
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if isinstance(at, dict) and draw(st.integers(0, 9)) == 0:
            at["surplus"] = draw(ANYTHING)
            return row
        if not keys:
            return draw(ANYTHING)
        key = draw(st.sampled_from(keys))
        if isinstance(at[key], dict | list) and draw(st.booleans()):
            at = at[key]
        elif draw(st.integers(0, 4)) == 0:
            del at[key]
            return row
        else:
            at[key] = draw(ANYTHING)
            return row


def accepted_by_record(name: str, row: Any) -> bool:
    try:
        SCHEMAS[name].model_validate(row)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("name", SCHEMAS)
@LEAST
@given(data=st.data())
def test_record_and_schema_accept_the_same_good_rows(name: str, data: st.DataObject) -> None:
    row = data.draw(record_values(SCHEMAS[name]))
    assert accepted_by_record(name, row)
    assert row_validator(name).is_valid(row)
    assert Draft202012Validator(json_schema(name)).is_valid(row)


@pytest.mark.parametrize("name", SCHEMAS)
@LEAST
@given(data=st.data())
def test_record_and_schema_agree_on_spoilt_rows(name: str, data: st.DataObject) -> None:
    row = data.draw(spoilt(SCHEMAS[name]))
    assert accepted_by_record(name, row) == row_validator(name).is_valid(row)


@pytest.mark.parametrize("name", SCHEMAS)
def test_rows_and_the_records_within_them_are_closed(name: str) -> None:
    required = [n for n, field in SCHEMAS[name].model_fields.items() if field.is_required()]
    schema = json_schema(name)
    assert schema["required"] == required
    assert schema["additionalProperties"] is False
    assert all(inner["additionalProperties"] is False for inner in schema.get("$defs", {}).values())


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid_draft_2020_12(name: str) -> None:
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:chainwright:schema:{name}:1"
    assert schema["title"] == name
    assert schema["description"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_file_of_the_schema_is_current(name: str) -> None:
    assert schema_path(name).read_text(encoding="utf-8") == schema_text(name)
    assert json.loads(schema_text(name)) == json_schema(name)


def test_no_file_is_left_over() -> None:
    assert subject.stale() == []
    withheld = {f"withheld_{config}" for config in ("problems", "chains", "votes", "labels")}
    assert {*TABLES, *withheld, "perl"} == set(SCHEMAS)


def test_an_unknown_name_is_quoted_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no schema 'vote'; there are: brought, .*, votes"):
        json_schema("vote")


def test_the_writer_mends_what_the_check_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(subject, "FOLDER", tmp_path)
    assert main([]) == 0
    assert subject.stale() == []
    (tmp_path / "votes.schema.json").write_text("{}")
    (tmp_path / "steps.schema.json").write_text("{}")
    assert main(["--check"]) == 1
    told = capsys.readouterr().out
    assert "votes.schema.json" in told
    assert "steps.schema.json" in told
    assert main([]) == 0
    assert main(["--check"]) == 0
    assert not (tmp_path / "steps.schema.json").exists()
    assert main(["--chekc"]) == 2


def test_a_null_is_among_the_words_of_a_nullable_literal() -> None:
    label = json_schema("votes")["properties"]["label"]
    assert label["type"] == ["string", "null"]
    assert label["enum"] == ["correct", "error", "faithful", "unfaithful", None]


@pytest.mark.parametrize("premise", [[0], [0, "a", 1], ["0", "a"], [0, 1], [True, "a"], "0a", None])
def test_a_premise_of_perl_is_a_number_and_a_text(premise: Any) -> None:
    entry = {"step_number": 0, "original_step": "", "premises": [premise]}
    row: dict[str, Any] = {
        "question": "",
        "ground_truth_answer": "",
        "model_answer": 1.5,
        "steps": [""],
        "premise_annotation": {"steps": [entry]},
        "error_annotation": {"error_annotations": {"step_level": []}},
    }
    assert not accepted_by_record("perl", row)
    assert not row_validator("perl").is_valid(row)
    entry["premises"] = [[0, "a"]]
    assert PerlRecord.model_validate(row).premise_annotation.steps[0].premises == [(0, "a")]
    assert row_validator("perl").is_valid(row)


VOTE: dict[str, Any] = {
    "chain_id": "c-0123456789abcdef0123",
    "step": 1,
    "task": "error",
    "judge": "program:arithmetic",
    "prompt_version": "1",
    "label": "correct",
    "category": None,
    "premises": None,
    "explanation": None,
    "status": "ok",
    "request_key": None,
}


@pytest.mark.parametrize(
    "change",
    [
        {"chain_id": "c-0123456789abcdef0123\n"},
        {"chain_id": " c-0123456789abcdef0123"},
        {"chain_id": "c-0123456789ABCDEF0123"},
        {"step": 1.0},
        {"step": True},
        {"step": -1},
        {"step": "1"},
        {"label": "Correct"},
        {"status": None},
        {"premises": [0, 1.0]},
        {"premises": "0"},
        {"votes": 3},
    ],
)
def test_near_misses_are_refused_by_both(change: dict[str, Any]) -> None:
    assert accepted_by_record("votes", VOTE)
    assert row_validator("votes").is_valid(VOTE)
    assert not accepted_by_record("votes", VOTE | change)
    assert not row_validator("votes").is_valid(VOTE | change)
