"""Taxonomy: the named error categories of a track."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Track


class Category(Record):
    """One named way for a step to be wrong."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    definition: str = Field(min_length=1)
    clusters: list[int] = Field(description="clusters of critiques merged into it; may be empty")


class Taxonomy(Record):
    """A set of categories that annotation may use in place of the built-in ones."""

    track: Track
    categories: list[Category] = Field(min_length=1)
