"""A local server of the Hub's protocol, a release to push, and the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from tests.release.hub.commands import Command
from tests.release.hub_server import TOKEN, HubServer, serving
from tests.test_cli import call as call_command


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    """The local server, which the client takes for the Hub; waits between tries take no time."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.chdir(tmp_path)
    with serving() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


@pytest.fixture
def run(
    tmp_path: Path, recipe: Callable[..., Recipe], block: Callable[[int], dict[str, list[Any]]]
) -> Callable[..., Path]:
    """Makes a run folder with nothing but a release in it."""

    def made(problems: int = 6, *, version: str | None = "1.0", **release: Any) -> Path:
        folder = tmp_path / "runs" / "pears"
        given = {"test_fraction": 0.5, "version": version, "mixed_licences": True, **release}
        write_release(
            folder / "release",
            recipe=recipe(release=given),
            blocks=(block(number) for number in range(problems)),
            statistics={},
            stages=[],
        )
        (folder / "manifest.json").write_text("{}")
        return folder / "release"

    return made


@pytest.fixture
def call(hub: HubServer) -> Command:
    """Exit code, output and errors of a command, none of which tell the token."""

    def called(*arguments: object) -> tuple[int, str, str]:
        code, out, err = call_command(*arguments)
        assert TOKEN not in out + err
        assert "Traceback" not in err
        return code, out, err

    return called
