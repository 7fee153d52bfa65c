"""Withheld rows: what a release tells of rows whose text may not be passed on.

Ids, numbers of steps, labels, tiers, premises and how a chain was broken stay; texts give way to
`texts`, which says where in the source's own text each part of them stands, and `sha256`, by which
a row that was put together again is checked.
"""

from typing import Any

from pydantic import Field, create_model

from chainwright.schemas.label import CastVote, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.record import Record
from chainwright.schemas.release import ReleasedChain, ReleasedStep
from chainwright.schemas.vote import Vote

PREFIX = "withheld_"
"""Begins the name of a config of withheld rows; the rest names that of the whole rows."""

_PLACE = {
    "row": (int, Field(ge=0, description="its number among the whole rows of its split, from 0")),
    "sha256": (
        str,
        Field(pattern=r"^[0-9a-f]{64}$", description="of the whole row, to check it by"),
    ),
}
_TEXTS = {
    "texts": (
        str,
        Field(description="JSON: each text as own words and spans of the source's text"),
    )
}


def _without(
    record: type[Record], name: str, doc: str, left_out: tuple[str, ...], **more: Any
) -> type[Record]:
    """The record without some of its fields, and with others besides."""
    kept: dict[str, Any] = {
        field: (info.annotation, info)
        for field, info in record.model_fields.items()
        if field not in left_out
    }
    made: type[Record] = create_model(
        name, __base__=Record, __doc__=doc, __module__=__name__, **kept | more
    )
    return made


_STEP = _without(ReleasedStep, "WithheldStep", "A released step without its text.", ("text",))
_CAST = _without(CastVote, "WithheldCastVote", "A cast vote without its words.", ("explanation",))

WithheldProblem = _without(
    Problem,
    "WithheldProblem",
    "A problem of which nothing but its place is told: its text is the source's.",
    ("question", "context", "options", "answer", "solution", "aliases", "supporting"),
    **_PLACE,
)
WithheldChain = _without(
    ReleasedChain,
    "WithheldChain",
    "A chain with the labels of its steps, without their text.",
    ("question", "answer", "final_answer", "steps"),
    steps=(list[_STEP], Field(min_length=1, description="the labels of the steps")),  # type: ignore[valid-type]
    **_TEXTS,
    **_PLACE,
)
WithheldVote = _without(
    Vote, "WithheldVote", "A vote without its explanation.", ("explanation",), **_TEXTS, **_PLACE
)
WithheldLabel = _without(
    Label,
    "WithheldLabel",
    "A label without the explanations of its votes.",
    ("votes",),
    votes=(list[_CAST], Field(description="what entered the count, one vote a judge")),  # type: ignore[valid-type]
    **_TEXTS,
    **_PLACE,
)

WITHHELD: dict[str, type[Record]] = {
    "chains": WithheldChain,
    "full": WithheldChain,
    "problems": WithheldProblem,
    "votes": WithheldVote,
    "labels": WithheldLabel,
}
"""By the config of the whole rows."""
