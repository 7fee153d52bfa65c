"""Capabilities: what a model can be sent, by the pattern of its name.

One table decides for all providers. A model that no pattern knows gets the request that the fewest
servers refuse.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from chainwright.llm.request import Request
from chainwright.llm.uri import ModelUri, Provider

JsonMode = Literal["json_schema", "json_object", "text"]
"""How an answer in JSON is asked for: by a schema that the server enforces, by a mode that makes
it JSON of any shape, or in words alone. Each one is the way out when the one before is refused."""


@dataclass(frozen=True)
class Capabilities:
    """What may be in a request.

    Attributes:
        token_limit: The field that limits the length of an answer.
        default_max_tokens: Its value where the request has none; null leaves it out.
        system_role: The role that instructions are sent with.
        json_mode: The first mode to try.
    """

    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105
    default_max_tokens: int | None = None
    temperature: bool = True
    seed: bool = True
    system_role: Literal["system", "developer", "user"] = "system"
    json_mode: JsonMode = "json_schema"


_OPENAI = Capabilities(token_limit="max_completion_tokens")  # noqa: S106
_REASONING = replace(_OPENAI, temperature=False, seed=False, system_role="developer")

_TABLE: dict[Provider, tuple[tuple[str, Capabilities], ...]] = {
    "openai": (
        (r"o1-(mini|preview)", replace(_REASONING, system_role="user", json_mode="text")),
        (r"o\d", _REASONING),
        (r"gpt-5(\.\d+)?-chat", _OPENAI),
        (r"gpt-5", _REASONING),
        (r"(chat)?gpt-4(o|\.\d)", _OPENAI),
        (r"gpt-4-turbo|gpt-4-1106|gpt-4-0125|gpt-3\.5", replace(_OPENAI, json_mode="json_object")),
        (r"gpt-4", replace(_OPENAI, json_mode="text")),
        (r"", replace(_OPENAI, temperature=False, seed=False)),
    ),
    # Messages has no seed, and the SDK's `create` takes no temperature.
    "anthropic": ((r"", Capabilities(default_max_tokens=8192, temperature=False, seed=False)),),
    "compat": ((r"", Capabilities()),),
    # Without a limit a small model may ramble until its context is full.
    "local": ((r"", Capabilities(default_max_tokens=1024)),),
}


def capabilities(model: ModelUri) -> Capabilities:
    """What a model can be sent; the first pattern counts that its name begins with.

    >>> from chainwright.llm.uri import parse_model_uri
    >>> capabilities(parse_model_uri("openai:o3-mini")).temperature
    False
    """
    name = model.name.removeprefix("ft:")
    for pattern, found in _TABLE.get(model.provider, ()):
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
