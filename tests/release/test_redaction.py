"""Redaction: no endpoint, no absolute path."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chainwright.recipe import Recipe
from chainwright.release.redaction import public_model, public_place, public_recipe, public_row


@pytest.mark.parametrize(
    ("uri", "public"),
    [
        ("program:arithmetic", "program:arithmetic"),
        ("openai:gpt-x", "openai:gpt-x"),
        ("compat:org/qwen@http://10.0.0.7:8000/v1", "compat:org/qwen"),
        ("compat:qwen@https://gpu.lan/v1", "compat:qwen"),
        ("me@example.org", "me@example.org"),
    ],
)
def test_a_model_keeps_its_name_and_loses_its_endpoint(uri: str, public: str) -> None:
    assert public_model(uri) == public


@pytest.mark.parametrize(
    ("place", "public"),
    [
        ("/home/ada/gsm8k/test.jsonl:12", "test.jsonl:12"),
        ("~/test.jsonl", "test.jsonl"),
        ("file:///home/ada/test.jsonl", "test.jsonl"),
        ("C:\\Users\\Ada\\test.jsonl:3", "test.jsonl:3"),
        ("\\\\server\\share\\test.jsonl", "test.jsonl"),
        ("data/test.jsonl:12", "data/test.jsonl:12"),
        ("openai/gsm8k@main/test:7", "openai/gsm8k@main/test:7"),
        ("builtin:quickstart:3", "builtin:quickstart:3"),
    ],
)
def test_an_absolute_path_keeps_its_last_part(place: str, public: str) -> None:
    assert public_place(place) == public


def test_the_published_recipe_is_a_recipe_that_says_the_same(
    recipe: Callable[..., Recipe],
) -> None:
    given = recipe()
    again = Recipe.model_validate(public_recipe(given))
    assert again.sources[1].path == "pears.jsonl"
    own = given.sources[1].model_copy(update={"path": "pears.jsonl"})
    assert again == given.model_copy(update={"sources": [given.sources[0], own]})


def test_why_a_request_failed_does_not_name_the_server() -> None:
    failed = {
        "judge": "compat:qwen",
        "status": "missing",
        "explanation": "no answer from http://gpu7.lan:8000/v1 in time",
    }
    said = {"judge": "compat:qwen", "status": "ok", "explanation": "see https://example.org"}

    for row in (dict(failed), {"votes": [dict(failed)]}):
        vote = public_row(row).get("votes", [row])[0]
        assert vote["explanation"] == "no answer from the server in time"
    assert public_row(said)["explanation"] == "see https://example.org"
