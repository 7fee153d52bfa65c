"""Folder: all of a release or nothing, whatever happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chainwright.release.folder import FORMAT, new_release


def write(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT, "text": text}))


def text_of(folder: Path) -> str:
    return str(json.loads((folder / "manifest.json").read_text())["text"])


def make(folder: Path, text: str) -> None:
    with new_release(folder) as fresh:
        write(fresh, text)


def test_a_release_appears_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "release"
    with new_release(folder) as fresh:
        write(fresh, "first")
        assert not folder.exists()
    assert text_of(folder) == "first"
    assert [path.name for path in folder.parent.iterdir()] == ["release"]


def test_a_former_release_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    make(folder, "first")
    (folder / "stale.txt").write_text("")
    with new_release(folder) as fresh:
        write(fresh, "second")
        assert text_of(folder) == "first"
    assert text_of(folder) == "second"
    assert [path.name for path in tmp_path.rglob("*")] == ["release", "manifest.json"]


def test_an_exception_leaves_the_former_release_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    make(folder, "first")
    with pytest.raises(KeyboardInterrupt), new_release(folder) as fresh:
        write(fresh, "second")
        raise KeyboardInterrupt
    assert text_of(folder) == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_what_a_killed_process_left_is_cleared(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    make(folder, "first")
    left = tmp_path / ".release.partial"
    left.mkdir()
    (left / "half.parquet").write_text("")
    make(folder, "second")
    assert text_of(folder) == "second"
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_kill_between_the_two_renamings_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    make(folder, "first")
    folder.rename(tmp_path / ".release.former")
    with pytest.raises(RuntimeError, match="no luck"), new_release(folder):
        raise RuntimeError("no luck")
    assert text_of(folder) == "first"


@pytest.mark.parametrize("manifest", [None, "{}", "[]", "no json", '{"format": "other"}'])
def test_a_folder_that_is_no_release_is_not_touched(tmp_path: Path, manifest: str | None) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    if manifest is not None:
        (folder / "manifest.json").write_text(manifest)
    with pytest.raises(FileExistsError, match="exists and is no release"):
        make(folder, "first")
    assert (folder / "thesis.tex").read_text() == "years of work"


def test_an_empty_folder_may_be_taken(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    make(folder, "first")
    assert text_of(folder) == "first"


def test_a_file_in_the_way_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "release"
    path.write_text("notes")
    with pytest.raises(FileExistsError, match="exists and is no release"):
        make(path, "first")
    assert path.read_text() == "notes"
