import os
from pathlib import Path

import pytest

from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.run_folder import RunFolder, held, is_held, table_of


def test_a_held_folder_cannot_be_held_again_and_says_by_whom(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    with held(folder):
        assert is_held(folder)
        with pytest.raises(RunStopped, match=f"process {os.getpid()} on "), held(folder):
            raise AssertionError("held twice")
        assert is_held(folder)
    assert not is_held(folder)
    with held(folder):
        assert is_held(folder)


def test_a_holder_without_a_word_is_another_process(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with held(folder):
        (tmp_path / ".holder.json").write_text("{")
        with pytest.raises(RunStopped, match="in use by another process"), held(folder):
            raise AssertionError("held twice")


def test_clearing_keeps_what_was_paid_for_and_what_is_not_ours(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for name in ("chains/chains-00000.parquet", "release/README.md", "notes/mine.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x")
    for name in ("ledger.sqlite", "manifest.json", "statistics.json", "release.journal.jsonl"):
        (tmp_path / name).write_text("x")
    folder.clear()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.sqlite", "notes"]


def test_the_table_of_a_shard() -> None:
    assert table_of("chains/chains-00012.parquet") == "chains"
    assert table_of("statistics.json") == ""
