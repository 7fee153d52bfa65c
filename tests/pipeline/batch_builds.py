"""Builds in batch mode against a local server of batches, whose models solve and judge small sums.

Run as a module it builds in a process of its own: `python -m tests.pipeline.batch_builds RECIPE
RUNS`.
"""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from chainwright.llm.batches.pace import Pace
from tests.llm.batch_server import BatchServer
from tests.llm.fault_server import Seen
from tests.pipeline.model_server import METHODS, answering, solution
from tests.pipeline.small_line import CODE_VERSION, pinned, write_recipe

FAST = Pace(quiet=0.1, first=0.01, most=0.05, doubt=0.0)
PACE = "chainwright.llm.batches.pace.PACE"
GPT, CLAUDE = "openai:gpt-4o-mini", "anthropic:claude-sonnet-5"


def say(body: dict[str, Any]) -> str:
    """What the models of `model_server` say; of Messages only sums are solved."""
    if "response_format" in body:
        said: str = answering(Seen("", {}, body)).body["choices"][0]["message"]["content"]
        return said
    asked = json.dumps(body["messages"])
    number = int((re.search(r"What is (\d+) \+ 1\?", asked) or ["", "0"])[1])
    return solution(number, number + 1, number + 1)


@contextmanager
def reached(server: BatchServer) -> Iterator[pytest.MonkeyPatch]:
    """The environment names the server, and batches are looked at often."""
    with pytest.MonkeyPatch.context() as change:
        server.say = say
        change.setenv("OPENAI_BASE_URL", server.openai)
        change.setenv("ANTHROPIC_BASE_URL", server.anthropic)
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            change.setenv(name, "key-for-batches")
        change.setattr(PACE, FAST)
        yield change


def write_batch_recipe(folder: Path, problems: int = 7, **changes: Any) -> Path:
    """A recipe in which models write, break and judge the chains, asked in batches."""
    parts: dict[str, Any] = {
        "chains": {"reference": False, "model": {"models": [GPT]}},
        "negatives": {"model": {"model": GPT}},
        "annotation": {
            "judges": ["program:arithmetic", GPT, {"model": GPT, **METHODS}],
            "bootstrap": 10,
        },
        "requests": {"mode": "batch"},
    }
    return write_recipe(folder, problems, **parts | changes)


def _main(recipe: str, runs: str) -> None:
    """Builds in a process of its own, which tests stop or kill."""
    from chainwright.cli import exit_on_mistake
    from chainwright.pipeline.build import build

    with exit_on_mistake(), patch(CODE_VERSION, pinned), patch(PACE, FAST):
        build(Path(recipe), Path(runs))


if __name__ == "__main__":
    _main(*sys.argv[1:])
