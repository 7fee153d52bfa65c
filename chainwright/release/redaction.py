"""Redaction: what must not leave the machine with a release.

Model URIs may name an endpoint (`compat:NAME@http://host:port/v1`), and places in the file
system may name a user. Neither helps a reader: what remains is the model and the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

_ENDPOINT = re.compile(r"@https?://\S*$")
_ADDRESS = re.compile(r"https?://[^\s`'\"]+")
_ABSOLUTE = re.compile(r"^(?:file:|[A-Za-z]:)?[/\\~]")


def public_model(uri: str) -> str:
    """A model's URI without its endpoint.

    Two judges that differ in nothing but their endpoint become one name.

    Example:
        >>> public_model("compat:qwen@http://gpu7.lan:8000/v1")
        'compat:qwen'
    """
    return _ENDPOINT.sub("", uri)


def public_place(place: str) -> str:
    """A place with an absolute path reduced to what follows its last separator.

    Relative paths, Hub repositories and `builtin:` names stay as they are.

    Example:
        >>> public_place("/home/ada/gsm8k/test.jsonl:12"), public_place("data/test.jsonl:12")
        ('test.jsonl:12', 'data/test.jsonl:12')
    """
    return re.split(r"[/\\]", place)[-1] if _ABSOLUTE.match(place) else place


def public_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of any config, as plain values, with its models and its place made public."""
    if "generator" in row:
        row["generator"] = public_model(row["generator"])
    if "origin_ref" in row:
        row["origin_ref"] = public_place(row["origin_ref"])
    for vote in [row, *row.get("votes", [])]:
        if "judge" in vote:
            vote["judge"] = public_model(vote["judge"])
        if vote.get("status") == "missing" and vote.get("explanation"):
            # why a request failed, in words that name the server
            vote["explanation"] = _ADDRESS.sub("the server", vote["explanation"])
    return row


def public_recipe(recipe: Recipe) -> dict[str, Any]:
    """The recipe as plain values, ready for YAML: what is null by default is left out."""
    plain = _public_part(recipe.model_dump(mode="json", exclude_none=True))
    if recipe.release.selection is not None:
        del plain["release"]["test_fraction"]  # the two don't go together in a recipe
    return plain


def _public_part(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _public_value(key, value) for key, value in part.items()}


def _public_value(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return _public_part(value)
    if isinstance(value, list):
        return [_public_value(key, one) for one in value]
    if isinstance(value, str):
        return public_model(public_place(value) if key == "path" else value)
    return value
