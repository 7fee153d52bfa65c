"""What tests of the Hub ask of the command line, and what is then there and here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.release.hub_server import HubServer

REPO = "ada/pears"
Command = Callable[..., tuple[int, str, str]]


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def remote(hub: HubServer, repo: str = REPO) -> dict[str, bytes]:
    return {
        path: kept.content
        for path, kept in hub.repos[repo].files.items()
        if path != ".gitattributes"
    }


def push_json(call: Command, *more: object) -> dict[str, Any]:
    code, out, err = call("push", "pears", REPO, "--json", "--quiet", *more)
    assert code == 0, err
    return dict(json.loads(out))
