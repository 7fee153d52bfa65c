"""The recipe's test sets: what a release is held against, so that none of it is trained on."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag

from chainwright.recipe_parts.part import Part, PartError, in_union, repeated, value_of
from chainwright.recipe_parts.source_kinds import LabelledFormat, SourceKind
from chainwright.recipe_parts.sources import HubRepository, Name, Source
from chainwright.spelling import nearest

KNOWN_TEST_SETS: Mapping[str, list[dict[str, Any]]] = {
    "gsm8k": [{"hub": "openai/gsm8k", "config": "main", "split": "test"}],
    "math": [{"hub": "EleutherAI/hendrycks_math", "config": "*", "split": "test"}],
    "math-500": [{"hub": "HuggingFaceH4/MATH-500", "split": "test"}],
    "processbench": [
        {"hub": "Qwen/ProcessBench", "split": split}
        for split in ("gsm8k", "math", "olympiadbench", "omnimath")
    ],
    "musique": [{"kind": "musique", "hub": "dgslibisey/MuSiQue", "split": "validation"}],
    "2wikimultihopqa": [
        {
            "kind": "2wikimultihopqa",
            "hub": "framolfese/2WikiMultihopQA",
            "split": "validation",
        }
    ],
    "reclor": [{"kind": "reclor", "hub": "tasksource/reclor", "split": "validation"}],
    "logiqa": [
        {
            "kind": "logiqa",
            "hub": "lucasmccabe/logiqa",
            "revision": "refs/convert/parquet",
            "split": "test",
        }
    ],
}
"""Test sets by name: where they lie on the Hub, and their kind (`generic` where none is named).

Splits are those whose answers are public: 2WikiMultihopQA, MuSiQue and ReClor keep the answers of
their test splits, so that people evaluate on the development one. PERL is no dataset of the Hub:
its files are given by `path` with `kind: labelled` and `format: perl`.
"""

_QUESTIONS = {"math": "problem", "math-500": "problem", "processbench": "problem"}
"""The column with the question, where it is not `question`."""

_NO_FILTERS: Mapping[str, dict[str, Any]] = {
    "musique": {"min_hops": 1},
    "2wikimultihopqa": {"min_hops": 1, "types": []},
    "reclor": {"min_context": 0},
    "logiqa": {"min_context": 0},
    "logiqa2": {"min_context": 0},
}
"""A test set is read whole: the filters that go with a kind are for what is trained on."""


class TestSet(Part):
    """A test set of the user's own: a file, or a split of a dataset on the Hub."""

    __test__ = False  # no test case, for all its name

    name: Name | None = Field(None, description="defaults to that of the dataset or file")
    kind: SourceKind = Field("generic", description="of its rows, as for sources")
    format: LabelledFormat | None = Field(None, description="of labelled sets alone")
    path: str | None = Field(None, min_length=1, description="a file or glob")
    hub: HubRepository | None = Field(None, description="Hub repository, such as openai/gsm8k")
    config: str | None = Field(None, description="configuration on the Hub; * = all")
    revision: str | None = Field(None, description="commit or tag on the Hub")
    split: str | None = Field(None, description="split on the Hub")
    question: str | None = Field(
        None, min_length=1, description="column of the question; generic sets only"
    )
    context: str | None = Field(
        None, min_length=1, description="column of the passages; generic sets only"
    )

    @property
    def known_as(self) -> str:
        """What the card calls it."""
        place = self.hub or (self.path or "").replace("\\", "/")
        return self.name or PurePath(place).name.partition(".")[0] or self.kind

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """What holds for a source holds here; and a split of the Hub is chosen, never assumed."""
        kind = given.get("kind", "generic")
        yield from Source.cross_check(
            {key: value for key, value in given.items() if key not in ("question", "context")}
            | {"kind": kind}
        )
        for key in ("question", "context"):
            if given.get(key) is not None and kind != "generic":
                found = f"`{key}` in a test set of kind {kind}"
                yield PartError((key,), found, f"`{key}` only with kind: generic")
        if given.get("hub") is not None and given.get("split") is None:
            yield PartError((), "`hub` without `split`", "`split`, such as test or validation")
        if given.get("split") is not None and given.get("hub") is None:
            yield PartError(("split",), "`split` beside `path`", "`split` only with `hub`")


def _known(name: str) -> str:
    if name not in KNOWN_TEST_SETS:
        close = nearest(name, list(KNOWN_TEST_SETS))
        hint = f"did you mean `{close}`?" if close else "others are given by `path` or `hub`"
        raise PartError((), f"`{name}`", f"one of {', '.join(KNOWN_TEST_SETS)}", hint)
    return name


def _kind(value: Any) -> str:
    return in_union("object" if isinstance(value, Mapping | TestSet) else "name")


KnownTestSet = Annotated[
    str,
    AfterValidator(_known),
    Field(json_schema_extra={"words": f"one of {', '.join(KNOWN_TEST_SETS)}"}),
]

TestSetEntry = Annotated[
    Annotated[KnownTestSet, Tag(in_union("name"))] | Annotated[TestSet, Tag(in_union("object"))],
    Discriminator(_kind),
]
"""A test set by its name, or one of the user's own."""


def named_once(entries: list[Any]) -> Iterable[PartError]:
    """A fault for every test set whose name was there before."""
    names = [_name_of(entry) for entry in entries]
    for position, name, first in repeated(names):
        yield PartError(
            ("decontaminate", position),
            f"`{name}` as the name of a second test set",
            "names that differ",
            f"decontaminate[{first}] is called so already; `name` tells them apart",
        )


def sources_of(entry: str | TestSet) -> list[tuple[str, Source]]:
    """The sources that a test set is read from, each with what the card calls it."""
    if isinstance(entry, TestSet):
        own = {
            key: value
            for key in ("kind", "format", "path", "hub", "config", "revision", "split")
            if (value := getattr(entry, key)) is not None
        }
        columns = {"question": entry.question or "question", "context": entry.context}
        return [(entry.known_as, _source(own, columns))]
    places = KNOWN_TEST_SETS[entry]
    columns = {"question": _QUESTIONS.get(entry, "question"), "context": None}
    return [
        (entry if len(places) == 1 else f"{entry}/{place['split']}", _source(place, columns))
        for place in places
    ]


def _source(place: Mapping[str, Any], columns: Mapping[str, str | None]) -> Source:
    kind = place.get("kind", "generic")
    given = {"kind": kind, **place, **_NO_FILTERS.get(kind, {})}
    if kind == "generic":
        given["columns"] = {key: column for key, column in columns.items() if column is not None}
    return Source.model_validate(given)


def _name_of(entry: Any) -> Any:
    if isinstance(entry, str):
        return entry
    place = value_of(entry, "name") or value_of(entry, "hub") or value_of(entry, "path")
    return PurePath(place).name.partition(".")[0] if isinstance(place, str) else None
