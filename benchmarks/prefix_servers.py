"""Servers for the benchmark of prompt prefixes: a simulated prefix cache, and a real one.

Both send the judges' own requests in any order of their parts, and answer by a script.
"""

import asyncio
import json
import re
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from chainwright.llm.client import Client
from chainwright.llm.providers.local import local_base_url
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Schema
from chainwright.llm.uri import parse_model_uri

Tokenizer = Callable[[str], tuple[int, ...]]

LOCAL = parse_model_uri("local:smollm2")


@dataclass
class Count:
    """Tokens of requests, and those of them that the cache served."""

    requests: int = 0
    tokens: int = 0
    cached: int = 0

    def add(self, tokens: int, cached: int) -> None:
        """One more request."""
        self.requests += 1
        self.tokens += tokens
        self.cached += cached

    def __add__(self, other: "Count") -> "Count":
        return Count(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )


@dataclass
class PrefixCache:
    """The prompts of one model that were answered, by their blocks; it never forgets."""

    block: int
    least: int
    known: set[int] = field(default_factory=set)

    def served(self, prompt: Sequence[int]) -> int:
        """Tokens at the beginning of a prompt that need not be computed; never the last one."""
        blocks = 0
        for digest in self._blocks(prompt[:-1]):
            if digest not in self.known:
                break
            blocks += 1
        return blocks * self.block if blocks * self.block >= self.least else 0

    def keep(self, prompt: Sequence[int]) -> None:
        """A prompt is computed."""
        self.known.update(self._blocks(prompt))

    def _blocks(self, prompt: Sequence[int]) -> Iterator[int]:
        digest = 0
        for end in range(self.block, len(prompt) + 1, self.block):
            digest = hash((digest, tuple(prompt[end - self.block : end])))
            yield digest


@dataclass
class Simulated:
    """Answers by a script, as a server with so many slots and a prefix cache."""

    order: str
    tokenizer: Tokenizer
    cache: PrefixCache
    slots: asyncio.Semaphore
    schema_first: bool
    count: Count = field(default_factory=Count)

    async def ask(self, request: Request) -> Answer:
        """Counts a request as it is sent, and caches it once it is answered."""
        async with self.slots:
            prompt = self._prompt(request)
            self.count.add(len(prompt), self.cache.served(prompt))
            await asyncio.sleep(0.001)
            self.cache.keep(prompt)
        return Answer("key", "ok", json.dumps(scripted(request)), "stop")

    def _prompt(self, request: Request) -> list[int]:
        schema = json.dumps(request.schema.schema) if request.schema and self.schema_first else ""
        prompt = list(self.tokenizer(schema))
        for message in arranged(request, self.order):
            prompt += [-1, -2]  # what marks the beginning and the role of a message
            for part in message:
                prompt += self.tokenizer(f"{part}\n\n")
        return [*prompt, -3, -4]


def scripted(request: Request) -> dict[str, Any]:
    """An answer that the judge accepts: whatever was asked is right and needs no premise."""
    schema = cast("Schema", request.schema).schema
    entry = first_allowed(schema["properties"]["steps"]["items"])
    named = re.findall(r"\bstep (\d+)", request.messages[1].content.rpartition("\n\n")[2])
    return {"steps": [entry | dict(zip(("step", "earlier"), map(int, named), strict=False))]}


def first_allowed(schema: Any) -> Any:
    """The first value that a judge's schema allows."""
    if "anyOf" in schema:
        return first_allowed(schema["anyOf"][0])
    if schema["type"] == "object":
        return {name: first_allowed(part) for name, part in schema["properties"].items()}
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "because", "boolean": False, "null": None, "array": []}[schema["type"]]


@dataclass
class Real:
    """Asks the local model for a few tokens, and counts what its server says it had cached."""

    client: Client
    order: str
    count: Count = field(default_factory=Count)

    async def ask(self, request: Request) -> Answer:
        """Sends the request in this order; the answer is the script's."""
        roles: list[Any] = ["user"] if "/" not in self.order else ["system", "user"]
        texts = ["\n\n".join(parts) for parts in arranged(request, self.order)]
        messages = [Message(role, text) for role, text in zip(roles, texts, strict=True)]
        answer = await self.client.ask(Request(LOCAL, messages, temperature=0, max_tokens=4))
        if answer.status != "ok":
            raise RuntimeError(answer.error)
        self.count.add(answer.usage.input_tokens, answer.usage.cached_tokens)
        return Answer("key", "ok", json.dumps(scripted(request)), "stop")


def best_tokenizer() -> tuple[Tokenizer, str]:
    """The tokenizer of SmolLM2 if it is there, else words and signs."""
    try:
        root = local_base_url(LOCAL).removesuffix("/v1")
    except ModelUnavailable as error:
        print(f"tokens are words and signs: {error}", file=sys.stderr)
        return words, "words and signs"

    @cache
    def tokens(text: str) -> tuple[int, ...]:
        body = json.dumps({"content": text}).encode()
        request = urllib.request.Request(f"{root}/tokenize", body)  # noqa: S310 - our own server
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return tuple(json.load(answer)["tokens"])

    return tokens, "SmolLM2"


@cache
def words(text: str) -> tuple[int, ...]:
    """A token for each word, sign and line end."""
    return tuple(map(hash, re.findall(r"[A-Za-z]+|[^ \tA-Za-z]", text)))


def arranged(request: Request, order: str) -> list[list[str]]:
    """The parts of a request in an order, message by message."""
    instructions, user = (message.content for message in request.messages)
    material, _, question = user.rpartition("\n\n")
    parts = {"i": instructions, "m": material, "q": question}
    return [[parts[letter] for letter in message] for message in order.split("/")]
