"""Shapes: lists of records in the forms that copies of one dataset have.

The same list is a JSON list in the publisher's file, a text that holds JSON where a copy flattened
its columns, and an object of equally long lists where Parquet or the Hub took it apart.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from chainwright.builders.fields import Refused, clean_text, optional_word_at, type_in_words
from chainwright.formats.columns import pick


def records_at(value: Any, place: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The records of a list, each as a tuple of the values that the names stand for.

    A record is a list with at least so many values in that order, or an object with these keys; a
    name of several spellings is written `sentences|content`. Null and an absent list are empty.

    Raises:
        Refused: `wrong_type` for other shapes, `bad_json` for a text that is no JSON.
    """
    value = _unpacked(value, place)
    if value is None:
        return []
    if isinstance(value, Mapping):
        return _turned(value, place, names)
    if not isinstance(value, list):
        raise Refused("wrong_type", f"`{place}` is {type_in_words(value)}, expected a list")
    return [_record(one, f"{place}[{at}]", names) for at, one in enumerate(value)]


def list_at(value: Any, place: str) -> list[Any]:
    """A plain list, perhaps as a text that holds JSON; null is empty.

    Raises:
        Refused: `wrong_type`, `bad_json`.
    """
    value = _unpacked(value, place)
    if value is None:
        return []
    if not isinstance(value, list):
        raise Refused("wrong_type", f"`{place}` is {type_in_words(value)}, expected a list")
    return value


def answer_of(row: Mapping[str, Any], column: str = "answer") -> str:
    """The gold answer.

    Raises:
        Refused: `no_answer` where it is null or blank, as in test splits.
    """
    value = pick(row, column)
    answer = optional_word_at(row, column) if value != "" else None
    if answer is None:
        raise Refused("no_answer", f"`{column}` is null or blank")
    return answer


def aliases_of(value: Any, place: str, answer: str) -> list[str]:
    """Other spellings of the answer, each once, without blanks around them.

    Raises:
        Refused: `wrong_type`, `bad_encoding`.
    """
    texts = [one for one in list_at(value, place) if one not in (None, "")]
    found = [clean_text(one, f"{place}[{at}]").strip() for at, one in enumerate(texts)]
    return [one for one in dict.fromkeys(found) if one != answer]


def _unpacked(value: Any, place: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise Refused("bad_json", f"`{place}` is a text that is no JSON: {error}") from None


def _record(value: Any, place: str, names: Sequence[str]) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        return tuple(_named(value, name, place) for name in names)
    if isinstance(value, list) and len(value) >= len(names):
        return tuple(value[: len(names)])
    expected = f"a list of {', '.join(names)}, or an object with these keys"
    found = f"a list of {len(value)}" if isinstance(value, list) else type_in_words(value)
    raise Refused("wrong_type", f"`{place}` is {found}, expected {expected}")


def _turned(value: Mapping[str, Any], place: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
    columns = [list_at(_named(value, name, place), f"{place}.{name}") for name in names]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        listed = " and ".join(str(len(column)) for column in columns)
        raise Refused("wrong_type", f"`{place}` holds lists of {listed} values, expected as many")
    return list(zip(*columns, strict=True))


def _named(value: Mapping[str, Any], name: str, place: str) -> Any:
    for spelling in name.split("|"):
        if spelling in value:
            return value[spelling]
    raise Refused("missing_field", f"`{place}` has no `{name}`; there are: {', '.join(value)}")
