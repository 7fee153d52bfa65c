"""The recipe's model parts: who writes chains, who breaks them, who judges them, and how."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from chainwright.llm.uri import ModelUriError, parse_model_uri
from chainwright.recipe_part import (
    Part,
    PartError,
    in_union,
    listed,
    repeated,
    value_of,
)

ErrorMethod = Literal["full_context", "premise_conditioned", "one_pass"]
PremiseMethod = Literal["per_step", "per_chain", "dyadic", "one_pass"]
BrokenBy = Literal["mathematical_error", "logical_inconsistency"]

MOST_MODELS = 25

Temperature = Annotated[float | None, Field(ge=0, le=2)]
MaxTokens = Annotated[int | None, Field(ge=1)]


def _model(uri: str) -> str:
    """Raises ModelUriError or PartError, which pydantic turns into an error at this model."""
    if parse_model_uri(uri).provider == "program":
        raise PartError(
            (), f"`{uri}`, a program", "a model", "a program judges, and writes nothing"
        )
    return uri


def _judge(uri: str) -> str:
    parse_model_uri(uri)
    return uri


Model = Annotated[
    str,
    AfterValidator(_model),
    Field(
        json_schema_extra={
            "words": "a model such as openai:NAME or compat:NAME@http://HOST:PORT/v1"
        }
    ),
]


class ModelChains(Part):
    """Chains that models write."""

    models: list[Model] = Field(min_length=1, max_length=MOST_MODELS)
    samples: int = Field(1, ge=1, le=100, description="chains a problem and model")
    format: Literal["json", "text"] = Field(
        "json", description="text = numbered steps in plain text, for very small models"
    )
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(2048, description="room of an answer; null = the provider's")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each model writes once."""
        yield from _each_once(given, "models")


class GroundednessFilter(Part):
    """Models that judge, before any chain is made, whether the context answers the question."""

    models: list[Model] = Field(min_length=1, max_length=MOST_MODELS)
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(512, description="room of an answer; null = the provider's")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each model votes once; votes name it without where it is served."""
        names = [_without_address(uri) for uri in listed(given, "models")]
        for position, name, first in repeated(names):
            found, hint = f"`{name}` a second time", f"it is models[{first}] already"
            yield PartError(("models", position), found, "each model once", hint)


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
        yield from _each_once(given, "error_types")


class JudgePart(Part):
    """A model judge with its methods."""

    model: Model
    error: ErrorMethod | None = Field(None, description="how it looks for errors; null = not")
    premises: PremiseMethod | None = Field(
        None, description="how it looks for premises; null = not; one_pass comes with error"
    )
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(2048, description="room of an answer; null = the provider's")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Methods that go together."""
        error, premises = given.get("error"), given.get("premises")
        if error is None and premises is None:
            yield PartError(
                (),
                "no `error` and no `premises`",
                "at least one of `error` and `premises`",
                "`error: one_pass` finds errors and premises with one request a chain",
            )
        if error == "premise_conditioned" and premises in (None, "one_pass"):
            what = "`premises: one_pass`" if premises else "no `premises`"
            yield PartError(
                ("premises",) if premises else (),
                f"`error: premise_conditioned` with {what}",
                "`premises` of per_step, per_chain, dyadic",
                "the judge checks each step by the premises that it finds first",
            )
        if error == "one_pass" and premises not in (None, "one_pass"):
            yield PartError(
                ("premises",),
                f"`{premises}` beside `error: one_pass`",
                "one_pass, or nothing",
                "one_pass finds premises itself",
            )
        if premises == "one_pass" and error not in ("one_pass", "premise_conditioned"):
            yield PartError(
                ("premises",),
                "`one_pass` without `error: one_pass`",
                "one of per_step, per_chain, dyadic, or `error: one_pass`",
                "one_pass finds errors and premises with one request",
            )


def _kind(value: Any) -> str:
    return in_union("object" if isinstance(value, Mapping | JudgePart) else "uri")


JudgeUri = Annotated[
    str,
    AfterValidator(_judge),
    Field(json_schema_extra={"words": "program:NAME, a model such as openai:NAME"}),
]

Judge = Annotated[
    Annotated[JudgeUri, Tag(in_union("uri"))] | Annotated[JudgePart, Tag(in_union("object"))],
    Discriminator(_kind),
]
"""A program or a model by its URI, or a model with its methods."""


class Requests(Part):
    """How models are asked."""

    concurrency: int = Field(16, ge=1, le=1024, description="requests under way at once")


def one_pass_judge(uri: str) -> JudgePart:
    """What a model's bare URI among the judges stands for."""
    return JudgePart(model=uri, error="one_pass", premises="one_pass")


def same_judges(judges: list[Any]) -> Iterable[PartError]:
    """A fault for every judge that could not be told apart from one before it.

    Votes name a judge by its model and methods: not by where the model is served, nor by settings.
    """
    for position, name, first in repeated([_identity(judge) for judge in judges]):
        plain = isinstance(judges[position], str)
        yield PartError(
            ("judges", position),
            f"`{judges[position] if plain else name}` a second time",
            "each judge once",
            f"it is judges[{first}] already"
            + ("" if plain else "; judges are told apart by model and methods alone"),
        )


def _identity(judge: Any) -> str | None:
    """What a judge is known by, of a value that nothing has checked yet."""
    uri = judge if isinstance(judge, str) else value_of(judge, "model")
    if not isinstance(uri, str):
        return None
    try:
        model = parse_model_uri(uri)
    except ModelUriError:
        return uri
    if model.provider == "program":
        return uri
    if isinstance(judge, str):
        return f"{model.provider}:{model.name}#one_pass"
    methods = [value_of(judge, key) for key in ("error", "premises")]
    words = dict.fromkeys(str(method) for method in methods if method is not None)
    return f"{model.provider}:{model.name}#{'+'.join(words)}"


def _without_address(uri: Any) -> Any:
    try:
        return parse_model_uri(uri).model if isinstance(uri, str) else None
    except ModelUriError:
        return uri


def _each_once(given: Mapping[str, Any], key: str) -> Iterable[PartError]:
    for position, word, first in repeated(listed(given, key)):
        yield PartError(
            (key, position), f"`{word}` a second time", "each once", f"it is {key}[{first}] already"
        )
