"""The recipe's sources: where problems come from, and what is known of each kind of rows."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from chainwright.recipe_parts.part import Part, PartError, exactly_one, listed, repeated, value_of
from chainwright.schemas.licence_use import is_redistributable
from chainwright.schemas.words import AnswerKind, Track
from chainwright.spelling import nearest

BUILTINS: tuple[str, ...] = ("builtin:quickstart", "builtin:context", "builtin:worlds")
"""Problems that ship with the package, as a source's `path` names them."""

MADE = "builtin:worlds"
"""The built-in source that is not read but made, as many problems as its `limit` says."""

SourceKind = Literal[
    "gsm8k",
    "math",
    "orca_math",
    "metamathqa",
    "musique",
    "2wikimultihopqa",
    "reclor",
    "logiqa",
    "logiqa2",
    "worlds",
    "labelled",
    "generic",
]

LabelledFormat = Literal["perl", "grace", "processbench", "prm800k", "trl", "math_shepherd"]
"""Formats of chains with labels that a source may be in."""


CONTEXT_TRACKS: dict[str, Track] = {
    "musique": "grounding",
    "2wikimultihopqa": "grounding",
    "reclor": "inference",
    "logiqa": "inference",
    "logiqa2": "inference",
}
"""Kinds whose questions are about passages, and what their steps are judged by (GRACE)."""

TYPED_KINDS = ("musique", "2wikimultihopqa", "generic")
"""Kinds whose rows may have one type of question each."""

WITH_VARIANTS = ("gsm8k", "metamathqa", "generic")
"""Kinds whose solutions may be in GSM8K's format, so that the exact engine can work them anew."""

READS: dict[str, str] = {
    "gsm8k": "question and answer",
    "math": "problem, solution, and answer where there is one",
    "orca_math": "question and answer",
    "metamathqa": "query and response",
    "musique": "paragraphs, question, answer and question_decomposition",
    "2wikimultihopqa": "context, question, answer, type, supporting_facts and evidences",
    "reclor": "context, question, answers and label",
    "logiqa": "blocks of letter, context, question and four options",
    "logiqa2": "text, question, options and answer",
    "worlds": "world",
    "labelled": "what its `format` says",
}
"""The columns of each kind of source but `generic`."""

_HUB_SPLITS = dict.fromkeys(READS, "train") | {"gsm8k": "test", "math": "test"}
_HUB_CONFIGS = {"gsm8k": "main", "math": "*"}  # MATH has a configuration for each subject
_LICENCES = {
    "musique": "CC-BY-4.0",
    "2wikimultihopqa": "Apache-2.0",
    "reclor": "LicenseRef-ReClor-non-commercial-research-only",
    "logiqa2": "CC-BY-NC-SA-4.0",
    "worlds": "Apache-2.0",  # the words of made problems are the package's own
}
"""The publishers' own, which go with the rows wherever they lie. LogiQA's states none."""
_HUB_LICENCES = dict.fromkeys(("gsm8k", "math", "orca_math", "metamathqa"), "MIT")


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


_TYPES = {
    "2wikimultihopqa": [
        QuestionType(type="bridge_comparison", min_hops=4),
        QuestionType(type="comparison"),
        QuestionType(type="compositional"),
        QuestionType(type="inference"),
    ]
}
_MIN_HOPS = {"musique": 3}
_MIN_CONTEXT = {"logiqa": 200}


def licence_of(kind: Any, licence: Any, hub: Any) -> str | None:
    """The licence that goes with the rows of a source; null = not known.

    Where the recipe gives none, it is the publisher's: for kinds with context wherever the rows
    lie, for the others only where they come from the Hub, as a file may be anyone's in the same
    format.
    """
    if isinstance(licence, str):
        return licence
    if not isinstance(kind, str):
        return None
    return _LICENCES.get(kind) or (_HUB_LICENCES.get(kind) if hub else None)


def is_withheld(redistribute: Any, licence: str | None) -> bool:
    """Whether the text of a source stays out of releases: as the recipe or the licence says."""
    if isinstance(redistribute, bool):
        return not redistribute
    return not is_redistributable(licence)


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
        return self.config or _HUB_CONFIGS.get(self.kind)

    @property
    def known_split(self) -> str | None:
        """The split the rows come from; null = not said, and then the Hub's only split."""
        return self.split or (_HUB_SPLITS.get(self.kind) if self.hub else None)

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
        return _MIN_HOPS.get(self.kind, 0) if self.min_hops is None else self.min_hops

    @property
    def context_wanted(self) -> int:
        """The least number of characters of the context, with the kind's default."""
        return _MIN_CONTEXT.get(self.kind, 0) if self.min_context is None else self.min_context

    @property
    def types_wanted(self) -> list[QuestionType]:
        """The types of question to keep, with the kind's default; empty = all."""
        return _TYPES.get(self.kind, []) if self.types is None else self.types

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
        yield from _labelled_check(given)
        yield from _answer_kind(kind, given.get("answer_kind"))
        yield from _filters(kind, given)
        if given.get("variants") and isinstance(kind, str) and kind not in WITH_VARIANTS:
            yield PartError(
                ("variants",),
                f"`variants` in a source of kind {kind}",
                f"`variants` only with kinds {', '.join(WITH_VARIANTS)}",
                "numbers are drawn anew where a solution works its answer out, as in GSM8K",
            )


def _answer_kind(kind: Any, wanted: Any) -> Iterable[PartError]:
    """The kinds whose answers are always of one kind."""
    fixed = {"gsm8k": "number"} | dict.fromkeys(CONTEXT_TRACKS, "option")
    fixed |= {"musique": "text", "2wikimultihopqa": "text"}
    if isinstance(kind, str) and kind in fixed and wanted not in (None, fixed[kind]):
        yield PartError(("answer_kind",), f"`{wanted}`", f"{fixed[kind]}, with kind: {kind}")


def _filters(kind: Any, given: Mapping[str, Any]) -> Iterable[PartError]:
    """Filters only where the rows have what is filtered by, and each type once."""
    hops = [
        (("min_hops",), given.get("min_hops")),
        *(
            (("types", at, "min_hops"), value_of(one, "min_hops"))
            for at, one in enumerate(listed(given, "types"))
        ),
    ]
    for place, value in hops:
        if value is not None and kind not in ("musique", "2wikimultihopqa"):
            allowed = "`min_hops` only with kind: musique or 2wikimultihopqa"
            yield PartError(place, f"`min_hops` in a source of kind {kind}", allowed)
    if given.get("min_context") is not None and kind not in (*CONTEXT_TRACKS, "generic"):
        allowed = f"`min_context` only with kinds that have context: {', '.join(CONTEXT_TRACKS)}"
        found = f"`min_context` in a source of kind {kind}"
        yield PartError(("min_context",), found, f"{allowed}, generic")
    if given.get("types") and kind not in TYPED_KINDS:
        found = f"`types` in a source of kind {kind}"
        yield PartError(("types",), found, f"`types` only with kinds {', '.join(TYPED_KINDS)}")
    no_column = value_of(given.get("columns"), "type") is None
    if given.get("types") and kind == "generic" and no_column:
        yield PartError(("types",), "`types` without `columns.type`", "a column with the type")
    names = [value_of(one, "type") for one in listed(given, "types")]
    for position, name, first in repeated(names):
        expected, hint = "each type once", f"it is types[{first}] already"
        yield PartError(("types", position, "type"), f"`{name}` a second time", expected, hint)


def _labelled_check(given: Mapping[str, Any]) -> Iterable[PartError]:
    """A labelled source is in a format, and no other source is."""
    is_labelled, form = given.get("kind") == "labelled", given.get("format")
    if is_labelled and form is None:
        known = ", ".join(get_args(LabelledFormat))
        yield PartError((), "kind: labelled without `format`", f"`format`, one of {known}")
    if not is_labelled and form is not None:
        found = f"`format` in a source of kind {given.get('kind')}"
        yield PartError(("format",), found, "`format` only with kind: labelled")


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
