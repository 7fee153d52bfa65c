from typing import Any

import pytest
from pydantic import ValidationError

from chainwright.recipe import Annotation, Chains, Negatives, Recipe
from chainwright.recipe_models import JudgePart, ModelChains, ModelNegatives

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
