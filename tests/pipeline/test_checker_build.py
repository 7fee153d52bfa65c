"""Builds with a checker of the user's own among the judges; the example is that of the docs."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chainwright.annotation.checkers import loading
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import complaint, exit_code
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.pipeline.screens.summary import BuildSummary
from chainwright.pipeline.tables import read_table
from chainwright.pipeline.validation.validate import validate
from chainwright.recipe_file import RecipeError
from chainwright.schemas.vote import Vote

PAGE = (Path(__file__).parents[2] / "docs" / "judges-and-tiers.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Your own checker\n")[2].partition("\n## ")[0]
CODE, RECIPE = re.findall(r"```(?:python|yaml)\n(.*?)```", SECTION, re.DOTALL)
ROWS = [
    {
        "question": "Which day is 9 days after 2026-02-25?",
        "steps": [
            "2026-02-25 plus 3 days is 2026-02-28.",
            "Six days are left.",
            "2026-02-28 plus 6 days is 2026-03-07.",
        ],
    },
    {
        "question": "Which day is before 2026-02-30?",
        "steps": ["2026-02-30 minus 1 days is 2026-02-29."],
    },
]


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The docs' example in a folder of its own, which is the working folder."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dates_check.py").write_text(CODE, encoding="utf-8")
    rows = "".join(f"{json.dumps(row)}\n" for row in ROWS)
    (tmp_path / "dates.jsonl").write_text(rows, encoding="utf-8")
    path = tmp_path / "dates.yaml"
    path.write_text(RECIPE, encoding="utf-8")
    yield path
    sys.modules.pop("dates_check", None)
    loading._loaded.pop("dates_check.check", None)


def built(recipe: Path) -> BuildSummary:
    return build(recipe, recipe.parent / "runs", quiet=True)


def ran(summary: BuildSummary) -> list[str]:
    return [stage.stage for stage in summary.stages if stage.ran]


def test_the_example_of_the_docs_votes(recipe: Path) -> None:
    summary = built(recipe)
    run = recipe.parent / "runs" / "dates"
    votes = read_table(run / "votes" / "votes-00000.parquet", Vote)
    own = [vote for vote in votes if vote.judge == "python:dates_check.check"]
    said = [(v.step, v.task, v.status, v.label, v.category, v.premises) for v in own]
    assert said == [
        (1, "error", "ok", "correct", None, None),
        (2, "error", "abstained", None, None, None),
        (3, "error", "ok", "error", "mathematical_error", None),
        (1, "premises", "ok", None, None, [0]),
        (2, "premises", "abstained", None, None, None),
        (3, "premises", "ok", None, None, [1]),
    ]
    (report,) = [stage for stage in summary.stages if stage.stage == "votes"]
    assert report.tables[0].rejected == {"judge_failed": 1}
    assert validate(run).faults == []
    card = (run / "release" / "README.md").read_text(encoding="utf-8")
    assert "python:dates\\_check.check" in card or "python:dates_check.check" in card


def test_a_changed_checker_votes_again_and_an_unchanged_one_does_not(recipe: Path) -> None:
    built(recipe)
    assert ran(built(recipe)) == []
    path = recipe.parent / "dates_check.py"
    path.write_text(CODE.replace("not {end}", "and not {end}"), encoding="utf-8")
    plan = {plan.stage: plan for plan in plan_build(recipe, recipe.parent / "runs").stages}
    assert plan["votes"].because == {"code": 1}
    assert plan["chains"].because == {}
    assert ran(built(recipe)) == ["votes", "labels", "statistics", "release"]


def test_a_dry_run_runs_no_code_of_the_users(recipe: Path) -> None:
    (recipe.parent / "dates_check.py").write_text("raise AssertionError\n", encoding="utf-8")
    plan_build(recipe, recipe.parent / "runs")
    assert "dates_check" not in sys.modules


def test_a_checker_that_cannot_be_used_ends_the_build_at_its_line(recipe: Path) -> None:
    text = RECIPE.replace("program:provenance", "python:dates_check.chekc, python:nowhere.check")
    recipe.write_text(text, encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        built(recipe)
    first, second = caught.value.problems
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "judges" in row)
    assert [first.key_path, second.key_path] == ["annotation.judges[1]", "annotation.judges[2]"]
    assert (first.line, first.hint) == (line, "did you mean `python:dates_check.check`?")
    assert "no module `nowhere`" in second.found
    assert exit_code(caught.value) == 2
    assert "Traceback" not in complaint(caught.value)
    assert not (recipe.parent / "runs").exists()
