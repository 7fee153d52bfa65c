"""Runs below hf://, by the Hub's own client, against a local server of its protocol."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.working_copy import MARKER, WORK, folder_here
from chainwright.pipeline.validation.validate import validate
from tests.pipeline.small_line import small_line, write_recipe
from tests.pipeline.test_mirror import answers, keep, other_machine
from tests.release.hub_server import TOKEN, HubServer, Kept, Repo, serving

RUNS = "hf://datasets/ada/runs"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    """The local server with an empty dataset; this machine is the first."""
    import huggingface_hub.constants
    from huggingface_hub import HfFileSystem

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    HfFileSystem.clear_instance_cache()
    with serving() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        server.repos["ada/runs"] = Repo(private=True)
        server.repos["ada/runs"].commit({"README.md": Kept(b"runs", lfs=False)}, "initial commit")
        yield server
    HfFileSystem.clear_instance_cache()


def test_a_run_on_the_hub(tmp_path: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "runs"
    build(write_recipe(tmp_path, 2), here, quiet=True, line=small_line())
    mirror = Mirror(RUNS, "small")
    shutil.copytree(here / "small", mirror.folder.path)
    mirror.bring()
    there = hub.repos["ada/runs"].files
    assert {f"small/{MARKER}", "small/chains/chains-00000.parquet"} <= there.keys()
    other_machine(tmp_path, monkeypatch)
    copy = find_run(f"{RUNS}/small", Path("runs"))
    for path in (here / "small").rglob("*.parquet"):
        assert (
            copy.path.joinpath(path.relative_to(here / "small")).read_bytes() == path.read_bytes()
        )
    assert validate(copy.path).ok


def test_a_ledger_on_the_hub(
    tmp_path: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = Mirror(RUNS, "small")
    mirror.bring()
    for text in ("one", "two"):
        keep(mirror.folder.ledger, text)
        mirror.send()
    mirror.send(1)  # which would cost a commit for each that is removed
    there = [name for name in hub.repos["ada/runs"].files if "/ledger/part-1-" in name]
    assert len(there) == 2
    other_machine(tmp_path, monkeypatch)
    assert answers(find_run(f"{RUNS}/small", Path("runs")).ledger) == {"one", "two"}


def test_what_somebody_else_wrote_meanwhile_is_seen(hub: HubServer, tmp_path: Path) -> None:
    mirror = Mirror(RUNS, "small")
    mirror.bring()
    repo = hub.repos["ada/runs"]
    marker = b'{"generation": 7, "writer": "process 1 on another", "written": "just now"}'
    repo.commit({**repo.files, f"small/{MARKER}": Kept(marker, lfs=False)}, "elsewhere")
    with pytest.raises(RunStopped, match="was written by process 1 on another at just now"):
        mirror.send()


def test_a_dataset_that_is_not_there(hub: HubServer, tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="no run at hf://datasets/ada/none/small"):
        find_run("small", Path("hf://datasets/ada/none"))
    with pytest.raises(InputMistake, match="repository not found"):
        build(write_recipe(tmp_path), "hf://datasets/ada/none", quiet=True, line=small_line())
    assert folder_here("hf://datasets/ada/none") != folder_here(RUNS)


def test_a_token_that_the_hub_does_not_know(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_nobody_0123456789")
    with pytest.raises(InputMistake, match=r"no run at .* HF_TOKEN lets see it"):
        find_run(f"{RUNS}/small", Path("runs"))
