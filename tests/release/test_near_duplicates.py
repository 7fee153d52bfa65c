"""Near-duplicates: found, counted, kept on one side or left out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.near_duplicates import Questions, arrange, minima
from chainwright.release.splits import Split, split_of

Block = dict[str, list[Any]]
TEXT = (
    "Ada picks 24 pears in the morning and twice as many in the afternoon, then gives a third of "
    "all her pears to Eve and sells what is left at two coins each. How many coins has she got?"
)
OTHER = (
    "A bus with 40 seats leaves the depot half full; at each of its five stops three people get "
    "off and seven get on. Is there a seat for everyone when it comes to the last stop of the line?"
)


def groups_of(*questions: str) -> list[list[str]]:
    found = Questions()
    for number, question in enumerate(questions):
        found.add(f"{number}", question)
    return found.groups()


@pytest.mark.parametrize(
    "other",
    [
        TEXT,
        TEXT.upper().replace(",", " ;"),
        TEXT.replace("Eve", "Tom"),
        f"Please read with care. {TEXT}",
    ],
)
def test_nearly_the_same_is_one_group(other: str) -> None:
    assert groups_of(TEXT, OTHER, other) == [["0", "2"]]


def test_what_differs_is_no_group() -> None:
    assert groups_of(TEXT, OTHER, "", "One?", "Two?") == []
    assert groups_of() == []


@given(st.text(max_size=300), st.text(max_size=300))
def test_minima_estimate_the_share_of_common_runs(one: str, other: str) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        import re

        words = re.findall(r"\w+", text.casefold())
        return {tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))}

    share = len(runs(one) & runs(other)) / len(runs(one) | runs(other))
    estimate = float((minima(one) == minima(other)).mean())
    assert (estimate == 1) if share == 1 else abs(estimate - share) < 0.35


ID = st.integers(0, 10**6).map(lambda n: f"p-{n:020d}")


@given(st.lists(st.lists(ID, min_size=2, unique=True), max_size=8), st.integers(0, 99))
def test_after_same_side_no_group_lies_astride(drawn: list[list[str]], seed: int) -> None:
    seen: set[str] = set()
    groups = []
    for group in drawn:
        fresh = [one for one in group if one not in seen]
        seen.update(fresh)
        if len(fresh) > 1:
            groups.append(fresh)

    def side(problem_id: str) -> Split:
        return split_of(problem_id, 0.5, seed)

    for handling in ("report", "same_side", "drop"):
        sides = arrange(groups, side, handling)
        left = [
            {sides.moved.get(one, side(one)) for one in group if one not in sides.dropped}
            for group in groups
        ]
        astride = sum(len(one) > 1 for one in left)
        assert astride == (sides.found.astride if handling == "report" else 0)
        assert all(side(one) == "train" for one in sides.dropped)
        assert sides.found.problems == sum(map(len, groups))


@pytest.fixture
def written(
    tmp_path: Path,
    recipe: Callable[..., Recipe],
    problem: Callable[..., Any],
    chain: Callable[..., Any],
    negative: Callable[..., Any],
    labels: Callable[..., Any],
) -> Callable[[str], Path]:
    """A release of six times two questions that differ in one word only."""

    def block(number: int) -> Block:
        text = f"{(TEXT, OTHER)[number % 2]} Case {number}."
        own = problem(number, question=text)
        positive = chain(own)
        both = [positive, negative(own, positive)]
        labelled = [one for each in both for one in labels(each, "correct", "correct", "correct")]
        return {"problems": [own], "chains": both, "labels": labelled}

    def write(handling: str) -> Path:
        folder = tmp_path / handling
        write_release(
            folder,
            recipe=recipe(release={"test_fraction": 0.5, "near_duplicates": handling}),
            blocks=(block(number) for number in range(12)),
            statistics={},
            stages=[],
        )
        return folder

    return write


def sides_of(release: Path, config: str = "chains") -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for path in (release / "data" / config).iterdir():
        for row in pq.read_table(path).to_pylist():
            found[row["question"]].add(path.name.split("-")[0])
    return found


@pytest.mark.parametrize("handling", ["report", "same_side", "drop"])
def test_a_question_with_all_its_chains_is_on_one_side(
    written: Callable[[str], Path], handling: str
) -> None:
    release = written(handling)
    assert all(len(sides) == 1 for sides in sides_of(release).values())
    parents = {
        row["chain_id"]: path.name.split("-")[0]
        for path in (release / "data" / "chains").iterdir()
        for row in pq.read_table(path).to_pylist()
    }
    for path in (release / "data" / "chains").iterdir():
        for row in pq.read_table(path).to_pylist():
            if row["parent_id"] is not None:
                assert parents[row["parent_id"]] == path.name.split("-")[0]


def test_each_handling_does_what_it_says(written: Callable[[str], Path]) -> None:
    told = {}
    for handling in ("report", "same_side", "drop"):
        release = written(handling)
        told[handling] = json.loads((release / "manifest.json").read_text())["near_duplicates"]
    assert {one["astride"] for one in told.values()} == {2}
    assert {one["problems"] for one in told.values()} == {12}
    assert told["report"]["moved"] == told["report"]["dropped"] == 0
    assert told["same_side"]["moved"] > 0
    assert told["drop"]["dropped"] == told["drop"]["touching"]
    for handling in ("same_side", "drop"):
        sides = sides_of(written(handling), "problems")
        questions = Questions()
        for question in sides:
            questions.add(question, question)
        mixed = [
            group
            for group in questions.groups()
            if len(set().union(*(sides[question] for question in group))) > 1
        ]
        assert mixed == []
    card = (written("drop") / "README.md").read_text()
    assert f"Those in `train`, {told['drop']['dropped']}, were left out." in card
    assert "`near_duplicate`" in card
