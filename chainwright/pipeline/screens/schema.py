"""Schemas on the screen: one, or the names of all."""

from __future__ import annotations

import inspect

from chainwright.pipeline.errors import InputMistake
from chainwright.schemas import json_schema


def schema_text(name: str) -> str:
    """The JSON Schema of one row of a table, as text.

    Raises:
        InputMistake: when the name has no schema; the message lists those that have.
    """
    try:
        return json_schema.schema_text(name).rstrip()
    except ValueError as error:
        raise InputMistake(str(error)) from None


def schema_list() -> str:
    """The names that have a schema, each with what a row is."""
    width = max(map(len, json_schema.SCHEMAS))
    return "\n".join(
        f"{name:<{width}}  {(inspect.getdoc(record) or '').partition(chr(10))[0]}"
        for name, record in json_schema.SCHEMAS.items()
    )
