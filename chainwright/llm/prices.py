"""Prices: what an answer cost, in US dollars, by the table of genai-prices."""

from functools import cache
from typing import TYPE_CHECKING

from chainwright.llm.request import Usage
from chainwright.llm.uri import ModelUri, Provider

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

FREE: tuple[Provider, ...] = ("local", "program")

_SELLERS: dict[Provider, str] = {"openai": "openai", "anthropic": "anthropic", "azure": "azure"}


BATCH = {"processing": "batch"}
"""What genai-prices calls the prices of batches."""


def cost(model: ModelUri, usage: Usage, *, batch: bool = False) -> float | None:
    """The price of a number of tokens; 0 for models on this machine, None when it is unknown.

    What was read from a cache, or written to one, has its own price where the seller makes a
    difference. A `compat:` model has the price of whoever serves it, found by its address.

    Args:
        batch: Whether it was asked in a batch; a model without a batch price has the full one.
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
        return float(_calculate(model, tokens, batch).total_price)
    except (LookupError, ValueError):
        return None


@cache
def is_priced(model: ModelUri) -> bool:
    """Whether a model's price is known; asked once, as looking in vain takes as long as finding."""
    if model.provider in FREE:
        return True
    from genai_prices import Usage as Tokens

    try:
        _calculate(model, Tokens(input_tokens=1, output_tokens=1), batch=False)
    except LookupError:
        return False
    return True


def _calculate(model: ModelUri, tokens: object, batch: bool) -> "PriceCalculation":
    from genai_prices import calc_price

    context = BATCH if batch else None
    if model.provider in _SELLERS:
        seller = _SELLERS[model.provider]
        return calc_price(tokens, model.name, provider_id=seller, price_context=context)
    return calc_price(tokens, model.name, provider_api_url=model.base_url, price_context=context)
