"""An asker that answers by a script, and what the tests of model judges put before it."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from chainwright.llm.request import Answer, Request
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Passage, Problem

MODEL = parse_model_uri("compat:tiny@http://localhost:8000/v1")

PROBLEM = Problem.build(
    source="pears",
    question="Ann has 3 bags of 4 pears and eats 2. How many pears are left?",
    answer="the-gold-answer",
    solution="the-source's-solution",
)
CHAIN = Chain.build(
    problem_id=PROBLEM.problem_id,
    origin="model",
    generator="the-generator",
    steps=["3 bags of 4 are 3 * 4 = 12 pears.", "She eats 2.", "12 - 2 = 11 pears are left."],
    final_answer="11",
    is_correct=False,
)
WITH_CONTEXT = Problem.build(
    source="pears",
    question="Which fruit?",
    context=[Passage(ref=1, title="Fruit", text="A pear is a fruit.")],
    options=["pear", "plum"],
)

Script = Callable[[Request], str | Answer]


class ScriptedAsker:
    """Answers each request with what the script says, and remembers the requests in order."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        """The script's answer; keys count the requests."""
        self.asked.append(request)
        key = f"key-{len(self.asked)}"
        said = self.script(request)
        if isinstance(said, Answer):
            return replace(said, key=key)
        return Answer(key, "ok", said, "stop")


def agreeable(request: Request) -> str:
    """The first answer that the request's own schema allows: `correct`, no premises.

    An answer about one step echoes the numbers that the request's last line names.
    """
    assert request.schema is not None
    answer = first_allowed(request.schema.schema)
    named = re.findall(r"\bstep (\d+)", user_text(request).strip().splitlines()[-1])
    for key, number in zip(("step", "earlier"), named, strict=False):
        answer["steps"][0][key] = int(number)
    return json.dumps(answer)


def first_allowed(schema: Any, place: int = 0) -> Any:
    """The first value that a schema allows; entries of a list take its numbers in turn."""
    if "anyOf" in schema:
        return first_allowed(schema["anyOf"][0], place)
    if schema["type"] == "object":
        return {name: first_allowed(part, place) for name, part in schema["properties"].items()}
    if schema["type"] == "array":
        return [first_allowed(schema["items"], at) for at in range(schema.get("minItems", 0))]
    if "enum" in schema:
        return schema["enum"][min(place, len(schema["enum"]) - 1)]
    return {"string": "because", "boolean": False, "null": None}[schema["type"]]


def system_text(request: Request) -> str:
    """The instructions of a first-round request."""
    return request.messages[0].content


def user_text(request: Request) -> str:
    """The material of a first-round request."""
    return request.messages[1].content
