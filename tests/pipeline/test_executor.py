from pathlib import Path

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.tables import iter_table
from chainwright.recipe import Recipe
from chainwright.schemas.reject import Reject
from chainwright.stage import Batch, Tables
from tests.pipeline.small_line import (
    REFUSED,
    counted_line,
    process_of,
    small_line,
    write_recipe,
    write_recipe_over,
)


def test_items_that_vanish_stop_the_run_with_stage_table_and_counts(tmp_path: Path) -> None:
    def forgetful(recipe: Recipe, tables: Tables) -> Batch:
        batch = Batch(rows={"chains": []})
        batch.taken["chains"] = len(tables["problems"])
        return batch

    with pytest.raises(RunStopped) as stop:
        build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line(chains=forgetful))
    assert "internal error: stage chains" in str(stop.value)
    assert "block 0" in str(stop.value)
    assert "table chains: 3 in, 0 out + 0 rejected, +3 unaccounted for" in str(stop.value)
    assert not list((tmp_path / "small" / "chains").glob("*.parquet"))


def test_items_from_nowhere_stop_the_run_too(tmp_path: Path) -> None:
    def inventive(recipe: Recipe, tables: Tables) -> Batch:
        reject = Reject(
            stage="votes", table="votes", item="x", reason="made_up", detail="", payload=None
        )
        return Batch(rows={"votes": []}, rejects=[reject])

    with pytest.raises(RunStopped, match=r"votes: 0 in, 0 out \+ 1 rejected, -1 unaccounted"):
        build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line(votes=inventive))


def test_rows_of_a_table_that_a_stage_does_not_write_stop_the_run(tmp_path: Path) -> None:
    with pytest.raises(RunStopped, match="stage labels made rows of votes in block 0"):
        build(
            write_recipe(tmp_path),
            tmp_path,
            quiet=True,
            line=small_line(labels=lambda recipe, tables: Batch(rows={"votes": []})),
        )


def test_an_exception_stops_the_run_and_leaves_its_traceback(tmp_path: Path) -> None:
    works = next(process_of(stage) for stage in small_line().stages if stage.name == "negatives")
    calls = 0

    def breaks_down(recipe: Recipe, tables: Tables) -> Batch:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise ZeroDivisionError("no chain today")
        return works(recipe, tables)

    recipe, folder = write_recipe(tmp_path), RunFolder(tmp_path / "small")
    with pytest.raises(RunStopped) as stop:
        build(recipe, tmp_path, quiet=True, line=small_line(negatives=breaks_down))
    message = str(stop.value)
    assert "stage negatives, block 1 failed with ZeroDivisionError: no chain today" in message
    assert str(folder.error_log) in message
    assert "in breaks_down" in folder.error_log.read_text()
    manifest = load_manifest(folder)
    assert manifest is not None
    assert (manifest.outcome, manifest.message) == ("stopped", message)
    line, ran = counted_line()
    build(recipe, tmp_path, quiet=True, line=line)
    assert (ran["chains"], ran["negatives"]) == (0, 2)
    assert not folder.error_log.exists()


def test_rejects_are_kept_and_counted_by_reason(tmp_path: Path) -> None:
    rows = [
        {"question": f"{REFUSED if n % 2 else 'ask'} {n}", "answer": "1", "solution": "Count."}
        for n in range(4)
    ]
    summary = build(write_recipe_over(tmp_path, rows), tmp_path, quiet=True, line=small_line())
    chains = next(stage for stage in summary.stages if stage.stage == "chains").tables[0]
    assert (chains.taken, chains.made, chains.rejected) == (4, 2, {"refused": 2})
    rejects = list(iter_table(tmp_path / "small", "rejects", Reject))
    assert [(reject.stage, reject.reason) for reject in rejects] == [("chains", "refused")] * 2


def test_a_file_that_was_changed_or_lost_is_made_again(tmp_path: Path) -> None:
    recipe, run = write_recipe(tmp_path), tmp_path / "small"
    build(recipe, tmp_path, quiet=True, line=small_line())
    lost, changed = run / "chains/chains-00000.parquet", run / "votes/votes-00001.parquet"
    before = lost.read_bytes(), changed.read_bytes()
    lost.unlink()
    changed.write_bytes(changed.read_bytes() + b"x")
    line, ran = counted_line()
    build(recipe, tmp_path, quiet=True, line=line)
    assert ran == dict.fromkeys(ran, 0) | {"chains": 1, "votes": 1}
    assert (lost.read_bytes(), changed.read_bytes()) == before


def test_what_a_killed_build_left_behind_is_swept_up(tmp_path: Path) -> None:
    recipe, run = write_recipe(tmp_path), tmp_path / "small"
    build(recipe, tmp_path, quiet=True, line=small_line())
    for name in ("votes-00009.parquet", "votes-00001.parquet.tmp", "strange-00000.parquet"):
        (run / "votes" / name).write_bytes(b"x")
    (run / "votes" / "notes.txt").write_text("mine")
    build(recipe, tmp_path, quiet=True, line=small_line())
    names = {path.name for path in (run / "votes").iterdir()}
    shards = {f"{t}-0000{n}.parquet" for t in ("votes", "rejects") for n in range(3)}
    assert names == {*shards, "journal.jsonl", "notes.txt"}
