"""Models that write: chains, and what is broken in them."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from chainwright.recipe_parts.models import MOST_MODELS, MaxTokens, Model, Share, Temperature
from chainwright.recipe_parts.part import Part, PartError, each_once

BrokenBy = Literal["mathematical_error", "logical_inconsistency"]


class ModelChains(Part):
    """Chains that models write."""

    models: list[Model] = Field(min_length=1, max_length=MOST_MODELS)
    samples: int = Field(1, ge=1, le=100, description="chains a problem and model")
    share: Share = Field(1.0, description="share of the problems that they write chains for")
    format: Literal["json", "text"] = Field(
        "json", description="text = numbered steps in plain text, for very small models"
    )
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(2048, description="room of an answer; null = the provider's")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each model writes once."""
        yield from each_once(given, "models")


class Keep(Part):
    """How many of the models' chains are kept of each source; null = all."""

    positive: int | None = Field(None, ge=0)
    negative: int | None = Field(None, ge=0)

    @property
    def is_all(self) -> bool:
        """Whether there is no quota at all."""
        return self.positive is None and self.negative is None


class ModelNegatives(Part):
    """Synthetic negatives that a model writes: one for each positive."""

    model: Model
    error_types: list[BrokenBy] = Field(
        ["mathematical_error", "logical_inconsistency"], min_length=1, max_length=2
    )
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(2048, description="room of an answer; null = the provider's")
    limit: int | None = Field(None, ge=1, description="positives to break of each source")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each error type is named once."""
        yield from each_once(given, "error_types")
