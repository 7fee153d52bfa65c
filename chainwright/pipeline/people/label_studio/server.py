"""Server: a Label Studio of one's own, in an environment of its own, on this machine alone."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import venv
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console

from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.screens.terminal import one_line, visible

VERSION = "1.23.2"
PORT = 8080
PINS = Path(__file__).with_name("constraints.txt")
"""All that this version brings, in versions that go together; without them pip searches."""
UNPINNED = (3, 14)
"""From this Python on some of the pins have no wheels."""
SECONDS_TO_START = 300
SECONDS_TO_STOP = 10
QUIET = {
    "COLLECT_ANALYTICS": "False",
    "LATEST_VERSION_CHECK": "False",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    # Without it the server answers 401 to the token that it is given here.
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
}
"""Nothing is sent anywhere; nobody signs up uninvited."""


@dataclass(frozen=True)
class Up:
    """A server of one's own."""

    url: str
    running: bool
    installed: bool
    """Whether it had to be installed first."""
    access: str
    """The file that holds login, password and token; for its owner to read alone."""

    def as_json(self) -> dict[str, Any]:
        """The server as plain values."""
        return asdict(self)


def server_home(home: Path | None) -> Path:
    """Where environment and data of the server lie."""
    if home is not None:
        return home.absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "chainwright" / "label-studio"


def kept_access(home: Path | None) -> Path:
    """The file in which a server's address, login and token are kept."""
    return server_home(home) / "access.json"


def start(home: Path | None, port: int | None = None) -> Up:
    """Starts the server, after installing it where it is not there (about 1 GB, some minutes).

    Of several callers at once one does it, and the others wait.

    Args:
        home: Where it is, or is to be installed.
        port: 0 for any that is free; by default that of the last time, as projects are remembered
            by the server's address, and else 8080.

    Raises:
        InputMistake: when something else answers at the port.
        RunStopped: when it can't be installed, or does not come up.
    """
    from filelock import FileLock

    place = server_home(home)
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / ".lock"):
        installed = _install(place)
        if port is None:
            port = _last_port(home)
        port = port or _free()
        kept = _kept(place, port)
        if _pid(place) is None:
            if _taken(port):
                raise InputMistake(f"port {port} is in use already; choose another --port")
            _launch(place, kept, port)
        _wait(place, kept["url"])
    return Up(kept["url"], running=True, installed=installed, access=str(kept_access(home)))


def stop(home: Path | None) -> Up:
    """Stops the server that `start` started; its data stay, and its port is free again.

    Raises:
        InputMistake: when none is running.
    """
    place = server_home(home)
    pid = _pid(place)
    if pid is None:
        raise InputMistake(f"no server of {place} is running")
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)
    _pid_file(place).unlink(missing_ok=True)
    url = json.loads(kept_access(home).read_text(encoding="utf-8"))["url"]
    _wait_until_free(urlsplit(url).port or PORT)
    return Up(url, running=False, installed=False, access=str(kept_access(home)))


def print_up(up: Up, screen: Console) -> None:
    """Prints where the server is, and who may enter."""
    if not up.running:
        screen.print(f"stopped; what was labelled at {up.url} is kept")
        return
    screen.print(f"Label Studio {VERSION} is up at {up.url}, for this machine alone")
    screen.print(f"login and password: {visible(up.access)}", soft_wrap=True)


def _install(place: Path) -> bool:
    """Makes the environment; false where it is there."""
    done = place / f"installed-{VERSION}"
    if done.is_file():
        return False
    sys.stderr.write(f"installing Label Studio {VERSION} into {place} (about 1 GB, minutes)\n")
    venv.create(place / "venv", with_pip=True, clear=True)
    pinned = ["-c", str(PINS)] if sys.version_info < UNPINNED else []
    pip = [str(_bin(place) / "python"), "-m", "pip", "install", "-q", "--no-compile", *pinned]
    # A recent pip takes half the time, and what has to be built needs no environment of its own.
    for wanted in (
        ["--upgrade", "pip", "setuptools", "wheel"],
        ["--no-build-isolation", f"label-studio=={VERSION}"],
    ):
        ran = subprocess.run([*pip, *wanted], check=False, capture_output=True, text=True)  # noqa: S603
        if ran.returncode:
            why = one_line(ran.stderr[-300:], 300)
            raise RunStopped(f"Label Studio can't be installed: {why}")
    done.touch()
    return True


def _kept(place: Path, port: int) -> dict[str, str]:
    """Login and token, made at the first start and kept for the owner alone."""
    path = place / "access.json"
    own: dict[str, str] = {}
    if path.is_file():
        own = json.loads(path.read_text(encoding="utf-8"))
    fresh = {
        "login": "chainwright@localhost.localdomain",
        "password": secrets.token_urlsafe(12),
        "token": secrets.token_hex(20),
    }
    url = f"http://127.0.0.1:{port}" if _pid(place) is None else own["url"]
    kept = {**fresh, **own, "url": url}
    draft = path.with_name("access.json.tmp")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:  # noqa: PTH123
        json.dump(kept, file, indent=1)
    draft.replace(path)
    return kept


def _launch(place: Path, kept: dict[str, str], port: int) -> None:
    """Starts the server, which goes on when this process ends; secrets go by the environment."""
    environment = {name: value for name, value in os.environ.items() if "API_KEY" not in name}
    environment |= QUIET | {
        "LABEL_STUDIO_USERNAME": kept["login"],
        "LABEL_STUDIO_PASSWORD": kept["password"],
        "LABEL_STUDIO_USER_TOKEN": kept["token"],
    }
    command = [
        *(str(_bin(place) / "label-studio"), "start", "--no-browser"),
        *("--internal-host", "127.0.0.1", "--port", str(port), "--data-dir", str(place / "data")),
    ]
    with (place / "server.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=place,
            start_new_session=True,
        )
    _pid_file(place).write_text(str(process.pid), encoding="utf-8")


def _wait(place: Path, url: str) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end:
        if _answers(url):
            return
        if _pid(place) is None:
            break
        time.sleep(1)
    tail = (place / "server.log").read_text(encoding="utf-8", errors="replace")[-300:]
    raise RunStopped(f"Label Studio does not come up; {place / 'server.log'} ends: {tail.strip()}")


def _wait_until_free(port: int) -> None:
    """A server that was told to end holds its port a moment longer."""
    end = time.monotonic() + SECONDS_TO_STOP
    while _taken(port) and time.monotonic() < end:
        time.sleep(0.05)


def _last_port(home: Path | None) -> int:
    path = kept_access(home)
    if not path.is_file():
        return PORT
    return urlsplit(json.loads(path.read_text(encoding="utf-8"))["url"]).port or PORT


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _answers(url: str) -> bool:
    import httpx2

    try:
        return httpx2.get(f"{url}/health", timeout=10).status_code == 200
    except httpx2.HTTPError:
        return False


def _pid(place: Path) -> int | None:
    """The process of the server, as long as it is that."""
    try:
        pid = int(_pid_file(place).read_text(encoding="utf-8"))
        os.kill(pid, 0)
        with suppress(OSError):
            os.waitpid(pid, os.WNOHANG)  # one that this process started and that ended is gone
            os.kill(pid, 0)
    except (OSError, ValueError):
        return None
    return pid


def _pid_file(place: Path) -> Path:
    return place / "server.pid"


def _bin(place: Path) -> Path:
    return place / "venv" / ("Scripts" if os.name == "nt" else "bin")
