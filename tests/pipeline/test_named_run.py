"""The run that a command is given: by its folder, by its name, and by a URL."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
from http.client import HTTPConnection
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chainwright.cli import app
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.named_run import find_run, local_path, run_to_be
from chainwright.pipeline.run_folder import RunFolder, held
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.pipeline.screens.status import run_status
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.working_copy import MARKER, WORK, folder_here
from chainwright.pipeline.validation.validate import validate
from tests.pipeline.small_line import small_line, write_recipe
from tests.pipeline.test_mirror import (
    answers,
    await_port,
    bucket,
    keep,
    other_machine,
    there,
)

__all__ = ["bucket", "there"]  # fixtures


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("first", "second"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "manifest.json").write_text("{}")
    return tmp_path / "runs"


def test_a_run_is_found_by_name_and_by_path(runs: Path) -> None:
    assert find_run("first", runs).path == runs / "first"
    assert find_run(str(runs / "second"), Path("elsewhere")).path == runs / "second"


@pytest.mark.parametrize("run", ["third", "", "../runs", "first/chains"])
def test_what_is_no_run_is_refused_with_the_runs_there_are(runs: Path, run: str) -> None:
    with pytest.raises(InputMistake, match="first, second"):
        find_run(run, runs)


def test_without_any_run_the_message_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="chainwright build RECIPE"):
        find_run("first", tmp_path / "none")


@pytest.fixture
def kept(tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a run that another machine than this one has built."""
    build(write_recipe(tmp_path), there, quiet=True, line=small_line())
    other_machine(tmp_path, monkeypatch)
    return f"{there}/small"


def test_a_url_and_a_name_below_one_bring_the_run_here(kept: str, there: str) -> None:
    copy = folder_here(there) / "small"
    assert find_run(kept, Path("runs")).path == copy
    shutil.rmtree(copy)
    assert find_run("small", Path(there)).path == copy
    assert run_to_be("small", there).manifest.is_file()
    assert validate(Path(kept)).ok


def test_a_place_within_a_run_is_found_in_its_copy(kept: str, there: str, tmp_path: Path) -> None:
    journal = local_path(Path(kept) / "chains" / "journal.jsonl")
    assert journal == folder_here(there) / "small" / "chains" / "journal.jsonl"
    assert journal.read_bytes() == (tmp_path / "there/small/chains/journal.jsonl").read_bytes()
    assert local_path(tmp_path) == tmp_path
    with pytest.raises(InputMistake, match=r"no run at .*/there/none/x \(runs in .*: none\)"):
        local_path(Path(there) / "none" / "x")


def test_looking_changes_nothing_there(kept: str, tmp_path: Path) -> None:
    def state() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "there").rglob("*")}

    before = state()
    find_run(kept, Path("runs"))
    assert state() == before
    shutil.rmtree(tmp_path / "there" / "small" / "chains")
    find_run(kept, Path("runs"))  # nothing newer, so nothing is fetched


def test_what_is_newer_is_brought_in_again(kept: str, there: str, tmp_path: Path) -> None:
    find_run(kept, Path("runs"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WORK, str(tmp_path / "first"))
        build(write_recipe(tmp_path, 2), there, quiet=True, line=small_line())
        ledger = Mirror(there, "small")
        ledger.bring()
        keep(ledger.folder.ledger, "paid elsewhere")
        ledger.send()
    folder = find_run(kept, Path("runs"))
    assert answers(folder.ledger) == {"paid elsewhere"}
    names = {path.name for path in folder.path.rglob("*.parquet")}
    assert names == {path.name for path in (tmp_path / "there").rglob("*.parquet")}


def test_a_copy_that_a_build_holds_is_read_as_it_is(kept: str, there: str) -> None:
    folder = run_to_be("small", there)
    (folder.path / f".{MARKER}").unlink()
    with held(folder):
        assert find_run(kept, Path("runs")).path == folder.path
        assert not (folder.path / f".{MARKER}").exists()


def test_no_such_run_there_says_which_there_are(kept: str, there: str) -> None:
    with pytest.raises(InputMistake, match=r"no run at .*/there/large \(runs in .*: small\)"):
        find_run("large", Path(there))
    assert not (folder_here(there) / "large").exists()
    assert not run_to_be("large", there).path.exists()


def test_a_bucket_alone_is_no_run() -> None:
    with pytest.raises(InputMistake, match="expected a run in it, such as s3://bucket/runs/NAME"):
        find_run("s3://bucket", Path("runs"))


def test_what_people_left_in_a_copy_survives_a_newer_state(
    kept: str, there: str, tmp_path: Path
) -> None:
    folder = find_run(kept, Path("runs"))
    mine = folder.path / "human" / "records.jsonl"
    mine.parent.mkdir()
    mine.write_text("answers that were never sent\n")
    (folder.path / "chains" / "chains-00007.parquet").write_bytes(b"of a build that was killed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WORK, str(tmp_path / "first"))
        build(write_recipe(tmp_path, 2), there, quiet=True, line=small_line())
    find_run(kept, Path("runs"))
    assert mine.read_text() == "answers that were never sent\n"
    assert not (folder.path / "chains" / "chains-00007.parquet").exists()
    build(write_recipe(tmp_path, 2), there, quiet=True, line=small_line())
    assert (tmp_path / "there/small/human/records.jsonl").read_text() == mine.read_text()


def test_what_people_changed_on_two_machines_is_not_written_over(
    kept: str, there: str, tmp_path: Path
) -> None:
    folder = find_run(kept, Path("runs"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WORK, str(tmp_path / "first"))
        theirs = run_to_be("small", there).path / "human" / "records.jsonl"
        theirs.parent.mkdir()
        theirs.write_text("theirs\n")
        build(write_recipe(tmp_path), there, quiet=True, line=small_line())
    mine = folder.path / "human" / "records.jsonl"
    mine.parent.mkdir()
    mine.write_text("mine\n")
    with pytest.raises(RunStopped, match=r"human/records.jsonl was changed both in "):
        find_run(kept, Path("runs"))
    assert mine.read_text() == "mine\n"
    mine.unlink()
    assert (find_run(kept, Path("runs")).path / "human/records.jsonl").read_text() == "theirs\n"


def test_a_build_under_way_elsewhere_was_not_killed(kept: str, tmp_path: Path) -> None:
    for name, writer in ((MARKER, "writer"), ("manifest.json", "outcome")):
        path = tmp_path / "there" / "small" / name
        words = {"writer": "process 7 on another-host", "outcome": "running"}
        path.write_text(json.dumps(json.loads(path.read_text()) | {writer: words[writer]}))
    marker = tmp_path / "there" / "small" / MARKER
    stated = json.loads(marker.read_text())
    stated["files"]["manifest.json"] = "changed"
    marker.write_text(json.dumps(stated))
    found = run_status(kept, Path("runs"))
    assert found.manifest.outcome == "running"
    assert found.sent_by is not None
    assert found.sent_by.startswith("process 7 on another-host, ")


def test_a_dry_run_knows_what_is_there(kept: str, there: str, tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    planned = plan_build(recipe, there, line=small_line())
    assert not any(stage.run for stage in planned.stages)
    assert all(stage.run for stage in plan_build(recipe, f"{there}/2", line=small_line()).stages)


READING = (
    *(("status",), ("show",), ("validate",), ("rank",), ("batches",), ("human", "status")),
    *(("ledger",), ("ledger", "export"), ("audit",)),
)


def test_commands_read_a_run_in_a_bucket(
    tmp_path: Path, bucket: str, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = tmp_path / "quick.yaml"
    recipe.write_text(
        "name: quick\nsources:\n  - {kind: gsm8k, path: 'builtin:quickstart', licence: Apache-2.0,"
        " limit: 2}\nnegatives: {exact: {per_problem: 1}}\n"
        "annotation: {judges: ['program:arithmetic', 'program:reference'], bootstrap: 0}\n"
        "release: {licence: Apache-2.0}\n",
        encoding="utf-8",
    )
    build(recipe, bucket, quiet=True)
    other_machine(tmp_path, monkeypatch)
    copy = RunFolder(folder_here(bucket) / "quick")
    run = CliRunner().invoke
    for command in READING:
        done = run(app, [*command, f"{bucket}/quick"])
        if command[0] == "ledger":  # programs alone were asked
            assert isinstance(done.exception, InputMistake)
            assert "has no ledger" in str(done.exception)
        else:
            assert done.exit_code == 0, (command, done.output, done.exception)
    assert "quick" in run(app, ["status", "quick", "--runs", bucket]).output
    for line in (
        ["export", f"{bucket}/quick", "trl", "--out", "run.jsonl"],
        ["export", f"{bucket}/quick/release", "trl", "--out", "release.jsonl"],
        ["report", f"{bucket}/quick", "--offline", "--out", "site"],
        ["plan", str(recipe), "--traces", "1000", "--runs", bucket],
        ["build", str(recipe), "--runs", bucket, "--dry-run"],
    ):
        done = run(app, line)
        assert done.exit_code == 0, (line, done.output, done.exception)
    assert Path("run.jsonl").read_bytes() == Path("release.jsonl").read_bytes()
    assert (tmp_path / "site" / "index.html").is_file()
    assert copy.manifest.is_file()


def test_a_bucket_that_is_not_there_is_a_mistake(
    tmp_path: Path, bucket: str, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_recipe(tmp_path).rename(tmp_path / "small.yaml")
    monkeypatch.chdir(tmp_path)
    place = os.environ["AWS_ENDPOINT_URL"]
    for command in (["status"], ["validate"], ["build", "small.yaml", "--runs"]):
        done = CliRunner().invoke(app, [*command, "s3://nowhere/runs/small"])
        assert isinstance(done.exception, InputMistake)
        assert f"there is no bucket `nowhere` at {place}: make it first" in str(done.exception)
    assert not (folder_here("s3://nowhere/runs") / "small").exists()


def test_no_right_to_read_is_a_mistake(
    bucket: str, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # From now on the server holds keys against those that it gave out, which are none.
    server = HTTPConnection(os.environ["AWS_ENDPOINT_URL"].rpartition("/")[2], timeout=10)
    server.request("POST", "/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"})
    assert server.getresponse().status == 200
    server.close()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-of-no-use")
    with pytest.raises(InputMistake, match="could not be read: no right to do that") as mistake:
        find_run(f"{bucket}/small", Path("runs"))
    assert "AWS_ACCESS_KEY_ID" in str(mistake.value)
    assert "a-secret-of-no-use" not in str(mistake.value)


def test_a_run_on_gs(tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    command = shutil.which("gcp-storage-emulator")
    if command is None:
        pytest.skip("gcp-storage-emulator is not on PATH: pipx install gcp-storage-emulator")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    given = [f"--port={port}", "--host=127.0.0.1", "--in-memory", "--default-bucket=bucket"]
    running = subprocess.Popen(
        [command, "start", *given], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        await_port(port, running)
        build(write_recipe(tmp_path), "gs://bucket/runs", quiet=True, line=small_line())
        other_machine(tmp_path, monkeypatch)
        assert validate(find_run("gs://bucket/runs/small", Path("runs")).path).ok
        with pytest.raises(InputMistake, match=r"\(runs in gs://bucket/runs: small\)"):
            find_run("gs://bucket/runs/none", Path("runs"))
        with pytest.raises(InputMistake, match="there is no bucket `nowhere`"):
            find_run("gs://nowhere/runs/small", Path("runs"))
    finally:
        running.kill()
        running.wait()


def test_a_ledger_of_a_run_there_can_be_named(kept: str, there: str) -> None:
    folder = run_to_be("small", there)
    keep(folder.ledger, "an answer")
    ledger = local_path(Path(kept) / "ledger.sqlite")
    with sqlite3.connect(ledger) as connection:
        assert connection.execute("SELECT text FROM answers").fetchall() == [("an answer",)]
