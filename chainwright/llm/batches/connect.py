"""Connect: from a model to the batches of the place that serves it."""

from chainwright.llm.batches.service import BatchService
from chainwright.llm.endpoint import endpoint
from chainwright.llm.keys import NAMES, api_key
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri, Provider

BATCHED: tuple[Provider, ...] = ("openai", "anthropic", "azure")
"""The providers that have batches; the others are asked online in either mode."""


def has_batches(model: ModelUri) -> bool:
    """Whether a model can be asked in batches."""
    return model.provider in BATCHED


def batch_service(model: ModelUri, patience: Patience) -> BatchService:
    """The batches of the place that serves a model.

    Raises:
        ModelUnavailable: for a missing key, and providers without batches.
    """
    url = endpoint(model)
    if model.provider == "anthropic" and url:
        from chainwright.llm.batches.anthropic_batches import AnthropicBatches

        return AnthropicBatches(url, api_key("anthropic"), patience)
    if model.provider in ("openai", "azure") and url and model.provider in NAMES:
        from chainwright.llm.batches.openai_batches import OpenAiBatches

        return OpenAiBatches(model.provider, url, api_key(model.provider), patience)
    raise ModelUnavailable(
        f"this version has no batches for {model}: use openai: or anthropic:, or `mode: online`"
    )
