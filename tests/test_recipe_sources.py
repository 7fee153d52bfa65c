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
    open_text = {"redistribute": True}
    both = recipe("reclor", "musique")
    both["sources"][0] |= open_text
    assert places(Recipe, **both) == [("sources",)]
    assert places(Recipe, **recipe("logiqa", "logiqa2")) == [("sources",)]
    freer = recipe("reclor", licence="MIT")
    freer["sources"][0] |= open_text
    assert places(Recipe, **freer) == [("release", "licence")]
    for fine in (
        recipe("reclor", "musique"),
        recipe("reclor", licence="MIT"),
        recipe("reclor"),
        recipe("musique", "2wikimultihopqa"),
        recipe("logiqa2", "musique", licence="CC-BY-NC-SA-4.0"),
        recipe("reclor", "musique", mixed_licences=True),
        recipe("gsm8k", "logiqa"),
    ):
        assert Recipe.model_validate(fine).sources


@pytest.mark.parametrize(
    ("given", "withheld"),
    [
        ({"kind": "reclor"}, True),
        ({"kind": "reclor", "redistribute": True}, False),
        ({"kind": "musique"}, False),
        ({"kind": "musique", "redistribute": False}, True),
        ({"kind": "generic", "licence": "CC-BY-4.0, not for redistribution"}, True),
        ({"kind": "generic"}, False),
    ],
)
def test_text_is_withheld_as_the_recipe_or_else_the_licence_says(
    given: dict[str, Any], withheld: bool
) -> None:
    assert Source(path="a", **given).withheld is withheld


def test_a_model_votes_once_wherever_it_is_served() -> None:
    models = ["compat:m@http://a:1/v1", "compat:m@http://b:1/v1", "openai:m"]
    assert places(GroundednessFilter, models=models) == [("models", 1)]
    assert places(GroundednessFilter, models=["program:arithmetic"]) == [("models", 0)]
    assert GroundednessFilter(models=models[1:]).max_tokens == 512


@pytest.mark.parametrize("kind", [["reclor"], {"reclor": 1}, 3, None, "recolr"])
def test_a_kind_that_is_none_is_one_fault(kind: Any) -> None:
    given = recipe("musique") | {"sources": [{"kind": kind, "path": "a"}]}
    assert places(Recipe, **given) == [("sources", 0, "kind")]
