"""Row check: one raw value against the schema of its table, with the place of every flaw.

The record (pydantic) decides whether a row passes: it is ten times as fast as jsonschema. A row
that it refuses goes to the JSON Schema of the table, whose validator says what is wrong and where.
The two agree on which rows are good; the tests of `chainwright.schemas` hold them to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from chainwright.pipeline.validation.faults import Flaw, clip, shorten
from chainwright.schemas.json_schema import SCHEMAS, row_validator
from chainwright.schemas.record import Record

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError as SchemaError


def check_row(schema: str, value: Any, *, explain: bool = True) -> Record | list[Flaw]:
    """The record that a raw row makes, or what keeps it from making one.

    Args:
        schema: A name of `chainwright.schemas.json_schema.SCHEMAS`.
        value: A row as JSON or Parquet gives it.
        explain: Whether flaws are to be read; if not, they are only good for counting, and cheap.
    """
    try:
        return SCHEMAS[schema].model_validate(value)
    except ValidationError as error:
        return (explain and _explanation(schema, value)) or [
            Flaw(field_path(item["loc"]), shorten(item["input"]), clip(item["msg"]))
            for item in error.errors(include_url=False, include_context=False)
        ]


def _explanation(schema: str, value: Any) -> list[Flaw]:
    """The flaws by the JSON Schema; none where it cannot tell."""
    try:
        return list(_explained(row_validator(schema).iter_errors(value)))
    except RecursionError:
        # jsonschema quotes whole values in its messages, however deep they are.
        return []


def field_path(parts: Iterable[str | int]) -> str:
    """A path such as `steps[2].label`."""
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return clip(path)


def _explained(errors: Iterable[SchemaError]) -> Iterator[Flaw]:
    for error in errors:
        at = list(error.absolute_path)
        instance: Any = error.instance
        schema: Any = error.schema
        limit: Any = error.validator_value
        if error.validator == "required":
            # jsonschema reports each missing key by itself, but names it only in its message.
            missing = [key for key in limit if key not in instance]
            key = next(key for key in missing if error.message.startswith(repr(key)))
            kind = _kind(schema["properties"][key])
            yield Flaw(field_path([*at, key]), "nothing", kind)
        elif error.validator == "additionalProperties":
            known = schema["properties"]
            for key, value in instance.items():
                if key not in known:
                    wanted = f"no such field; there are: {', '.join(known)}"
                    yield Flaw(field_path([*at, key]), shorten(value), wanted)
        elif error.validator == "anyOf":
            yield from _explained_choice(error)
        elif error.validator != "type" or "enum" not in schema:
            # What is none of the words of a list is told once, whatever its type.
            expected = _expected(str(error.validator), limit)
            yield Flaw(field_path(at), shorten(instance), expected)


def _explained_choice(error: SchemaError) -> Iterator[Flaw]:
    """The flaws within the one choice whose type fits, or that none does."""
    choices: dict[Any, list[SchemaError]] = {}
    for inner in error.context or ():
        choices.setdefault(inner.schema_path[0], []).append(inner)
    for inners in choices.values():
        if not any(inner.validator == "type" and not inner.path for inner in inners):
            yield from _explained(inners)
            return
    options: Any = error.validator_value
    kinds = " or ".join(_kind(option) for option in options)
    yield Flaw(field_path(error.absolute_path), shorten(error.instance), kinds)


def _expected(keyword: str, limit: Any) -> str:
    match keyword:
        case "type":
            return _kind({"type": limit})
        case "enum":
            return _kind({"enum": limit})
        case "pattern":
            return f"text that matches {limit}"
        case "minimum":
            return f"at least {limit}"
        case "minLength":
            return "text that is not empty" if limit == 1 else f"at least {limit} characters"
        case "minItems":
            return f"at least {limit} in the list"
        case "maxItems":
            return f"at most {limit} in the list"
    return f"{keyword} {shorten(limit)}"


def _kind(schema: dict[str, Any]) -> str:
    """What a schema asks for, in a few words."""
    if "enum" in schema:
        words = ["null" if word is None else str(word) for word in schema["enum"]]
        return f"one of {', '.join(words)}"
    if "anyOf" in schema:
        return " or ".join(_kind(option) for option in schema["anyOf"])
    types = schema.get("type", "object")
    return " or ".join([types] if isinstance(types, str) else types)
