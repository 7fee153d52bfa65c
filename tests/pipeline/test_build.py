from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.ledger import Ledger
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.reading.rows import SourceError
from chainwright.pipeline.run_folder import RunFolder, held
from chainwright.pipeline.tables import iter_table, read_table
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from chainwright.schemas.vote import Vote
from tests.pipeline.small_line import (
    CODE_VERSION,
    WING,
    counted_line,
    pinned,
    small_line,
    write_recipe,
    write_recipe_over,
)

NOTHING = dict.fromkeys(("chains", "negatives", "votes", "labels", "statistics", "release"), 0)
COLUMNS = {"question": "question", "answer": "answer", "solution": "solution"}


def limited(limit: int | None, **source: Any) -> list[dict[str, Any]]:
    return [{"kind": "generic", "path": "rows.jsonl", "columns": COLUMNS, "limit": limit} | source]


def test_every_stage_runs_over_every_block(tmp_path: Path) -> None:
    line, ran = counted_line()
    summary = build(write_recipe(tmp_path), tmp_path / "runs", quiet=True, line=line)
    assert ran == dict.fromkeys(NOTHING, 3) | {"statistics": 1, "release": 1}
    assert summary.blocks == 3
    assert [stage.stage for stage in summary.stages] == ["problems", *NOTHING]
    assert all(totals.balanced for stage in summary.stages for totals in stage.tables)
    folder = tmp_path / "runs" / "small"
    assert len(list(iter_table(folder, "problems", Problem))) == 7
    assert len(list(iter_table(folder, "chains", Chain))) == 14
    assert (folder / "recipe.yaml").read_text() == (tmp_path / "recipe.yaml").read_text()
    assert (folder / "release" / "README.md").is_file()
    manifest = load_manifest(RunFolder(folder))
    assert manifest is not None
    assert manifest.outcome == "done"


def test_chains_and_votes_stay_in_the_block_of_their_problem(tmp_path: Path) -> None:
    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    run = tmp_path / "small"
    for block in range(3):
        problems = read_table(run / f"problems/problems-0000{block}.parquet", Problem)
        chains = [
            chain
            for stage in ("chains", "negatives")
            for chain in read_table(run / f"{stage}/chains-0000{block}.parquet", Chain)
        ]
        votes = read_table(run / f"votes/votes-0000{block}.parquet", Vote)
        assert {chain.problem_id for chain in chains} == {p.problem_id for p in problems}
        assert {vote.chain_id for vote in votes} == {chain.chain_id for chain in chains}


def test_a_second_build_runs_nothing_and_changes_no_file(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    first = build(recipe, tmp_path, quiet=True, line=small_line())
    files = {
        path: path.read_bytes()
        for path in (tmp_path / "small").rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    line, ran = counted_line()
    second = build(recipe, tmp_path, quiet=True, line=line)
    assert ran == NOTHING
    assert {path: path.read_bytes() for path in files} == files
    assert [stage.tables for stage in second.stages] == [stage.tables for stage in first.stages]
    assert all(stage.ran == 0 for stage in second.stages)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"release": {"title": "T"}}, {"release": 1}, id="title"),
        pytest.param(
            {"annotation": {"judges": ["program:arithmetic"], "bootstrap": 20}},
            {"statistics": 1, "release": 1},
            id="bootstrap",
        ),
        pytest.param(
            {"annotation": {"judges": ["program:provenance"], "bootstrap": 10}},
            {"votes": 3, "labels": 3, "statistics": 1, "release": 1},
            id="judges",
        ),
        pytest.param(
            {"chains": {"marks": "strip"}},
            {"chains": 3, "votes": 3, "labels": 3, "statistics": 1, "release": 1},
            id="chains",
        ),
        pytest.param(
            {"negatives": {"exact": {"per_problem": 2}}},
            {"negatives": 3, "release": 1},
            id="negatives, with the same rows",
        ),
        pytest.param(
            {"seed": 1},
            dict.fromkeys(NOTHING, 3) | {"statistics": 1, "release": 1},
            id="seed, which is the sample's too",
        ),
    ],
)
def test_a_change_runs_what_depends_on_it(
    tmp_path: Path, changes: dict[str, Any], expected: dict[str, int]
) -> None:
    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    line, ran = counted_line()
    build(write_recipe(tmp_path, **changes), tmp_path, quiet=True, line=line)
    assert ran == NOTHING | expected


def test_changed_code_runs_its_stages_and_no_others_where_the_rows_stay_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write_recipe(tmp_path)
    build(recipe, tmp_path, quiet=True, line=small_line())

    def edited(*modules: str) -> str:
        return f"{pinned(*modules)}{' edited' if WING in modules else ''}"

    monkeypatch.setattr(CODE_VERSION, edited)
    line, ran = counted_line()
    build(recipe, tmp_path, quiet=True, line=line)
    assert ran == dict.fromkeys(NOTHING, 3) | {"statistics": 0, "release": 0}


def test_going_back_to_a_former_recipe_gives_the_former_files(tmp_path: Path) -> None:
    def files() -> dict[str, bytes]:
        return {
            path.relative_to(tmp_path).as_posix(): path.read_bytes()
            for path in (tmp_path / "small").rglob("*.parquet")
        }

    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    before = files()
    build(write_recipe(tmp_path, seed=5), tmp_path, quiet=True, line=small_line())
    between = files()
    build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    assert before != between
    assert files() == before


def test_a_larger_limit_runs_only_the_blocks_that_grow_or_are_new(tmp_path: Path) -> None:
    build(write_recipe(tmp_path, 12, sources=limited(4)), tmp_path, quiet=True, line=small_line())
    first = (tmp_path / "small/votes/votes-00000.parquet").read_bytes()
    line, ran = counted_line()
    grown = write_recipe(tmp_path, 12, sources=limited(9))
    summary = build(grown, tmp_path, quiet=True, line=line)
    assert summary.blocks == 3
    assert ran == dict.fromkeys(NOTHING, 2) | {"statistics": 1, "release": 1}
    assert (tmp_path / "small/votes/votes-00000.parquet").read_bytes() == first


def test_a_smaller_limit_takes_the_later_blocks_away(tmp_path: Path) -> None:
    build(write_recipe(tmp_path, 12, sources=limited(9)), tmp_path, quiet=True, line=small_line())
    line, ran = counted_line()
    shrunk = write_recipe(tmp_path, 12, sources=limited(3))
    summary = build(shrunk, tmp_path, quiet=True, line=line)
    assert ran == NOTHING | {"statistics": 1, "release": 1}
    assert not list((tmp_path / "small").glob("*/*-00001.parquet"))
    votes = next(stage for stage in summary.stages if stage.stage == "votes")
    assert (votes.done, votes.tables[0].made) == (1, 12)


def test_a_row_added_to_the_source_runs_only_its_block(tmp_path: Path) -> None:
    build(write_recipe(tmp_path, 6), tmp_path, quiet=True, line=small_line())
    line, ran = counted_line()
    write_recipe(tmp_path, 6)
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write("this is no JSON\n")
    summary = build(tmp_path / "recipe.yaml", tmp_path, quiet=True, line=line)
    assert ran == NOTHING | {"release": 1}
    problems = summary.stages[0].tables[0]
    assert (problems.taken, problems.made, sum(problems.rejected.values())) == (7, 6, 1)
    rejects = read_table(tmp_path / "small/problems/rejects-00000.parquet", Reject)
    assert [reject.stage for reject in rejects] == ["problems"]


def test_chains_that_rows_bring_along_go_with_their_problem(tmp_path: Path) -> None:
    rows = [
        {
            "question": f"What is {n} + 1?",
            "answer": str(n + 1),
            "solution": "Count.",
            "is": [str(n)],
        }
        for n in range(5)
    ]
    brought = [{"generator": "ada", "steps": "is", "final_answer": "answer"}]
    recipe = write_recipe_over(tmp_path, rows, sources=limited(None, chains=brought))
    build(recipe, tmp_path, quiet=True, line=small_line())
    for block, count in ((0, 3), (1, 2)):
        folder = tmp_path / "small" / "problems"
        problems = read_table(folder / f"problems-0000{block}.parquet", Problem)
        chains = read_table(folder / f"chains-0000{block}.parquet", Chain)
        assert len(chains) == count
        assert {chain.problem_id for chain in chains} == {p.problem_id for p in problems}
    assert len(list(iter_table(tmp_path / "small", "chains", Chain))) == 15


def test_sources_without_a_problem_are_a_mistake_and_leave_their_rejects(tmp_path: Path) -> None:
    recipe = write_recipe_over(tmp_path, ["this is no JSON"])
    with pytest.raises(InputMistake, match=r"no problem came out of the sources \(1 rows read"):
        build(recipe, tmp_path, quiet=True, line=small_line())
    assert len(list(iter_table(tmp_path / "small", "rejects", Reject))) == 1


def test_a_source_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path, sources=limited(None, path="gone.jsonl"))
    with pytest.raises(SourceError, match=r"gone\.jsonl"):
        build(recipe, tmp_path, quiet=True, line=small_line())


def test_fresh_runs_everything_and_keeps_the_ledger(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    build(recipe, tmp_path, quiet=True, line=small_line())
    ledger = tmp_path / "small" / "ledger.sqlite"
    Ledger(ledger).close()
    paid = ledger.read_bytes()
    line, ran = counted_line()
    build(recipe, tmp_path, quiet=True, fresh=True, line=line)
    assert ran == dict.fromkeys(NOTHING, 3) | {"statistics": 1, "release": 1}
    assert ledger.read_bytes() == paid


def test_a_held_run_folder_stops_a_second_build_and_stays_untouched(tmp_path: Path) -> None:
    recipe, folder = write_recipe(tmp_path), RunFolder(tmp_path / "small")
    with held(folder), pytest.raises(RunStopped, match="is in use by process"):
        build(recipe, tmp_path, quiet=True, fresh=True, line=small_line())
    assert not folder.manifest.exists()


Hurt = Callable[[Path], object]


@pytest.mark.parametrize(
    "hurt",
    [
        pytest.param(lambda run: (run / "votes/journal.jsonl").unlink(), id="journal lost"),
        pytest.param(lambda run: (run / "manifest.json").unlink(), id="manifest lost"),
        pytest.param(lambda run: (run / "statistics.json").write_text("{}"), id="figures changed"),
        pytest.param(lambda run: (run / "release/README.md").unlink(), id="release damaged"),
    ],
)
def test_a_damaged_run_is_mended(tmp_path: Path, hurt: Hurt) -> None:
    recipe, run = write_recipe(tmp_path), tmp_path / "small"
    build(recipe, tmp_path, quiet=True, line=small_line())
    kept = {path: path.read_bytes() for path in run.rglob("*.parquet")}
    figures, card = (run / "statistics.json").read_text(), (run / "release/README.md").read_text()
    hurt(run)
    build(recipe, tmp_path, quiet=True, line=small_line())
    assert {path: path.read_bytes() for path in kept} == kept
    assert (run / "statistics.json").read_text() == figures
    assert (run / "release/README.md").read_text() == card
