"""Models and programs that read: judges of steps, critics, and those that judge questions."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from chainwright.llm.uri import ModelUriError, parse_model_uri
from chainwright.recipe_parts.models import (
    MOST_MODELS,
    MaxTokens,
    Model,
    Share,
    Temperature,
    without_address,
)
from chainwright.recipe_parts.part import (
    Part,
    PartError,
    each_once,
    in_union,
    listed,
    repeated,
    value_of,
)

ErrorMethod = Literal["full_context", "premise_conditioned", "one_pass"]
PremiseMethod = Literal["per_step", "per_chain", "dyadic", "one_pass"]
FaithfulnessMethod = Literal["all", "sbs", "bin"]


class JudgePart(Part):
    """A model judge with its methods."""

    model: Model
    error: ErrorMethod | None = Field(None, description="how it looks for errors; null = not")
    premises: PremiseMethod | None = Field(
        None, description="how it looks for premises; null = not; one_pass comes with error"
    )
    faithfulness: FaithfulnessMethod | None = Field(
        None, description="how it looks for unfaithful steps in chains on a context; null = not"
    )
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(2048, description="room of an answer; null = the provider's")
    share: Share = Field(
        1.0, description="share of the problems whose chains it reads; below 1 it does not count"
    )

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Methods that go together."""
        error, premises = given.get("error"), given.get("premises")
        faithfulness = given.get("faithfulness")
        if error is None and premises is None and faithfulness is None:
            yield PartError(
                (),
                "no `error`, no `premises` and no `faithfulness`",
                "at least one of `error` and `premises`, or `faithfulness`",
                "`error: one_pass` finds errors and premises with one request a chain",
            )
        if faithfulness is not None and (error is not None or premises is not None):
            yield PartError(
                ("faithfulness",),
                f"`{faithfulness}` beside `{'error' if error is not None else 'premises'}`",
                "a judge of its own",
                "errors are looked for in math chains, faithfulness in those on a context",
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


def _judge(uri: str) -> str:
    parse_model_uri(uri)
    return uri


def _kind(value: Any) -> str:
    return in_union("object" if isinstance(value, Mapping | JudgePart) else "uri")


JudgeUri = Annotated[
    str,
    AfterValidator(_judge),
    Field(
        json_schema_extra={
            "words": "program:NAME, python:PACKAGE.MODULE.FUNCTION, a model such as openai:NAME"
        }
    ),
]

Judge = Annotated[
    Annotated[JudgeUri, Tag(in_union("uri"))] | Annotated[JudgePart, Tag(in_union("object"))],
    Discriminator(_kind),
]
"""A program or a model by its URI, or a model with its methods."""


def judges_by(uri: str) -> tuple[JudgePart, JudgePart]:
    """What a model's bare URI stands for: a judge of math chains and one of chains on a context."""
    return (
        JudgePart(model=uri, error="one_pass", premises="one_pass"),
        JudgePart(model=uri, faithfulness="all"),
    )


def same_judges(judges: list[Any]) -> Iterable[PartError]:
    """A fault for every judge that could not be told apart from one before it.

    Votes name a judge by its model and methods: not by where the model is served, nor by settings.
    """
    known = [(place, name) for place, judge in enumerate(judges) for name in _identities(judge)]
    told: set[int] = set()
    for entry, name, earlier in repeated([name for _, name in known]):
        position, first = known[entry][0], known[earlier][0]
        if position in told:
            continue
        told.add(position)
        plain = isinstance(judges[position], str)
        yield PartError(
            ("judges", position),
            f"`{judges[position] if plain else name}` a second time",
            "each judge once",
            f"it is judges[{first}] already"
            + ("" if plain else "; judges are told apart by model and methods alone"),
        )


def _identities(judge: Any) -> list[str]:
    """What the judges of an entry are known by, of a value that nothing has checked yet."""
    uri = judge if isinstance(judge, str) else value_of(judge, "model")
    if not isinstance(uri, str):
        return []
    try:
        model = parse_model_uri(uri)
    except ModelUriError:
        return [uri]
    if model.provider in ("program", "python"):
        return [uri]
    if isinstance(judge, str):
        return [f"{model.model}#{method}" for method in ("one_pass", "all")]
    methods = [value_of(judge, key) for key in ("error", "premises", "faithfulness")]
    words = dict.fromkeys(str(method) for method in methods if method is not None)
    return [f"{model.model}#{'+'.join(words)}"]


class CritiquePart(Part):
    """Critics: models that say in free words what is wrong with steps, for a taxonomy."""

    models: list[Model] = Field(min_length=1, max_length=MOST_MODELS)
    right: int = Field(
        20, ge=0, description="chains with a right answer, of each generator and source"
    )
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(4096, description="room of an answer; null = the provider's")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each model is asked once."""
        yield from each_once(given, "models")


class GroundednessFilter(Part):
    """Models that judge, before any chain is made, whether the context answers the question."""

    models: list[Model] = Field(min_length=1, max_length=MOST_MODELS)
    temperature: Temperature = Field(0.0, description="null = the provider's default")
    max_tokens: MaxTokens = Field(512, description="room of an answer; null = the provider's")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each model votes once; votes name it without where it is served."""
        names = [without_address(uri) for uri in listed(given, "models")]
        for position, name, first in repeated(names):
            found, hint = f"`{name}` a second time", f"it is models[{first}] already"
            yield PartError(("models", position), found, "each model once", hint)
