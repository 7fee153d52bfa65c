"""The recipe's test sets: what a release is held against, so that none of it is trained on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag

from chainwright.recipe_parts.known_test_sets import KNOWN_TEST_SETS, KnownTestSet, Place
from chainwright.recipe_parts.part import Part, PartError, in_union, repeated, value_of
from chainwright.recipe_parts.source_kinds import LabelledFormat, SourceKind
from chainwright.recipe_parts.sources import HubRepository, Name, Source
from chainwright.spelling import nearest

_NO_FILTERS: Mapping[str, dict[str, Any]] = {
    "musique": {"min_hops": 1},
    "2wikimultihopqa": {"min_hops": 1, "types": []},
    "reclor": {"min_context": 0},
    "logiqa": {"min_context": 0},
    "logiqa2": {"min_context": 0},
}
"""A test set is read whole: the filters that go with a kind are for what is trained on."""


class TestSet(Part):
    """A test set: a file, or a split of a dataset on the Hub.

    By a name that is known, what is not said is known too: a `path` alone is a file of that set,
    and neither `path` nor `hub` the set as it lies on the Hub, perhaps at a `revision`.
    """

    __test__ = False  # no test case, for all its name

    name: Name | None = Field(None, description="defaults to that of the dataset or file")
    kind: SourceKind | None = Field(
        None, description="of its rows, as for sources; null = that of its name, or generic"
    )
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
        return self.name or PurePath(place).name.partition(".")[0] or "generic"

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """What holds for a source holds here; and a split of the Hub is chosen, never assumed."""
        known = _known_set(given)
        if known is not None and given.get("path") is None:
            yield from _by_name_alone(given, known)
            return
        kind = given.get("kind") or "generic"
        if known is not None and known.kind == "labelled":
            given = {**given, "format": known.format}
            kind = known.kind
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


_ON_THE_HUB = [name for name, known in KNOWN_TEST_SETS.items() if known.places]
"""The names that need no file."""


def _known(name: str) -> str:
    if name not in _ON_THE_HUB:
        close = nearest(name, _ON_THE_HUB)
        hint = f"did you mean `{close}`?" if close else "others are given by `path` or `hub`"
        if name in KNOWN_TEST_SETS:
            hint = f"it is not on the Hub: `{{name: {name}, path: FILE}}`"
        raise PartError((), f"`{name}`", f"one of {', '.join(_ON_THE_HUB)}", hint)
    return name


def _known_set(entry: Any) -> KnownTestSet | None:
    """The set whose name an entry bears, unless it says itself what its rows are like."""
    name = value_of(entry, "name")
    own = any(
        value_of(entry, key) is not None for key in ("hub", "kind", "format", "question", "context")
    )
    return KNOWN_TEST_SETS.get(name) if isinstance(name, str) and not own else None


def _by_name_alone(given: Mapping[str, Any], known: KnownTestSet) -> Iterable[PartError]:
    """A known set is on the Hub or given by its file, and its place there is known."""
    name = given["name"]
    if not known.places:
        yield PartError((), f"`{name}` without `path`", "`path`", "it is not on the Hub")
    for key in ("config", "split"):
        if given.get(key) is not None:
            found = f"`{key}` of the known set `{name}`"
            hint = "another dataset has its `hub` as well"
            yield PartError((key,), found, f"no `{key}`", hint)


def _kind(value: Any) -> str:
    return in_union("object" if isinstance(value, Mapping | TestSet) else "name")


TestSetName = Annotated[
    str,
    AfterValidator(_known),
    Field(json_schema_extra={"words": f"one of {', '.join(_ON_THE_HUB)}"}),
]

TestSetEntry = Annotated[
    Annotated[TestSetName, Tag(in_union("name"))] | Annotated[TestSet, Tag(in_union("object"))],
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


@dataclass(frozen=True)
class NamedSource:
    """One set as it is read.

    Attributes:
        name: What the card calls it.
        source: Where its rows are, and of which kind.
        stated: How many questions its publisher states; None where that is not known.
    """

    name: str
    source: Source
    stated: int | None = None


def sources_of(entry: str | TestSet) -> list[NamedSource]:
    """The sets that an entry names: one, but for a set of several splits on the Hub."""
    if isinstance(entry, str):
        return _on_the_hub(entry, KNOWN_TEST_SETS[entry], None)
    known = _known_set(entry)
    if known is not None and entry.path is None:
        return _on_the_hub(entry.known_as, known, entry.revision)
    own = {
        key: value
        for key in ("kind", "format", "path", "hub", "config", "revision", "split")
        if (value := getattr(entry, key)) is not None
    }
    columns = {"question": entry.question or "question", "context": entry.context}
    if known is None:
        return [NamedSource(entry.known_as, _source(own, columns))]
    own |= {"kind": known.kind, **({"format": known.format} if known.format else {})}
    columns["question"] = known.in_files or known.question
    stated = known.places[0].questions if len(known.places) == 1 else None
    return [NamedSource(entry.known_as, _source(own, columns), stated)]


def unnamed(entries: Iterable[Any]) -> list[str]:
    """The known sets that none of the entries names."""
    named = {entry if isinstance(entry, str) else value_of(entry, "name") for entry in entries}
    return [name for name in KNOWN_TEST_SETS if name not in named]


def _on_the_hub(name: str, known: KnownTestSet, revision: str | None) -> list[NamedSource]:
    columns = {"question": known.question}
    return [
        NamedSource(
            name if len(known.places) == 1 else f"{name}/{place.split}",
            _source(_keys(place, known, revision), columns),
            place.questions,
        )
        for place in known.places
    ]


def _keys(place: Place, known: KnownTestSet, revision: str | None) -> dict[str, Any]:
    keys = {
        "kind": known.kind,
        "hub": place.hub,
        "split": place.split,
        "config": place.config,
        "revision": revision or place.revision,
    }
    return {key: value for key, value in keys.items() if value is not None}


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
