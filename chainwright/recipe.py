"""The recipe: everything a build depends on, as one validated document.

The models say what a recipe may hold and what is assumed where it is silent; reading a YAML file
into them, with errors that name the line and the key, is `chainwright.recipe_file`.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from chainwright.llm.uri import PROGRAMS, Provider, parse_model_uri
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

BUILTINS: tuple[str, ...] = ("builtin:quickstart",)
"""Problems that ship with the package, as a source's `path` names them."""

JUDGE_PROVIDERS: tuple[Provider, ...] = ("program",)
"""Providers whose models may judge in this version."""


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


def _checked_judge(uri: str) -> str:
    """Raises ModelUriError or PartError, which pydantic turns into an error at this judge."""
    model = parse_model_uri(uri)
    if model.provider not in JUDGE_PROVIDERS:
        raise PartError(
            (),
            f"`{uri}`, a model of the provider {model.provider}",
            f"one of {', '.join(f'program:{name}' for name in PROGRAMS)}",
            "this version has program judges only; model judges come later",
        )
    return uri


Judge = Annotated[str, AfterValidator(_checked_judge)]


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

    kind: Literal["gsm8k", "generic"]
    name: Name | None = Field(None, description="defaults to the kind")
    path: str | None = Field(None, min_length=1)
    hub: HubRepository | None = Field(None, description="Hub repository, such as openai/gsm8k")
    config: str | None = Field(None, description="configuration on the Hub; gsm8k: main")
    revision: str | None = Field(None, description="commit or tag on the Hub")
    split: str | None = Field(None, description="split on the Hub, or a name for a local file")
    limit: int | None = Field(None, ge=1, description="how many problems to sample; null = all")
    seed: int | None = Field(None, ge=0, description="seed of the sample; defaults to the recipe's")
    licence: str | None = None
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
        """The configuration to load from the Hub, with GSM8K's default."""
        return self.config or ("main" if self.kind == "gsm8k" else None)

    @property
    def known_split(self) -> str | None:
        """The split the rows come from; null = not said, and then the Hub's only split."""
        return self.split or ("test" if self.hub and self.kind == "gsm8k" else None)

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
        if given.get("kind") == "gsm8k":
            for key in ("columns", "chains"):
                if given.get(key):
                    yield PartError(
                        (key,),
                        f"`{key}` in a source of kind gsm8k",
                        f"`{key}` only with kind: generic",
                        "gsm8k reads question and answer; other columns need kind: generic",
                    )
            if given.get("answer_kind") not in (None, "number"):
                yield PartError(
                    ("answer_kind",), f"`{given['answer_kind']}`", "number, with kind: gsm8k"
                )


class Chains(Part):
    """Which chains are made from the problems."""

    reference: bool = Field(True, description="take the source's own solution as a chain")
    marks: Literal["keep", "strip"] = Field(
        "keep", description="calculator marks <<…>> in the steps of exact chains"
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


class ExactNegatives(Part):
    """Synthetic negatives by the exact engine."""

    per_problem: int = Field(1, ge=1, le=20)
    faults: FaultWeights = FaultWeights()


class Negatives(Part):
    """Which synthetic negatives are made from the positives."""

    exact: ExactNegatives | None = Field(None, description="by the exact engine, without a model")


class Annotation(Part):
    """Who judges the chains."""

    judges: list[Judge] = Field(
        [], max_length=25, description="model URIs, program:NAME among them"
    )
    bootstrap: int = Field(1000, ge=0, le=100_000, description="replicates for the intervals")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each judge votes once."""
        for position, judge, first in repeated(listed(given, "judges")):
            yield PartError(
                ("judges", position),
                f"`{judge}` a second time",
                "each judge once",
                f"it is judges[{first}] already",
            )


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

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Sources can be told apart by name."""
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
