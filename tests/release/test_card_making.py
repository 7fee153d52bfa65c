"""Card: who made the labels, what the sources' licences ask for, and what nobody has said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from chainwright.llm.prompts import prompt_names, prompt_version
from chainwright.llm.uri import PROGRAMS as KNOWN
from chainwright.recipe import Recipe
from chainwright.recipe_file import RecipeError, load_recipe
from chainwright.release.build import write_release
from chainwright.release.card_making import PROGRAMS, prompts_of
from chainwright.release.licences import what_follows
from chainwright.release.redaction import public_recipe

Block = dict[str, list[Any]]
MakeRecipe = Callable[..., Recipe]
MakeBlock = Callable[[int], Block]
MakeCard = Callable[..., str]


def head(card: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return found


def labelled_by(block: Block, source: str) -> Block:
    labels = [one.model_copy(update={"label_source": source}) for one in block["labels"][:2]]
    return {**block, "labels": [*labels, *block["labels"][2:]]}


@pytest.mark.parametrize(
    ("people", "word", "told"),
    [
        (None, "other", "Whether they were experts is not said"),
        ("experts", "expert-generated", "They were experts, by the word of"),
        ("crowd", "crowdsourced", "They were a crowd, by the word of"),
    ],
)
def test_labels_by_people_are_told_as_people_s(
    recipe: MakeRecipe,
    card_of: MakeCard,
    block: MakeBlock,
    people: str | None,
    word: str,
    told: str,
) -> None:
    pair = {"first": "a", "second": "b", "label": {"units": 2}}
    of = {
        "units": 2,
        "unanimity_complete": {"value": 1.0},
        "krippendorff": {"value": 1.0},
        "gwet": {"value": 1.0},
    }
    tracks = {"math": {"pairs": [pair], "all": {"label": of, "outcome": of}}}
    given = {"people": {"blind": {"tracks": tracks, "settled": {"agreed": 2}}}}
    made = recipe(release={"people": people} if people else {})
    card = card_of(made, [labelled_by(block(1), "human")], given)
    assert head(card)["annotations_creators"] == [word, "machine-generated"]
    assert told in card
    assert "People labelled steps for this release." in card
    assert "Nothing was collected from people" not in card


def test_without_labels_by_people_nobody_is_claimed(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock
) -> None:
    card = card_of(recipe(release={"people": "experts"}), [block(1)])
    assert head(card)["annotations_creators"] == ["machine-generated"]
    assert "Nothing was collected from people for this release." in card


def test_croissant_and_citation_tell_of_people_and_of_the_day(
    tmp_path: Path, recipe: MakeRecipe, block: MakeBlock
) -> None:
    write_release(
        tmp_path / "release",
        recipe=recipe(release={"people": "crowd", "date": "2026-05-31"}),
        blocks=[labelled_by(block(1), "human")],
        statistics={},
        stages=[],
    )
    told = json.loads((tmp_path / "release" / "croissant.json").read_text())
    assert "Where people labelled a step, theirs is the label" in told["rai:dataAnnotationProtocol"]
    assert told["rai:annotatorDemographics"] == ["A crowd; nothing about them is recorded."]
    assert told["rai:personalSensitiveInformation"].startswith("The names of those who labelled")
    assert told["datePublished"] == "2026-05-31"
    cited = yaml.safe_load((tmp_path / "release" / "CITATION.cff").read_text())
    assert cited["date-released"] == "2026-05-31"
    assert "Published `2026-05-31`." in (tmp_path / "release" / "README.md").read_text()


def test_a_day_that_is_on_no_calendar_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "day.yaml"
    path.write_text(
        'name: day\nsources: [{kind: gsm8k, path: "builtin:quickstart"}]\n'
        "release: {date: 2026-02-30}\n",
        encoding="utf-8",
    )
    with pytest.raises(RecipeError, match=r"release\.date(.|\n)*`2026-02-30`"):
        load_recipe(path)


@pytest.mark.parametrize(
    ("by_source", "licence", "expected"),
    [
        ({"a": ["MIT"], "b": ["MIT"]}, None, ["All rows, and so the whole, are under MIT."]),
        (
            {"a": ["MIT"], "b": ["CC-BY-SA-4.0"]},
            None,
            [
                "No licence is claimed for the whole: who uses it keeps to each.",
                "What is made from rows under CC-BY-SA-4.0 has to be passed on under the same.",
                "CC-BY-SA-4.0 asks that the source be named, and changes told: steps and labels "
                "were added.",
            ],
        ),
        (
            {"a": ["own terms, non-commercial"]},
            "own terms, non-commercial",
            [
                "The whole is put under own terms, non-commercial by those who made it. Each row "
                "keeps the licence of its source as well.",
                "Rows under own terms, non-commercial are not for commercial use.",
            ],
        ),
        (
            {"a": [None]},
            None,
            [
                "No licence is stated for a: only its owners can say what may be done with these "
                "rows. Ask before passing on."
            ],
        ),
        ({}, None, []),
    ],
)
def test_what_licences_ask_for_is_said(
    by_source: dict[str, list[str | None]], licence: str | None, expected: list[str]
) -> None:
    assert ["".join(parts) for parts in what_follows(by_source, licence)] == expected


def test_a_file_that_is_named_like_a_test_split_is_pointed_out(
    tmp_path: Path, recipe: MakeRecipe, block: MakeBlock
) -> None:
    given = block(1)
    where = {"origin_ref": "gsm8k/test.jsonl:7"}
    given["problems"] = [one.model_copy(update=where) for one in given["problems"]]
    write_release(tmp_path / "release", recipe=recipe(), blocks=[given], statistics={}, stages=[])
    card = (tmp_path / "release" / "README.md").read_text()
    assert "- `own`, from the file `test.jsonl`: 1" in card
    assert "No problem here is of a split" not in card


def test_prompts_are_those_of_the_work_that_was_asked_for(recipe: MakeRecipe) -> None:
    given = recipe(
        chains={"model": {"models": ["openai:gpt"]}},
        annotation={"judges": ["program:arithmetic"]},
    )
    names = [str(one).strip("`").split() for one in prompts_of(public_recipe(given))]
    assert names == [[name, prompt_version(name)] for name in prompt_names() if "solve" in name]
    assert prompts_of(public_recipe(recipe())) == []
    judged = recipe(annotation={"judges": ["openai:gpt"]})
    heads = {str(one).strip("`").split("_")[0] for one in prompts_of(public_recipe(judged))}
    assert heads == {"judge", "premises"}


def test_every_program_is_told_of() -> None:
    assert set(PROGRAMS) == {f"program:{name}" for name in KNOWN}
