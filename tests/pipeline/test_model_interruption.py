"""Builds that ask models, killed and stopped for real: nothing is lost, and hardly anything sent
twice."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.validation.validate import validate
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import answering, bodies, write_model_recipe
from tests.pipeline.test_interruption import files_of

ROOT = Path(__file__).parents[2]
CONCURRENCY = 4


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


def started(
    recipe: Path, server: FaultServer, requests: int, *, in_background: bool = False
) -> subprocess.Popen[str]:
    """A build in a process of its own that has sent so many requests and waits for the last.

    In the background, as a shell's `&` has it, Ctrl-C is ignored.
    """
    command = [sys.executable, "-m", "tests.pipeline.model_server", recipe, recipe.parent]
    if in_background:
        command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    process = subprocess.Popen(
        [str(word) for word in command], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    server.latency = 0.05
    while len(server.seen) < requests:
        assert process.poll() is None, "the build ended before it had sent so many requests"
        time.sleep(0.002)
    server.latency = 0.5  # time for a signal to arrive, on a busy machine too
    return process


def sent_twice(server: FaultServer) -> int:
    return sum(count - 1 for count in Counter(bodies(server.seen)).values())


@pytest.mark.parametrize("requests", [5, 9, 40], ids=["generation", "perturbation", "votes"])
def test_kill_9_loses_what_was_in_flight_and_nothing_else(
    tmp_path: Path, server: FaultServer, requests: int
) -> None:
    recipe = write_model_recipe(tmp_path, server, requests={"concurrency": CONCURRENCY})
    process = started(recipe, server, requests)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert server.most_at_once <= CONCURRENCY
    server.latency = 0.0
    build(recipe, tmp_path, quiet=True)
    assert sent_twice(server) <= CONCURRENCY
    assert validate(tmp_path / "small").ok
    build(recipe, tmp_path / "undisturbed", quiet=True)
    assert files_of(tmp_path / "small") == files_of(tmp_path / "undisturbed" / "small")


@pytest.mark.parametrize(
    ("way", "in_background"),
    [(signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGTERM, True)],
)
def test_a_polite_stop_while_models_are_asked(
    tmp_path: Path, server: FaultServer, way: signal.Signals, in_background: bool
) -> None:
    recipe = write_model_recipe(tmp_path, server, requests={"concurrency": CONCURRENCY})
    process = started(recipe, server, 40, in_background=in_background)
    process.send_signal(way)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "interrupted in stage votes: " in said
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert "never" not in said  # as in: coroutine was never awaited
    assert "Unclosed" not in said
    manifest = load_manifest(RunFolder(tmp_path / "small"))
    assert manifest is not None
    assert manifest.outcome == "interrupted"
    server.latency = 0.0
    build(recipe, tmp_path, quiet=True)
    assert sent_twice(server) <= CONCURRENCY
