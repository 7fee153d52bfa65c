"""The line: the stages of a build in order.

The first stage, `problems`, is fixed; the others are what this module names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.code_version import code_version
from chainwright.schemas.identity import content_hash

if TYPE_CHECKING:
    from chainwright.annotation.people.records import Key
    from chainwright.recipe import Recipe
    from chainwright.release.summary import ReleaseSummary
    from chainwright.schemas.human import HumanRecord
    from chainwright.stage import Stage, Tables


@dataclass(frozen=True)
class WholeRun:
    """A stage that reads every block and runs as one; `wing` and `settings` as for `Stage`."""

    name: str
    reads: tuple[str, ...]
    settings: Callable[[Recipe], Any]
    wing: str


@dataclass(frozen=True)
class Line:
    """The stages after the problems."""

    stages: tuple[Stage, ...]
    """Block by block, in order."""
    statistics: Callable[[Iterable[Tables], Recipe], dict[str, Any]]
    release: Callable[..., ReleaseSummary]
    """As `chainwright.release.build.write_release`."""


PROBLEMS = "problems"
STATISTICS = WholeRun(
    name="statistics",
    reads=("problems", "candidates", "problem_votes", "chains", "exact", "votes", "labels"),
    settings=lambda recipe: [recipe.annotation, recipe.seed],
    wing="chainwright.annotation",
)
RELEASE = WholeRun(
    name="release",
    # what people said is in the card by its figures alone
    reads=("problems", "chains", "votes", "labels", "human_labels"),
    settings=lambda recipe: recipe,  # the release carries the recipe
    wing="chainwright.release",
)


MODEL_CODE = ("chainwright.llm",)
"""What asking models rests on, prompts among it."""

FORMATS = "chainwright.formats"
"""PERL's JSON and labelled sources rest on it."""

PROBLEM_CODE = (
    "chainwright.builders",
    FORMATS,
    "chainwright.recipe",
    "chainwright.recipe_parts.sources",
    "chainwright.pipeline.problems",
    "chainwright.pipeline.reading",
)
"""What reading the problems rests on."""


def code_versions(line: Line, recipe: Recipe) -> dict[str, str]:
    """The code version of each stage, by name.

    A build takes them once, as it starts: what is edited while it runs is not what it runs.
    """
    wings: dict[str, tuple[str, ...]] = {
        stage.name: (stage.wing, *(MODEL_CODE if stage.ask else ())) for stage in line.stages
    }
    wings |= {STATISTICS.name: (STATISTICS.wing,), RELEASE.name: (RELEASE.wing, FORMATS)}
    found = {modules: code_version(*modules) for modules in {PROBLEM_CODE, *wings.values()}}
    codes = {name: found[modules] for name, modules in {PROBLEMS: PROBLEM_CODE, **wings}.items()}
    for stage in line.stages:
        if stage.own_code is not None and (own := stage.own_code(recipe)):
            codes[stage.name] = content_hash(codes[stage.name], own)
    return codes


def standard_line(people: Mapping[Key, HumanRecord] | None = None) -> Line:
    """The line that `chainwright build` runs.

    Args:
        people: The answers of people that stand in the run.
    """
    from chainwright.annotation.aggregation.stage import AGGREGATION
    from chainwright.annotation.critique_stages import CRITIQUES, SAMPLE
    from chainwright.annotation.people.stage import people_stage
    from chainwright.annotation.stages import LABELS, VOTES
    from chainwright.annotation.statistics import statistics
    from chainwright.builders.groundedness_stage import GROUNDEDNESS
    from chainwright.builders.model_stages import GENERATION, PERTURBATION, SELECTION
    from chainwright.builders.stages import CHAINS, NEGATIVES
    from chainwright.builders.variant_stage import VARIANTS
    from chainwright.release.build import write_release

    sources = (GROUNDEDNESS, VARIANTS)
    built = (*sources, CHAINS, GENERATION, SELECTION, NEGATIVES, PERTURBATION)
    judged = (SAMPLE, CRITIQUES, VOTES, AGGREGATION, people_stage(people or {}), LABELS)
    return Line((*built, *judged), statistics, write_release)
