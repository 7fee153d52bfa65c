"""Rows of made problems: made for a recipe, or read from a file that names their worlds."""

from collections.abc import Iterator, Mapping
from typing import Any

from chainwright.builders.fields import Refused, text_at
from chainwright.builders.raw_rows import RawRow
from chainwright.builders.worlds.exact_context import made_problem, worked_text
from chainwright.builders.worlds.made import VERSION, Made, WorldKey, parse_key
from chainwright.formats.columns import ABSENT, pick
from chainwright.recipe import Source
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import Track


def made_rows(track: Track, seed: int, count: int) -> Iterator[RawRow]:
    """The rows of the first so many problems of a seed; more of them only append."""
    for number in range(count):
        key = WorldKey(track, seed, number)
        yield RawRow(f"worlds:{track}:{seed}:{number}", {"world": str(key)})


def world_problem(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """The problem of a row that names its world, such as `{"world": "1/grounding/7/12"}`.

    Other columns are for readers of the file: where there is a question, it must be the world's.

    Raises:
        Refused: `bad_world` where the key is none, `world_version` where it is of another version
            of the generators, `world_mismatch` where the row's question is another one.
    """
    text = text_at(row, "world")
    key = parse_key(text)
    if key is None:
        raise Refused("bad_world", f"`{text[:80]}` is no key such as {VERSION}/grounding/7/12")
    if key.version != VERSION:
        raise Refused("world_version", f"world {key}; this version makes those of {VERSION}")
    made = made_problem(key)
    if pick(row, "question") not in (ABSENT, made.question):
        raise Refused("world_mismatch", f"the question is not the one that world {key} yields")
    return Problem.build(
        source=source.known_as,
        split=source.known_split,
        question=made.question,
        context=[*made.passages],
        options=[*made.options],
        answer=made.answer,
        answer_kind=made.answer_kind,
        solution=worked_text(made),
        licence=source.known_licence,
        track=key.track,
        origin_ref=where,
    )


def readable_row(made: Made) -> dict[str, Any]:
    """A row for a file: the key of a world, and what it yields for whoever reads the file."""
    *steps, _, _ = worked_text(made).split("\n")
    row: dict[str, Any] = {"world": str(made.key), "question": made.question}
    row["context"] = [{"title": one.title, "text": one.text} for one in made.passages]
    if made.options:
        row["options"] = [*made.options]
    return row | {"answer": made.answer, "steps": steps}
