"""Servers that some tests talk to: those that `make servers` has installed, or others at hand."""

from __future__ import annotations

import json
import os
import shutil
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from chainwright.pipeline.people.label_studio import server
from chainwright.pipeline.people.label_studio.client import KEY, URL

SERVERS = Path(__file__).parents[1] / ".servers"


class LabelStudioAt(NamedTuple):
    """A server for tests; login and password are those that a browser needs."""

    home: Path | None
    url: str
    key: str
    login: str | None
    password: str | None


def moto_server() -> str:
    """The command that stands for S3; the test is skipped where there is none."""
    own = SERVERS / "moto" / "bin" / "moto_server"
    found = str(own) if own.is_file() else shutil.which("moto_server")
    if found is None:
        pytest.skip("no moto_server: `make servers` installs one")
    return found


@cache
def label_studio() -> LabelStudioAt:
    """A Label Studio that is up; the test is skipped where there is none.

    It is the one that LABEL_STUDIO_URL and LABEL_STUDIO_API_KEY name, else what `make servers` has
    installed, else what `chainwright human up` has.
    """
    url, key = os.environ.get(URL), os.environ.get(KEY)
    if url and key:
        return LabelStudioAt(None, url, key, None, None)
    for home in (SERVERS / "label-studio", None):
        if (server.server_home(home) / f"installed-{server.VERSION}").is_file():
            server.start(home)
            own = json.loads(server.kept_access(home).read_text("utf-8"))
            return LabelStudioAt(home, own["url"], own["token"], own["login"], own["password"])
    pytest.skip(f"no Label Studio: `make servers` installs one, {URL} and {KEY} name another")
