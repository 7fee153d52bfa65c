"""Rebuild recipe: the sources of a release whose text was withheld, ready to be read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chainwright.recipe_parts.source_kinds import MADE, is_withheld, licence_of

FILE = "rebuild.yaml"
"""A recipe beside a release with withheld rows: data, no code."""


def rebuild_recipe(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe that reads the withheld sources of another, whole: samples are cut from it again.

    Args:
        recipe: The recipe as published, with places of files reduced to their names.
    """
    names = withheld_names(recipe)
    sources = [
        {
            key: value
            for key, value in source.items()
            if key not in ("limit", "seed") or source.get("path") == MADE
        }
        for source in recipe["sources"]
        if (source.get("name") or source["kind"]) in names
    ]
    return {"name": f"{recipe['name'][:70]}-rebuild", "seed": recipe["seed"], "sources": sources}


def withheld_names(recipe: Mapping[str, Any]) -> list[str]:
    """The sources of a recipe, as plain values, whose text a release withholds."""
    return [
        source.get("name") or source["kind"]
        for source in recipe["sources"]
        if is_withheld(
            source.get("redistribute"),
            licence_of(source["kind"], source.get("licence"), source.get("hub")),
        )
    ]
