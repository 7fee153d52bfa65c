"""Clusters that cannot be used: one line says so before anything is built."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.cluster.stamp import differences, stamp
from chainwright.pipeline.errors import InputMistake
from tests.pipeline.small_line import write_recipe


def built(folder: Path, address: str | None, **recipe: Any) -> None:
    build(write_recipe(folder, **recipe), folder, quiet=True, ray=address)


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputMistake, match=r"pip install 'chainwright\[ray\]'"):
        built(tmp_path, None, executor="ray")


def test_an_address_that_nobody_answers(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(InputMistake, match=rf"could be reached at `127.0.0.1:{port}` .*refused"):
        built(tmp_path, f"127.0.0.1:{port}")


def test_a_cluster_that_wants_a_token_is_thought_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray")

    def refused(**_: Any) -> None:
        """What Ray says of a token that is refused, which takes it half a minute."""
        raise ConnectionError("Failed to connect to Ray cluster")

    monkeypatch.setattr(ray, "init", refused)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
        with pytest.raises(InputMistake, match=r"set RAY_AUTH_MODE=token.*`ray get-auth-token`"):
            built(tmp_path, address)
        monkeypatch.setenv("RAY_AUTH_MODE", "token")
        with pytest.raises(InputMistake, match="has to be the one of its head"):
            built(tmp_path, address)


@pytest.mark.parametrize("address", ["head", "head:port", "ray://head:10001"])
def test_what_is_no_address(tmp_path: Path, address: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(InputMistake, match=f"found the Ray address `{address}`, expected HOST:"):
        built(tmp_path, address)


def test_the_environment_says_where_the_cluster_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setitem(os.environ, "RAY_ADDRESS", "nowhere")
    with pytest.raises(InputMistake, match="`nowhere`"):
        built(tmp_path, None, executor="ray")


def test_what_differs_between_machines_is_named() -> None:
    here = stamp()
    assert "code" in here["chainwright"]
    assert differences(here, here) == ""
    assert differences(here, here | {"polars": "0.1"}).startswith("polars 0.1 instead of ")
    assert "pyarrow missing" in differences(
        here, {name: version for name, version in here.items() if name != "pyarrow"}
    )


def test_a_node_without_chainwright_can_say_so() -> None:
    """What asks it goes there by value."""
    ray = pytest.importorskip("ray")
    from chainwright.pipeline.cluster.ray_connection import _probe

    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())())"
    hidden = f"import sys; sys.modules['chainwright'] = None; {code}"
    answer = subprocess.run(
        [sys.executable, "-c", hidden],
        input=ray.cloudpickle.dumps(_probe()),
        capture_output=True,
        check=True,
    )
    assert answer.stdout.decode().startswith("ModuleNotFoundError: ")
    assert "chainwright" in answer.stdout.decode()
