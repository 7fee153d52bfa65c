"""A recipe's own categories of unfaithful steps."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from chainwright.recipe_parts.part import Part, PartError, listed, repeated, value_of
from chainwright.schemas.taxonomy import BUILT_IN, Category, Taxonomy


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
