"""Starting and stopping a server of one's own, with a stand-in for Label Studio's own program."""

from __future__ import annotations

import json
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.people.label_studio import server

STAND_IN = """\
#!{python}
import http.server, sys
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder in which a program that answers to `/health` is installed as Label Studio."""
    program = tmp_path / "venv" / "bin" / "label-studio"
    program.parent.mkdir(parents=True)
    program.write_text(STAND_IN.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / f"installed-{server.VERSION}").touch()
    yield tmp_path
    with suppress(InputMistake):
        server.stop(tmp_path)


def port_of(up: server.Up) -> int | None:
    return urlsplit(up.url).port


def test_a_server_comes_back_at_the_port_it_had(home: Path) -> None:
    first = server.start(home, 0)
    assert (first.running, first.installed) == (True, False)
    assert server.start(home).url == first.url  # it is up already
    kept = server.kept_access(home)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    before = json.loads(kept.read_text(encoding="utf-8"))
    assert server.stop(home).running is False
    with pytest.raises(InputMistake, match="no server of"):
        server.stop(home)
    # A run's projects are remembered by the server's address.
    again = server.start(home)
    assert port_of(again) == port_of(first)
    assert json.loads(kept.read_text(encoding="utf-8")) == before


def test_a_port_that_is_in_use_is_told(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(InputMistake, match=f"port {port} is in use already"):
            server.start(home, port)


def test_a_server_that_ends_at_once_says_how_its_log_ends(home: Path) -> None:
    program = home / "venv" / "bin" / "label-studio"
    program.write_text(f"#!{sys.executable}\nraise SystemExit('no such table')\n", encoding="utf-8")
    with pytest.raises(RunStopped, match="ends: no such table"):
        server.start(home, 0)
