"""Pulling and loading what was pushed, against a local server of the Hub's protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chainwright.pipeline.reading.hub_rows import commit_of
from tests.release.hub.commands import REPO, Command, content, push_json
from tests.release.hub_server import HubServer


def test_what_was_pushed_can_be_pulled_byte_for_byte(
    hub: HubServer, call: Command, run: Callable[..., Path], tmp_path: Path
) -> None:
    release = run()
    first = content(release)
    push_json(call)
    run(4, version="1.1")
    push_json(call)
    code, out, err = call("pull", REPO, "--revision", "v1.0", "--quiet")
    assert code == 0, err
    assert content(tmp_path / "pears") == first
    assert "chainwright validate pears" in out
    code, out, _ = call("pull", REPO, "--json", "--quiet")
    assert code == 0
    assert content(tmp_path / "pears") == content(release)  # and no shard of the former one
    assert json.loads(out)["revision"] == "v1.1"
    before = hub.count("resolve")
    code, out, _ = call("pull", REPO, "--json", "--quiet")
    assert (code, json.loads(out)["downloaded"]) == (0, 0)
    assert hub.count("resolve") == before
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "runs") == ["pears"]


def test_a_broken_pull_goes_on_from_there(
    hub: HubServer, call: Command, run: Callable[..., Path], tmp_path: Path
) -> None:
    release = run()
    push_json(call)
    hub.fail(r"GET .*/resolve/.*/data/votes", 0)
    code, _, err = call("pull", REPO, "--quiet")
    assert code == 3
    assert err.count("\n") == 1
    assert not (tmp_path / "pears").exists()
    hub.faults.clear()
    arrived = {
        path.relative_to(tmp_path / ".pears.pulling").as_posix()
        for path in (tmp_path / ".pears.pulling").rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }
    before = len(hub.asked)
    assert call("pull", REPO, "--quiet")[0] == 0
    assert content(tmp_path / "pears") == content(release)
    assert arrived
    for path in arrived:
        assert not any(
            f"GET /datasets/{REPO}/resolve" in one and one.endswith(path)
            for one in hub.asked[before:]
        )


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("pull", "ada/none"), "shows no dataset ada/none"),
        (("pull", REPO, "--revision", "v9"), "has no such revision"),
    ],
)
def test_what_is_not_there_cannot_be_pulled(
    call: Command, run: Callable[..., Path], command: tuple[str, ...], says: str
) -> None:
    run(2)
    push_json(call)
    code, _, err = call(*command, "--quiet")
    assert code == 2
    assert says in err


def test_a_pull_replaces_nothing_but_a_release(
    call: Command, run: Callable[..., Path], tmp_path: Path
) -> None:
    run(2)
    push_json(call)
    (tmp_path / "pears").mkdir()
    (tmp_path / "pears" / "mine.txt").write_text("mine")
    code, _, err = call("pull", REPO, "--quiet")
    assert code == 2
    assert "--out" in err
    assert (tmp_path / "pears" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"README.md": b"other"}, "README.md is not the file"),
        ({"manifest.json": b"{}"}, "no release of chainwright"),
        (
            {"manifest.json": b'{"format": "chainwright-release", "files": [{"path": "../x"}]}'},
            "leads out",
        ),
    ],
)
def test_what_is_not_as_its_manifest_says_is_not_kept(
    hub: HubServer,
    call: Command,
    run: Callable[..., Path],
    tmp_path: Path,
    change: dict[str, bytes],
    says: str,
) -> None:
    from tests.release.hub_server import Kept

    run(2)
    push_json(call)
    repo = hub.repos[REPO]
    files = {path: Kept(one, lfs=False) for path, one in change.items()}
    repo.commit({**repo.files, **files}, "tampered")
    code, _, err = call("pull", REPO, "--quiet")
    assert code == 2
    assert says in err
    assert not (tmp_path / "pears").exists()


def test_datasets_loads_what_was_pushed(
    hub: HubServer, call: Command, run: Callable[..., Path], tmp_path: Path
) -> None:
    run()
    push_json(call)
    script = (
        "import datasets, json\n"
        f"plain = datasets.load_dataset('{REPO}', 'chains', revision='v1.0')\n"
        f"stream = datasets.load_dataset('{REPO}', 'chains', revision='v1.0', streaming=True)\n"
        "assert all(list(stream[split]) == plain[split].to_list() for split in plain)\n"
        "print(json.dumps({split: len(rows) for split, rows in plain.items()}))\n"
    )
    environment = {
        **os.environ,
        "HF_HOME": str(tmp_path / "cache"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sum(json.loads(done.stdout).values()) == 12


def test_a_test_set_on_the_hub_is_named_by_its_commit(
    hub: HubServer, call: Command, run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    call("push", "pears", REPO)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
    monkeypatch.setattr("huggingface_hub.hf_api.constants.ENDPOINT", hub.url)
    assert commit_of(REPO, None) == commit_of(REPO, "v1.0") == hub.repos[REPO].head
    assert commit_of("ada/absent", None) is None
