"""Connect: from a model URI to the connection that reaches it."""

import asyncio

from chainwright.llm.endpoint import endpoint
from chainwright.llm.keys import NO_KEY, api_key
from chainwright.llm.providers.reply import Connection, Patience
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri


async def connect(model: ModelUri, patience: Patience) -> Connection:
    """Open the connection to where a model is served; a local one is started first.

    Raises:
        ModelUnavailable: for a missing key, a local model that is not installed or does not start,
            and providers that no request can be sent to.
    """
    url = endpoint(model)
    if model.provider == "local":
        from chainwright.llm.providers.local import local_base_url

        url = await asyncio.to_thread(local_base_url, model)
    if model.provider in ("openai", "compat", "local") and url:
        from chainwright.llm.providers.openai_compatible import OpenAiCompatible

        key = NO_KEY if model.provider == "local" else api_key(model.provider)
        return OpenAiCompatible(model.provider, url, key, patience)
    if model.provider == "anthropic" and url:
        from chainwright.llm.providers.anthropic import Anthropic

        return Anthropic(url, api_key("anthropic"), patience)
    if model.provider in ("program", "python"):
        raise ModelUnavailable(f"{model} is a program and cannot be asked")
    raise ModelUnavailable(
        f"this version cannot reach {model}: use openai:, anthropic:, compat: or local:"
    )


def place(model: ModelUri) -> tuple[str, str | None]:
    """What models that share a connection have in common."""
    own = model.name if model.provider == "local" else endpoint(model)
    return model.provider, own
