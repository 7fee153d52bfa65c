"""Part: what all parts of a recipe have in common, and the faults between their keys."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails

Keys: TypeAlias = tuple[str | int, ...]
"""Keys and list positions that lead to a value of the recipe."""


class PartError(ValueError):
    """A fault that a key's type can't show: in a URI, or between several keys.

    Attributes:
        place: Keys and list positions that lead from the checked part to the culprit.
        found: The bad value, quoted.
        expected: What is allowed.
        hint: The way out; null where it is plain.
    """

    def __init__(self, place: Keys, found: str, expected: str, hint: str | None = None) -> None:
        super().__init__(place, found, expected, hint)
        self.place, self.found, self.expected, self.hint = place, found, expected, hint

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"found {self.found}, expected {self.expected}{hint}"


class Part(BaseModel):
    """A part of the recipe: closed to unknown keys, no silent coercion."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @classmethod
    def cross_check(cls, given: Mapping[str, Any]) -> Iterable[PartError]:
        """Faults between the keys of this part, on values that nothing has checked yet."""
        return ()

    @model_validator(mode="wrap")
    @classmethod
    def _all_faults_at_once(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Run the cross-checks even where single keys are at fault, and report both."""
        faults: list[InitErrorDetails] = []
        made = None
        try:
            made = handler(given)
        except ValidationError as error:
            faults += [
                InitErrorDetails(
                    type=e["type"],
                    loc=tuple(key for key in e["loc"] if not _is_union_tag(key)),
                    input=e["input"],
                    ctx=e.get("ctx", {}),
                )
                for e in error.errors(include_url=False)
            ]
        if isinstance(given, Mapping):
            faults += [
                InitErrorDetails(
                    type="value_error", loc=fault.place, input=given, ctx={"error": fault}
                )
                for fault in cls.cross_check(given)
            ]
        if made is None or faults:
            raise ValidationError.from_exception_data(cls.__name__, faults)
        return made


def in_union(kind: str) -> str:
    """The tag of a branch where a key takes values of several kinds.

    pydantic puts it among the keys that lead to an error; `Part` takes it out again, since no
    reader of a recipe has written it.
    """
    return f"{_TAG}{kind}"


_TAG = "kind "
"""No key of a recipe has a blank in it."""


def _is_union_tag(key: str | int) -> bool:
    return isinstance(key, str) and key.startswith(_TAG)


def exactly_one(given: Mapping[str, Any], first: str, second: str) -> Iterator[PartError]:
    """A fault unless one of two keys is given, and the other is not."""
    present = [key for key in (first, second) if given.get(key) is not None]
    if len(present) != 1:
        found = f"both `{first}` and `{second}`" if present else f"no `{first}` and no `{second}`"
        yield PartError((), found, f"exactly one of `{first}` and `{second}`")


def listed(given: Mapping[str, Any], key: str) -> list[Any]:
    """The list at a key; empty where there is none, or something else in its place."""
    values = given.get(key)
    return values if isinstance(values, list) else []


def value_of(part: Any, key: str) -> Any:
    """A key of a part that is a mapping still, or a model already; None where it lacks it."""
    return part.get(key) if isinstance(part, Mapping) else getattr(part, key, None)


def repeated(words: list[Any]) -> Iterator[tuple[int, str, int]]:
    """Position, word and first position of every word that was there before."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for position, word in enumerate(words):
        if isinstance(word, str):
            places[word].append(position)
            if len(places[word]) > 1:
                yield position, word, places[word][0]


def each_once(given: Mapping[str, Any], key: str) -> Iterable[PartError]:
    """A fault for every entry of a list that is there already."""
    for position, word, first in repeated(listed(given, key)):
        yield PartError(
            (key, position), f"`{word}` a second time", "each once", f"it is {key}[{first}] already"
        )
