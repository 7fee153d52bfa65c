"""Strict schemas: those whose every detail OpenAI's servers can enforce."""

from typing import Any


def is_strict(schema: Any) -> bool:
    """Whether a schema keeps OpenAI's rules for strict mode: closed objects, all of it required."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if "properties" in schema or schema.get("type") == "object":
        names = set(schema.get("properties", {}))
        if (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", ())) != names
        ):
            return False
    return all(is_strict(part) for part in schema.values())
