"""Sources with context in a recipe: defaults, filters, and licences that may not be mixed."""

from typing import Any

import pytest
from pydantic import ValidationError

from chainwright.recipe import Recipe, Source
from chainwright.recipe_parts.judges import GroundednessFilter


def places(part: type[Any], **given: Any) -> list[tuple[int | str, ...]]:
    with pytest.raises(ValidationError) as caught:
        part(**given)
    return [error["loc"] for error in caught.value.errors()]


@pytest.mark.parametrize(
    ("kind", "track"),
    [
        ("musique", "grounding"),
        ("2wikimultihopqa", "grounding"),
        ("reclor", "inference"),
        ("logiqa", "inference"),
        ("logiqa2", "inference"),
        ("gsm8k", "math"),
        ("generic", "math"),
    ],
)
def test_the_kind_says_what_steps_are_judged_by(kind: Any, track: str) -> None:
    assert Source(kind=kind, path="a").known_track == track
    assert Source(kind=kind, path="a", track="math").known_track == "math"
    assert Source(kind=kind, hub="a/b").known_split in ("train", "test", None)


def test_filters_have_defaults_that_can_be_switched_off() -> None:
    assert Source(kind="musique", path="a").hops_wanted == 3
    assert Source(kind="musique", path="a", min_hops=1).hops_wanted == 1
    assert Source(kind="logiqa", path="a").context_wanted == 200
    assert Source(kind="logiqa", path="a", min_context=0).context_wanted == 0
    types = Source(kind="2wikimultihopqa", path="a").types_wanted
    assert [(one.type, one.min_hops) for one in types] == [
        ("bridge_comparison", 4),
        ("comparison", None),
        ("compositional", None),
        ("inference", None),
    ]
    assert Source(kind="2wikimultihopqa", path="a", types=[]).types_wanted == []


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"kind": "gsm8k", "min_hops": 2}, ("min_hops",)),
        ({"kind": "logiqa", "min_hops": 2}, ("min_hops",)),
        ({"kind": "gsm8k", "min_context": 2}, ("min_context",)),
        ({"kind": "reclor", "types": [{"type": "a"}]}, ("types",)),
        ({"kind": "generic", "types": [{"type": "a"}]}, ("types",)),
        ({"kind": "musique", "types": [{"type": "a"}, {"type": "a"}]}, ("types", 1, "type")),
        ({"kind": "musique", "answer_kind": "number"}, ("answer_kind",)),
        ({"kind": "reclor", "answer_kind": "text"}, ("answer_kind",)),
        ({"kind": "reclor", "columns": {"question": "q"}}, ("columns",)),
        (
            {
                "kind": "generic",
                "columns": {"type": "t"},
                "types": [{"type": "a", "min_hops": 2}],
            },
            ("types", 0, "min_hops"),
        ),
    ],
)
def test_keys_that_would_be_ignored(given: dict[str, Any], place: tuple[Any, ...]) -> None:
    assert places(Source, path="a", **given) == [place]


def recipe(*kinds: str, **release: Any) -> dict[str, Any]:
    return {
        "name": "r",
        "sources": [{"kind": kind, "path": "a"} for kind in kinds],
        "release": release,
    }


def test_sources_of_restricted_use_stand_alone_or_are_acknowledged() -> None:
    assert places(Recipe, **recipe("reclor", "musique")) == [("sources",)]
    assert places(Recipe, **recipe("logiqa", "logiqa2")) == [("sources",)]
    assert places(Recipe, **recipe("reclor", licence="MIT")) == [("release", "licence")]
    for fine in (
        recipe("reclor"),
        recipe("musique", "2wikimultihopqa"),
        recipe("logiqa2", "musique", licence="CC-BY-NC-SA-4.0"),
        recipe("reclor", "musique", mixed_licences=True),
        recipe("gsm8k", "logiqa"),
    ):
        assert Recipe.model_validate(fine).sources


def test_a_model_votes_once_wherever_it_is_served() -> None:
    models = ["compat:m@http://a:1/v1", "compat:m@http://b:1/v1", "openai:m"]
    assert places(GroundednessFilter, models=models) == [("models", 1)]
    assert places(GroundednessFilter, models=["program:arithmetic"]) == [("models", 0)]
    assert GroundednessFilter(models=models[1:]).max_tokens == 512


@pytest.mark.parametrize("kind", [["reclor"], {"reclor": 1}, 3, None, "recolr"])
def test_a_kind_that_is_none_is_one_fault(kind: Any) -> None:
    given = recipe("musique") | {"sources": [{"kind": kind, "path": "a"}]}
    assert places(Recipe, **given) == [("sources", 0, "kind")]
