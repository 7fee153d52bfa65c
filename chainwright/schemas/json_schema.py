"""JSON Schemas (draft 2020-12) of the tables, derived from the records.

`python -m chainwright.schemas.json_schema` writes them to `chainwright/schemas/json/`, for readers
without Python; with `--check` it says which files are out of date.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from chainwright.schemas.perl import PerlRecord
from chainwright.schemas.record import Record
from chainwright.schemas.tables import TABLES
from chainwright.schemas.withheld import PREFIX, WITHHELD

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

SCHEMAS: dict[str, type[Record]] = {
    **TABLES,
    **{f"{PREFIX}{config}": record for config, record in WITHHELD.items() if config != "full"},
    "perl": PerlRecord,
}
"""All that has a JSON Schema: the tables, withheld rows, and records of files in PERL's format."""

VERSION = 1
"""Raised when a record changes such that rows valid before are valid no longer."""

FOLDER = Path(__file__).parent / "json"


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one row of a table; nested records stand in `$defs`.

    Raises:
        ValueError: for a name that has no schema, with the names that have one.
    """
    if name not in SCHEMAS:
        raise ValueError(f"no schema {name!r}; there are: {', '.join(sorted(SCHEMAS))}")
    body = SCHEMAS[name].model_json_schema(schema_generator=_PlainSchema)
    body |= {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": f"urn:chainwright:schema:{name}:{VERSION}",
        "title": name,
    }
    return {key: body.pop(key) for key in _HEAD} | dict(sorted(body.items(), reverse=True))


_HEAD = ("$schema", "$id", "title", "description", "type", "properties")


@cache
def row_validator(name: str) -> Validator:
    """A compiled validator that judges rows as the records do.

    It departs from draft 2020-12 in one point: 1.0 is no integer, since a table's integer columns
    do not take it. `$` in a pattern means the very end, as in the draft's dialect of patterns and
    unlike in Python, where a line break may follow.

    Raises:
        ValueError: for a name that has no schema.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    checker = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    untyped: Any = extend
    strict = untyped(Draft202012Validator, {"pattern": _pattern}, type_checker=checker)
    validator: Validator = strict(json_schema(name))
    return validator


def schema_text(name: str) -> str:
    """The schema as its file holds it."""
    return json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n"


def schema_path(name: str) -> Path:
    """The file that holds the schema."""
    return FOLDER / f"{name}.schema.json"


def stale() -> list[str]:
    """Names of the files that are missing, out of date or belong to no schema."""
    expected = {schema_path(name).name: schema_text(name) for name in SCHEMAS}
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.schema.json")}
    names = sorted(expected.keys() | found.keys())
    return [name for name in names if expected.get(name) != found.get(name)]


class _PlainSchema(GenerateJsonSchema):
    """Pydantic's schemas without a title on every field, and with short nullable types."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        if not isinstance(inner.get("type"), str):
            return super().nullable_schema(schema)
        if "enum" in inner:
            inner = inner | {"enum": [*inner["enum"], None]}
        return inner | {"type": [inner["type"], "null"]}


def _pattern(_: Validator, pattern: str, value: object, __: object) -> Iterator[Exception]:
    from jsonschema.exceptions import ValidationError

    whole = re.sub(r"\$$", r"\\Z", pattern)
    if isinstance(value, str) and not re.search(whole, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def main(arguments: Sequence[str]) -> int:
    """Writes the files, or with `--check` names the stale ones; returns the exit code."""
    if list(arguments) not in ([], ["--check"]):
        sys.stderr.write(f"unknown arguments {' '.join(arguments)!r}; allowed: --check\n")
        return 2
    late = stale()
    if arguments:
        for name in late:
            sys.stdout.write(f"out of date: {name}; run this without --check to write it\n")
        return 1 if late else 0
    FOLDER.mkdir(exist_ok=True)
    for name in late:
        (FOLDER / name).unlink(missing_ok=True)
    for name in SCHEMAS:
        schema_path(name).write_text(schema_text(name), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
