"""Chains of a run as the human part needs them, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chainwright.annotation.people.assignment import Candidate
from chainwright.annotation.people.settling import Step
from chainwright.annotation.people.shown import Shown, shown
from chainwright.annotation.scale import Scale
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.tables import iter_blocks
from chainwright.recipe_file import load_recipe
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.words import TRACKS, Track

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


def recipe_of(folder: RunFolder) -> Recipe:
    """The recipe as it was last run.

    Raises:
        RecipeError: when it cannot be used (by this version of chainwright).
        InputMistake: when the run has none.
    """
    if not folder.recipe.is_file():
        raise InputMistake(f"the run {folder.path} has no recipe.yaml; build it first")
    return load_recipe(folder.recipe)


def candidates(folder: RunFolder) -> list[Candidate]:
    """Every chain of a run that could be read.

    Raises:
        InputMistake: when there is none, or a table cannot be read.
    """
    found = []
    for tables in iter_blocks(folder.path, ("problems", "chains", "exact", "labels")):
        problems = {problem.problem_id: problem for problem in tables["problems"]}
        exact = {label.chain_id for label in tables["exact"]}
        disputed = {label.chain_id for label in tables["labels"] if label.tier == "disputed"}
        for chain in tables["chains"]:
            problem = problems[chain.problem_id]
            found.append(
                Candidate(
                    chain_id=chain.chain_id,
                    track=problem.track,
                    content_hash=shown(problem, chain).content_hash,
                    steps=len(chain.steps),
                    exact=chain.chain_id in exact,
                    disputed=chain.chain_id in disputed,
                )
            )
    if not found:
        raise InputMistake(f"run {folder.name} holds no chains yet; `chainwright build` makes them")
    return found


def chains_shown(folder: RunFolder, wanted: set[str]) -> dict[str, Shown]:
    """What is seen of the chains that are wanted, by id."""
    found = {}
    for tables in iter_blocks(folder.path, ("problems", "chains")):
        problems = {problem.problem_id: problem for problem in tables["problems"]}
        for chain in tables["chains"]:
            if chain.chain_id in wanted:
                found[chain.chain_id] = shown(problems[chain.problem_id], chain)
    return found


def labels_of(
    folder: RunFolder, wanted: set[str]
) -> tuple[dict[Step, Label], dict[Step, ExactLabel]]:
    """Labels and exact labels of the chains that are wanted."""
    labels: dict[Step, Label] = {}
    exact: dict[Step, ExactLabel] = {}
    for tables in iter_blocks(folder.path, ("labels", "exact")):
        labels |= {(o.chain_id, o.step): o for o in tables["labels"] if o.chain_id in wanted}
        exact |= {(o.chain_id, o.step): o for o in tables["exact"] if o.chain_id in wanted}
    return labels, exact


def scales(recipe: Recipe) -> Mapping[Track, Scale]:
    """Who judges on each track, in which words."""
    return {track: Scale.of(recipe, track) for track in TRACKS}
