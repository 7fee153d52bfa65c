"""A server that plays the models of a build: it solves, breaks and judges small sums by rule.

The sums are those of `small_line.write_recipe`: `What is 4 + 1?`. Of its solutions those with an
odd number are wrong.

Run as a module it builds in a process of its own: `python -m tests.pipeline.model_server RECIPE
RUNS`.
"""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.llm.fault_server import FaultServer, Seen, Served, chat
from tests.pipeline.small_line import CODE_VERSION, pinned, write_recipe

METHODS: dict[str, Any] = {"error": "premise_conditioned", "premises": "per_step"}


def answering(seen: Seen) -> Served:
    """The answer to any request of a build."""
    asked = "\n".join(message["content"] for message in seen.body["messages"])
    schema = seen.body["response_format"]["json_schema"]
    if schema["name"] != "solution":
        return chat(json.dumps(first_allowed(schema["schema"])))
    found = re.search(r"What is (\d+) \+ 1\?", asked)
    number = int(found[1]) if found else 0
    if "Write a wrong version" in asked:
        step = int((re.search(r"Make step (\d+) wrong", asked) or ["", "1"])[1])
        return chat(solution(number, [number + 7, number + 1][step - 1], number + 7))
    right = number + 1 + number % 2
    return chat(solution(number, right, right))


def solution(number: int, result: int, answer: int) -> str:
    """A solution in the shape that models are asked for."""
    steps = [f"{number} + 1 = {result}", f"So {answer}."]
    return json.dumps({"steps": steps, "final_answer": str(answer)})


def first_allowed(schema: Any, place: int = 0) -> Any:
    """The first value that a schema allows; the entries of a list take its numbers in turn."""
    if "anyOf" in schema:
        return first_allowed(schema["anyOf"][0], place)
    match schema["type"]:
        case "object":
            return {key: first_allowed(part, place) for key, part in schema["properties"].items()}
        case "array":
            return [first_allowed(schema["items"], at) for at in range(schema.get("minItems", 0))]
    if "enum" in schema:
        return schema["enum"][min(place, len(schema["enum"]) - 1)]
    return {"string": "because", "boolean": False, "null": None}[schema["type"]]


def model(server: FaultServer, name: str = "sums") -> str:
    """The URI of a model that the server plays."""
    return f"compat:{name}@{server.url}/v1"


def write_model_recipe(
    folder: Path, server: FaultServer, problems: int = 7, **changes: Any
) -> Path:
    """A recipe in which models write, break and judge the chains."""
    uri = model(server)
    parts: dict[str, Any] = {
        "chains": {"reference": False, "model": {"models": [uri]}},
        "negatives": {"model": {"model": uri}},
        "annotation": {
            "judges": ["program:arithmetic", uri, {"model": uri, **METHODS}],
            "bootstrap": 10,
        },
        "requests": {"concurrency": 4},
    }
    return write_recipe(folder, problems, **parts | changes)


def bodies(seen: Iterable[Seen]) -> list[str]:
    """What was asked, comparable."""
    return [json.dumps(one.body, sort_keys=True) for one in seen]


def _main(recipe: str, runs: str) -> None:
    """Builds in a process of its own, which tests stop or kill."""
    from chainwright.cli import exit_on_mistake
    from chainwright.pipeline.build import build

    with exit_on_mistake(), patch(CODE_VERSION, pinned):
        build(Path(recipe), Path(runs))


if __name__ == "__main__":
    _main(*sys.argv[1:])
