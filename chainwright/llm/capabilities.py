"""Capabilities: what a model can be sent, by the pattern of its name.

One table decides for all providers. A model that no pattern knows gets the request that the fewest
servers refuse.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from chainwright.llm.request import Request
from chainwright.llm.uri import ModelUri, Provider

JsonMode = Literal["json_schema", "json_object", "text"]
"""How an answer in JSON is asked for: by a schema that the server enforces, by a mode that makes
it JSON of any shape, or in words alone. Each one is the way out when the one before is refused."""

Api = Literal["chat", "responses"]
"""OpenAI's two ways to ask; some of its models have the second one only."""


@dataclass(frozen=True)
class Capabilities:
    """What may be in a request.

    Attributes:
        api: Which of OpenAI's protocols the model is asked in.
        token_limit: The field of chat completions that limits the length of an answer.
        default_max_tokens: Its value where the request has none; null leaves it out.
        system_role: The role that instructions are sent with.
        json_mode: The first mode to try.
        known: Whether a pattern knows the model; if not, all else is caution.
    """

    api: Api = "chat"
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105
    default_max_tokens: int | None = None
    temperature: bool = True
    seed: bool = True
    system_role: Literal["system", "developer", "user"] = "system"
    json_mode: JsonMode = "json_schema"
    known: bool = True


_OPENAI = Capabilities(token_limit="max_completion_tokens")  # noqa: S106
_PLAIN = replace(_OPENAI, temperature=False, seed=False)
_REASONING = replace(_PLAIN, system_role="developer")

_TABLE: tuple[tuple[str, Capabilities], ...] = (
    # These have no chat completions: the slow ones, those made for agents, and special trades.
    (
        r"(o\d|gpt-\d+(\.\d+)?)(-mini)?(-\w+)?-(pro|codex|deep-research|cyber|rosalind|law)\b"
        r"|codex-|computer-use|gpt-daybreak|gpt-rosalind",
        replace(_REASONING, api="responses"),
    ),
    (r"o1-(mini|preview)", replace(_REASONING, system_role="user", json_mode="text")),
    (r"o\d", _REASONING),
    (r"gpt-5-chat", _OPENAI),
    (r"gpt-\d+(\.\d+)?-chat", _PLAIN),
    (r"(chat)?gpt-4(o|\.\d)", _OPENAI),
    (r"gpt-4-turbo|gpt-4-1106|gpt-4-0125|gpt-3\.5", replace(_OPENAI, json_mode="json_object")),
    (r"gpt-4", replace(_OPENAI, json_mode="text")),
    (r"gpt-([5-9]|\d\d)", _REASONING),
    (r"", replace(_PLAIN, known=False)),
)

_TABLES: dict[Provider, tuple[tuple[str, Capabilities], ...]] = {
    "openai": _TABLE,
    # A deployment has any name; most are called after their model.
    "azure": _TABLE,
    # Messages has no seed, and the SDK's `create` takes no temperature.
    "anthropic": ((r"", Capabilities(default_max_tokens=8192, temperature=False, seed=False)),),
    "compat": ((r"", Capabilities()),),
    # Without a limit a small model may ramble until its context is full.
    "local": ((r"", Capabilities(default_max_tokens=1024)),),
}


@cache
def capabilities(model: ModelUri) -> Capabilities:
    """What a model can be sent; the first pattern counts that its name begins with.

    >>> from chainwright.llm.uri import parse_model_uri
    >>> capabilities(parse_model_uri("openai:o3-mini")).temperature
    False
    """
    name = model.name.removeprefix("ft:")
    if model.provider == "azure":
        name = re.sub(r"^gpt-?35", "gpt-3.5", name)  # older deployments had no dots
    for pattern, found in _TABLES.get(model.provider, ()):
        if re.match(pattern, name):
            return found
    return Capabilities()


def unsent(request: Request) -> tuple[str, ...]:
    """Settings of a request that its model would refuse and that are therefore left out."""
    able = capabilities(request.model)
    left_out = []
    if request.temperature is not None and not able.temperature:
        left_out.append(f"temperature {request.temperature:g}")
    if request.seed is not None and not able.seed:
        left_out.append(f"seed {request.seed}")
    return tuple(left_out)


def note(model: ModelUri, left_out: tuple[str, ...]) -> str | None:
    """What the log should say once about the requests to a model; None when all is plain.

    Args:
        left_out: What `unsent` gave.
    """
    settings = ", ".join(left_out)
    if capabilities(model).known:
        return f"{settings} is not sent to {model}, which refuses it" if left_out else None
    without = f", so without {settings}" if left_out else ""
    return f"{model} is not known here: it is asked in the way that most models accept{without}"
