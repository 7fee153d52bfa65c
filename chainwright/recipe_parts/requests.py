"""What models may be sent: how many requests at once and a minute, and for how much money."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from chainwright.llm.limits import Limit
from chainwright.llm.uri import PROVIDERS
from chainwright.recipe_parts.models import named_models, writing_model
from chainwright.recipe_parts.part import Part, PartError, listed, repeated, value_of
from chainwright.spelling import nearest


def _limited(name: str) -> str:
    if name in PROVIDERS:
        return name
    provider, _, rest = name.partition(":")
    if provider == "compat" and rest and "@" not in rest:
        return name  # wherever it is served
    return writing_model(name)


LimitedModel = Annotated[
    str,
    AfterValidator(_limited),
    Field(json_schema_extra={"words": "a model such as openai:NAME, or a provider"}),
]


class LimitPart(Part):
    """What a model may be sent each minute."""

    model: LimitedModel | None = Field(
        None, description="a model, a provider, or null = every model that no other entry names"
    )
    requests_per_minute: int | None = Field(None, ge=1, description="null = any number")
    tokens_per_minute: int | None = Field(
        None, ge=1, description="of prompt and answer together; null = any number"
    )

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """There is something to keep to."""
        numbers = ("requests_per_minute", "tokens_per_minute")
        if all(given.get(key) is None for key in numbers):
            yield PartError(
                (),
                "no `requests_per_minute` and no `tokens_per_minute`",
                "at least one of `requests_per_minute` and `tokens_per_minute`",
            )


class Requests(Part):
    """How models are asked."""

    mode: Literal["online", "batch"] = Field(
        "online", description="batch = handed over by the batch, for half the price within a day"
    )
    concurrency: int = Field(16, ge=1, le=1024, description="requests under way at once, online")
    limits: list[LimitPart] = Field([], description="requests and tokens a minute, by model")

    @property
    def each_limit(self) -> list[Limit]:
        """The limits as the client takes them."""
        return [
            Limit(part.model, part.requests_per_minute, part.tokens_per_minute)
            for part in self.limits
        ]

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each model has one limit."""
        names = [
            value_of(limit, "model") or "every other model" for limit in listed(given, "limits")
        ]
        for position, name, first in repeated(names):
            yield PartError(
                ("limits", position),
                f"a second limit of {name}",
                "one limit for each model",
                f"limits[{first}] is one already",
            )

    @property
    def rows_at_once(self) -> int:
        """Rows under way: twice what is asked at once, so that no request waits for their making.

        In batches nearly all: a row that waits for others misses their batch.
        """
        return 100_000 if self.mode == "batch" else 2 * self.concurrency


class Budget(Part):
    """What a run may spend on models over its life; null = as much as it takes."""

    usd: float | None = Field(None, ge=0, description="US dollars; needs models of a known price")
    tokens: int | None = Field(None, ge=0, description="input and output together")
    requests: int | None = Field(None, ge=0, description="requests sent")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """A budget limits something."""
        if all(given.get(key) is None for key in cls.model_fields):
            yield PartError(
                (),
                "no `usd`, no `tokens` and no `requests`",
                "at least one of `usd`, `tokens` and `requests`",
                "without the key `budget` nothing is limited",
            )


def idle_limits(given: Mapping[str, Any]) -> Iterable[PartError]:
    """A fault for every limit whose model the recipe never asks.

    Args:
        given: The whole recipe, which nothing has checked yet.
    """
    parts = {key: part for key, part in given.items() if key != "requests"}
    uris = [uri for _, uri in named_models(parts)]
    asked = [uri for uri in uris if isinstance(uri, str)]
    limits = {"limits": value_of(given.get("requests"), "limits")}
    for position, limit in enumerate(listed(limits, "limits")):
        name = value_of(limit, "model")
        if not isinstance(name, str) or ":" not in name:
            continue  # of a provider, or of every other model
        if not any(uri == name or uri.startswith(f"{name}@") for uri in asked):
            close = nearest(name, asked)
            yield PartError(
                ("requests", "limits", position, "model"),
                f"a limit of `{name}`, which this recipe never asks",
                "a model that the recipe names elsewhere",
                f"did you mean `{close}`?" if close else None,
            )
