"""Askers that answer by a script, for the tests of stages."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from chainwright.llm.request import Answer, ModelUnavailable, Request
from chainwright.recipe import Recipe
from chainwright.stage import Batch, Stage, Tables

Script = Callable[[Request], str | Exception]


class Scripted:
    """Says what the script says, remembers what was asked, and raises exceptions among it."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        await asyncio.sleep(0)
        said = self.script(request)
        if isinstance(said, Exception):
            raise said
        return Answer(str(len(self.asked)), "ok", said, "stop")


UNAVAILABLE = ModelUnavailable("no such model")


def run(stage: Stage, recipe: Recipe, tables: Tables, script: Script) -> Batch:
    """A stage's batch by a scripted model, balanced and encodable."""
    work: Callable[..., Awaitable[Batch]] | None = stage.ask
    assert work is not None

    async def batch() -> Batch:
        return await work(recipe, tables, Scripted(script))

    made = asyncio.run(batch())
    assert made.unaccounted() == {}
    for row in [*made.rejects, *(row for rows in made.rows.values() for row in rows)]:
        json.dumps(row.model_dump(), ensure_ascii=False).encode()
    return made


def solution(*steps: str, answer: str) -> str:
    """A solution in the shape that models are asked for."""
    return json.dumps({"steps": steps, "final_answer": answer})


def text_of(request: Request) -> str:
    """All that a request says."""
    return "\n".join(message.content for message in request.messages)


def a_recipe(**parts: Any) -> Recipe:
    """A recipe with the given parts."""
    return Recipe.model_validate(
        {"name": "r", "sources": [{"kind": "gsm8k", "path": "a.jsonl"}], **parts}
    )
