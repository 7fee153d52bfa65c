"""Connect: from a model URI to the connection that reaches it."""

import asyncio

from chainwright.llm.endpoint import endpoint
from chainwright.llm.keys import NO_KEY, api_key
from chainwright.llm.providers.reply import Connection, Patience
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri


async def connect(model: ModelUri, patience: Patience, connections: int) -> Connection:
    """Open the connection to where a model is served; a local one is started first.

    Args:
        connections: The most HTTP connections at once.

    Raises:
        ModelUnavailable: for a missing key or address, a local model that is not installed or does
            not start, and a program.
    """
    url = endpoint(model)
    if model.provider == "local":
        from chainwright.llm.providers.local import local_base_url

        url = await asyncio.to_thread(local_base_url, model)
    if model.provider in ("openai", "azure", "compat", "local") and url:
        from chainwright.llm.providers.openai_compatible import OpenAiCompatible

        key = NO_KEY if model.provider == "local" else api_key(model.provider)
        return OpenAiCompatible(model.provider, url, key, patience, connections)
    if model.provider == "anthropic" and url:
        from chainwright.llm.providers.anthropic import Anthropic

        return Anthropic(url, api_key("anthropic"), patience, connections)
    raise ModelUnavailable(f"{model} is a program and cannot be asked")


def place(model: ModelUri) -> tuple[str, str | None]:
    """What models that share a connection have in common."""
    own = model.name if model.provider == "local" else endpoint(model)
    return model.provider, own
