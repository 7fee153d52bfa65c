"""Source checks: keys of a source that contradict each other, or that its kind would ignore."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from chainwright.recipe_parts.part import PartError, exactly_one, listed, repeated, value_of
from chainwright.recipe_parts.source_kinds import (
    BUILTINS,
    CONTEXT_TRACKS,
    MADE,
    READS,
    TYPED_KINDS,
    WITH_VARIANTS,
    LabelledFormat,
)
from chainwright.spelling import nearest


def source_errors(given: Mapping[str, Any]) -> Iterable[PartError]:
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
