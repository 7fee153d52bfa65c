from typing import Any

import pytest
from pydantic import ValidationError

from chainwright.llm.limits import Limit
from chainwright.recipe import Annotation, Chains, Negatives, Recipe
from chainwright.recipe_parts.judges import JudgePart
from chainwright.recipe_parts.requests import Requests
from chainwright.recipe_parts.writers import ModelChains, ModelNegatives

SOURCES = [{"kind": "gsm8k", "path": "a.jsonl"}]


def faults(part: type[Any], **given: Any) -> list[tuple[tuple[int | str, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        part(**given)
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


def test_defaults_are_those_of_the_paper() -> None:
    chains = ModelChains(models=["openai:x"])
    assert (chains.samples, chains.temperature, chains.max_tokens) == (1, 0.0, 2048)
    negatives = ModelNegatives(model="openai:x")
    assert negatives.error_types == ["mathematical_error", "logical_inconsistency"]
    assert negatives.limit is None
    recipe = Recipe.model_validate({"name": "r", "sources": SOURCES})
    assert (recipe.chains.model, recipe.negatives.model) == (None, None)
    assert recipe.chains.keep.is_all
    assert recipe.requests.concurrency == 16


def test_models_and_error_types_are_named_once() -> None:
    found = dict(faults(ModelChains, models=["openai:x", "program:reference", "openai:x"]))
    assert set(found) == {("models", 1), ("models", 2)}
    assert "a program judges, and writes nothing" in found["models", 1]
    assert "it is models[0] already" in found["models", 2]
    error_types = ["logical_inconsistency"] * 2
    ((place, _),) = faults(ModelNegatives, model="openai:x", error_types=error_types)
    assert place == ("error_types", 1)


def test_quotas_need_models_that_write() -> None:
    ((place, message),) = faults(Chains, keep={"positive": 50})
    assert place == ("keep",)
    assert "only beside `model`" in message
    assert Chains.model_validate({"keep": {}}).keep.is_all
    kept = Chains.model_validate({"model": {"models": ["openai:x"]}, "keep": {"negative": 0}}).keep
    assert (kept.positive, kept.negative, kept.is_all) == (None, 0, False)


def test_a_model_has_positives_to_break() -> None:
    negatives = {"model": {"model": "openai:x"}}
    bare: dict[str, Any] = {"name": "r", "sources": SOURCES, "negatives": negatives}
    ((place, message),) = faults(Recipe, **bare, chains={"reference": False})
    assert place == ("negatives", "model")
    assert "neither `chains.model` nor `chains.reference`" in message
    model = {"reference": False, "model": {"models": ["openai:y"]}}
    assert Recipe.model_validate({**bare, "chains": model}).negatives.model is not None
    assert isinstance(Recipe.model_validate(bare).negatives, Negatives)


@pytest.mark.parametrize(
    ("methods", "place", "words"),
    [
        ({}, (), "at least one of `error` and `premises`"),
        ({"error": "premise_conditioned"}, (), "per_step, per_chain, dyadic"),
        (
            {"error": "premise_conditioned", "premises": "one_pass"},
            ("premises",),
            "per_step, per_chain, dyadic",
        ),
        ({"error": "one_pass", "premises": "dyadic"}, ("premises",), "finds premises itself"),
        ({"premises": "one_pass"}, ("premises",), "without `error: one_pass`"),
        (
            {"error": "full_context", "premises": "one_pass"},
            ("premises",),
            "without `error: one_pass`",
        ),
    ],
)
def test_methods_that_do_not_go_together(
    methods: dict[str, str], place: tuple[str, ...], words: str
) -> None:
    ((where, message),) = faults(JudgePart, model="openai:x", **methods)
    assert where == place
    assert words in message


@pytest.mark.parametrize(
    "methods",
    [
        {"error": "one_pass"},
        {"error": "one_pass", "premises": "one_pass"},
        {"error": "full_context"},
        {"error": "full_context", "premises": "per_step"},
        {"error": "premise_conditioned", "premises": "per_chain"},
        {"premises": "dyadic"},
    ],
)
def test_methods_that_go_together(methods: dict[str, Any]) -> None:
    assert JudgePart(model="openai:x", **methods).model == "openai:x"


def test_a_panel_has_each_judge_in_one_form() -> None:
    given = ["program:reference", "openai:x", {"model": "local:smollm2", "premises": "dyadic"}]
    panel = Annotation.model_validate({"judges": given}).panel
    assert panel == [
        "program:reference",
        JudgePart(model="openai:x", error="one_pass", premises="one_pass"),
        JudgePart(model="openai:x", faithfulness="all"),
        JudgePart(model="local:smollm2", premises="dyadic"),
    ]


def test_judges_are_told_apart_by_model_and_methods() -> None:
    both = [
        {"model": "openai:x", "error": "full_context"},
        {"model": "openai:x", "error": "full_context", "premises": "dyadic"},
        {"model": "openai:x", "premises": "dyadic"},
        "openai:x",
    ]
    assert len(Annotation.model_validate({"judges": both}).judges) == 4
    found = dict(
        faults(
            Annotation,
            judges=[
                "compat:x@http://one:1/v1",
                "compat:x@http://two:2/v1",
                {"model": "compat:x@http://one:1/v1", "error": "one_pass", "max_tokens": 9},
                {"model": "openai:x", "premises": "dyadic"},
                JudgePart(model="openai:x", premises="dyadic", temperature=None),
            ],
        )
    )
    assert set(found) == {("judges", 1), ("judges", 2), ("judges", 4)}
    assert "told apart by model and methods alone" in found["judges", 2]


@pytest.mark.parametrize(
    "judge", [None, 3, [], {}, {"model": 3}, {"model": "x"}, {"model": "openai:x", "error": []}]
)
def test_no_key_of_an_error_is_one_that_nobody_wrote(judge: Any) -> None:
    for place, _ in faults(Annotation, judges=[judge]):
        assert place in {("judges", 0), *(("judges", 0, key) for key in JudgePart.model_fields)}


def test_limits_by_model_by_provider_and_for_all_others() -> None:
    limits = [
        {"model": "openai:x", "requests_per_minute": 500, "tokens_per_minute": 200_000},
        {"model": "compat:x", "requests_per_minute": 9},
        {"model": "anthropic", "tokens_per_minute": 7},
        {"requests_per_minute": 1},
    ]
    assert Requests.model_validate({"limits": limits}).each_limit == [
        Limit("openai:x", 500, 200_000),
        Limit("compat:x", 9),
        Limit("anthropic", None, 7),
        Limit(None, 1),
    ]


@pytest.mark.parametrize(
    ("limits", "place", "words"),
    [
        ([{"model": "openai:x"}], ("limits", 0), "no `requests_per_minute` and no"),
        ([{"requests_per_minute": 0}], ("limits", 0, "requests_per_minute"), "greater than"),
        ([{"model": "opnai", "requests_per_minute": 1}], ("limits", 0, "model"), "provider"),
        ([{"model": "program:arithmetic", "requests_per_minute": 1}], ("limits", 0, "model"), ""),
        ([{"requests_per_minute": 1}] * 2, ("limits", 1), "a second limit of every other model"),
        ([{"model": "openai", "tokens_per_minute": 1}] * 2, ("limits", 1), "limits[0] is one"),
    ],
)
def test_limits_at_fault(limits: list[Any], place: tuple[int | str, ...], words: str) -> None:
    ((found, message),) = faults(Requests, limits=limits)
    assert found == place
    assert words in message


def test_a_limit_of_a_model_that_is_never_asked_is_a_fault() -> None:
    uri = "compat:org/m@http://localhost:1/v1"
    given: dict[str, Any] = {
        "name": "r",
        "sources": SOURCES,
        "chains": {"model": {"models": ["openai:x"]}},
        "negatives": {"model": {"model": "anthropic:y"}},
        "annotation": {"judges": ["openai:z", {"model": uri, "premises": "dyadic"}]},
    }
    names = ["openai:x", "anthropic:y", "openai:z", uri, "compat:org", "compat:org/m", "azure"]
    limits = [{"model": name, "requests_per_minute": 1} for name in [*names, "openai:xx"]]
    found = faults(Recipe, **given, requests={"limits": limits})
    assert [place for place, _ in found] == [
        ("requests", "limits", 4, "model"),
        ("requests", "limits", 7, "model"),
    ]
    assert "did you mean `openai:x`?" in found[1][1]


@pytest.mark.parametrize("odd", [3, "all", [3], [[]], [{"model": 3}], {"model": "openai:x"}])
def test_odd_limits_are_faults_and_no_crash(odd: Any) -> None:
    assert faults(Recipe, name="r", sources=SOURCES, requests={"limits": odd})
