"""A server that plays a model by rule and counts tokens as a real one does.

The prompts are put into SmolLM2's chat format and counted by its own tokenizer, at the server of
`local:smollm2`. Its solutions are the sources' own, whose steps are what a model would write.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.request import Request, urlopen

from chainwright.llm.providers.local import local_base_url
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import Seen, Served, chat
from tests.pipeline.model_server import first_allowed

WRONG_ANSWER = "-12345"
MARK = re.compile(r"<<[^>]*>>")
TOLD = "The step follows from what it names, and its calculation gives the number that it states."
"""As long as judges' explanations are."""


class CountingModel:
    """Answers every request of a build, and says what it counted.

    Args:
        solutions: Steps and final answer by question.
    """

    def __init__(self, solutions: Mapping[str, tuple[list[str], str]]) -> None:
        self._solutions = solutions
        self._count = counter()

    def __call__(self, seen: Seen) -> Served:
        messages = seen.body["messages"]
        text = self._answer(seen.body, "\n".join(message["content"] for message in messages))
        served = chat(text)
        written = self._count(text)
        usage = {"prompt_tokens": self._count(_chat_format(messages)), "completion_tokens": written}
        return replace(served, body=served.body | {"usage": usage})

    def _answer(self, body: dict[str, Any], asked: str) -> str:
        schema = body["response_format"]["json_schema"]
        if schema["name"] == "solution":
            steps, answer = next(
                found for question, found in self._solutions.items() if question in asked
            )
            broken = re.search(r"Make step (\d+) wrong", asked)
            if broken:
                at = int(broken[1]) - 1
                steps = [f"{step} (or so)" if n >= at else step for n, step in enumerate(steps)]
                answer = WRONG_ANSWER
            return json.dumps({"steps": steps, "final_answer": answer})
        value = first_allowed(schema["schema"])
        for entry in value.get("steps", []):
            entry["explanation"] = TOLD
            if "premises" in entry:
                # the question and the step before, as most steps have it
                entry["premises"] = sorted({0, entry["step"] - 1})
        return json.dumps(value)


def solutions_of(rows: list[dict[str, str]]) -> dict[str, tuple[list[str], str]]:
    """The solutions of GSM8K's rows as a model would write them."""
    found = {}
    for row in rows:
        text, _, answer = row["answer"].partition("####")
        steps = [MARK.sub("", line) for line in text.strip().splitlines()]
        found[row["question"]] = (steps, answer.strip())
    return found


@cache
def counter() -> Any:
    """Counts a text's tokens; raises ModelUnavailable where SmolLM2 is not installed."""
    place = local_base_url(ModelUri("local", "smollm2")).removesuffix("/v1")

    @cache
    def count(text: str) -> int:
        body = json.dumps({"content": text, "parse_special": True}).encode()
        request = Request(f"{place}/tokenize", body, {"content-type": "application/json"})  # noqa: S310
        with urlopen(request) as response:  # noqa: S310
            return len(json.load(response)["tokens"])

    return count


def _chat_format(messages: list[dict[str, str]]) -> str:
    turns = [f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in messages]
    return "".join(turns) + "<|im_start|>assistant\n"
