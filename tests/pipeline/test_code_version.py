import sys
from pathlib import Path

import pytest

from chainwright.pipeline.code_version import code_version


@pytest.fixture
def wing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "some_wing"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "work.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "some_wing", raising=False)
    return package


def test_code_data_and_names_of_files_all_count(wing: Path) -> None:
    seen = [code_version("some_wing")]
    (wing / "work.py").write_text("A = 2\n")
    seen.append(code_version("some_wing"))
    (wing / "prompts").mkdir()
    (wing / "prompts" / "ask.j2").write_text("Judge this.")
    seen.append(code_version("some_wing"))
    (wing / "prompts" / "ask.j2").rename(wing / "prompts" / "tell.j2")
    seen.append(code_version("some_wing"))
    assert len(set(seen)) == 4


def test_caches_and_hidden_files_do_not_count(wing: Path) -> None:
    before = code_version("some_wing")
    (wing / "__pycache__").mkdir()
    (wing / "__pycache__" / "work.pyc").write_bytes(b"x")
    (wing / ".work.py.swp").write_bytes(b"x")
    assert code_version("some_wing") == before


def test_a_module_counts_by_itself() -> None:
    assert code_version("chainwright.recipe") != code_version("chainwright.stage")


def test_an_unknown_module_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"chainwright\.none"):
        code_version("chainwright.none")
