"""A build whose disk is full stops with one line, and what was handed on is on the disk."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.ledger_queries import entries
from chainwright.llm.ledger_reader import reading
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.validation.validate import validate
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import answering, bodies, write_model_recipe

ROOT = Path(__file__).parents[2]
CONCURRENCY = 4
ROOM = 300_000
"""Bytes that a file may have: the ledger's log needs more than any other file of the run."""


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


def built_with_little_room(recipe: Path) -> "subprocess.CompletedProcess[str]":
    """A build in a process whose files cannot grow past `ROOM`, as on a disk that fills up."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))

    return subprocess.run(
        [sys.executable, "-m", "tests.pipeline.model_server", str(recipe), str(recipe.parent)],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_stops_the_build_and_loses_nothing(tmp_path: Path, server: FaultServer) -> None:
    recipe = write_model_recipe(tmp_path, server, requests={"concurrency": CONCURRENCY})
    stopped = built_with_little_room(recipe)
    assert stopped.returncode == 3
    message = stopped.stderr.splitlines()[-1]
    ledger = tmp_path / "small" / "ledger.sqlite"
    assert message.startswith(f"chainwright: the ledger {ledger} ")
    assert "what it held before is kept: run the same command again" in message
    assert "Traceback" not in stopped.stderr
    manifest = load_manifest(RunFolder(tmp_path / "small"))
    assert manifest is not None
    assert manifest.outcome == "stopped"
    sent = len(server.seen)
    with reading(ledger) as connection:
        kept = sum(1 for _ in entries(connection))
    # Those that could not be kept were under way together, and nothing was sent after them.
    assert 0 < sent - kept <= CONCURRENCY
    assert kept > CONCURRENCY
    build(recipe, tmp_path, quiet=True)
    assert len(server.seen) - len(set(bodies(server.seen))) == sent - kept
    assert validate(tmp_path / "small").ok


def test_a_manifest_that_cannot_be_written_does_not_hide_why_the_build_stopped(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write_model_recipe(tmp_path, server)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "ledger.sqlite").write_text("this is no database, and was never one")

    def full(path: Path, value: dict[str, Any]) -> None:
        if value["outcome"] != "running":
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("chainwright.pipeline.manifest.write_json", full)
    with pytest.raises(RunStopped, match=r"ledger\.sqlite is damaged"):
        build(recipe, tmp_path, quiet=True)
    (tmp_path / "small" / "ledger.sqlite").unlink()
    with pytest.raises(OSError, match="No space left"):
        build(recipe, tmp_path, quiet=True)
