"""Loading checkers: what is found where, what is refused with which words, what counts as new."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chainwright.annotation.checkers import loading
from chainwright.annotation.checkers.loading import CheckerFault, load
from chainwright.annotation.checkers.source import NO_SOURCE, source_version

BODY = "def check(view):\n    return []\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder, and an interpreter that forgets afterwards what it imported."""
    before, known = set(sys.modules), set(loading._loaded)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) or "own" in name:
            del sys.modules[name]
    for name in set(loading._loaded) - known:
        del loading._loaded[name]


def written(path: Path, text: str = BODY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_module_of_the_working_folder_is_found(folder: Path) -> None:
    written(folder / "own_lab" / "__init__.py", "")
    written(folder / "own_lab" / "units.py")
    found = load("own_lab.units.check")
    assert found.function(None) == []
    assert found.version == source_version("own_lab.units")
    assert sys.path[-1] == str(folder)


def test_nothing_in_the_working_folder_hides_what_is_installed(folder: Path) -> None:
    written(folder / "pydantic.py")
    with pytest.raises(CheckerFault, match="no `check` in pydantic"):
        load("pydantic.check")
    assert str(folder) not in sys.path


def test_an_interpreter_that_leaves_the_working_folder_out_does_so_here(folder: Path) -> None:
    written(folder / "own_safe.py")
    program = (
        "from chainwright.annotation.checkers.source import source_version\n"
        "print(source_version('own_safe'))"
    )
    for flags, there in (([], True), (["-P"], False)):
        command = [sys.executable, *flags, "-c", program]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        assert (said != NO_SOURCE) is there


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import own_missing\n", "No module named 'own_missing'"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("def\n", "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("", "no `check` in own_bad"),
        ("check = 3\n", "of type int"),
        ("class check: pass\n", "a class"),
        ("def check(): pass\n", r"with the parameters \(\)"),
        ("def check(problem, chain): pass\n", r"with the parameters \(problem, chain\)"),
        ("def check(*, view): pass\n", r"with the parameters \(\*, view\)"),
        (f"TIMEOUT_SECONDS = 0\n{BODY}", "TIMEOUT_SECONDS = 0, expected a number above 0"),
        (f"TIMEOUT_SECONDS = '9'\n{BODY}", "TIMEOUT_SECONDS = '9'"),
        (f"TIMEOUT_SECONDS = float('nan')\n{BODY}", "TIMEOUT_SECONDS = nan"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(folder: Path, text: str, found: str) -> None:
    written(folder / "own_bad.py", text)
    with pytest.raises(CheckerFault, match=found) as caught:
        load("own_bad.check")
    assert caught.value.found.startswith("`python:own_bad.check`")


@pytest.mark.parametrize(
    ("name", "found", "hint"),
    [
        ("own_nowhere.check", "no module `own_nowhere`", "own folder is not searched"),
        ("own_bits.nowhere.check", "no module `own_bits.nowhere`", "own folder"),
        ("own_bits.chekc", "no `chekc` in own_bits", "did you mean `python:own_bits.check`?"),
        ("os.path.join", "Python's own `os.path`", ""),
        ("subprocess.run", "Python's own `subprocess`", ""),
    ],
)
def test_what_is_not_there_is_named(folder: Path, name: str, found: str, hint: str) -> None:
    written(folder / "own_bits.py")
    with pytest.raises(CheckerFault) as caught:
        load(name)
    assert found in caught.value.found
    assert hint in (caught.value.hint or "")


def test_a_changed_source_is_another_version_and_is_imported_again(folder: Path) -> None:
    path = written(folder / "own_new.py", "def check(view):\n    return [1]\n")
    first = load("own_new.check")
    assert load("own_new.check") is first
    path.write_text("def check(view):\n    return [1, 2]  # longer\n", encoding="utf-8")
    second = load("own_new.check")
    assert (first.function(None), second.function(None)) == ([1], [1, 2])
    assert first.version != second.version


def test_the_version_is_found_without_running_anything(folder: Path) -> None:
    written(folder / "own_loud" / "__init__.py", "raise AssertionError\n")
    inner = written(folder / "own_loud" / "inner.py", "raise AssertionError\n")
    seen = {source_version("own_loud.inner")}
    inner.write_text(BODY, encoding="utf-8")
    seen.add(source_version("own_loud.inner"))
    whole = source_version("own_loud")
    written(folder / "own_loud" / "table.csv", "a\n")
    seen |= {whole, source_version("own_loud"), source_version("own_loud.inner")}
    assert len(seen) == 4
    assert NO_SOURCE not in seen
    assert "own_loud" not in sys.modules
    for nowhere in ("own_loud.other", "own_loud.inner.deeper", "own_none", "sys"):
        assert source_version(nowhere) == NO_SOURCE
