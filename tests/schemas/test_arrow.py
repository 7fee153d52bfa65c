from typing import Annotated, Literal

import pyarrow as pa
import pytest
from pydantic import Field

from chainwright.schemas.arrow import arrow_schema
from chainwright.schemas.record import Record
from chainwright.schemas.tables import TABLES


class Inner(Record):
    word: Literal["a", "b"] | None
    weight: float


class Outer(Record):
    name: str
    count: Annotated[int, Field(ge=1)]
    share: float | None
    sure: bool
    kind: Literal["x", "y"]
    tags: list[str]
    matrix: list[list[int]] | None
    inner: Inner | None
    inners: list[Annotated[Inner, Field(description="one of many")]]


def test_every_kind_of_annotation_has_its_type() -> None:
    inner = pa.struct([("word", pa.string()), ("weight", pa.float64())])
    assert arrow_schema(Outer) == pa.schema(
        [
            pa.field("name", pa.string(), nullable=False),
            pa.field("count", pa.int64(), nullable=False),
            pa.field("share", pa.float64()),
            pa.field("sure", pa.bool_(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("tags", pa.list_(pa.string()), nullable=False),
            pa.field("matrix", pa.list_(pa.list_(pa.int64()))),
            pa.field("inner", inner),
            pa.field("inners", pa.list_(inner), nullable=False),
        ]
    )


def test_fields_within_structs_may_hold_null() -> None:
    kind = arrow_schema(Outer).field("inner").type
    assert all(field.nullable for field in kind)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_a_schema_without_large_types(name: str) -> None:
    schema = arrow_schema(TABLES[name])
    assert schema.names == list(TABLES[name].model_fields)
    assert "large" not in str(schema)


class Mapped(Record):
    weights: dict[str, float]


class Deep(Record):
    rows: list[Mapped]


class Mixed(Record):
    either: int | str


class Numbered(Record):
    level: Literal[1, 2]


@pytest.mark.parametrize(
    ("record", "place"),
    [
        (Mapped, "Mapped.weights"),
        (Deep, r"Deep.rows\[\].weights"),
        (Mixed, "Mixed.either"),
        (Numbered, "Numbered.level"),
    ],
)
def test_an_annotation_without_a_type_is_named(record: type[Record], place: str) -> None:
    with pytest.raises(TypeError, match=f"^{place}: .* allowed are str, int"):
        arrow_schema(record)
