"""Prices: what an answer cost, in US dollars, and what a model can read, by genai-prices."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from chainwright.llm.request import Usage
from chainwright.llm.uri import ModelUri, Provider

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

FREE: tuple[Provider, ...] = ("local", "program", "python")

BATCH_SHARE = 0.5
"""Of the usual price, what answers in a batch cost."""

_IN_A_BATCH = {"processing": "batch"}

_SELLERS: dict[Provider, str] = {"openai": "openai", "anthropic": "anthropic", "azure": "azure"}


def cost(model: ModelUri, usage: Usage, *, batch: bool = False) -> float | None:
    """The price of a number of tokens; 0 for models on this machine, None when it is unknown.

    What was read from a cache, or written to one, has its own price where the seller makes a
    difference. A `compat:` model has the price of whoever serves it, found by its address.

    Args:
        batch: Whether the answer came in a batch: the table's own price of batches, or half the
            usual one where it has none, as all of these providers say of their batches.
    """
    if model.provider in FREE:
        return 0.0
    if not is_priced(model):
        return None
    from genai_prices import Usage as Tokens

    tokens = Tokens(
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    try:
        usual = float(_calculate(model, tokens).total_price)
        if not batch:
            return usual
        batched = float(_calculate(model, tokens, _IN_A_BATCH).total_price)
    except (LookupError, ValueError):
        return None
    return batched if batched < usual else usual * BATCH_SHARE


@cache
def listed_window(model: ModelUri) -> int | None:
    """Tokens that a model can read at once, by the same table; None where it does not say.

    Only of the sellers themselves: whoever serves a model elsewhere may give it less room.
    """
    if model.provider not in _SELLERS:
        return None
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(
            model.name, None, _SELLERS[model.provider], None
        )
    except LookupError:
        return None
    return found.context_window


@cache
def is_priced(model: ModelUri) -> bool:
    """Whether a model's price is known; asked once, as looking in vain takes as long as finding."""
    if model.provider in FREE:
        return True
    from genai_prices import Usage as Tokens

    try:
        _calculate(model, Tokens(input_tokens=1, output_tokens=1))
    except LookupError:
        return False
    return True


def _calculate(
    model: ModelUri, tokens: object, context: Mapping[str, str] | None = None
) -> "PriceCalculation":
    from genai_prices import calc_price

    if model.provider in _SELLERS:
        seller = _SELLERS[model.provider]
        return calc_price(tokens, model.name, provider_id=seller, price_context=context)
    return calc_price(tokens, model.name, provider_api_url=model.base_url, price_context=context)
