"""What a recipe allows at a key, in words: read off the models' own JSON Schema."""

import re
from functools import cache
from typing import Any

import yaml

from chainwright.recipe import Recipe
from chainwright.recipe_file.document import Document
from chainwright.recipe_parts.part import Keys
from chainwright.spelling import nearest


def expected_at(keys: Keys) -> str:
    """What may stand at a key, such as `a whole number, at least 1, or nothing`."""
    schema = _schema_at(keys)
    return "nothing of this name" if schema is None else _words(schema)


def allowed_keys(keys: Keys) -> list[str]:
    """The keys of the mapping at a key; empty where none may stand."""
    branches = _branches(_schema_at(keys) or {})
    return [key for branch in branches for key in branch.get("properties", {})]


def hint_for_key(word: str, keys: Keys, free: list[str]) -> str | None:
    """What an unknown key was meant to be: a neighbour's spelling, or its place elsewhere."""
    close = nearest(word, free) or nearest(word, allowed_keys(keys))
    if close and word not in _homes():  # `judges` is spelled right, though it resembles `budget`
        return f"did you mean `{close}`?"
    known = nearest(word, _homes(), cutoff=0.8)
    return f"`{known}` belongs {' or '.join(_homes()[known])}" if known else None


def hint_for_value(document: Document, keys: Keys) -> str | None:
    """How to mend a value of the wrong type or a word that is not on the list."""
    schema, node = _schema_at(keys), document.nodes.get(keys)
    if schema is None or node is None:
        return None
    kind = schema.get("type")
    if isinstance(node, yaml.ScalarNode):
        text = str(node.value)
        if "enum" in schema:
            close = nearest(text, schema["enum"])
            return f"did you mean `{close}`?" if close else None
        if node.style in ("'", '"') and _fits(text, kind):
            return f"without quotes: {text}"
        if kind == "string" and not node.tag.endswith((":str", ":null")):
            return f'in quotes: "{text}"'
        if kind == "object" and node.tag.endswith(":null"):
            return "give it keys, or delete the line"
    if kind == "array" and not isinstance(node, yaml.SequenceNode):
        return "a list has a dash before each item"
    return None


@cache
def _root() -> dict[str, Any]:
    return Recipe.model_json_schema()


@cache
def _homes() -> dict[str, list[str]]:
    """Where each key of a recipe belongs, as `at the top` or `under sources[…]`."""
    homes: dict[str, list[str]] = {}

    def walk(schema: dict[str, Any], path: str) -> None:
        for key, child in schema.get("properties", {}).items():
            homes.setdefault(key, []).append(f"under `{path}`" if path else "at the top")
            inner = _resolved(child)
            below = f"{path}.{key}" if path else key
            if "items" in inner:
                inner, below = _resolved(inner["items"]), f"{below}[…]"
            for branch in _branches(inner):
                walk(branch, below)

    walk(_root(), "")
    return homes


def _schema_at(keys: Keys) -> dict[str, Any] | None:
    schema: dict[str, Any] | None = _root()
    for key in keys:
        if schema is None:
            return None
        found = [_below(branch, key) for branch in _branches(schema)]
        below = next((inner for inner in found if inner is not None), None)
        schema = None if below is None else _resolved(below)
    return schema


def _below(schema: dict[str, Any], key: str | int) -> dict[str, Any] | None:
    found = schema.get("items") if isinstance(key, int) else schema.get("properties", {}).get(key)
    return found if isinstance(found, dict) else None


def _branches(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """What a schema is one of, each by itself; the schema alone where it is one thing."""
    branches: list[dict[str, Any]] = schema.get("branches", [schema])
    return branches


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Follow references; leave out the branch for null, and mark that there was one."""
    choices = schema.get("anyOf") or schema.get("oneOf") or []
    branches = [_resolved(branch) for branch in choices if branch.get("type") != "null"]
    if branches:
        only = branches[0] if len(branches) == 1 else {"branches": branches}
        return {**only, "nullable": True} if len(branches) < len(choices) else only
    if "$ref" in schema:
        return _resolved(_root()["$defs"][schema["$ref"].rpartition("/")[2]])
    if "const" in schema:
        return {**schema, "enum": [schema["const"]]}
    return schema


def _words(schema: dict[str, Any]) -> str:
    return _bare_words(schema) + (", or nothing" if schema.get("nullable") else "")


def _bare_words(schema: dict[str, Any]) -> str:
    if "branches" in schema:
        return ", or ".join(_bare_words(branch) for branch in schema["branches"])
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    match schema.get("type"):
        case "integer":
            return "a whole number" + _range(schema, "minimum", "maximum")
        case "number":
            above = f" above {schema['exclusiveMinimum']:g}" if "exclusiveMinimum" in schema else ""
            return f"a number{above}" + _range(schema, "minimum", "maximum")
        case "boolean":
            return "true or false"
        case "array":
            count = _range(schema, "minItems", "maxItems", "item")
            return f"a list of {_plural(_resolved(schema['items']))}{count}"
        case "object":
            return f"a mapping with keys of {', '.join(schema.get('properties', {}))}"
    default = "text, not empty" if schema.get("minLength") else "text"
    limit = f", at most {schema['maxLength']} characters" if "maxLength" in schema else ""
    return f"{schema.get('words', default)}{limit}"


_PLURALS = {"object": "mappings", "string": "texts"}


def _plural(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return f"the words {', '.join(schema['enum'])}"
    return " or ".join(_PLURALS[branch["type"]] for branch in _branches(schema))


def _range(schema: dict[str, Any], least: str, most: str, noun: str = "") -> str:
    low, high = schema.get(least), schema.get(most)
    single = high == 1 or (low == 1 and high is None)
    unit = f" {noun}{'' if single else 's'}" if noun else ""
    if low is not None and high is not None:
        return f", {low} to {high}{unit}" if noun else f" from {low} to {high}"
    if low is not None:
        return f", at least {low}{unit}"
    return "" if high is None else f", at most {high}{unit}"


def _fits(text: str, kind: str | None) -> bool:
    """Whether a quoted text would do without its quotes."""
    patterns = {"integer": r"-?\d+", "number": r"-?\d+(\.\d+)?", "boolean": "true|false"}
    return kind in patterns and re.fullmatch(patterns[kind], text) is not None
