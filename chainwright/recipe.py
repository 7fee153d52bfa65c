"""The recipe: everything a build depends on, as one validated document.

The models say what a recipe may hold and what is assumed where it is silent; reading a YAML file
into them, with errors that name the line and the key, is `chainwright.recipe_file`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from chainwright.recipe_parts.decontamination import TestSetEntry, named_once
from chainwright.recipe_parts.judges import (
    CritiquePart,
    GroundednessFilter,
    Judge,
    JudgePart,
    judges_by,
    same_judges,
)
from chainwright.recipe_parts.part import Part, PartError, listed, repeated, value_of
from chainwright.recipe_parts.releases import SelectionPart, not_on_a_calendar
from chainwright.recipe_parts.requests import Budget, Requests, idle_limits
from chainwright.recipe_parts.source_kinds import is_withheld, licence_of
from chainwright.recipe_parts.sources import Columns, ExistingChain, Name, QuestionType, Source
from chainwright.recipe_parts.taxonomies import TaxonomyPart
from chainwright.recipe_parts.writers import Keep, ModelChains, ModelNegatives
from chainwright.schemas.licence_use import licence_conflict

__all__ = [
    "Annotation",
    "Chains",
    "Columns",
    "ExactNegatives",
    "ExistingChain",
    "FaultWeights",
    "Negatives",
    "QuestionType",
    "Recipe",
    "Release",
    "Source",
]


class Chains(Part):
    """Which chains are made from the problems."""

    reference: bool = Field(True, description="take the source's own solution as a chain")
    marks: Literal["keep", "strip"] = Field(
        "keep", description="calculator marks <<…>> in the steps of exact chains"
    )
    model: ModelChains | None = Field(None, description="chains that models write")
    keep: Keep = Keep()
    groundedness: GroundednessFilter | None = Field(
        None, description="models that drop questions which the context does not answer"
    )

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Quotas apply to the models' chains alone."""
        keep = given.get("keep")
        quotas = [value_of(keep, key) for key in Keep.model_fields]
        if given.get("model") is None and any(quota is not None for quota in quotas):
            yield PartError(
                ("keep",),
                "`keep` without `model`",
                "`keep` only beside `model`",
                "quotas apply to the chains that models write; `limit` bounds a source",
            )


class FaultWeights(Part):
    """How often each way of going wrong is tried first; 0 = never."""

    wrong_result: float = Field(1.0, ge=0)
    wrong_operand: float = Field(1.0, ge=0)
    wrong_operator: float = Field(1.0, ge=0)

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """At least one way of going wrong is left."""
        if all(given.get(key, 1.0) in (0, 0.0) for key in cls.model_fields):
            yield PartError(
                (), "every weight 0", "at least one weight above 0", "no way of going wrong is left"
            )


class CategoryWeights(Part):
    """How often each category of unfaithful steps is tried first in made problems; 0 = never."""

    reversed_reasoning: float = Field(1.0, ge=0)
    wrong_argument_reading: float = Field(1.0, ge=0)
    rule_violation: float = Field(1.0, ge=0)
    overreaching_claim: float = Field(1.0, ge=0)
    groundedness_violation: float = Field(1.0, ge=0)
    contradiction: float = Field(1.0, ge=0)
    confusion: float = Field(1.0, ge=0)
    evidence_neglect: float = Field(1.0, ge=0)

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """At least one category is left."""
        if all(given.get(key, 1.0) in (0, 0.0) for key in cls.model_fields):
            yield PartError(
                (), "every weight 0", "at least one weight above 0", "no category is left"
            )


class ExactNegatives(Part):
    """Synthetic negatives by the exact engines, of worked solutions and of made problems."""

    per_problem: int = Field(1, ge=1, le=20)
    faults: FaultWeights = FaultWeights()
    categories: CategoryWeights = CategoryWeights()


class Negatives(Part):
    """Which synthetic negatives are made from the positives."""

    exact: ExactNegatives | None = Field(None, description="by the exact engine, without a model")
    model: ModelNegatives | None = Field(None, description="by a model that breaks the positives")


class Annotation(Part):
    """Who judges the chains."""

    judges: list[Judge] = Field(
        [],
        max_length=25,
        description="program:NAME, python:PATH, model URIs, or models with their methods",
    )
    critique: CritiquePart | None = Field(
        None, description="what is wrong with steps in free words, of chains on a context"
    )
    taxonomy: TaxonomyPart = Field(
        TaxonomyPart(), description="categories of unfaithful steps, in place of the built-in ones"
    )
    aggregate: Literal["majority", "calibrated", "dawid_skene"] = Field(
        "majority", description="how votes add up to labels; tiers are patterns of votes anyway"
    )
    threshold: float = Field(
        0.5, ge=0, le=1, description="probability below which weighed votes leave a step undecided"
    )
    bootstrap: int = Field(1000, ge=0, le=100_000, description="replicates for the intervals")

    @property
    def panel(self) -> list[str | JudgePart]:
        """The judges in one form each: programs and checkers by URI, models with their methods."""
        parts: list[str | JudgePart] = []
        for judge in self.judges:
            if isinstance(judge, str) and not judge.startswith(("program:", "python:")):
                parts += judges_by(judge)
            else:
                parts.append(judge)
        return parts

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each judge votes once."""
        yield from same_judges(listed(given, "judges"))


class Release(Part):
    """What the released dataset looks like."""

    title: str | None = None
    version: str | None = Field(
        None,
        pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,40}$",
        description="of the corpus, also its tag on the Hub; null = a tag made of the content",
    )
    date: str | None = Field(
        None, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="of publication, as 2026-05-31"
    )
    authors: list[str] = Field([], max_length=100, description="who is to be cited")
    contact: str | None = Field(None, min_length=1, description="where errors may be reported")
    people: Literal["experts", "crowd"] | None = Field(
        None, description="who labelled the steps that people labelled; null = not said"
    )
    test_fraction: float = Field(0.2, ge=0, le=1, description="share of problems in the test split")
    near_duplicates: Literal["report", "same_side", "drop"] = Field(
        "report", description="questions that are nearly the same, in train and in test"
    )
    decontaminate: list[TestSetEntry] = Field(
        [], max_length=50, description="test sets that no question of the release should be in"
    )
    contaminated: Literal["report", "drop"] = Field(
        "report", description="questions that are in one of them: count them, or leave them out"
    )
    perl_json: bool = Field(True, description="also write perl/*.json in PERL's own format")
    shard_rows: int = Field(50_000, ge=1, description="chains per parquet file")
    licence: str | None = Field(
        None, min_length=1, description="of the whole; null = the licences of the sources"
    )
    mixed_licences: bool = Field(
        False, description="release rows of restricted use beside others or more freely, knowingly"
    )
    selection: SelectionPart | None = Field(
        None, description="quotas for train and test; null = all chains, split by problem"
    )

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """A split by problem and a selection rule each other out; test sets have their names."""
        yield from named_once(listed(given, "decontaminate"))
        yield from not_on_a_calendar(given.get("date"))
        if given.get("contaminated") == "drop" and not given.get("decontaminate"):
            yield PartError(
                ("contaminated",),
                "`drop` without `decontaminate`",
                "test sets in `decontaminate`",
            )
        if given.get("selection") is not None and "test_fraction" in given:
            yield PartError(
                ("test_fraction",),
                f"`{given['test_fraction']}` beside `selection`",
                "one of `test_fraction` and `selection`",
                "the quotas of `selection.test` say what is in the test set",
            )


class Recipe(Part):
    """A whole recipe."""

    name: Name = Field(description="also the name of the run folder")
    seed: int = Field(0, ge=0)
    sources: list[Source] = Field(min_length=1)
    chains: Chains = Chains()
    negatives: Negatives = Negatives()
    annotation: Annotation = Annotation()
    release: Release = Release()
    block: int = Field(250, ge=1, le=100_000, description="problems per block of work")
    executor: Literal["local", "ray"] = Field(
        "local", description="where blocks are made: in this process, or on a Ray cluster"
    )
    requests: Requests = Requests()
    budget: Budget | None = Field(None, description="what may be spent on models; null = no limit")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Sources can be told apart by name; a model has positives to break."""
        chains = given.get("chains")
        wanted = value_of(given.get("negatives"), "model") is not None
        no_chains = value_of(chains, "model") is None and value_of(chains, "reference") is False
        if wanted and no_chains:
            yield PartError(
                ("negatives", "model"),
                "`negatives.model` with neither `chains.model` nor `chains.reference`",
                "positives to break: the chains of `chains.model`, or else reference chains",
            )
        yield from idle_limits(given)
        sources = listed(given, "sources")
        yield from _licences(sources, given.get("release"))
        names = [value_of(source, "name") or value_of(source, "kind") for source in sources]
        for position, name, first in repeated(names):
            own = value_of(sources[position], "name") is not None
            yield PartError(
                ("sources", position, "name") if own else ("sources", position),
                f"`{name}` as the name of a second source",
                "names that differ",
                f"sources[{first}] is called so already; a source without `name` is called by its "
                "kind",
            )


def _licences(sources: list[Any], release: Any) -> Iterable[PartError]:
    """Rows of restricted use are not released more freely without a word on it."""
    by_source = {}
    for source in sources:
        rows = licence_of(*(value_of(source, key) for key in ("kind", "licence", "hub")))
        if not is_withheld(value_of(source, "redistribute"), rows):
            by_source[f"{value_of(source, 'name') or value_of(source, 'kind')}"] = [rows]
    licence = value_of(release, "licence")
    conflict = licence_conflict(
        by_source,
        licence if isinstance(licence, str) else None,
        acknowledged=value_of(release, "mixed_licences") is True,
    )
    if conflict is not None:
        place = ("release", "licence") if licence else ("sources",)
        yield PartError(place, conflict.found, conflict.expected, conflict.hint)
