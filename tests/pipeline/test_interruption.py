import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import Interrupted
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder, is_held
from chainwright.pipeline.screens.status import run_status
from chainwright.pipeline.tables import write_table
from tests.pipeline.small_line import counted_line, small_line, write_recipe

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "tests.pipeline.small_line")


def started(recipe: Path, runs: Path, stage: str, call: int) -> subprocess.Popen[str]:
    """A build in a process of its own that has come to the given block of a stage."""
    marker = runs / "marker"
    process = subprocess.Popen(
        [*COMMAND, str(recipe), str(runs), stage, str(call), str(marker)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not marker.exists():
        assert process.poll() is None, "the build ended before it came to the block"
        time.sleep(0.01)
    return process


def files_of(run: Path) -> dict[str, bytes]:
    """All that a run is for, by name."""
    return {
        path.relative_to(run).as_posix(): path.read_bytes()
        for pattern in ("*/*.parquet", "release/**/*", "statistics.json")
        for path in run.glob(pattern)
        if path.is_file()
    }


def test_kill_9_loses_only_the_block_in_flight(tmp_path: Path) -> None:
    recipe, folder = write_recipe(tmp_path), RunFolder(tmp_path / "small")
    process = started(recipe, tmp_path, "votes", 2)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not is_held(folder)
    assert run_status("small", tmp_path, line=small_line()).manifest.outcome == "killed"
    line, ran = counted_line()
    build(recipe, tmp_path, quiet=True, line=line)
    assert ran == {
        "chains": 0,
        "negatives": 0,
        "votes": 2,
        "labels": 3,
        "statistics": 1,
        "release": 1,
    }
    build(recipe, tmp_path / "undisturbed", quiet=True, line=small_line())
    assert files_of(folder.path) == files_of(tmp_path / "undisturbed" / "small")


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_stop_ends_with_130_and_says_how_to_go_on(
    tmp_path: Path, way: signal.Signals
) -> None:
    recipe, folder = write_recipe(tmp_path), RunFolder(tmp_path / "small")
    process = started(recipe, tmp_path, "labels", 3)
    process.send_signal(way)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "interrupted in stage labels: 2 of 3 blocks of it are finished" in said
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    manifest = load_manifest(folder)
    assert manifest is not None
    assert manifest.outcome == "interrupted"
    line, ran = counted_line()
    build(recipe, tmp_path, quiet=True, line=line)
    assert ran == dict.fromkeys(ran, 0) | {"labels": 1, "statistics": 1, "release": 1}


def test_a_build_that_goes_on_says_which_process_it_is(tmp_path: Path) -> None:
    process = started(write_recipe(tmp_path), tmp_path, "chains", 1)
    try:
        second = subprocess.run(
            [*COMMAND, str(tmp_path / "recipe.yaml"), str(tmp_path), "chains", "9", "none"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        process.kill()
        process.communicate()
    assert second.returncode == 3
    assert f"is in use by process {process.pid} on " in second.stderr


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the recipe over eight problems comes to."""
    folder = tmp_path_factory.mktemp("undisturbed")
    build(write_recipe(folder, 8), folder, quiet=True, line=small_line())
    return files_of(folder / "small")


@pytest.mark.parametrize(
    ("write", "moment"), [(1, "after"), (8, "before"), (12, "after"), (29, "before")]
)
def test_a_stop_at_any_write_changes_nothing_in_the_end(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    undisturbed: dict[str, bytes],
    write: int,
    moment: str,
) -> None:
    """The run is first built from another recipe, so that old and new files lie side by side."""
    build(write_recipe(tmp_path, seed=1), tmp_path, quiet=True, line=small_line())
    writes = 0

    def fails_once(*args: Any) -> None:
        nonlocal writes
        writes += 1
        if writes == write and moment == "before":
            raise KeyboardInterrupt
        write_table(*args)
        if writes == write:
            raise KeyboardInterrupt

    recipe = write_recipe(tmp_path, 8)
    with monkeypatch.context() as patch:
        patch.setattr("chainwright.pipeline.executor.write_table", fails_once)
        with pytest.raises(Interrupted):
            build(recipe, tmp_path, quiet=True, line=small_line())
    build(recipe, tmp_path, quiet=True, line=small_line())
    assert files_of(tmp_path / "small") == undisturbed


def test_a_journal_cut_short_costs_one_block(tmp_path: Path) -> None:
    recipe, folder = write_recipe(tmp_path), RunFolder(tmp_path / "small")
    build(recipe, tmp_path, quiet=True, line=small_line())
    journal = folder.journal("negatives")
    journal.write_bytes(journal.read_bytes()[:-30])
    line, ran = counted_line()
    build(recipe, tmp_path, quiet=True, line=line)
    assert ran == dict.fromkeys(ran, 0) | {"negatives": 1}
    assert sorted(Journal(journal).entries) == [0, 1, 2]
