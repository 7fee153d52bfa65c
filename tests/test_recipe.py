from typing import Any

import pytest
from pydantic import ValidationError

from chainwright.recipe import (
    Annotation,
    ExistingChain,
    FaultWeights,
    Recipe,
    Release,
    Source,
)


def faults(part: type[Any], **given: Any) -> list[tuple[tuple[int | str, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        part(**given)
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


@pytest.mark.parametrize("given", [{}, {"path": "a.jsonl", "hub": "openai/gsm8k"}])
def test_a_source_has_exactly_one_origin(given: dict[str, str]) -> None:
    (place, message), *more = faults(Source, kind="gsm8k", **given)
    assert (place, more) == ((), [])
    assert "exactly one of `path` and `hub`" in message


def test_keys_that_would_be_ignored_are_refused() -> None:
    found = faults(
        Source,
        kind="gsm8k",
        path="a.jsonl",
        config="main",
        revision="v1",
        answer_kind="text",
        columns={"question": "q"},
        chains=[{"generator": "g", "solution": "s"}],
    )
    places = {place for place, _ in found}
    assert places == {("config",), ("revision",), ("answer_kind",), ("columns",), ("chains",)}


def test_generic_source_needs_no_columns() -> None:
    source = Source(kind="generic", path="a.jsonl")
    assert source.columns is None
    assert (source.known_as, source.known_split, source.hub_config) == ("generic", None, None)


def test_gsm8k_on_the_hub_has_its_config_and_split() -> None:
    source = Source(kind="gsm8k", hub="openai/gsm8k")
    assert (source.hub_config, source.known_split) == ("main", "test")
    source = Source(kind="gsm8k", hub="openai/gsm8k", config="socratic", split="train")
    assert (source.hub_config, source.known_split) == ("socratic", "train")
    assert Source(kind="gsm8k", path="test.jsonl").known_split is None


@pytest.mark.parametrize(
    ("kind", "config", "split"),
    [("math", "*", "test"), ("orca_math", None, "train"), ("metamathqa", None, "train")],
)
def test_known_kinds_have_their_defaults_on_the_hub(
    kind: Any, config: str | None, split: str
) -> None:
    source = Source(kind=kind, hub="a/b")
    assert (source.hub_config, source.known_split, source.known_licence) == (config, split, "MIT")
    assert Source(kind=kind, hub="a/b", licence="CC0-1.0").known_licence == "CC0-1.0"
    assert Source(kind=kind, path="a.jsonl").known_licence is None
    ((place, message),) = faults(Source, kind=kind, path="a", columns={"question": "q"})
    assert place == ("columns",)
    assert f"{kind} reads" in message


@pytest.mark.parametrize("hub", ["/tmp/x", "https://h/x", "a/b/c", "", "../x", "a b"])  # noqa: S108
def test_hub_takes_repository_ids_only(hub: str) -> None:
    assert [place for place, _ in faults(Source, kind="generic", hub=hub)] == [("hub",)]


@pytest.mark.parametrize("given", [{}, {"steps": "s", "solution": "t"}])
def test_existing_chain_has_exactly_one_column(given: dict[str, str]) -> None:
    (_, message), *more = faults(ExistingChain, generator="g", **given)
    assert "exactly one of `steps` and `solution`" in message
    assert not more


def test_sources_can_be_told_apart() -> None:
    sources = [
        {"kind": "gsm8k", "path": "a.jsonl"},
        {"kind": "generic", "path": "b.jsonl", "name": "gsm8k"},
        {"kind": "gsm8k", "path": "c.jsonl"},
    ]
    found = faults(Recipe, name="r", sources=sources)
    assert [place for place, _ in found] == [("sources", 1, "name"), ("sources", 2)]
    models = [Source(kind="gsm8k", path="a"), Source(kind="gsm8k", path="b")]
    assert [place for place, _ in faults(Recipe, name="r", sources=models)] == [("sources", 1)]


def test_weights_leave_one_way_of_going_wrong() -> None:
    weights = {"wrong_result": 0.0, "wrong_operand": 0, "wrong_operator": 0.0}
    assert "every weight 0" in faults(FaultWeights, **weights)[0][1]
    assert FaultWeights(wrong_result=0, wrong_operand=0).wrong_operator == 1.0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.5, 1.5, True, "0.2"])
def test_impossible_fraction(value: Any) -> None:
    assert [place for place, _ in faults(Release, test_fraction=value)] == [("test_fraction",)]


def test_a_split_by_problem_and_a_selection_rule_each_other_out() -> None:
    ((place, message),) = faults(Release, selection={}, test_fraction=0.2)
    assert place == ("test_fraction",)
    assert "`0.2` beside `selection`" in message
    selection = Release.model_validate({"selection": {"test": {"hard": 0}}}).selection
    assert selection is not None
    assert (selection.test.hard, selection.train.per_category) == (0, 500)
    assert [place for place, _ in faults(Release, selection={"train": {"per_category": 0}})] == [
        ("selection", "train", "per_category")
    ]


def test_judges() -> None:
    assert Annotation(judges=["program:arithmetic"]).judges == ["program:arithmetic"]
    found = faults(
        Annotation,
        judges=["program:arithmetic", "program:arithmatic", "program:arithmetic", "oepnai:x", 3],
    )
    by_place = dict(found)
    assert set(by_place) == {("judges", at) for at in (1, 2, 3, 4)}
    assert "did you mean `program:arithmetic`?" in by_place["judges", 1]
    assert "a second time" in by_place["judges", 2]
    assert "did you mean `openai:x`?" in by_place["judges", 3]


def test_cross_checks_and_key_checks_report_together() -> None:
    places = [place for place, _ in faults(Source, kind="gsm8k", limit=0, seed=-1)]
    assert sorted(places) == [(), ("limit",), ("seed",)]


def test_unknown_builtin_is_refused() -> None:
    (place, message), *_ = faults(Source, kind="gsm8k", path="builtin:quickstrat")
    assert place == ("path",)
    assert "did you mean `builtin:quickstart`?" in message
