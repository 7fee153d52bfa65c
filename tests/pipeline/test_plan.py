from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.screens.dry_run import BuildPlan, plan_build
from chainwright.pipeline.screens.status import RunStatus, run_status
from tests.pipeline.small_line import small_line, write_recipe, write_recipe_over

STAGES = ["problems", "chains", "negatives", "votes", "labels", "statistics", "release"]


def planned(recipe: Path, runs: Path, **options: Any) -> dict[str, str]:
    return would_run(plan_build(recipe, runs, line=small_line(), **options))


def would_run(plan: BuildPlan | RunStatus) -> dict[str, str]:
    stages = plan.stages if isinstance(plan, BuildPlan) else plan.plan
    return {stage.stage: str(stage) for stage in stages if stage.run}


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    good = {"question": "What is 1 + 1?", "answer": "2", "solution": "1 + 1 = 2"}
    plan = plan_build(
        write_recipe_over(tmp_path, [good, good, "no JSON"]), tmp_path, line=small_line()
    )
    assert (plan.sources[0].rows, plan.problems, plan.blocks) == (3, 1, 1)
    assert plan.rejected == {"duplicate": 1, "bad_json": 1}
    assert (plan.requests, plan.cost_usd) == (0, 0)
    assert [stage.stage for stage in plan.stages] == STAGES
    assert all(stage.because == {"new": 1} for stage in plan.stages if stage.stage == "problems")
    assert not (tmp_path / "small").exists()


def test_nothing_would_run_after_a_build(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    build(recipe, tmp_path, quiet=True, line=small_line())
    assert planned(recipe, tmp_path) == {}
    assert set(planned(recipe, tmp_path, fresh=True)) == set(STAGES)
    status = run_status("small", tmp_path, line=small_line())
    assert not status.is_stale
    assert [stage.stage for stage in status.stages] == STAGES
    assert all((stage.done, stage.kept) == (stage.total, 0) for stage in status.stages)


def test_plans_say_what_would_run_and_why(tmp_path: Path) -> None:
    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    recipe = write_recipe(tmp_path, chains={"marks": "strip"})
    expected = {
        "chains": "3 of 3 would run (settings)",
        "votes": "3 of 3 would run (input)",
        "labels": "3 of 3 would run (input)",
        "statistics": "1 of 1 would run (input)",
        "release": "1 of 1 would run (settings, input)",
    }
    assert planned(recipe, tmp_path) == expected
    assert would_run(run_status("small", tmp_path, line=small_line())) == expected


def test_a_title_would_run_the_release_only(tmp_path: Path) -> None:
    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    recipe = write_recipe(tmp_path, release={"title": "T"})
    assert planned(recipe, tmp_path) == {"release": "1 of 1 would run (settings)"}


def test_a_changed_source_and_a_lost_file_show_in_a_dry_run(tmp_path: Path) -> None:
    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    recipe = write_recipe(tmp_path, 10)
    plan = planned(recipe, tmp_path)
    assert plan["problems"] == "4 of 4 would run (input, new)"
    assert set(plan) == set(STAGES)
    write_recipe(tmp_path)
    (tmp_path / "small" / "labels" / "labels-00001.parquet").unlink()
    assert planned(recipe, tmp_path) == {
        "labels": "1 of 3 would run (files)",
        "statistics": "1 of 1 would run (input)",
        "release": "1 of 1 would run (input)",
    }


def test_status_reads_neither_sources_nor_rows(tmp_path: Path) -> None:
    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    (tmp_path / "rows.jsonl").unlink()
    for shard in (tmp_path / "small").rglob("*.parquet"):
        shard.write_bytes(b"")
    status = run_status(str(tmp_path / "small"), Path("none"), line=small_line())
    votes = next(stage for stage in status.stages if stage.stage == "votes")
    assert votes.tables[0].made == 28
    assert not status.is_stale


def test_status_falls_back_on_the_runs_own_recipe(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    build(recipe, tmp_path, quiet=True, line=small_line())
    recipe.unlink()
    status = run_status("small", tmp_path, line=small_line())
    assert status.recipe == str(tmp_path / "small" / "recipe.yaml")
    assert not status.is_stale


def test_status_goes_on_without_a_plan_where_the_recipe_is_broken(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    build(recipe, tmp_path, quiet=True, line=small_line())
    recipe.write_text("name: [")
    status = run_status("small", tmp_path, line=small_line())
    assert status.recipe_fault is not None
    assert "recipe.yaml" in status.recipe_fault
    assert status.plan == []
    assert status.as_json()["stale"] is None


def test_a_manifest_that_is_none_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "manifest.json").write_text('{"name": 3}')
    with pytest.raises(InputMistake, match=r"manifest\.json is not a run's manifest"):
        run_status("small", tmp_path)
