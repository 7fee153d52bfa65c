"""Checkers of the user's own: loaded before a build begins, so that a bad one costs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chainwright.annotation.checkers.loading import CheckerFault, load
from chainwright.annotation.judges import checkers_of
from chainwright.recipe_file import faults_in

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


def load_checkers(recipe: Recipe, recipe_path: Path) -> None:
    """Imports every checker among the judges.

    Raises:
        RecipeError: with the place of every one that cannot be used.
    """
    faults = []
    for place, path in checkers_of(recipe).items():
        try:
            load(path)
        except CheckerFault as fault:
            faults.append((("annotation", "judges", place), fault))
    if faults:
        raise faults_in(recipe_path, faults)
