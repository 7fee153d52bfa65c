"""The clients of the transport benchmark: each asks the same questions of the same server.

Run by path, each with the Python of an environment that holds its library alone. The last line on
standard output is one JSON object: seconds of wall and processor of the work itself, without the
start of Python and the imports, and how many answers could be read.
"""

import argparse
import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

INSTRUCTIONS = """You check the steps of a worked solution to a question. You see the question and
all steps, each behind its number. Judge each step by itself, given the steps it builds on: take
those as true even if they are wrong. A step is wrong if it calculates wrongly, contradicts the
question or an earlier step, uses a quantity or a rule that they do not support, or concludes more
than they allow. Explain each judgement in one or two sentences, then give the label."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "step": {"type": "integer"},
                    "explanation": {"type": "string"},
                    "label": {"type": "string", "enum": ["correct", "error"]},
                },
                "required": ["step", "explanation", "label"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["steps"],
    "additionalProperties": False,
}

FORMAT: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {"name": "steps", "schema": SCHEMA, "strict": True},
}
"""SCHEMA as chat completions take it."""

READABLE = {"correct", "error"}


def question(number: int) -> str:
    """One of as many different questions as are wanted."""
    return (
        f"Question: in April a shop sold {number} clips, and half as many in May. How many clips "
        f"did it sell in both months?\n\nStep 1: in May it sold {number} / 2 = {number / 2:g} "
        f"clips.\nStep 2: in both months it sold {number} + {number / 2:g} = {number * 1.5:g} "
        "clips.\n\nJudge both steps."
    )


def is_readable(value: Any) -> bool:
    """Whether an answer has the shape that was asked for."""
    return all(step["label"] in READABLE for step in value["steps"])


def main() -> None:
    """Run one client."""
    parser = argparse.ArgumentParser(description="Ask so many questions, so many at a time.")
    parser.add_argument("client", choices=sorted(CLIENTS))
    parser.add_argument("--url", required=True, help="base URL of the server, up to /v1")
    parser.add_argument("--requests", type=int, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="for what is kept between runs")
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "sk-benchmark-of-transport"
    told = CLIENTS[options.client](options)
    print(json.dumps(told))
    sys.stdout.flush()


@contextmanager
def timed(told: dict[str, Any]) -> Iterator[None]:
    """Add wall and processor seconds, of this process and of children that have ended."""
    cpu, wall = _cpu(), time.monotonic()
    yield
    told["work_wall"] = time.monotonic() - wall
    told["work_cpu"] = _cpu() - cpu


def _cpu() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in spent)


def run_bare(options: argparse.Namespace) -> dict[str, Any]:
    """AsyncOpenAI as it comes, with a semaphore and `json.loads`; it keeps nothing."""
    from openai import AsyncOpenAI

    shape: Any = FORMAT
    told: dict[str, Any] = {}

    async def ask(client: AsyncOpenAI, turns: asyncio.Semaphore, number: int) -> bool:
        async with turns:
            answer = await client.chat.completions.create(
                model="bench",
                messages=[
                    {"role": "system", "content": INSTRUCTIONS},
                    {"role": "user", "content": question(number)},
                ],
                temperature=0.0,
                response_format=shape,
            )
        return is_readable(json.loads(answer.choices[0].message.content or ""))

    async def ask_all() -> list[bool]:
        turns = asyncio.Semaphore(options.concurrency)
        async with AsyncOpenAI(base_url=options.url) as client:
            asks = (ask(client, turns, number) for number in range(options.requests))
            return await asyncio.gather(*asks)

    with timed(told):
        told["answers"] = sum(asyncio.run(ask_all()))
    return told


def run_chainwright(options: argparse.Namespace) -> dict[str, Any]:
    """As a stage of a build asks: through the ledger, with the schema and its validation."""
    from functools import partial

    from chainwright.llm.client import Client
    from chainwright.llm.ledger import Ledger
    from chainwright.llm.request import Message, Request, Schema
    from chainwright.llm.structured import ask_structured
    from chainwright.llm.uri import ModelUri
    from chainwright.stage import all_of

    told: dict[str, Any] = {}
    model = ModelUri("compat", "bench", options.url)
    schema = Schema("steps", SCHEMA)

    async def ask(client: Client, number: int) -> bool:
        messages = (Message("system", INSTRUCTIONS), Message("user", question(number)))
        request = Request(model, messages, schema, temperature=0.0)
        return (await ask_structured(client, request, is_readable)).value is True

    async def ask_all() -> list[bool]:
        with Ledger(options.folder / "ledger.sqlite") as ledger:
            async with Client(ledger, concurrency=options.concurrency) as client:
                asks = (partial(ask, client, number) for number in range(options.requests))
                return await all_of(asks, 2 * options.concurrency)

    with timed(told):
        told["answers"] = sum(asyncio.run(ask_all()))
    return told


def run_distilabel(options: argparse.Namespace) -> dict[str, Any]:
    """A pipeline of two steps; as many rows in a batch as are to be asked at once."""
    from distilabel.models import OpenAILLM  # type: ignore[import-not-found]
    from distilabel.pipeline import Pipeline  # type: ignore[import-not-found]
    from distilabel.steps import LoadDataFromDicts  # type: ignore[import-not-found]
    from distilabel.steps.tasks import TextGeneration  # type: ignore[import-not-found]

    told: dict[str, Any] = {}
    with timed(told):
        rows = [
            {"system_prompt": INSTRUCTIONS, "instruction": question(number)}
            for number in range(options.requests)
        ]
        with Pipeline("transport", cache_dir=options.folder) as pipeline:
            load = LoadDataFromDicts(data=rows, batch_size=options.concurrency)
            ask = TextGeneration(
                llm=OpenAILLM(
                    model="bench",
                    base_url=options.url,
                    # its own check takes no schema here
                    generation_kwargs={
                        "temperature": 0.0,
                        "response_format": {"type": "json_object"},
                    },
                ),
                input_batch_size=options.concurrency,
            )
            load >> ask
        found = pipeline.run(use_cache=True)["default"]["train"]
        told["answers"] = sum(is_readable(json.loads(text)) for text in found["generation"])
    return told


def run_curator(options: argparse.Namespace) -> dict[str, Any]:
    """One `curator.LLM` with a response format, and limits that never bind."""
    # It counts tokens before it asks; the file for that lies in litellm, or is downloaded.
    litellm = find_spec("litellm")
    inside = Path(str(litellm and litellm.origin)).parent / "litellm_core_utils" / "tokenizers"
    os.environ.update(TELEMETRY_ENABLED="false", TIKTOKEN_CACHE_DIR=str(inside))
    from typing import Literal

    from bespokelabs import curator  # type: ignore[import-not-found]
    from pydantic import BaseModel

    class Step(BaseModel):
        step: int
        explanation: str
        label: Literal["correct", "error"]

    class Steps(BaseModel):
        steps: list[Step]

    class Judge(curator.LLM):  # type: ignore[misc]
        response_format = Steps

        def prompt(self, row: dict[str, Any]) -> list[dict[str, str]]:
            return [
                {"role": "system", "content": INSTRUCTIONS},
                {"role": "user", "content": row["question"]},
            ]

        def parse(self, row: dict[str, Any], response: Steps) -> list[dict[str, Any]]:
            return [{"readable": is_readable(response.model_dump())}]

    told: dict[str, Any] = {}
    with timed(told):
        judge = Judge(
            model_name="gpt-4o-mini",  # its check for response formats asks by name
            backend="openai",
            generation_params={"temperature": 0.0},
            backend_params={
                "base_url": options.url,
                "max_concurrent_requests": options.concurrency,
                "max_requests_per_minute": 10_000_000,
                "max_tokens_per_minute": 10_000_000_000,
            },
        )
        rows = [{"question": question(number)} for number in range(options.requests)]
        found = judge(rows, working_dir=str(options.folder))
        found = getattr(found, "dataset", found)
        told["answers"] = sum(found["readable"])
    return told


CLIENTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "bare": run_bare,
    "chainwright": run_chainwright,
    "distilabel": run_distilabel,
    "curator": run_curator,
}


if __name__ == "__main__":
    main()
