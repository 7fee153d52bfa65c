"""How a recipe names models, and the settings that all of them share."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from chainwright.llm.uri import ModelUriError, parse_model_uri
from chainwright.recipe_parts.part import Keys, Part, PartError

MOST_MODELS = 25

Temperature = Annotated[float | None, Field(ge=0, le=2)]
MaxTokens = Annotated[int | None, Field(ge=1)]
Share = Annotated[float, Field(gt=0, le=1)]


def writing_model(uri: str) -> str:
    """The URI of a model, and not of a program.

    Raises:
        ModelUriError, PartError: for anything else; pydantic turns them into an error there.
    """
    if parse_model_uri(uri).provider in ("program", "python"):
        raise PartError(
            (), f"`{uri}`, a program", "a model", "a program judges, and writes nothing"
        )
    return uri


Model = Annotated[
    str,
    AfterValidator(writing_model),
    Field(
        json_schema_extra={
            "words": "a model such as openai:NAME or compat:NAME@http://HOST:PORT/v1"
        }
    ),
]


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


def without_address(uri: Any) -> Any:
    """A model's URI without where it is served; what is none comes back as it is."""
    try:
        return parse_model_uri(uri).model if isinstance(uri, str) else None
    except ModelUriError:
        return uri
