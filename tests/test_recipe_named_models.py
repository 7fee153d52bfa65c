"""Every model that a recipe names is known to its limits and to its budget."""

from typing import Any

import pytest

from chainwright.pipeline.budgeting import models_of, without_price
from chainwright.recipe_parts.judges import JudgePart
from chainwright.recipe_parts.models import named_models
from tests.scripted_models import a_recipe

PLACE = "@http://localhost:1/v1"
NAMES = ("writer", "filter", "breaker", "judge", "bare", "critic")
URIS = {name: f"compat:{name}{PLACE}" for name in NAMES}
PARTS: dict[str, Any] = {
    "chains": {
        "model": {"models": [URIS["writer"]]},
        "groundedness": {"models": [URIS["filter"]]},
    },
    "negatives": {"model": {"model": URIS["breaker"]}},
    "annotation": {
        "judges": [
            "program:arithmetic",
            {"model": URIS["judge"], "error": "full_context"},
            URIS["bare"],
        ],
        "critique": {"models": [URIS["critic"]]},
    },
}


def test_all_of_them_are_found_once_in_order() -> None:
    recipe = a_recipe(**PARTS, budget={"usd": 1.0})
    assert [model.name for model in models_of(recipe)] == list(NAMES)
    # a server of one's own has no price, whoever is asked there
    assert [model.name for model in without_price(recipe)] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_may_have_a_limit_of_its_own(name: str) -> None:
    limits = [{"model": f"compat:{name}", "requests_per_minute": 5}]
    a_recipe(**PARTS, requests={"limits": limits})
    limits[0]["model"] = "compat:nobody"
    with pytest.raises(ValueError, match="which this recipe never asks"):
        a_recipe(**PARTS, requests={"limits": limits})


def test_places_are_told_of_plain_values_and_of_parts() -> None:
    part = JudgePart(model=URIS["judge"], error="full_context")
    found = list(named_models({"annotation": {"judges": [part, URIS["bare"]]}}))
    assert found == [
        (("annotation", "judges", 0, "model"), URIS["judge"]),
        (("annotation", "judges", 1), URIS["bare"]),
    ]
