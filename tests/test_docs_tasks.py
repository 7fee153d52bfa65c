"""The pages of tasks do what they say: their commands are run as written, their output compared.

A page's `sh` blocks run in order in one shell, in a folder that holds the recipes of a fresh clone.
A `text` block that follows is what the block before it prints, `...` standing for anything.
What needs a key, a server or a quarter of an hour stands in other fences, or behind a comment
`<!-- not run: why -->`.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.release.hub_server import TOKEN, serving

ROOT = Path(__file__).parents[1]
TASKS = ROOT / "docs" / "tasks"
PAGES = {"perl": 2, "grace": 3, "new-domain": 2, "audit": 0, "humans": 1, "publish": 1}
"""The pages, and how many of their blocks are not run."""
BLOCK = re.compile(r"^(<!-- not run: .+ -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ALLOWED = {"sh", "text", "console", "yaml", "python", "json"}
MARK = "----- block"


class Step(NamedTuple):
    """A block that is run, and what the page says it prints; None where it says nothing."""

    commands: str
    printed: str | None


def blocks(page: str) -> list[tuple[str, str, str]]:
    """(comment, language, content) of each fenced block."""
    return BLOCK.findall((TASKS / f"{page}.md").read_text(encoding="utf-8"))


def steps(page: str) -> Iterator[Step]:
    found = blocks(page)
    for at, (comment, language, content) in enumerate(found):
        if language == "sh" and not comment:
            after = found[at + 1] if at + 1 < len(found) else ("", "", "")
            yield Step(content, after[2] if after[1] == "text" and not after[0] else None)


def left_out(page: str) -> int:
    return sum(bool(comment) or language == "console" for comment, language, _ in blocks(page))


def shell(commands: list[str], folder: Path, endpoint: str) -> list[str]:
    """What each block prints, errors included; a command that fails ends the page."""
    script = "set -eu\n" + "".join(f"echo '{MARK}'\n{block}" for block in commands)
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(folder),
        "COLUMNS": "200",
        "NO_COLOR": "1",
        "HF_ENDPOINT": endpoint,
        "HF_TOKEN": TOKEN,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = done.stdout.split(f"{MARK}\n")[1:]
    assert done.returncode == 0, f"block {len(printed)} of {len(commands)}:\n{done.stdout[-3000:]}"
    return printed


def test_the_six_tasks_have_a_page_each() -> None:
    assert {path.stem for path in TASKS.glob("*.md")} == {*PAGES, "README"}
    index = (TASKS / "README.md").read_text(encoding="utf-8")
    assert all(f"({page}.md)" in index for page in PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_left_out_unseen(page: str) -> None:
    found = blocks(page)
    assert {language for _, language, _ in found} <= ALLOWED
    text = (TASKS / f"{page}.md").read_text(encoding="utf-8")
    assert text.count("```") == 2 * len(found)
    assert all(content.strip() != "..." for _, _, content in found)
    assert left_out(page) == PAGES[page]


@pytest.mark.parametrize("page", PAGES)
def test_commands_do_what_the_page_says(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "recipes", tmp_path / "recipes")
    todo = list(steps(page))
    with serving() as hub:
        printed = shell([step.commands for step in todo], tmp_path, hub.url)
    checker = doctest.OutputChecker()
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    wrong = [
        f"{step.commands}\nprints\n{got}\nand the page says\n{step.printed}"
        for step, got in zip(todo, printed, strict=True)
        if step.printed is not None and not checker.check_output(step.printed, got, options)
    ]
    assert not wrong, "\n\n".join(wrong)
