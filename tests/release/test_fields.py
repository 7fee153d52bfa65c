"""Fields: the columns as the records declare them."""

from __future__ import annotations

from chainwright.release.fields import Field, fields_of
from chainwright.release.parquet import CONFIGS
from chainwright.schemas.chain import Chain
from chainwright.schemas.release import ReleasedChain


def test_nested_fields_follow_their_column() -> None:
    fields = list(fields_of(ReleasedChain))
    names = [field.name for field in fields]
    start = names.index("steps")
    assert names[start : start + 3] == ["steps", "steps[].step", "steps[].text"]
    assert fields[start].type == "list of object"


def test_types_vocabularies_and_meanings_come_from_the_record() -> None:
    by_name = {field.name: field for field in fields_of(Chain)}
    assert by_name["citations"].type == "list of list of integer"
    assert by_name["polarity"] == Field(
        name="polarity",
        type="string or null",
        values=("positive", "negative", "synthetic_negative"),
        meaning="null where correctness is undecided",
    )
    assert by_name["perturbation"].type == "object or null"
    assert "perturbation.kind" in by_name
    assert by_name["is_correct"].type == "boolean or null"


def test_every_column_of_every_config_is_described() -> None:
    for record in CONFIGS.values():
        fields = list(fields_of(record))
        columns = [field.name for field in fields if not set("[].") & set(field.name)]
        assert columns == list(record.model_fields)
        assert not any("<" in field.type or "typing" in field.type for field in fields)
