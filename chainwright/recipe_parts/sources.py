"""The recipe's sources: where problems come from, and which of them are wanted."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from chainwright.recipe_parts.part import Part, PartError, exactly_one
from chainwright.recipe_parts.source_checks import source_errors
from chainwright.recipe_parts.source_kinds import (
    CONTEXT_TRACKS,
    HUB_CONFIGS,
    HUB_SPLITS,
    MIN_CONTEXT,
    MIN_HOPS,
    TYPES,
    LabelledFormat,
    SourceKind,
    is_withheld,
    licence_of,
)
from chainwright.schemas.words import AnswerKind, Track

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


class QuestionType(Part):
    """One of the types of question that a source is to give."""

    type: str = Field(min_length=1, description="the publisher's word for it")
    min_hops: int | None = Field(None, ge=1, description="of this type; null = the source's")
    limit: int | None = Field(None, ge=1, description="problems of this type at most; null = all")


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
    aliases: str | None = Field(None, min_length=1)
    type: str | None = Field(None, min_length=1)


class Source(Part):
    """One source of problems.

    Exactly one of `path` and `hub` is given. `path` is a file, a glob, or
    `builtin:quickstart` for the problems that ship with the package.
    """

    kind: SourceKind
    format: LabelledFormat | None = Field(None, description="of labelled sources alone")
    name: Name | None = Field(None, description="defaults to the kind")
    path: str | None = Field(None, min_length=1)
    hub: HubRepository | None = Field(None, description="Hub repository, such as openai/gsm8k")
    config: str | None = Field(None, description="configuration on the Hub; * = all")
    revision: str | None = Field(None, description="commit or tag on the Hub")
    split: str | None = Field(None, description="split on the Hub, or a name for a local file")
    limit: int | None = Field(None, ge=1, description="how many problems to sample; null = all")
    seed: int | None = Field(None, ge=0, description="seed of the sample; defaults to the recipe's")
    licence: str | None = Field(None, description="defaults to the publisher's, where known")
    redistribute: bool | None = Field(
        None, description="whether its text may be released; null = as its licence says"
    )
    track: Track | None = Field(None, description="defaults to the kind's; math for generic")
    answer_kind: AnswerKind | None = None
    columns: Columns | None = Field(None, description="generic sources only")
    chains: list[ExistingChain] = Field(
        [], description="chains that the rows bring along; generic sources only"
    )
    min_hops: int | None = Field(None, ge=1, description="least number of hops of a question")
    min_context: int | None = Field(None, ge=0, description="least length of the context")
    types: list[QuestionType] | None = Field(
        None, max_length=50, description="types of question to keep, sampled in equal shares"
    )
    variants: int = Field(
        0, ge=0, le=10_000, description="copies of each problem with its numbers drawn anew"
    )

    @property
    def known_as(self) -> str:
        """The source's name, which is its kind where none is given."""
        return self.name or self.kind

    @property
    def hub_config(self) -> str | None:
        """The configuration to load from the Hub, with the kind's default; `*` = all there are."""
        return self.config or HUB_CONFIGS.get(self.kind)

    @property
    def known_split(self) -> str | None:
        """The split the rows come from; null = not said, and then the Hub's only split."""
        return self.split or (HUB_SPLITS.get(self.kind) if self.hub else None)

    @property
    def known_licence(self) -> str | None:
        """The licence that goes with the rows; see `licence_of`."""
        return licence_of(self.kind, self.licence, self.hub)

    @property
    def withheld(self) -> bool:
        """Whether a release tells of its rows without their text."""
        return is_withheld(self.redistribute, self.known_licence)

    @property
    def known_track(self) -> Track:
        """What the steps of chains for these problems are judged by."""
        return self.track or CONTEXT_TRACKS.get(self.kind, "math")

    @property
    def hops_wanted(self) -> int:
        """The least number of hops, with the kind's default; 0 = no such filter."""
        return MIN_HOPS.get(self.kind, 0) if self.min_hops is None else self.min_hops

    @property
    def context_wanted(self) -> int:
        """The least number of characters of the context, with the kind's default."""
        return MIN_CONTEXT.get(self.kind, 0) if self.min_context is None else self.min_context

    @property
    def types_wanted(self) -> list[QuestionType]:
        """The types of question to keep, with the kind's default; empty = all."""
        if self.types is not None:
            return self.types
        known = TYPES.get(self.kind, {})
        return [QuestionType(type=name, min_hops=hops) for name, hops in known.items()]

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """One origin; no key that the kind or the origin would ignore."""
        return source_errors(given)
