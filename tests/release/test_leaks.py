"""Leaks: keys and places of a machine in a release, and what only looks like one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.leaks import leaks
from chainwright.release.licences import LicenceRefusedError, check_publication
from chainwright.schemas.problem import Passage
from tests.release.conftest import THEIRS

Block = dict[str, list[Any]]
Release = Callable[[list[Block]], Path]

OURS = str(PurePosixPath("/", "pears", "runs"))
"""A folder of this machine, as the tests take it."""


@pytest.fixture
def release(tmp_path: Path, recipe: Callable[..., Recipe]) -> Release:
    def written(blocks: list[Block]) -> Path:
        folder = tmp_path / "release"
        write_release(
            folder,
            recipe=recipe(release={"perl_json": False}),
            blocks=blocks,
            statistics={},
            stages=[],
        )
        return folder

    return written


def test_a_release_as_built_has_none(release: Release, block: Callable[[int], Block]) -> None:
    folder = release([block(number) for number in range(4)])
    assert [*leaks(folder, [THEIRS])] == []


def test_a_key_in_a_question_is_found_and_not_shown(
    release: Release, problem: Callable[..., Any]
) -> None:
    key = "sk-proj-Abc123Def456Ghi789Jkl"
    folder = release([{"problems": [problem(1, question=f"What is {key} for?")]}])
    found = [*leaks(folder)]
    assert [(one.where, one.what) for one in found if one.path.endswith("parquet")] == [
        ("field question", "what looks like a key")
    ]
    assert all(key not in str(one) for one in found)


def test_a_secret_of_the_environment_is_found_anywhere(
    release: Release, problem: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_SERVER_PASSWORD", "pears.and(plums)*2")
    context = [Passage(ref=1, title="t", text="say pears.and(plums)*2 to get in")]
    folder = release([{"problems": [problem(1, context=context)]}])
    found = [one.what for one in leaks(folder) if one.where == "field context.text"]
    assert found == ["the value of OWN_SERVER_PASSWORD"]


@pytest.mark.parametrize(
    "question",
    [
        f"Ada saves a file in {THEIRS}/pears.txt and two more. How many?",
        "Let sk_1 + sk_2 = 10 and rk-method-of-order-four be used. What is sk_1?",
        r"C:\Users holds 4 folders. How many are left after 2 go?",
        "What is hf_a times pk_b?",
    ],
)
def test_a_question_may_speak_of_places(
    release: Release, problem: Callable[..., Any], question: str
) -> None:
    folder = release([{"problems": [problem(1, question=question)]}])
    assert [*leaks(folder, [OURS])] == []


def test_this_machines_folders_are_found_even_in_text(
    release: Release, problem: Callable[..., Any]
) -> None:
    folder = release([{"problems": [problem(1, question=f"See {OURS}/x. How many?")]}])
    assert any(one.where == "field question" for one in leaks(folder, [OURS]))


@pytest.mark.parametrize("place", [f"{THEIRS}/x.jsonl", "/tmp/x", r"C:\Users\ada\x"])  # noqa: S108
def test_a_place_in_recipe_or_manifest_is_found(
    release: Release, block: Callable[[int], Block], place: str
) -> None:
    folder = release([block(1)])
    with (folder / "recipe.yaml").open("a", encoding="utf-8") as file:
        file.write(f"# {place}\n")
    (found,) = leaks(folder)
    assert found.path == "recipe.yaml"
    assert "a place of some machine" in found.what


@pytest.mark.parametrize(
    ("by_source", "licence", "public", "allowed"),
    [
        ({"a": ["MIT"]}, None, True, True),
        ({"a": ["research only"]}, None, False, False),
        ({"a": ["research only"]}, "for research only", True, True),
        ({"a": [None]}, None, False, True),
        ({"a": [None]}, None, True, False),
        ({"a": [None]}, "CC-BY-4.0", True, True),
        ({"a": ["CC-BY-NC-4.0"]}, None, True, True),
        ({"a": ["CC-BY-NC-4.0"], "b": ["MIT"]}, None, False, False),
        ({"a": ["CC-BY-NC-4.0"]}, "MIT", False, False),
    ],
)
def test_licences_say_what_may_leave(
    by_source: dict[str, list[str | None]], licence: str | None, public: bool, allowed: bool
) -> None:
    def check(acknowledged: bool) -> None:
        check_publication(by_source, licence, acknowledged=acknowledged, public=public)

    check(acknowledged=True)
    if allowed:
        check(acknowledged=False)
        return
    with pytest.raises(LicenceRefusedError, match="mixed_licences"):
        check(acknowledged=False)
