"""The recipe: everything a build depends on, as one validated document.

The models say what a recipe may hold and what is assumed where it is silent; reading a YAML file
into them, with errors that name the line and the key, is `chainwright.recipe_file`.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from chainwright.recipe_models import (
    Budget,
    CritiquePart,
    Judge,
    JudgePart,
    Keep,
    ModelChains,
    ModelNegatives,
    Requests,
    TaxonomyPart,
    idle_limits,
    judges_by,
    same_judges,
)
from chainwright.recipe_part import (
    Part,
    PartError,
    exactly_one,
    listed,
    repeated,
    value_of,
)
from chainwright.schemas.words import AnswerKind, Track
from chainwright.spelling import nearest

BUILTINS: tuple[str, ...] = ("builtin:quickstart", "builtin:context", "builtin:worlds")
"""Problems that ship with the package, as a source's `path` names them."""

MADE = "builtin:worlds"
"""The built-in source that is not read but made, as many problems as its `limit` says."""

SourceKind = Literal["gsm8k", "math", "orca_math", "metamathqa", "worlds", "generic"]

READS: dict[str, str] = {
    "gsm8k": "question and answer",
    "math": "problem, solution, and answer where there is one",
    "orca_math": "question and answer",
    "metamathqa": "query and response",
    "worlds": "world",
}
"""The columns of each kind of source but `generic`."""

_HUB_SPLITS = {"gsm8k": "test", "math": "test", "orca_math": "train", "metamathqa": "train"}
_HUB_CONFIGS = {"gsm8k": "main", "math": "*"}  # MATH has a configuration for each subject
_HUB_LICENCES = dict.fromkeys(READS, "MIT")
_WORLDS_LICENCE = "Apache-2.0"  # the words of made problems are the package's own


Name = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        max_length=80,
        json_schema_extra={
            "words": "a name of letters, digits, dots, dashes and underscores that starts with a "
            "letter or digit"
        },
    ),
]

HubRepository = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?$",
        json_schema_extra={"words": "a Hub repository such as openai/gsm8k (no address, no path)"},
    ),
]


class ExistingChain(Part):
    """Where a row holds a chain that exists already; dots step into nested objects."""

    generator: str = Field(min_length=1, description="who wrote the chain; goes into `generator`")
    steps: str | None = Field(None, min_length=1, description="column with a list of steps")
    solution: str | None = Field(
        None, min_length=1, description="column with the steps as one text"
    )
    final_answer: str | None = Field(
        None, min_length=1, description="column with the chain's final answer"
    )
    is_correct: str | None = Field(
        None, min_length=1, description="column with true, false or null"
    )

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """The chain comes from exactly one column."""
        yield from exactly_one(given, "steps", "solution")


class Columns(Part):
    """Which column of a generic source holds what; dots step into nested objects."""

    question: str = Field("question", min_length=1)
    answer: str | None = Field(None, min_length=1)
    solution: str | None = Field(None, min_length=1)
    context: str | None = Field(None, min_length=1)
    options: str | None = Field(None, min_length=1)


class Source(Part):
    """One source of problems.

    Exactly one of `path` and `hub` is given. `path` is a file, a glob, or
    `builtin:quickstart` for the problems that ship with the package.
    """

    kind: SourceKind
    name: Name | None = Field(None, description="defaults to the kind")
    path: str | None = Field(None, min_length=1)
    hub: HubRepository | None = Field(None, description="Hub repository, such as openai/gsm8k")
    config: str | None = Field(None, description="configuration on the Hub; * = all")
    revision: str | None = Field(None, description="commit or tag on the Hub")
    split: str | None = Field(None, description="split on the Hub, or a name for a local file")
    limit: int | None = Field(None, ge=1, description="how many problems to sample; null = all")
    seed: int | None = Field(None, ge=0, description="seed of the sample; defaults to the recipe's")
    licence: str | None = Field(None, description="from the Hub, MIT for all kinds but generic")
    track: Track = "math"
    answer_kind: AnswerKind | None = None
    columns: Columns | None = Field(None, description="generic sources only")
    chains: list[ExistingChain] = Field(
        [], description="chains that the rows bring along; generic sources only"
    )

    @property
    def known_as(self) -> str:
        """The source's name, which is its kind where none is given."""
        return self.name or self.kind

    @property
    def hub_config(self) -> str | None:
        """The configuration to load from the Hub, with the kind's default; `*` = all there are."""
        return self.config or _HUB_CONFIGS.get(self.kind)

    @property
    def known_split(self) -> str | None:
        """The split the rows come from; null = not said, and then the Hub's only split."""
        return self.split or (_HUB_SPLITS.get(self.kind) if self.hub else None)

    @property
    def known_licence(self) -> str | None:
        """The licence that goes with the rows.

        Where none is given, it is the publisher's for what comes from the Hub in a kind that is
        known, and unknown for a file, which may be anyone's in the same format.
        """
        if self.kind == "worlds":
            return self.licence or _WORLDS_LICENCE
        return self.licence or (_HUB_LICENCES.get(self.kind) if self.hub else None)

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """One origin; no key that the kind or the origin would ignore."""
        yield from exactly_one(given, "path", "hub")
        path = given.get("path")
        if path is not None and given.get("hub") is None:
            for key in ("config", "revision"):
                if given.get(key) is not None:
                    yield PartError((key,), f"`{key}` beside `path`", f"`{key}` only with `hub`")
        if isinstance(path, str) and path.startswith("builtin:") and path not in BUILTINS:
            close = nearest(path, BUILTINS)
            hint = f"did you mean `{close}`?" if close else None
            yield PartError(("path",), f"`{path}`", f"one of {', '.join(BUILTINS)}", hint)
        kind = given.get("kind")
        if isinstance(kind, str) and kind in READS:
            for key in ("columns", "chains"):
                if given.get(key):
                    yield PartError(
                        (key,),
                        f"`{key}` in a source of kind {kind}",
                        f"`{key}` only with kind: generic",
                        f"{kind} reads {READS[kind]}; other columns need kind: generic",
                    )
        yield from _worlds_check(given)
        if kind == "gsm8k" and given.get("answer_kind") not in (None, "number"):
            yield PartError(
                ("answer_kind",), f"`{given['answer_kind']}`", "number, with kind: gsm8k"
            )


def _worlds_check(given: Mapping[str, Any]) -> Iterable[PartError]:
    """What made problems need, and what would be ignored beside them."""
    made, track = given.get("path") == MADE, given.get("track")
    if given.get("kind") != "worlds":
        if made:
            yield PartError(("path",), f"`{MADE}` in another kind", f"`{MADE}` with kind: worlds")
        return
    for key in ("hub", "answer_kind"):
        if given.get(key) is not None:
            found = f"`{key}` in a source of kind worlds"
            yield PartError((key,), found, f"no `{key}`", "made problems bring it along")
    if made and track in (None, "math"):
        expected = "`track: grounding` or `track: inference`"
        yield PartError(("track",) if track else (), f"`{MADE}` on the track math", expected)
    if made and given.get("limit") is None:
        expected = "`limit`, how many problems are to be made"
        yield PartError((), f"`{MADE}` without `limit`", expected)
    if not made and track is not None:
        found = f"`track` in a source of kind worlds that is not `{MADE}`"
        yield PartError(("track",), found, "no `track`", "each row names its track")


class Chains(Part):
    """Which chains are made from the problems."""

    reference: bool = Field(True, description="take the source's own solution as a chain")
    marks: Literal["keep", "strip"] = Field(
        "keep", description="calculator marks <<…>> in the steps of exact chains"
    )
    model: ModelChains | None = Field(None, description="chains that models write")
    keep: Keep = Keep()

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
    test_fraction: float = Field(0.2, ge=0, le=1, description="share of problems in the test split")
    perl_json: bool = Field(True, description="also write perl/*.json in PERL's own format")
    shard_rows: int = Field(50_000, ge=1, description="chains per parquet file")


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
