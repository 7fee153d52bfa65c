"""The recipe's model parts: who writes chains, who breaks them, who judges them, and how."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from chainwright.llm.limits import Limit
from chainwright.llm.uri import PROVIDERS, ModelUriError, parse_model_uri
from chainwright.recipe_part import (
    Keys,
    Part,
    PartError,
    in_union,
    listed,
    repeated,
    value_of,
)
from chainwright.schemas.taxonomy import BUILT_IN, Category, Taxonomy
from chainwright.spelling import nearest

ErrorMethod = Literal["full_context", "premise_conditioned", "one_pass"]
PremiseMethod = Literal["per_step", "per_chain", "dyadic", "one_pass"]
FaithfulnessMethod = Literal["all", "sbs", "bin"]
BrokenBy = Literal["mathematical_error", "logical_inconsistency"]

MOST_MODELS = 25

Temperature = Annotated[float | None, Field(ge=0, le=2)]
MaxTokens = Annotated[int | None, Field(ge=1)]
Share = Annotated[float, Field(gt=0, le=1)]


def _model(uri: str) -> str:
    """Raises ModelUriError or PartError, which pydantic turns into an error at this model."""
    if parse_model_uri(uri).provider in ("program", "python"):
        raise PartError(
            (), f"`{uri}`, a program", "a model", "a program judges, and writes nothing"
        )
    return uri


def _judge(uri: str) -> str:
    parse_model_uri(uri)
    return uri


def _limited(name: str) -> str:
    if name in PROVIDERS:
        return name
    provider, _, rest = name.partition(":")
    if provider == "compat" and rest and "@" not in rest:
        return name  # wherever it is served
    return _model(name)


LimitedModel = Annotated[
    str,
    AfterValidator(_limited),
    Field(json_schema_extra={"words": "a model such as openai:NAME, or a provider"}),
]

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
    share: Share = Field(1.0, description="share of the problems that they write chains for")
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


def named_models(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """Whatever stands where a recipe names models, programs among them, and where that is.

    Args:
        value: A recipe or a part of it, checked or not.
        keys: Where the part stands.
    """
    if isinstance(value, Part):
        yield from named_models(value.model_dump(), keys)
    elif isinstance(value, Mapping):
        for key, below in value.items():
            yield from named_models(below, (*keys, key))
    elif isinstance(value, list):
        for place, below in enumerate(value):
            yield from named_models(below, (*keys, place))
    elif keys and (keys[-2] if isinstance(keys[-1], int) else keys[-1]) in _MODEL_KEYS:
        yield keys, value


_MODEL_KEYS = {"judges", "model", "models"}


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
        yield from _each_once(given, "models")


class CategoryPart(Part):
    """One way for a step to be unfaithful, as judges are told of it."""

    name: str = Field(
        pattern=r"^[a-z][a-z0-9_]*$",
        json_schema_extra={"words": "a name of small letters, digits and underscores"},
    )
    definition: str = Field(min_length=1, description="what a step of this kind does")


class TaxonomyPart(Part):
    """Categories of unfaithful steps, in place of the built-in ones."""

    inference: list[CategoryPart] = Field([], description="of deductive sources")
    grounding: list[CategoryPart] = Field([], description="of sources that are evidence")

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Each name stands for one category of its track."""
        for track in cls.model_fields:
            names = [value_of(category, "name") for category in listed(given, track)]
            for position, name, first in repeated(names):
                yield PartError(
                    (track, position, "name"),
                    f"`{name}` a second time",
                    "each name once",
                    f"{track}[{first}] is called so already",
                )

    def taxonomies(self) -> tuple[Taxonomy, ...]:
        """One for each track; the built-in one where nothing is said."""
        given = {"inference": self.inference, "grounding": self.grounding}
        return tuple(
            Taxonomy(
                track=built_in.track,
                categories=[
                    Category(name=one.name, definition=one.definition, clusters=[])
                    for one in given[built_in.track]
                ],
            )
            if given[built_in.track]
            else built_in
            for built_in in BUILT_IN
        )


def judges_by(uri: str) -> tuple[JudgePart, JudgePart]:
    """What a model's bare URI stands for: a judge of math chains and one of chains on a context."""
    return (
        JudgePart(model=uri, error="one_pass", premises="one_pass"),
        JudgePart(model=uri, faithfulness="all"),
    )


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
