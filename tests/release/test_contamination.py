"""Contamination: what is found in test sets is counted, listed, told, or left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.contamination import DROPPED, FILE, Contamination, TestItem, TestItems
from chainwright.release.summary import ReleaseSummary
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.reject import Reject

Block = dict[str, list[Any]]
PROBLEMS = 8
TAKEN = (1, 4)
"""Numbers of the problems that the test set holds."""


def items(problem: Callable[..., Problem]) -> list[TestItem | None]:
    """Two of the release's questions, one of them in capitals, a stranger, and a row of nothing."""
    first, second = (problem(number) for number in TAKEN)
    return [
        TestItem("pears.jsonl:1", first.question.upper()),
        None,
        TestItem("pears.jsonl:3", "Who wrote the Diary of a Pear Farmer, and in which year?"),
        TestItem("pears.jsonl:4", second.question),
    ]


@pytest.fixture
def written(
    tmp_path: Path,
    recipe: Callable[..., Recipe],
    block: Callable[[int], Block],
    problem: Callable[..., Problem],
) -> Callable[..., tuple[Path, ReleaseSummary, list[Reject]]]:
    """Writes a release of eight problems that is held against a test set with two of them."""

    def write(contaminated: str, **release: Any) -> tuple[Path, ReleaseSummary, list[Reject]]:
        given = {"decontaminate": ["gsm8k"], "contaminated": contaminated, **release}
        rejects: list[Reject] = []
        summary = write_release(
            tmp_path / "release",
            recipe=recipe(release=given),
            blocks=[block(number) for number in range(PROBLEMS)],
            statistics={},
            stages=[],
            on_reject=rejects.append,
            test_sets=[TestItems("pears", "pears.jsonl", items(problem))],
        )
        return tmp_path / "release", summary, rejects

    return write


def pairs(release: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (release / FILE).read_text().splitlines()]


def ids(release: Path, config: str) -> set[str]:
    return {
        row["problem_id"]
        for path in (release / "data" / config).iterdir()
        for row in pq.read_table(path).to_pylist()
    }


def test_a_report_counts_and_lists_what_is_found(
    written: Callable[..., Any], problem: Callable[..., Problem]
) -> None:
    release, summary, rejects = written("report", test_fraction=0.5)
    assert rejects == []
    exact = {
        pair["test_item"]: pair["problem_id"]
        for pair in pairs(release)
        if pair["method"] == "exact"
    }
    known = ids(release, "problems")
    assert len(known) == PROBLEMS
    assert set(exact) == {"pears.jsonl:1", "pears.jsonl:4"}
    assert set(exact.values()) <= known
    (figures,) = json.loads((release / "manifest.json").read_text())["contamination"]
    assert (figures["questions"], figures["unread"]) == (3, 1)
    by_id = {pair["problem_id"]: pair["split"] for pair in pairs(release)}
    counted = Counter({"train": 0, "test": 0})
    for entry in figures["problems"]:
        counted[entry["split"]] += entry["problems"]
    assert counted == Counter(by_id.values()) | counted
    assert counted.total() == len(by_id)
    card = (release / "README.md").read_text()
    assert f"| pears | 3 | {figures['questions_found']} | 2 |" in card
    assert "- Of pears, 1 rows held no question that could be read." in card
    assert "They were left where they are." in card
    assert any(one.path == FILE for one in summary.files)


def test_what_is_dropped_leaves_with_its_chains_and_is_accounted_for(
    written: Callable[..., Any], recipe: Callable[..., Recipe]
) -> None:
    release, summary, rejects = written("drop")
    gone = {pair["problem_id"] for pair in pairs(release)}
    assert gone
    assert not gone & ids(release, "problems")
    assert not gone & ids(release, "chains")
    assert {pair["split"] for pair in pairs(release)} == {DROPPED}
    by_table = Counter((one.table, one.reason) for one in rejects)
    assert by_table["problems", "contaminated"] == len(gone)
    assert by_table["chains", "contaminated"] == 2 * len(gone)
    assert by_table["votes", "chain_not_released"] == 12 * len(gone)
    for config, taken in summary.taken.items():
        made = sum(summary.counts.get(config, summary.perl).values())
        assert taken == made + sum(summary.rejects.get(config, {}).values()), config
    details = [one.detail for one in rejects if one.reason == "contaminated"]
    assert any(detail.startswith("its question is in pears: pears.jsonl:") for detail in details)
    card = (release / "README.md").read_text()
    assert "Problems with a hit in their question were left out" in card


@pytest.mark.parametrize("more", [{"near_duplicates": "drop"}, {"selection": {}}])
def test_what_is_dropped_has_no_part_in_what_else_is_decided(
    written: Callable[..., Any], more: dict[str, Any]
) -> None:
    release, _, rejects = written("drop", **more)
    gone = {pair["problem_id"] for pair in pairs(release)}
    config = "full" if "selection" in more else "chains"
    assert not gone & ids(release, config)
    assert {one.reason for one in rejects if one.table == "problems" and one.item in gone} == {
        "contaminated"
    }


def test_without_test_sets_the_card_says_that_nothing_was_looked_for(
    tmp_path: Path, recipe: Callable[..., Recipe], block: Callable[[int], Block]
) -> None:
    write_release(
        tmp_path / "release", recipe=recipe(), blocks=[block(1)], statistics={}, stages=[]
    )
    assert "No test set was named" in (tmp_path / "release" / "README.md").read_text()
    assert not (tmp_path / "release" / FILE).exists()


PASSAGE = (
    "The councillors of Pearville have voted each year since 1950 to close the market on Sundays, "
    "and each year the farmers have opened it all the same."
)
STEM = "Which of the following must be true?"


def on(track: str, question: str, passage: str) -> Problem:
    context = [Passage(ref=1, title="", text=passage)]
    return Problem.build(source="s", question=question, context=context, track=track)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("track", "question", "passage", "parts"),
    [
        ("inference", STEM, PASSAGE, {"question": "exact"}),
        ("inference", STEM, "Pears are no apples, says the law of fruit.", {}),
        ("grounding", STEM, "Pears are no apples.", {"question": "exact"}),
        (
            "grounding",
            "When was the market closed by the council?",
            PASSAGE,
            {"context": "ngram"},
        ),
    ],
)
def test_a_question_counts_with_its_passages_where_all_questions_read_alike(
    track: str, question: str, passage: str, parts: dict[str, str]
) -> None:
    sets = [TestItems("law", "law.json", [TestItem("law.json:1", STEM, PASSAGE)])]
    found = Contamination(sets, drop=True)
    one = on(track, question, passage)
    found.look_ahead(one)
    assert {row["part"]: row["method"] for row in found.note(one, "train")} == parts
    assert (found.left_out(one.problem_id) is not None) == ("question" in parts)
